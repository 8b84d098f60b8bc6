"""Positive predictions on the logarithmic scale: which models are known to multiply effects, and rates by exposure."""

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import GammaRegressor, LinearRegression, PoissonRegressor, TweedieRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from anova_report import Decomposition, explain
from anova_report.core.input.model_forms import has_log_link
from anova_report.errors import InputError, InputTypeError, ModelError

QUIET = {"progress": False, "max_order": 2}
MULTIPLY = {
    "poisson": PoissonRegressor(),
    "gamma": GammaRegressor(),
    "tweedie": TweedieRegressor(power=1.5),
    "tweedie by name": TweedieRegressor(power=0, link="log"),
    "boosted counts": HistGradientBoostingRegressor(loss="poisson", max_iter=5),
    "boosted amounts": HistGradientBoostingRegressor(loss="gamma", max_iter=5),
    "pipeline": make_pipeline(StandardScaler(), PoissonRegressor()),
    "search": GridSearchCV(make_pipeline(PoissonRegressor()), {"poissonregressor__alpha": [1e-3]}, cv=2),
    "logarithm of the target": TransformedTargetRegressor(LinearRegression(), func=np.log, inverse_func=np.exp),
}
ADD = {
    "normal": TweedieRegressor(power=0),
    "squares": HistGradientBoostingRegressor(max_iter=5),
    "line": LinearRegression(),
}


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 3))
    return X, 1.0 + rng.poisson(np.exp(X[:, 0] + X[:, 1]))


@pytest.mark.parametrize("name", [*MULTIPLY, *ADD])
def test_models_of_scikit_learn_are_known_by_their_link(counts, name):
    fitted = (MULTIPLY | ADD)[name].fit(*counts)
    assert has_log_link(fitted) is (name in MULTIPLY)
    assert explain(fitted, counts[0], ask=0, **QUIET).scale == ("log" if name in MULTIPLY else "identity")


def boosters(X, y):
    """Fit what the libraries that are there call counts and amounts."""
    for objective in ("count:poisson", "reg:tweedie", "reg:gamma"):
        xgboost = pytest.importorskip("xgboost")
        sklearn_like = xgboost.XGBRegressor(n_estimators=5, objective=objective).fit(X, y)
        yield from (sklearn_like, sklearn_like.get_booster())
    for objective in ("poisson", "tweedie", "gamma"):
        lightgbm = pytest.importorskip("lightgbm")
        sklearn_like = lightgbm.LGBMRegressor(n_estimators=5, objective=objective, verbose=-1).fit(X, y)
        yield from (sklearn_like, sklearn_like.booster_)


def test_boosters_are_known_by_their_objective(counts):
    X, y = counts
    assert all(map(has_log_link, boosters(X, y)))
    xgboost = pytest.importorskip("xgboost")
    assert not has_log_link(xgboost.XGBRegressor(n_estimators=2).fit(X, y))


def test_models_of_catboost_and_statsmodels_are_known(counts):
    X, y = counts
    catboost, statsmodels = pytest.importorskip("catboost"), pytest.importorskip("statsmodels.api")
    for loss, known in (("Poisson", True), ("Tweedie:variance_power=1.5", True), ("RMSE", False)):
        made = catboost.CatBoostRegressor(iterations=3, loss_function=loss, verbose=0, allow_writing_files=False)
        assert has_log_link(made.fit(X, y)) is known
    family = statsmodels.families.Poisson()
    assert has_log_link(statsmodels.GLM(y, X, family=family).fit())
    assert not has_log_link(statsmodels.OLS(y, X).fit())


def test_factors_of_a_log_linear_model_are_exact(counts):
    X, y = counts
    model = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X, y)
    dec = explain(model, X, random_state=0, **QUIET)
    rows = np.random.default_rng(1).uniform(size=(50, 3)) * 0.9 + 0.05
    for index, slope in enumerate(model.coef_):
        expected = np.exp(slope * (rows[:, index] - X[:, index].mean()))  # a closed form: effects have mean zero
        np.testing.assert_allclose(np.exp(dec.component(index, rows)), expected, rtol=1e-5)
    np.testing.assert_allclose(np.exp(dec.mean), np.exp(model.intercept_ + X.mean(axis=0) @ model.coef_), rtol=1e-6)
    np.testing.assert_allclose(dec.predict(rows), np.log(model.predict(rows)), atol=1e-5)


