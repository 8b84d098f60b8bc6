"""`audit --compare`: other methods asked about the model of an audit."""

from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from anova_report.cli import main
from anova_report.core import libraries
from anova_report.errors import InputError
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs.job import ask_model, choose_rows, explain_otherwise, readable
from anova_report.report.jobs.options import Job
from anova_report.report.sources.boosters import load_xgboost
from tests.report.jobs.model_here import ModelHere


def rows(n_rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_rows)
    b = 0.5 * a + rng.normal(size=n_rows)
    return pd.DataFrame({"a": a, "b": b, "fixed": 1.0, "y": 2 * a + np.abs(b)})


def asked(tmp_path, model, *, compare=("pdp",), **more):
    joblib.dump(model, tmp_path / "model.joblib")
    job = Job(
        data="rows.csv", model=str(tmp_path / "model.joblib"), target=("y",), compare=compare, allow_pickle=True, **more
    )
    chosen = choose_rows(job, rows())
    return job, chosen, ask_model(job, chosen, progress=False)


def test_features_are_named_as_in_the_table_and_kept_as_the_audit_keeps_them(tmp_path):
    """The model was trained on an array with a constant column, which the audit leaves out."""
    table = rows()
    model = HistGradientBoostingRegressor(max_iter=20).fit(table[["a", "b", "fixed"]].to_numpy(), table["y"])
    found = explain_otherwise(*asked(tmp_path, model, compare=("pdp", "ale"), compare_rows=100), progress=False)
    assert [other.method for other in found] == ["pdp", "ale"]
    assert found[0].feature_names == ("a", "b")
    assert found[0].contributions.shape == (100, 2)


@pytest.mark.parametrize(("labels", "outputs"), [(2, ["high"]), (3, ["high", "low", "mid"])])
def test_every_class_that_is_explained_is_asked_for(tmp_path, labels, outputs):
    table = rows()
    names = np.array(["aside", "high"]) if labels == 2 else np.array(["high", "low", "mid"])
    model = LogisticRegression().fit(table[["a", "b", "fixed"]], names[pd.qcut(table["y"], labels, labels=False)])
    found = explain_otherwise(*asked(tmp_path, model, compare_rows=50), progress=False)
    assert [other.output for other in found] == outputs
    assert {other.scale for other in found} == {"logit"}


def test_a_saved_booster_becomes_readable_and_predicts_the_same(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    table = rows()
    xgboost.XGBRegressor(n_estimators=8, max_depth=2).fit(table[["a", "b"]], table["y"]).save_model(tmp_path / "m.json")
    booster = load_xgboost(tmp_path / "m.json")
    inside = readable(booster, str(tmp_path / "m.json"))
    assert isinstance(inside, xgboost.XGBRegressor)
    assert np.allclose(inside.predict(table[["a", "b"]]), booster.predict(table[["a", "b"]]))
    assert readable(len, "package:len") is len


def test_treeshap_looks_into_a_lightgbm_file(tmp_path):
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    pytest.importorskip("shap", reason="pip install 'anova_report[shap]'")
    table = rows().rename(columns={"a": "my a"})
    model = lightgbm.LGBMRegressor(n_estimators=10, verbose=-1, n_jobs=1).fit(table[["b", "my a"]], table["y"])
    model.booster_.save_model(tmp_path / "m.txt")
    compare = ("treeshap", "treeshap-interventional")
    job = Job(data="rows.csv", model=str(tmp_path / "m.txt"), target=("y",), exclude=("fixed",), compare=compare)
    chosen = choose_rows(job, table)
    question = ask_model(job, chosen, progress=False)
    for found in explain_otherwise(job, chosen, question, progress=False):
        # The file writes the blank as an underscore; columns are named as in the table and stand in its order.
        assert found.feature_names == ("my a", "b")
        predictions = model.predict(table[["b", "my a"]].iloc[found.rows])
        assert np.ptp(found.contributions.sum(axis=1) - predictions) < 1e-6
        assert np.corrcoef(found.contributions[:, 0], table["my a"].iloc[found.rows])[0, 1] > 0.9


def test_predictions_from_a_column_have_no_model_to_ask():
    with pytest.raises(InputError, match="Name the model itself"):
        Job(data="d.csv", prediction=("p",), compare=("pdp",))


def test_the_command_line_lays_the_others_over_the_audit(tmp_path):
    table = rows()
    table.to_csv(tmp_path / "rows.csv", index=False)
    joblib.dump(DecisionTreeRegressor(max_depth=4).fit(table[["a", "b"]], table["y"]), tmp_path / "m.joblib")
    words = [
        "--allow-pickle",
        "--target",
        "y",
        "--exclude",
        "fixed",
        "--compare",
        "pdp,ale",
        "--quiet",
        "--save",
        str(tmp_path / "a.json"),
    ]
    places = [str(tmp_path / "rows.csv"), "--model", str(tmp_path / "m.joblib"), "-o", str(tmp_path / "a.html")]
    assert main(["audit", *places, *words]) == 0
    [output] = Audit.load(tmp_path / "a.json").outputs
    assert [method.title for method in output.others.methods] == ["Partial dependence", "Accumulated local effects"]
    assert "Other explanations" in (tmp_path / "a.html").read_text()


def test_a_missing_library_is_named_with_its_cure(tmp_path, monkeypatch):
    table = rows()
    model = DecisionTreeRegressor(max_depth=3).fit(table[["a", "b", "fixed"]], table["y"])
    job, chosen, question = asked(tmp_path, model, compare=("treeshap",))
    here = replace(question, asked=ModelHere(model))

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(libraries.importlib, "import_module", missing)
    with pytest.raises(InputError, match=r"pip install 'anova_report\[shap\]'"):
        explain_otherwise(job, chosen, here, progress=False)
