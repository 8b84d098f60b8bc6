import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from anova_report.report.sources.onnx_files import load_onnx

ROWS = pd.DataFrame({"age": [30, 40], "city": ["Rome", None]})


class Session:
    """Predictions like `onnxruntime.InferenceSession`, and keeps what it was fed."""

    def __init__(self, inputs, outputs, prediction) -> None:
        self.inputs = [SimpleNamespace(name=name, type=kind, shape=shape) for name, kind, shape in inputs]
        self.outputs, self.prediction = outputs, prediction
        self.fed: dict[str, np.ndarray] = {}

    def get_inputs(self):
        return self.inputs

    def get_outputs(self):
        return self.outputs

    def run(self, wanted, fed):
        assert wanted is None
        self.fed = fed
        return self.prediction(len(next(iter(fed.values()))))


def stand_in(monkeypatch, session: Session | Exception) -> None:
    def open_session(path: str, providers: list[str]) -> Session:
        assert path == "m.onnx"
        assert providers == ["CPUExecutionProvider"]
        if isinstance(session, Exception):
            raise session
        return session

    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(InferenceSession=open_session))


COLUMNS = [("age", "tensor(float)", [None, 1]), ("city", "tensor(string)", [None, 1])]


def test_columns_that_are_inputs_of_their_own_are_fed_by_name_and_type(monkeypatch):
    session = Session(COLUMNS, ["variable"], lambda n: [np.arange(n, dtype=np.float32).reshape(-1, 1)])
    stand_in(monkeypatch, session)
    model = load_onnx(Path("m.onnx"))
    assert model.predict(ROWS).tolist() == [0.0, 1.0]
    assert model.feature_names_in_ == ("age", "city")
    assert session.fed["age"].dtype == np.float32
    assert session.fed["age"].tolist() == [[30.0], [40.0]]
    assert session.fed["city"].tolist() == [["Rome"], [""]]


def test_mappings_from_label_to_probability_become_columns(monkeypatch):
    session = Session(COLUMNS, ["label", "probabilities"], lambda n: [["no"] * n, [{"no": 0.75, "yes": 0.25}] * n])
    stand_in(monkeypatch, session)
    model = load_onnx(Path("m.onnx"))
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.predict_proba(ROWS).tolist() == [[0.75, 0.25]] * 2
