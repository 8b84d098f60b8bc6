"""A folder of finished steps: each is kept as one JSON file under a name made of what it rests on."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from anova_report.errors import StorageError
from anova_report.io.documents import plain, read
from anova_report.io.files import write_text
from benchmarks.experiments import Figures
from benchmarks.judge import Floats

FOLDER = "runs"


@dataclass(frozen=True)
class Training:
    """What is known about a trained model in addition to its predictions.

    Parameters
    ----------
    performance : float
        R², or the share of classes that are right, on rows it was not trained on.
    seconds : float
    n_rows, n_features : int
    """

    performance: float
    seconds: float
    n_rows: int
    n_features: int


@dataclass(frozen=True)
class Record:
    """The outcome of one step.

    Parameters
    ----------
    key : dict
        What the step rests on: dataset, model, settings, versions.
    made : str
        When it ended.
    machine : str
    reason : str or None
        Why it failed; a step that failed is tried again.
    training : Training or None
        Of a step that trains a model.
    figures : Figures or None
        Of a step that decomposes predictions.
    """

    key: dict[str, Any]
    made: str
    machine: str
    reason: str | None = None
    training: Training | None = None
    figures: Figures | None = None


@dataclass(frozen=True)
class ResultsStore:
    """The folder; it may hold files of several settings and versions."""

    folder: Path

    def find(self, key: Mapping[str, Any]) -> Record | None:
        """Return the outcome of a step; None if it was never made, or its file cannot be read."""
        path = self._path(key, "json")
        try:
            record = read(json.loads(path.read_text(encoding="utf-8")), Record)
        except (OSError, ValueError, StorageError):
            return None
        return record if record.key == as_json(key) else None

    def put(self, record: Record) -> None:
        """Keep the outcome of a step."""
        path = self._path(record.key, "json")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(plain(record), indent=1, ensure_ascii=False, allow_nan=False)
        write_text(path, text + "\n")

    def predictions_path(self, key: Mapping[str, Any]) -> Path:
        """Say where the predictions of a trained model are."""
        return self._path(key, "npy")

    def put_predictions(self, key: Mapping[str, Any], predictions: Floats) -> None:
        """Keep the predictions of a trained model; the record that follows says that they are complete."""
        path = self.predictions_path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, predictions, allow_pickle=False)

    def predictions(self, key: Mapping[str, Any]) -> Floats:
        """Read the predictions of a trained model."""
        found: Floats = np.load(self.predictions_path(key), allow_pickle=False)
        return found

    def _path(self, key: Mapping[str, Any], suffix: str) -> Path:
        name = "-".join(str(key[part]) for part in ("dataset", "model", "step"))
        return self.folder / FOLDER / f"{name}-{digest(key)}.{suffix}"


def digest(key: Mapping[str, Any]) -> str:
    """Shorten a key to a few letters.

    Examples
    --------
    >>> digest({"a": 1, "b": (2, 3)}) == digest({"b": [2, 3], "a": 1})
    True
    """
    text = json.dumps(as_json(key), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def as_json(key: Mapping[str, Any]) -> dict[str, Any]:
    """Write a key as it comes back from a file."""
    written: dict[str, Any] = json.loads(json.dumps(dict(key)))
    return written


def stamped(key: Mapping[str, Any], **outcome: Any) -> Record:
    """Make the record of a step that has just ended on this machine."""
    return Record(as_json(key), f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", machine(), **outcome)


def machine() -> str:
    """Describe this machine without naming it."""
    processor = _processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor()
