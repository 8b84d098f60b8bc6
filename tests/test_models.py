"""The models people have: each gives a whole page in one call, without an option."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from anova_report import Explanation, audit, explain
from anova_report.compare import agreement, attribute
from anova_report.errors import InputError, InputTypeError, ModelError
from anova_report.explorer import Explorer
from anova_report.report import Audit

Case = tuple[Any, Any]  # a trained model and the table it takes


def table() -> pd.DataFrame:
    """Draw two features, and a column that never changes, which models take as well."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=300)
    return pd.DataFrame({"dose": first, "age": 0.5 * first + rng.normal(size=300), "site": 1.0})


X = table()
NUMBERS = (X["dose"] + X["dose"] * X["age"]).to_numpy()
CLASSES = np.where(NUMBERS > 0, "yes", "no")
CODES = (NUMBERS > 0).astype(int)

SCIKIT_LEARN = [
    LogisticRegression(),
    RandomForestClassifier(10, random_state=0),
    ExtraTreesClassifier(10, random_state=0),
    DecisionTreeClassifier(random_state=0),
    KNeighborsClassifier(),
    GaussianNB(),
    HistGradientBoostingClassifier(max_iter=5),
    SVC(),
    Ridge(),
    RandomForestRegressor(10, random_state=0),
    GradientBoostingRegressor(n_estimators=10, random_state=0),
    GaussianProcessRegressor(),
]


def pipeline() -> Case:
    frame = X.assign(site=np.where(X["age"] > 1, "east", "west"))
    levels = ColumnTransformer([("site", OneHotEncoder(), ["site"])], remainder=StandardScaler())
    return make_pipeline(levels, LogisticRegression()).fit(frame, CLASSES), frame


def xgboost_classifier() -> Case:
    xgboost = pytest.importorskip("xgboost", reason="pip install 'anova_report[models]'")
    return xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X, CODES), X


def xgboost_booster() -> Case:
    xgboost = pytest.importorskip("xgboost", reason="pip install 'anova_report[models]'")
    return xgboost.train({"objective": "binary:logistic", "nthread": 1}, xgboost.DMatrix(X, CODES), 5), X


def lightgbm_classifier() -> Case:
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    return lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(X, CLASSES), X


def lightgbm_booster() -> Case:
    lightgbm = pytest.importorskip("lightgbm", reason="pip install 'anova_report[models]'")
    data = lightgbm.Dataset(X, CODES)
    return lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, data, 5), X


def catboost_classifier() -> Case:
    catboost = pytest.importorskip("catboost", reason="pip install 'anova_report[models]'")
    model = catboost.CatBoostClassifier(iterations=5, verbose=0, allow_writing_files=False, thread_count=1)
    return model.fit(X, CLASSES), X


def torch_module() -> Case:
    torch = pytest.importorskip("torch", reason="pip install 'anova_report[torch]'")
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Dropout(), torch.nn.Linear(8, 1)), X


OTHERS: list[Callable[[], Case]] = [
    pipeline,
    xgboost_classifier,
    xgboost_booster,
    lightgbm_classifier,
    lightgbm_booster,
    catboost_classifier,
    torch_module,
]


def is_complete(page: Audit, path: Path, model: Any) -> None:
    """Check that a page names the model, and shows its predictions, the residual, the worst case and digests."""
    (output,) = page.outputs
    assert type(model).__name__ in page.title
    assert type(model).__name__ in page.subject.model
    assert None not in (output.predictions, output.scatter, output.regions)
    # The row of the largest residual may be shown already, as the highest or the lowest value.
    assert {"Largest residual", "Second largest residual"} & {case.title for case in output.cases}
    assert len(page.provenance.data_digest) == len(page.provenance.predictions_digest) == 64
    written = path.read_text(encoding="utf-8")
    assert page.subject.model in written
    assert page.provenance.predictions_digest in written


@pytest.mark.parametrize("model", SCIKIT_LEARN, ids=lambda model: type(model).__name__)
def test_an_audit_of_a_scikit_learn_model_is_one_call(model, tmp_path):
    model.fit(X, NUMBERS if is_regressor(model) else CLASSES)
    page = audit(model, X, tmp_path / "audit.html")
    is_complete(page, tmp_path / "audit.html", model)
    assert "(scikit-learn " in page.subject.model
    assert "Left out: 'site' (the same value in every row)." in page.subject.notes


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.__name__)
def test_an_audit_of_a_model_of_another_library_is_one_call(case, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries warn of each other's versions while they are imported
        model, rows = case()
    page = audit(model, rows, tmp_path / "audit.html")
    is_complete(page, tmp_path / "audit.html", model)


@pytest.mark.parametrize(("case", "classifier"), [(xgboost_booster, xgboost_classifier)])
def test_a_booster_is_explained_in_log_odds_like_the_classifier_around_it(case, classifier):
    booster, rows = case()
    dec, same = explain(booster, rows, progress=False), explain(classifier()[0], rows, progress=False)
    assert dec.scale == same.scale == "logit"
    np.testing.assert_allclose(dec.predictions, booster.inplace_predict(rows, predict_type="margin"), rtol=1e-5)


def test_the_same_call_gives_the_same_page(tmp_path):
    model = Ridge().fit(X, NUMBERS)
    pages = [audit(model, X, tmp_path / name, created="now", title=name) for name in ("a.html", "a.html")]
    assert pages[0].outputs == pages[1].outputs
    assert pages[0].provenance == pages[1].provenance


@pytest.mark.parametrize(
    ("model", "rows", "error", "words"),
    [
        (X, np.sum, InputTypeError, r"The model comes first, then the table: explain\(model, X\)\. Got a DataFrame"),
        (np.sum, X["dose"], InputError, r"got a series\. Pass X\.to_frame\(\)"),
        (LogisticRegression(), X, ModelError, "not fitted yet"),
        ("model.ubj", X, InputTypeError, "of type str, which is neither callable nor has predict"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_that_says_what_to_pass(model, rows, error, words):
    with pytest.raises(error, match=words):
        explain(model, rows)


@pytest.mark.parametrize("rows", [X, X.to_numpy()[:, [2, 0, 1]]], ids=["frame", "array"])
def test_a_column_that_is_left_out_still_reaches_the_model_in_comparisons_and_what_ifs(rows):
    """In the array it comes first, so that features have other positions than columns."""
    dec = explain(lambda given: np.asarray(given) @ [1.0, 2.0, 4.0], rows, max_order=1, progress=False)
    assert len(dec.features) == 2
    other = attribute("pdp", dec.model, rows, like=dec, max_rows=50)
    assert [item.correlation for item in agreement(dec, rows, other).features] == pytest.approx([1.0, 1.0], abs=0.01)
    explorer = Explorer(dec, row=0)
    name = dec.feature_names[0]
    explorer.state.edits = {name: 0.25}
    changed = np.asarray(rows)[:1].astype(float)
    changed[0, dec.columns[0]] = 0.25
    assert explorer.views.case.found.prediction == pytest.approx(float(dec.model(changed)[0]))
    explorer.close()


def test_an_explanation_keeps_its_rows_and_asks_its_model_about_others():
    model = LogisticRegression().fit(X, CLASSES)
    dec = explain(model, X, progress=False)
    assert isinstance(dec, Explanation)
    assert dec.X is X
    np.testing.assert_array_equal(dec.predictions, dec.ask(X))
    np.testing.assert_allclose(dec.ask(X[:5]), model.decision_function(X[:5]))
    assert not dec.predictions.flags.writeable
