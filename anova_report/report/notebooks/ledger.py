"""What a batch has done so far, in one small file: a finished run is repeated only if something it rests on changed."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from anova_report import __version__
from anova_report.core.documents import Stamp, read
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import Summary
from anova_report.report.notebooks.runs import BatchRun

FILE = "batch.json"
STAMP = Stamp("anova_report.batch", 1, "the record of a batch", "Delete it, or choose another folder.")

Outcome: TypeAlias = Literal["done", "failed", "waiting"]
Stamps: TypeAlias = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class LedgerEntry:
    """One run and how it went.

    Parameters
    ----------
    name, folder : str
        As in `BatchRun`.
    outcome : {"done", "failed", "waiting"}
    fingerprint : str
        Digest of the notebook, its parameters and the version of this software.
    inputs : dict of str to (int, int)
        Size and time of change of each file that the parameters name and the run did not write itself.
    seconds : float
    message : str
        Why it failed; else empty.
    notebook, html, page, audit : str or None
        Paths of the executed notebook, of its page, and of the audit's page and JSON, from the folder of the batch.
    summary : Summary or None
        None where the notebook makes no audit.
    """

    name: str
    folder: str
    outcome: Outcome = "waiting"
    fingerprint: str = ""
    inputs: Stamps | None = None
    seconds: float = 0.0
    message: str = ""
    notebook: str | None = None
    html: str | None = None
    page: str | None = None
    audit: str | None = None
    summary: Summary | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all files that the run left."""
        return tuple(path for path in (self.page, self.html, self.notebook, self.audit) if path)


def load(folder: Path) -> dict[str, LedgerEntry]:
    """Read what has been done in the folder of a batch; empty if nothing has.

    Raises
    ------
    StorageError
        If there is a file of the right name that is no such record.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    return {name: read(entry, LedgerEntry) for name, entry in STAMP.body(path).get("runs", {}).items()}


def save(entries: Mapping[str, LedgerEntry], folder: Path) -> None:
    """Write what has been done; a killed batch keeps every run that had finished."""
    STAMP.save({"runs": dict(entries)}, folder / FILE, indent=1)


def fingerprint(run: BatchRun) -> str:
    """Digest what a run rests on, its input files aside; outputs saved in the notebook do not count."""
    node = read_notebook(run.notebook)
    cells = [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in node.cells]
    parts = [__version__, cells, node.metadata.get("kernelspec", {}), run.parameters]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def stamps(run: BatchRun) -> Stamps:
    """Note size and time of change of every file that the parameters name."""
    found = {}
    for text in _texts(run.parameters):
        try:
            path = run.cwd / text
            if path.is_file():
                found[text] = (path.stat().st_size, path.stat().st_mtime_ns)
        except (OSError, ValueError):
            continue  # a long text or one with a null character is no path
    return found


def is_current(entry: LedgerEntry | None, run: BatchRun, folder: Path) -> bool:
    """Say whether a run is finished and would give the same again.

    A file that appeared since was not there to be read, so only the files it found are compared.
    """
    if entry is None or entry.outcome != "done" or entry.fingerprint != fingerprint(run):
        return False
    now = stamps(run)
    unchanged = all(now.get(path) == stamp for path, stamp in (entry.inputs or {}).items())
    return unchanged and all((folder / path).is_file() for path in entry.files)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
