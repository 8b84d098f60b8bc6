"""Models saved by the libraries themselves prediction from their files as they do in memory."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report.errors import InputError
from anova_report.report.sources.models import load_model

RNG = np.random.default_rng(0)
N_ROWS = 400
X = pd.DataFrame({"a": RNG.normal(size=N_ROWS), "b": RNG.normal(size=N_ROWS), "c": RNG.uniform(size=N_ROWS)})
TARGET = X["a"] - X["b"] * X["c"]


def test_a_lightgbm_regressor_predicts_from_its_text_file(tmp_path):
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    model = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1).fit(X, TARGET)
    model.booster_.save_model(tmp_path / "m.txt")
    np.testing.assert_allclose(load_model(str(tmp_path / "m.txt")).predict(X), model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_lightgbm_classifier_gives_the_probabilities_of_all_classes(tmp_path, n_classes):
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    labels = pd.qcut(TARGET, n_classes, labels=False)
    model = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1).fit(X, labels)
    model.booster_.save_model(tmp_path / "m.txt")
    loaded = load_model(str(tmp_path / "m.txt"))
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-9)


def test_a_lightgbm_model_with_levels_takes_them_as_strings(tmp_path):
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    table = X.assign(where=np.where(X["a"] > 0, "north", "south"))
    trained = table.assign(where=table["where"].astype("category"))
    model = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1).fit(trained, TARGET)
    model.booster_.save_model(tmp_path / "m.txt")
    np.testing.assert_allclose(load_model(str(tmp_path / "m.txt")).predict(table), model.predict(trained))


def _onnx_linear(path: Path, weights: list[float], softmax: bool) -> None:
    """Write rows @ weights, or the two classes of its logistic regression, with labels, as an ONNX file."""
    onnx = pytest.importorskip("onnx", reason="only needed to write a file for this test")
    pytest.importorskip("onnxruntime", reason="pip install 'anova_report[models]'")
    helper, kinds = onnx.helper, onnx.TensorProto
    rows = helper.make_tensor_value_info("rows", kinds.FLOAT, [None, len(weights)])
    matrix = [[-w / 2, w / 2] for w in weights] if softmax else [[w] for w in weights]
    n_columns = len(matrix[0])
    flat = [value for line in matrix for value in line]
    nodes = [helper.make_node("MatMul", ["rows", "W"], ["scores"])]
    outputs = [helper.make_tensor_value_info("scores", kinds.FLOAT, [None, n_columns])]
    if softmax:
        nodes += [
            helper.make_node("ArgMax", ["scores"], ["label"], axis=1, keepdims=0),
            helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1),
        ]
        outputs = [
            helper.make_tensor_value_info("label", kinds.INT64, [None]),
            helper.make_tensor_value_info("probabilities", kinds.FLOAT, [None, 2]),
        ]
    start = [helper.make_tensor("W", kinds.FLOAT, [len(weights), n_columns], flat)]
    model = helper.make_model(
        helper.make_graph(nodes, "linear", [rows], outputs, start),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.save(model, str(path))


def test_an_onnx_regressor_predicts_from_its_file(tmp_path):
    _onnx_linear(tmp_path / "m.onnx", [1.0, -2.0, 0.5], softmax=False)
    found = load_model(str(tmp_path / "m.onnx")).predict(X)
    np.testing.assert_allclose(found, X @ [1.0, -2.0, 0.5], rtol=1e-5, atol=1e-6)


def test_an_onnx_classifier_gives_probabilities(tmp_path):
    _onnx_linear(tmp_path / "m.onnx", [1.0, -2.0, 0.5], softmax=True)
    model = load_model(str(tmp_path / "m.onnx"))
    assert model.classes_.tolist() == [0, 1]
    expected = 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5])))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-4)


def test_an_onnx_file_that_holds_no_model_is_refused_by_the_real_library(tmp_path):
    pytest.importorskip("onnxruntime", reason="pip install 'anova_report[models]'")
    (tmp_path / "m.onnx").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="is not a model that onnxruntime can run"):
        load_model(str(tmp_path / "m.onnx"))


@pytest.fixture
def catboost():
    return pytest.importorskip("catboost", reason="pip install 'anova_report[models]'")


QUIET = {"iterations": 20, "verbose": 0, "allow_writing_files": False, "thread_count": 1}


@pytest.mark.parametrize("form", [X, X.to_numpy()], ids=["names", "no names"])
def test_a_catboost_regressor_predicts_from_its_file(tmp_path, catboost, form):
    model = catboost.CatBoostRegressor(**QUIET).fit(form, TARGET)
    model.save_model(tmp_path / "m.cbm")
    loaded = load_model(str(tmp_path / "m.cbm"))
    np.testing.assert_allclose(loaded.predict(X), model.predict(form))
    assert loaded.feature_names_in_ == (("a", "b", "c") if form is X else None)


def test_a_catboost_model_of_counts_predicts_counts(tmp_path, catboost):
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * TARGET))
    model = catboost.CatBoostRegressor(loss_function="Poisson", **QUIET).fit(X, counts)
    model.save_model(tmp_path / "m.cbm")
    np.testing.assert_allclose(load_model(str(tmp_path / "m.cbm")).predict(X), model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_catboost_classifier_gives_the_probabilities_of_classes_by_their_names(tmp_path, catboost, n_classes):
    labels = pd.qcut(TARGET, n_classes, labels=["high", "low", "middle"][:n_classes]).astype(str)
    model = catboost.CatBoostClassifier(**QUIET).fit(X, labels)
    model.save_model(tmp_path / "m.cbm")
    loaded = load_model(str(tmp_path / "m.cbm"))
    assert loaded.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-9)


def test_a_catboost_model_with_levels_takes_them_as_a_table_holds_them(tmp_path, catboost):
    code = RNG.integers(0, 3, N_ROWS)
    table = X.assign(where=np.where(X["a"] > 0, "north", "south"), code=code)
    model = catboost.CatBoostRegressor(cat_features=["where", "code"], **QUIET).fit(table, TARGET + code)
    model.save_model(tmp_path / "m.cbm")
    read = table.assign(code=code.astype(float))  # as soon as a row has none
    np.testing.assert_allclose(load_model(str(tmp_path / "m.cbm")).predict(read), model.predict(table))


def test_what_catboost_did_not_save_is_refused(tmp_path, catboost):  # noqa: ARG001 the library must be there
    (tmp_path / "m.cbm").write_text("not a model")
    with pytest.raises(InputError, match="is not a model that CatBoost saved"):
        load_model(tmp_path / "m.cbm")
