"""Gradient boosting models from the files of XGBoost, LightGBM and CatBoost, asked with frames like any model."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.model_forms import (
    AskedClassifier,
    has_log_link,
    lightgbm_raw,
    xgboost_classes,
    xgboost_raw,
)
from anova_report.core.libraries import library
from anova_report.errors import InputError, listing

Categories = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Booster:
    """A booster that takes frames: columns are found by name, and levels get the codes of the training.

    Parameters
    ----------
    inside : object
        The booster of the library, with the trees that it predicts with and no others.
    form : callable
        Turns a frame into what the library takes.
    raw : callable
        Turns that into predictions; for a classifier into the margins of the second class, of shape (n_rows,), or
        probabilities, of shape (n_rows, n_classes).
    feature_names_in_ : tuple of str or None
        Columns in the order of the training; None if the file names none.
    n_features_in_ : int
        How many inputs the booster takes.
    categories : mapping of str to sequence
        Levels of the nominal columns, in code order.
    """

    inside: Any
    form: Callable[[pd.DataFrame], Any]
    raw: Callable[[Any], Any]
    feature_names_in_: tuple[str, ...] | None
    n_features_in_: int
    categories: Categories
    n_classes: int = 1
    labels: tuple[Any, ...] = ()  # of the classes, where the file names them

    def formed(self, rows: pd.DataFrame) -> Any:
        """Write rows, whose columns are those of the training in any order, as the library takes them."""
        frame = rows[list(self.feature_names_in_)] if self.feature_names_in_ else rows
        levels = {name: _levels(frame[name], known) for name, known in self.categories.items()}
        made = frame.copy(deep=False)
        for name, values in levels.items():  # not by `assign`, which takes no column called self
            made[name] = values
        return self.form(made)

    def ask(self, rows: pd.DataFrame) -> Floats:
        """Ask the booster about rows, whose columns are those of the training in any order."""
        return np.asarray(self.raw(self.formed(rows)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class BoosterRegressor(Booster):
    """A booster that predicts with numbers."""

    predict = Booster.ask


@dataclass(frozen=True, eq=False)
class BoosterClassifier(Booster):
    """A booster that predicts with probabilities of the classes: 0, 1, …, where the file names none."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes."""
        return np.array(self.labels) if self.labels else np.arange(self.n_classes)

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Give the probability of every class, for every row."""
        return AskedClassifier(self.ask, self.n_classes).predict_proba(rows)


def load_xgboost(path: Path) -> Booster:
    """Load a model that XGBoost saved as JSON or UBJSON; it predicts as the model did that was saved."""
    xgboost = library("xgboost", f"Reading {path}")
    try:
        booster = xgboost.Booster(model_file=path)
        n_classes = xgboost_classes(booster)
        names = tuple(booster.feature_names or ())
        used = _used_trees(booster)
    except (xgboost.core.XGBoostError, ValueError, TypeError, KeyError) as error:  # also of names that are no UTF-8
        raise InputError(f"{path} is not a model that XGBoost saved. Save it again: model.save_model(…).") from error

    def form(frame: pd.DataFrame) -> Any:
        # Without names of its own the booster would ask for none.
        return xgboost.DMatrix(frame if names else frame.to_numpy(), enable_categorical=True)

    kind = BoosterClassifier if n_classes > 1 else BoosterRegressor
    categories = _xgboost_categories(booster, names, path)
    return kind(used, form, xgboost_raw(used, n_classes), names or None, booster.num_features(), categories, n_classes)


def load_lightgbm(path: Path) -> Booster:
    """Load a model that LightGBM saved as text."""
    lightgbm = library("lightgbm", f"Reading {path}")
    try:
        booster = lightgbm.Booster(model_file=str(path))
    except (lightgbm.basic.LightGBMError, ValueError) as error:
        raise InputError(f"{path} is not a model that LightGBM saved. Save it again: booster.save_model(…).") from error
    raw, n_classes = lightgbm_raw(booster)
    given = tuple(booster.feature_name())
    names = () if given == tuple(f"Column_{index}" for index in range(len(given))) else given
    categories = _lightgbm_categories(booster, booster.dump_model(num_iteration=1), names)
    kind = BoosterClassifier if n_classes > 1 else BoosterRegressor
    return kind(booster, lambda frame: frame, raw, names or None, len(given), categories, n_classes)


def load_catboost(path: Path) -> Booster:
    """Load a model that CatBoost saved in its own form."""
    catboost = library("catboost", f"Reading {path}")
    try:
        model = catboost.CatBoost().load_model(str(path), format="cbm")
    except (catboost.CatBoostError, ValueError) as error:
        raise InputError(f"{path} is not a model that CatBoost saved. Save it again: model.save_model(…).") from error
    labels, given = tuple(np.asarray(model.classes_).tolist()), tuple(map(str, model.feature_names_))
    levels = model.get_cat_feature_indices()
    kind = "RawFormulaVal"
    if len(labels) > 2 or (not labels and has_log_link(model)):
        kind = "Probability" if labels else "Exponent"

    def form(frame: pd.DataFrame) -> pd.DataFrame:
        made = frame.copy(deep=False)
        for at in levels:  # as texts, which is how they are told apart inside
            made.isetitem(at, frame.iloc[:, at].map(_catboost_level).astype(object))
        return made

    names = () if given == tuple(map(str, range(len(given)))) else given
    which = BoosterClassifier if labels else BoosterRegressor
    raw = partial(model.predict, prediction_type=kind)
    return which(model, form, raw, names or None, len(given), {}, max(len(labels), 1), labels)


def _catboost_level(value: Any) -> str:
    if pd.isna(value):
        return "nan"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _used_trees(booster: Any) -> Any:
    """Cut a booster back to the trees that its model predicts with.

    After an early stop a model of the scikit-learn kind, which leaves its mark in the file, predicts with its best
    iteration; a bare booster predicts with all it has.
    """
    best, marked = booster.attr("best_iteration"), booster.attr("scikit_learn")
    if best is None or marked is None:
        return booster
    if json.loads(booster.save_config())["learner"]["gradient_booster"]["name"] == "gblinear":
        return booster
    return booster[: int(best) + 1]


def _xgboost_categories(booster: Any, names: Sequence[str], path: Path) -> Categories:
    nominal = [name for name, kind in zip(names, booster.feature_types or (), strict=False) if kind == "c"]
    if not nominal:
        return {}
    try:
        known = dict(booster.get_categories(export_to_arrow=True).to_arrow())
        return {name: known[name].to_pylist() for name in nominal}
    except (AttributeError, ImportError, TypeError, KeyError) as error:
        raise InputError(
            f"{path} does not hold the levels of {listing(nominal)}. Save it with XGBoost 3.1 or newer and install "
            "pyarrow, or name the model in Python code: --model package.module:attribute."
        ) from error


def _lightgbm_categories(booster: Any, about: Mapping[str, Any], names: Sequence[str]) -> Categories:
    infos = about.get("feature_infos", {})
    nominal = [name for name in names if infos.get(name, {}).get("values")]
    levels = booster.pandas_categorical or []
    # Without levels in the file the model was trained on codes, and takes them as numbers.
    return dict(zip(nominal, levels, strict=True)) if len(nominal) == len(levels) else {}


def _levels(column: Any, known: Sequence[Any]) -> Any:
    unknown = column[column.notna() & ~column.isin(list(known))]
    if len(unknown):
        raise InputError(
            f"Column {column.name!r} holds {listing(unknown.unique().tolist())}, which the model has not seen in its "
            f"training; it knows {listing(list(known), limit=20)}."
        )
    return pd.Categorical(column, categories=list(known))
