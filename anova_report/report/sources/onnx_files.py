"""Models from ONNX files, asked with frames like any other model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.libraries import library
from anova_report.errors import InputError

DTYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.str_,
}


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A session of onnxruntime: one input per column, or one matrix of all columns.

    Parameters
    ----------
    session : InferenceSession
    feature_names_in_ : tuple of str or None
        Names of the columns, where each is an input of its own.
    n_features_in_ : int or None
        How many columns the model takes, if it says so.
    """

    session: Any
    feature_names_in_: tuple[str, ...] | None
    n_features_in_: int | None

    def ask(self, rows: pd.DataFrame) -> list[Any]:
        """Return every output of the model."""
        return list(self.session.run(None, _feed(self.session.get_inputs(), rows)))


@dataclass(frozen=True, eq=False)
class OnnxRegressor(OnnxModel):
    """An ONNX model that predicts with numbers."""

    def predict(self, rows: pd.DataFrame) -> Floats:
        """Prediction every row."""
        found = np.asarray(self.ask(rows)[0], dtype=np.float64)
        return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


@dataclass(frozen=True, eq=False)
class OnnxClassifier(OnnxModel):
    """An ONNX model whose second output are probabilities of its classes."""

    classes_: NDArray[Any]

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Give the probability of every class, for every row."""
        found = self.ask(rows)[1]
        if isinstance(found, list):
            # Converters write one mapping from label to probability per row unless configured otherwise.
            return np.array([[row[label] for label in self.classes_.tolist()] for row in found], dtype=np.float64)
        return np.asarray(found, dtype=np.float64)


def load_onnx(path: Path) -> OnnxModel:
    """Load a model from an ONNX file."""
    onnxruntime = library("onnxruntime", f"Reading {path}")
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no base class of their own
        raise InputError(f"{path} is not a model that onnxruntime can run ({error}).") from error
    inputs = session.get_inputs()
    names = tuple(node.name for node in inputs) if len(inputs) > 1 else None
    width = inputs[0].shape[-1] if names is None else len(names)
    known = width if isinstance(width, int) else None
    if len(session.get_outputs()) < 2:
        return OnnxRegressor(session, names, known)
    # Labels of the classes are found by asking about one row of nothing.
    found = session.run(None, _feed(inputs, pd.DataFrame([[0] * width], columns=names)))[1]
    labels = list(found[0]) if isinstance(found, list) else range(np.shape(found)[1])
    return OnnxClassifier(session, names, known, np.array(labels))


def _feed(inputs: Sequence[Any], rows: pd.DataFrame) -> dict[str, NDArray[Any]]:
    if len(inputs) == 1:
        return {inputs[0].name: rows.to_numpy().astype(DTYPES.get(inputs[0].type, np.float32))}
    return {node.name: _column(rows[node.name], node.type) for node in inputs}


def _column(column: Any, kind: str) -> NDArray[Any]:
    values = column.to_numpy()
    if kind == "tensor(string)":
        values = column.astype(object).where(column.notna(), "").to_numpy().astype(str)
    return np.asarray(values.astype(DTYPES.get(kind, np.float32)).reshape(-1, 1))