def test_links_of_two_libraries_give_equal_factors(counts):
    X, y = counts
    statsmodels = pytest.importorskip("statsmodels.api")
    other = statsmodels.GLM(y, statsmodels.add_constant(X), family=statsmodels.families.Poisson()).fit(tol=1e-12)
    one = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X, y)

    def ask(rows):
        return other.predict(statsmodels.add_constant(rows, has_constant="add"))

    asked = explain(ask, X, scale="log", **QUIET)
    np.testing.assert_allclose(asked.components(X), explain(one, X, **QUIET).components(X), atol=1e-4)


def test_the_scale_is_saved_and_asked_for_again(counts, tmp_path):
    X, y = counts
    model = PoissonRegressor().fit(X, y)
    dec = explain(model, X, **QUIET)
    np.testing.assert_allclose(dec.ask(X[:5]), np.log(model.predict(X[:5])))
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").scale == "log"
    assert explain(model, X, scale="identity", **QUIET).scale == "identity"


@pytest.mark.parametrize("lowest", [0.0, -1.0])
def test_what_has_no_logarithm_is_refused_by_hand_and_explained_as_it_is_by_default(counts, lowest):
    X, y = counts

    def predict(rows):
        return np.maximum(rows[:, 0] - 0.2, 0.0) + lowest

    with pytest.raises(ModelError, match=r"zero or negative in \d+ row\(s\), first at position .* scale='identity'"):
        explain(predict, X, scale="log", **QUIET)
    model = PoissonRegressor().fit(X, y)
    model.predict = predict
    dec = explain(model, X, ask=0, **QUIET)
    assert dec.scale == "identity"
    assert "are not above zero" in dec.scale_note


def test_classes_have_no_logarithm_of_their_own(counts):
    X, y = counts
    classifier = HistGradientBoostingClassifier(max_iter=3).fit(X, y > 2)
    with pytest.raises(InputError, match="for models that predict numbers"):
        explain(classifier, X, scale="log", **QUIET)
    with pytest.raises(InputError, match="exposure turns counts and amounts into rates"):
        explain(classifier, X, exposure=y, **QUIET)


@pytest.fixture(scope="module")
def claims():
    """20,000 insured, with the rate of claims that is known on paper, and the share of a year each was insured."""
    pd = pytest.importorskip("pandas")
    rng, n = np.random.default_rng(0), 20_000
    X = pd.DataFrame({"age": rng.uniform(18, 90, n).round(), "power": rng.integers(4, 13, n).astype(float)})
    X["exposure"] = rng.uniform(0.05, 1, n).round(3)
    logarithm = -2.2 + 0.4 * np.cos((X.age - 50) / 12) + 0.05 * (X.power - 8)
    return X, logarithm


def counts_of(rows):
    return np.exp(-2.2 + 0.4 * np.cos((rows["age"] - 50) / 12) + 0.05 * (rows["power"] - 8)) * rows["exposure"]


def test_a_model_of_counts_gives_the_rate(claims):
    X, logarithm = claims
    dec = explain(counts_of, X, exposure="exposure", random_state=0, **QUIET)
    assert (dec.scale, dec.feature_names, dec.prediction_name) == ("log", ("age", "power"), "rate")
    np.testing.assert_allclose(dec.predict(X[["age", "power"]]), logarithm, atol=1e-4)
    assert dec.mean == pytest.approx(np.average(logarithm, weights=X.exposure), abs=1e-4)  # weighted by exposure
    assert "prediction at an exposure of 1 ('exposure')" in " ".join(dec.notes)


def test_models_of_rates_and_of_counts_agree(claims):
    X, _ = claims
    rates = X[["age", "power"]]

    def rate_of(rows):
        return counts_of(rows.assign(exposure=1.0))

    of_rates = explain(rate_of, rates, exposure=X.exposure, **QUIET)
    of_counts = explain(counts_of, X, exposure="exposure", **QUIET)
    np.testing.assert_allclose(of_rates.components(rates), of_counts.components(rates), atol=1e-9)


