"""Models that are not asked in scikit-learn's way: boosters as their libraries train them, and PyTorch modules."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import ismethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from anova_report.core.arrays import Floats
from anova_report.core.input.exposure import AtUnitExposure
from anova_report.core.libraries import library
from anova_report.errors import InputError

LIBRARY_NAMES = {"sklearn": "scikit-learn", "torch": "PyTorch", "xgboost": "XGBoost", "lightgbm": "LightGBM"}
LIBRARY_NAMES |= {"catboost": "CatBoost", "keras": "Keras", "tensorflow": "TensorFlow"}


@dataclass(frozen=True, eq=False)
class AskedRegressor:
    """A model that predicts numbers, by a function of its rows."""

    predict: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class AskedClassifier:
    """A model of classes 0, 1, …, by a function that gives margins of the second or the probability of every class."""

    raw: Callable[[Any], Any]
    n_classes: int

    @property
    def classes_(self) -> NDArray[np.intp]:
        """Labels of the classes."""
        return np.arange(self.n_classes)

    def predict_proba(self, rows: Any) -> Floats:
        """Give the probability of every class, for every row."""
        found = np.asarray(self.raw(rows), dtype=np.float64)
        # Both from the margin: 1 - p would lose the digits of a p close to 1.
        return np.column_stack([expit(-found), expit(found)]) if found.ndim == 1 else found


LOG_LINKS = ("poisson", "tweedie", "gamma")  # objectives whose models predict exponentials, as every library names them
SCIKIT_LEARN: dict[str, Callable[[Any], bool]] = {
    "PoissonRegressor": lambda _: True,
    "GammaRegressor": lambda _: True,
    "TweedieRegressor": lambda model: model.link == "log" or (model.link == "auto" and model.power > 0),
    "HistGradientBoostingRegressor": lambda model: model.loss in LOG_LINKS,
    "TransformedTargetRegressor": lambda model: model.inverse_func is np.exp,
}
STATSMODELS = ("Poisson", "NegativeBinomial", "NegativeBinomialP", "GeneralizedPoisson")


def has_log_link(model: Any) -> bool:
    """Tell whether a model is known to predict exponentials of sums, so that its effects multiply.

    Known are models of scikit-learn, XGBoost, LightGBM, CatBoost, interpret and statsmodels, also as the last step of a
    pipeline, or found by a search.

    Examples
    --------
    >>> from sklearn.linear_model import PoissonRegressor, Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> has_log_link(make_pipeline(PoissonRegressor())), has_log_link(Ridge()), has_log_link(len)
    (True, False, False)
    """
    inside = model
    while inside is not None:
        model, inside = inside, _last_step(inside)
    kind, inner = type(model), getattr(model, "model", None)
    match kind.__module__.partition(".")[0]:
        case "sklearn":
            return kind.__name__ in SCIKIT_LEARN and bool(SCIKIT_LEARN[kind.__name__](model))
        case "statsmodels":
            link = getattr(getattr(inner, "family", None), "link", None)
            return type(link).__name__ == "Log" or type(inner).__name__ in STATSMODELS
        case "interpret":
            return getattr(model, "link_", "") == "log"
        case root:
            trained_for = getattr(model, "objective_", "") if root == "anova_report" else _objective(model, root)
            return trained_for.lower().removeprefix("count:").removeprefix("reg:").startswith(LOG_LINKS)


def _last_step(model: Any) -> Any:
    """Return the model inside of a pipeline, a search, a method or one of our own forms; None where there is none."""
    if ismethod(model) and model.__name__ == "predict":
        return model.__self__
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        return steps[-1][1]
    if type(model).__module__.startswith("anova_report."):
        return getattr(model, "inside", None)
    return getattr(model, "best_estimator_", None)


def _objective(model: Any, root: str) -> str:
    """Name what a boosted model was trained for, as its library does."""
    if root == "xgboost":
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        return str(json.loads(booster.save_config())["learner"]["learner_train_param"]["objective"])
    if root == "lightgbm":
        booster = getattr(model, "booster_", model)
        return str(booster.dump_model(num_iteration=1).get("objective", ""))
    if root == "catboost" and hasattr(model, "get_all_params"):
        return str(model.get_all_params().get("loss_function", ""))
    return ""


def askable(model: Any) -> Any:
    """Turn a model that does not take tables into one that does; return other models as they are.

    Examples
    --------
    >>> askable(len) is len
    True
    """
    kinds = [f"{kind.__module__}.{kind.__name__}" for kind in type(model).__mro__]
    if "torch.nn.modules.module.Module" in kinds:
        return module_predictions(model)
    if "xgboost.core.Booster" in kinds:
        return _xgboost_booster(model)
    if "lightgbm.basic.Booster" in kinds:
        return _asked(*lightgbm_raw(model))
    if kinds[0] == "catboost.core.CatBoost" and has_log_link(model):  # by default this class predicts logarithms
        return AskedRegressor(lambda rows: model.predict(rows, prediction_type="Exponent"))
    return model


def _asked(raw: Callable[[Any], Any], n_classes: int) -> AskedClassifier | AskedRegressor:
    return AskedClassifier(raw, n_classes) if n_classes > 1 else AskedRegressor(raw)


def takes_arrays(model: Any) -> bool:
    """Tell whether a model is one of scikit-learn that was trained on an array, and would warn of a frame's names."""
    made = type(model).__module__.startswith("sklearn.") and hasattr(model, "n_features_in_")
    return made and not hasattr(model, "feature_names_in_")


