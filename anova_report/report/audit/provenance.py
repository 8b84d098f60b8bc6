"""What exactly was audited and with what: digests of data and predictions, versions, settings."""

import hashlib
import json
import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.asked import asked_words
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError
from anova_report.measures.notes import asked_claims
from anova_report.report.audit.audit import Pairs, Provenance

ABSENT = "not installed"
DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # whose name is not that of their module
PACKAGES = ("anova_report", "numpy", "scipy", "scikit-learn", "bokeh")


def provenance(
    dec: Decomposition,
    values: Floats,
    predictions: Floats | None,
    *,
    command: str,
    random_state: int,
    model_file: str | os.PathLike[str] | None = None,
    model_versions: Pairs = (),
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
        model_file="" if model_file is None else Path(model_file).name,
        model_digest="" if model_file is None else file_digest(model_file),
        model_versions=model_versions,
        asking=asked_words(
            dec.asking, dec.feature_titles, dec.in_sample.n_rows, used=(dec.path or "penalised") == "penalised"
        ),
        claims=asked_claims(dec),
    )


def data_digest(dec: Decomposition, values: Floats) -> str:
    """Hash rows with the names, kinds and levels of their features: equal tables in any form have equal digests."""
    features = [[feature.name, feature.kind, list(feature.levels)] for feature in dec.features]
    return digest(values, json.dumps(features, ensure_ascii=False).encode())


def versions() -> Pairs:
    """List the software that made the audit."""
    packages = tuple((name, _version(name)) for name in PACKAGES)
    return (packages[0], ("python", platform.python_version()), *packages[1:])


def file_digest(path: str | os.PathLike[str]) -> str:
    """Hash a file as it is."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"The file of the model {path} cannot be read ({error.strerror}). Check its name.") from error


def library_versions(model: Any) -> Pairs:
    """List the libraries of which a model and its parts are made, with their versions.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> [name for name, _ in library_versions(Ridge())]
    ['scikit-learn']
    """
    parts = [model, getattr(model, "inside", None)]  # a booster that was read from a file
    with suppress(Exception):  # whatever a class of others does when it is asked
        parts += model.get_params(deep=True).values()
    roots = {root for part in parts for base in type(part).__mro__ if (root := base.__module__.partition(".")[0])}
    found = {DISTRIBUTIONS.get(root, root) for root in roots - {"builtins", "abc", "anova_report", "numpy", "__main__"}}
    known = ((name, _version(name)) for name in sorted(found))
    return tuple((name, number) for name, number in known if number != ABSENT)


def settings(dec: Decomposition) -> Pairs:
    """List estimator and settings as text, which way the fit took, and which other rows it knows."""
    shown = [(name, value) for name, value in dec.settings.items() if name != "progress"]  # it cannot change a result
    # Files keep the spelling of the first version.
    shown += [] if dec.path is None else [("path", dec.path.replace("penalised", "penalized"))]
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
        return ABSENT
