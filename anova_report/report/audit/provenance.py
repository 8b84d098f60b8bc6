"""What exactly was audited and with what: digests of data and answers, versions, settings."""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.report.audit.audit import Pairs, Provenance

PACKAGES = ("anova_report", "numpy", "scipy", "scikit-learn", "bokeh")
NOT_GIVEN = "not given"
QUIET = ("progress",)  # settings that cannot change a result


def provenance(
    dec: Decomposition, values: Floats, answers: Floats | None, *, command: str, random_state: int
) -> Provenance:
    """Say what was audited, with what, and how to do it again.

    Parameters
    ----------
    dec : Decomposition
    values : array of shape (n_rows, n_features)
        Encoded rows.
    answers : array of shape (n_rows, n_outputs) or None
    command : str
        What makes the audit again.
    random_state : int
        Seed of the audit itself; that of the fit is among the settings.
    """
    return Provenance(
        data_digest=data_digest(dec, values),
        answers_digest=NOT_GIVEN if answers is None else answers_digest(answers),
        versions=versions(),
        settings=(*settings(dec), ("random_state of the audit", str(random_state))),
        command=command,
    )


def data_digest(dec: Decomposition, values: Floats) -> str:
    """Hash rows with the names, kinds and levels of their features: equal tables in any form have equal digests."""
    features = [[feature.name, feature.kind, list(feature.levels)] for feature in dec.features]
    return _digest(json.dumps(features, ensure_ascii=False).encode(), values)


def answers_digest(answers: Floats) -> str:
    """Hash answers."""
    return _digest(b"", answers)


def versions() -> Pairs:
    """List the software that made the audit."""
    packages = tuple((name, _version(name)) for name in PACKAGES)
    return (packages[0], ("python", platform.python_version()), *packages[1:])


def settings(dec: Decomposition) -> Pairs:
    """List estimator and settings as text."""
    shown = {name: value for name, value in dec.settings.items() if name not in QUIET}
    return tuple((name, value if isinstance(value, str) else json.dumps(value)) for name, value in shown.items())


def _digest(words: bytes, array: Floats) -> str:
    # Missing values come in many bit patterns, and zero in two; they must not make a difference.
    plain = np.where(np.isnan(array), np.nan, array) + 0.0
    shape = f"{len(words)} {array.shape}".encode()
    return hashlib.sha256(shape + words + np.ascontiguousarray(plain, dtype="<f8").tobytes()).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
