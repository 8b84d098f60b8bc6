"""Loading the model of the command line: by the name of a Python object, or from a file."""

import importlib
import os
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from anova_report.core.libraries import library
from anova_report.errors import InputError, ModelError, listing
from anova_report.report.sources.boosters import load_catboost, load_lightgbm, load_xgboost
from anova_report.report.sources.onnx_files import load_onnx

OBJECT = re.compile(r"(\w+)(?:\.\w+)*:\w+(?:\.\w+)*")  # package.module:attribute
METHODS = ("predict", "predict_proba", "decision_function")
PICKLES = (".joblib", ".pkl", ".pickle")
NATIVE: dict[str, Callable[[Path], Any]] = {
    ".json": load_xgboost,
    ".ubj": load_xgboost,
    ".txt": load_lightgbm,
    ".onnx": load_onnx,
    ".cbm": load_catboost,
}
ENDINGS = (*NATIVE, ".skops", *PICKLES)


def load_model(spec: str | os.PathLike[str], *, trust: Sequence[str] = (), allow_pickle: bool = False) -> Any:
    """Load a model that can be asked: a callable, or an object with predict, predict_proba or decision_function.

    Parameters
    ----------
    spec : str or path
        `package.module:attribute`, found from the working folder as well, or a file: .json or .ubj (XGBoost), .txt
        (LightGBM), .cbm (CatBoost), .onnx, .skops, and .joblib, .pkl or .pickle.
    trust : sequence of str
        Types that a .skops file may hold beside those skops knows to be safe.
    allow_pickle : bool
        Whether to load .joblib, .pkl and .pickle files, which run whatever code they hold.

    Raises
    ------
    InputError
        If there is no such model, or it cannot be read.
    ModelError
        If the code of the model fails while it is loaded.
    """
    text = os.fspath(spec)
    path = Path(text)
    model = _from_file(path, trust, allow_pickle) if names_file(text) else _from_module(text)
    if isinstance(model, type) or not (
        callable(model) or any(callable(getattr(model, name, None)) for name in METHODS)
    ):
        what = f"the class {model.__name__}" if isinstance(model, type) else f"of type {type(model).__name__}"
        raise InputError(
            f"{text} is {what}, which cannot be asked. Name a function that takes rows, or a fitted object with "
            f"{', '.join(METHODS[:-1])} or {METHODS[-1]}."
        )
    return model


def names_file(spec: str) -> bool:
    """Say whether a model is named by a file rather than by `package.module:attribute`.

    Examples
    --------
    >>> names_file("models/credit.ubj"), names_file("credit.models:latest")
    (True, False)
    """
    return ":" not in spec or Path(spec).suffix.lower() in ENDINGS


def module_source(spec: str, folder: Path) -> Path | None:
    """Find the source of the object that `package.module:attribute` names, without running it: a file, or a package.

    Modules are looked for on Python's path and then in the folder; None where there is no such source.
    """
    named = OBJECT.fullmatch(spec)
    found = PathFinder.find_spec(named[1], [*sys.path, str(folder)]) if named else None
    if found is None:
        return None
    places = [*(found.submodule_search_locations or ()), *([found.origin] if found.origin else ())]
    return next((place for place in map(Path, places) if place.exists()), None)


def _from_file(path: Path, trust: Sequence[str], allow_pickle: bool) -> Any:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(
            f"The model {path} cannot be read by its ending; files end in {', '.join(ENDINGS)}. A model that lives in "
            "Python code is named as package.module:attribute."
        )
    if not path.is_file():
        raise InputError(f"There is no model file {path}. Check the name and the folder ({Path.cwd()}).")
    if ending in NATIVE:
        return NATIVE[ending](path)
    return _from_skops(path, trust) if ending == ".skops" else _from_pickle(path, allow_pickle)


def _from_module(text: str) -> Any:
    module_name, _, attribute = text.partition(":")
    _import_from_here()
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise ModelError(f"The module {module_name} needs {error.name}, which is not installed.") from error
        raise InputError(
            f"There is no module {error.name!r} for the model {text}. Run from the folder it lies in, or install it."
        ) from error
    except (Exception, SystemExit) as error:
        raise ModelError(f"The module {module_name} failed: {type(error).__name__}: {error}") from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            public = [item for item in vars(found) if not item.startswith("_")]
            raise InputError(f"{module_name} has no {attribute!r}. It has {listing(public, limit=10) or 'nothing'}.")
        found = getattr(found, name)
    return found


def _import_from_here() -> None:
    # A command that is installed elsewhere does not look into the working folder by itself. It is looked at last:
    # what lies beside the data must not stand in for a library.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def _from_skops(path: Path, trust: Sequence[str]) -> Any:
    skops = library("skops.io", f"Reading {path}")
    try:
        unknown = [name for name in skops.get_untrusted_types(file=path) if name not in trust]
        if not unknown:
            return skops.load(path, trusted=list(trust))
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path} is not a file that skops wrote ({error}). Save the model again.") from error
    except ImportError as error:
        raise InputError(f"{path} needs a library that is not installed: {error}.") from error
    allow = " ".join(f"--trust {name}" for name in unknown)
    raise InputError(
        f"{path} holds types that are not known to be safe: {listing(unknown, limit=20)}. If you trust where the file "
        f"comes from, allow them: {allow}"
    )


def _from_pickle(path: Path, allowed: bool) -> Any:
    if not allowed:
        raise InputError(
            f"{path} is a pickle: loading it runs whatever code it holds. If you trust where it comes from, pass "
            "--allow-pickle, or write allow_pickle: true beside its name."
        )
    joblib = library("joblib", f"Reading {path}")
    _import_from_here()
    try:
        return joblib.load(path)
    except ImportError as error:
        raise InputError(f"{path} needs a library that is not installed: {error}.") from error
    except (Exception, SystemExit) as error:  # code of any kind runs here, so anything may be raised
        raise InputError(
            f"{path} cannot be loaded: {type(error).__name__}: {error}. It must have been saved by joblib or pickle, "
            "with the same versions of its libraries."
        ) from error