def about(model: Any) -> str:
    """Name the class of a model, and the library it comes from with its version.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> about(Ridge()).partition(" 1.")[0]
    'Ridge (scikit-learn'
    >>> about(lambda rows: rows[:, 0])
    'A Python function'
    """
    if isinstance(model, AtUnitExposure):
        return about(model.inside)
    steps = getattr(model, "steps", None)
    last = type(steps[-1][1]).__name__ if isinstance(steps, list) and steps else ""
    kind = type(model)
    root = kind.__module__.partition(".")[0]
    if root in ("builtins", "functools"):
        named = getattr(model, "__name__", "")
        return f"The Python function {named}" if named.isidentifier() else "A Python function"
    # The class of a user's own PyTorch module says nothing about the library that runs it.
    if any(base.__module__.startswith("torch.nn") for base in kind.__mro__):
        root = "torch"
    version = "" if root == "anova_report" else getattr(sys.modules.get(root), "__version__", "")
    name = f"{kind.__name__} with {last}" if last else kind.__name__
    return f"{name} ({LIBRARY_NAMES.get(root, root)} {version})" if version else name


def module_predictions(module: Any) -> Callable[[Any], Any]:
    """Ask a PyTorch module as it predicts, not as it trains."""
    torch = library("torch", "A PyTorch module")

    def predictions(rows: Any) -> Any:
        was_training = module.training
        module.eval()
        try:
            with torch.no_grad():
                return module(tensor(torch, module, rows)).cpu().numpy()
        finally:
            module.train(was_training)

    return predictions


def tensor(torch: Any, module: Any, rows: Any) -> Any:
    """Write rows as a tensor of the type and in the place of a module's weights."""
    weights = next(module.parameters(), torch.empty(0))
    try:
        numbers = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"A PyTorch module takes numbers, and the table holds others: {error}. Pass a function that turns rows of "
            "the table into tensors and returns predictions."
        ) from error
    return torch.as_tensor(numbers, dtype=weights.dtype, device=weights.device)


def xgboost_classes(booster: Any) -> int:
    """How many classes a booster of XGBoost tells apart; 1 where it predicts numbers."""
    learner = json.loads(booster.save_config())["learner"]
    if learner["learner_train_param"]["objective"].startswith("binary:"):
        return 2
    return max(int(learner["learner_model_param"]["num_class"]), 1)


def xgboost_raw(booster: Any, n_classes: int) -> Callable[[Any], Any]:
    """How a booster of XGBoost is asked, by a matrix of its own kind: margins of two classes, probabilities of more."""

    def raw(matrix: Any) -> Any:
        found = booster.predict(matrix, output_margin=n_classes > 1)
        return softmax(found, axis=1) if n_classes > 2 else found

    return raw


def _xgboost_booster(booster: Any) -> Any:
    xgboost = library("xgboost", "An XGBoost booster")
    n_classes = xgboost_classes(booster)
    ask = xgboost_raw(booster, n_classes)

    def raw(rows: Any) -> Any:
        named = {} if hasattr(rows, "columns") else {"feature_names": booster.feature_names}
        return ask(xgboost.DMatrix(rows, enable_categorical=True, **named))

    return _asked(raw, n_classes)


def lightgbm_raw(booster: Any) -> tuple[Callable[[Any], Any], int]:
    """How a booster of LightGBM is asked, margins of two classes and probabilities of more, and how many it has."""
    about_it = booster.dump_model(num_iteration=1)
    objective = str(about_it.get("objective", ""))
    n_classes = 2 if objective.startswith("binary") else int(about_it.get("num_class", 1))
    steepness = next((word[8:] for word in objective.split() if word.startswith("sigmoid:")), "1")
    factor = float(steepness) if n_classes == 2 else 1.0
    return lambda rows: factor * np.asarray(booster.predict(rows, raw_score=n_classes == 2)), n_classes