def test_a_boosted_frequency_recovers_the_rate(claims):
    X, logarithm = claims
    y = np.random.default_rng(1).poisson(np.exp(logarithm) * X.exposure)
    features = X[["age", "power"]]
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=60, max_leaf_nodes=6, random_state=0)
    model.fit(features, y / X.exposure, sample_weight=X.exposure)
    dec = explain(model, X, exposure="exposure", random_state=0, **QUIET)  # its names say that it takes no exposure
    ages = features.assign(power=8.0).drop_duplicates("age").sort_values("age")
    effect, truth = dec.component("age", ages), 0.4 * np.cos((ages.age - 50) / 12)
    assert np.corrcoef(effect, truth)[0, 1] > 0.9
    assert np.exp(dec.mean) == pytest.approx(np.exp(np.average(logarithm, weights=X.exposure)), rel=0.05)


def boosted_rates(X, y, exposure):
    """Fit rates with what the libraries that are there offer, in forms that name their columns in their own ways."""
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    catboost = pytest.importorskip("catboost")
    rows = xgboost.DMatrix(X, y / exposure, weight=exposure)
    yield xgboost.train({"objective": "count:poisson", "max_depth": 2}, rows, 20)
    known = lightgbm.Dataset(X, y / exposure, weight=exposure)
    yield lightgbm.train({"objective": "poisson", "max_depth": 2, "verbose": -1}, known, 20)
    quiet = {"loss_function": "Poisson", "iterations": 20, "depth": 2, "verbose": 0, "allow_writing_files": False}
    yield catboost.CatBoostRegressor(**quiet).fit(X, y / exposure, sample_weight=exposure)
    yield catboost.CatBoost(quiet).fit(X, y / exposure, sample_weight=exposure)  # predicts logarithms


def test_boosters_of_rates_are_not_asked_about_the_exposure(claims):
    X, logarithm = claims
    X, exposure = X.head(3000), X.exposure.head(3000)
    features = X[["age", "power"]]
    y = np.random.default_rng(1).poisson(np.exp(logarithm[:3000]) * exposure)
    for model in boosted_rates(features, y, exposure):
        dec = explain(model, X, exposure="exposure", random_state=0, ask=0, **QUIET)
        assert (dec.scale, dec.feature_names) == ("log", ("age", "power"))
        assert 0.05 < np.exp(dec.mean) < 1, model


def test_a_method_of_a_model_is_known_by_its_model(counts):
    X, y = counts
    model = PoissonRegressor().fit(X, y)
    assert has_log_link(model.predict)
    assert explain(model.predict, X, ask=0, **QUIET).scale == "log"
    assert not has_log_link(LinearRegression().fit(X, y).predict)


@pytest.mark.parametrize(
    ("exposure", "said"),
    [
        ([1.0, 0.0, 2.0], "missing, zero, negative or infinite in 1 row(s), first at position 1"),
        ([1.0, np.nan, -1.0], "in 2 row(s), first at position 1, 2"),
        ([1.0, 2.0], "exposure holds 2 values for 3 rows"),
        ("years", "exposure names the column 'years', which X does not have"),
    ],
)
def test_exposures_that_give_no_rate_are_refused(exposure, said):
    with pytest.raises(InputError) as error:
        explain(lambda rows: rows[:, 0], [[1.0, 2.0], [2.0, 1.0], [3.0, 1.0]], exposure=exposure, **QUIET)
    assert said in str(error.value)


def test_rows_are_weighted_once():
    rows = [[1.0], [2.0], [3.0]]
    with pytest.raises(InputError, match="by their exposure or by sample_weight"):
        explain(lambda rows: rows[:, 0], rows, exposure=[1, 1, 1], sample_weight=[1, 1, 1], **QUIET)
    with pytest.raises(InputTypeError, match="exposure must hold numbers"):
        explain(lambda rows: rows[:, 0], rows, exposure=["a", "b", "c"], **QUIET)
