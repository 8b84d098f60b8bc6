"""What exactly was audited and with what: digests of data and predictions, versions, settings."""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.asked import asked_words
from anova_report.core.result.decomposition import Decomposition
from anova_report.report.audit.audit import Pairs, Provenance

PACKAGES = ("anova_report", "numpy", "scipy", "scikit-learn", "bokeh")


def provenance(
    dec: Decomposition, values: Floats, predictions: Floats | None, *, command: str, random_state: int
) -> Provenance:
    """Say what was audited, with what, and how to do it again.

    Values are encoded rows, (n_rows, n_features), and the seed is that of the audit itself; that of the fit is among
    the settings.
    """
    return Provenance(
        data_digest=data_digest(dec, values),
        predictions_digest="not given" if predictions is None else digest(predictions),
        versions=versions(),
        settings=(*settings(dec), ("random_state of the audit", str(random_state))),
        command=command,
        asking=asked_words(
            dec.asking, dec.feature_names, dec.in_sample.n_rows, used=(dec.path or "penalised") == "penalised"
        ),
    )


def data_digest(dec: Decomposition, values: Floats) -> str:
    """Hash rows with the names, kinds and levels of their features: equal tables in any form have equal digests."""
    features = [[feature.name, feature.kind, list(feature.levels)] for feature in dec.features]
    return digest(values, json.dumps(features, ensure_ascii=False).encode())


def versions() -> Pairs:
    """List the software that made the audit."""
    packages = tuple((name, _version(name)) for name in PACKAGES)
    return (packages[0], ("python", platform.python_version()), *packages[1:])


def settings(dec: Decomposition) -> Pairs:
    """List estimator and settings as text, which way the fit took, and which other rows it knows."""
    shown = [(name, value) for name, value in dec.settings.items() if name != "progress"]  # it cannot change a result
    shown += [] if dec.path is None else [("path", dec.path)]
    shown += [] if dec.asking is None else [("ask", dec.asking.n_asked)]
    if dec.population is not None:
        shown += [("population", f"{dec.population.n_rows:,} rows, digest {dec.population.fingerprint}")]
    return tuple((name, value if isinstance(value, str) else json.dumps(value)) for name, value in shown)


def digest(array: Floats, words: bytes = b"") -> str:
    """Hash numbers, and words that belong to them."""
    # Missing values come in many bit patterns, and zero in two; they must not make a difference.
    plain = np.where(np.isnan(array), np.nan, array) + 0.0
    shape = f"{len(words)} {array.shape}".encode()
    return hashlib.sha256(shape + words + np.ascontiguousarray(plain, dtype="<f8").tobytes()).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
