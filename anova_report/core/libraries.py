"""Optional libraries: one small module imports them for all rooms, so that one sentence says what to install."""

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anova_report.errors import InputError

EXTRAS = {
    "dask": "dask",
    "distributed": "dask",
    "interpret": "ebm",
    "openpyxl": "excel",
    "pyarrow": "parquet",
    "shtab": "completion",
}
EXTRAS |= {name: name for name in ("mlflow", "shap", "shapiq", "torch", "treehfd")}
EXTRAS |= dict.fromkeys(("catboost", "lightgbm", "onnxruntime", "skops", "xgboost"), "models")
OWN_WARNINGS = (
    "LightGBM binary classifier with TreeExplainer.*has changed",  # shap
    "Missing values detected. Our visualizations",  # interpret
)


def library(name: str, user: str) -> Any:
    """Import a module that `user`, a method or a file of a model, needs; an error names the extra that brings it."""
    package = name.partition(".")[0]
    try:
        with quiet():
            return importlib.import_module(name)
    except ImportError as error:
        extra = EXTRAS.get(package, "models")
        raise InputError(f"{user} needs the package {package}: pip install 'anova_report[{extra}]'.") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of libraries about their own future, past and plots; other warnings pass."""
    with warnings.catch_warnings():
        for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            warnings.simplefilter("ignore", category)
        for message in OWN_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        yield
