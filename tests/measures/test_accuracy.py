"""Metrics are scikit-learn's, intervals hold what they promise, and what no truth can be is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression

from anova_report import FunctionalANOVA, measures
from anova_report.errors import InputError
from anova_report.measures import metrics
from anova_report.measures.kept_aside import KeptAside
from anova_report.measures.observed import along, calibration, gain
from anova_report.measures.truths import Truth, truths

N = 1500


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    eta = rng.normal(size=N).round(1)  # with ties
    return {
        "y": (rng.random(N) < expit(eta)).astype(float),
        "p": expit(1.3 * eta + 0.2),
        "w": rng.gamma(2.0, size=N),
        "numbers": eta + rng.normal(size=N),
        "eta": eta,
        "classes": rng.integers(0, 3, N),
        "shares": rng.dirichlet((1, 2, 3), N),
    }


@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_those_of_scikit_learn(rows, weighted):
    w = rows["w"] if weighted else np.ones(N)
    mass, y, p, z, eta = w / w.sum(), rows["y"], rows["p"], rows["numbers"], rows["eta"]
    counts, means = np.round(np.exp(z)), np.exp(eta)
    known = {
        metrics.r_squared: (z, eta, sk.r2_score(z, eta, sample_weight=w)),
        metrics.root_squared_error: (z, eta, sk.root_mean_squared_error(z, eta, sample_weight=w)),
        metrics.absolute_error: (z, eta, sk.mean_absolute_error(z, eta, sample_weight=w)),
        metrics.poisson_deviance: (counts, means, sk.mean_poisson_deviance(counts, means, sample_weight=w)),
        metrics.gamma_deviance: (np.exp(z), means, sk.mean_gamma_deviance(np.exp(z), means, sample_weight=w)),
        metrics.auc: (y, p, sk.roc_auc_score(y, p, sample_weight=w)),
        metrics.log_loss: (y, p, sk.log_loss(y, p, sample_weight=w)),
        metrics.squared_error: (y, p, sk.brier_score_loss(y, p, sample_weight=w)),
        metrics.classes_log_loss: (
            rows["classes"].astype(float),
            rows["shares"],
            sk.log_loss(rows["classes"], rows["shares"], sample_weight=w),
        ),
        metrics.accuracy: (
            rows["classes"].astype(float),
            rows["shares"],
            sk.accuracy_score(rows["classes"], rows["shares"].argmax(axis=1), sample_weight=w),
        ),
    }
    for metric, (truth, predicted, wanted) in known.items():
        assert metric(truth, predicted, mass)[0] == pytest.approx(wanted, rel=1e-12, abs=1e-12), metric.__name__


def test_calibration_is_that_of_a_logistic_regression(rows):
    y, p, odds = rows["y"], rows["p"], 1.3 * rows["eta"] + 0.2
    mass = np.full(N, 1 / N)
    fitted = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(odds[:, None], y)
    assert metrics.calibration_slope(y, p, mass)[0] == pytest.approx(fitted.coef_[0, 0], rel=1e-5)
    shift = metrics.calibration_intercept(y, p, mass)[0]
    assert expit(odds + shift).mean() == pytest.approx(y.mean(), abs=1e-12)
    for apart in (np.where(y == 1, 0.9, 0.1), np.where(y == 1, 0.6 + 0.3 * p, 0.4 * p)):  # predictions separate classes
        assert not np.isfinite(metrics.calibration_slope(y, apart, mass)[0])


METRICS = (
    metrics.r_squared,
    metrics.root_squared_error,
    metrics.auc,
    metrics.log_loss,
    metrics.squared_error,
    metrics.calibration_slope,
    metrics.calibration_intercept,
)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_influence_values_tell_what_a_row_more_does(rows, metric):
    """A row of another mass changes a metric by its influence, to first order: the derivative, by differences."""
    numbers = metric in METRICS[:2]
    y, p = (rows["numbers"], rows["eta"]) if numbers else (rows["y"], rows["p"])
    mass, step = np.full(N, 1 / N), 1e-5
    value, pull = metric(y, p, mass)
    assert mass @ pull == pytest.approx(0, abs=1e-9)
    for row in (0, 7, 400):
        more = (1 - step) * mass + step * (np.arange(N) == row)
        assert (metric(y, p, more)[0] - value) / step == pytest.approx(pull[row], rel=2e-3, abs=2e-3)


def test_intervals_hold_the_truth_in_95_of_100_samples():
    """The truth is that of very many rows; groups of five equal rows are units."""

    def draw(rng, n):
        eta = np.repeat(rng.normal(size=n // 5), 5)
        y = np.repeat(rng.random(n // 5) < expit(eta[::5]), 5).astype(float)
        return y, expit(1.2 * eta), np.repeat(np.arange(n // 5), 5)

    rng, forms = np.random.default_rng(1), {metrics.auc: "share", metrics.log_loss: "positive"}
    y, p, _ = draw(rng, 500_000)
    for metric, form in forms.items():
        known, held = metric(y, p, np.full(len(y), 1 / len(y)))[0], []
        for _ in range(300):
            y_own, p_own, units = draw(rng, 1000)
            mass = np.full(1000, 1e-3)
            value, pull = metric(y_own, p_own, mass)
            found = metrics.bounds(value, metrics.by_unit(pull, mass, units), form)
            held.append(found.low <= known <= found.high)
        assert 0.91 <= np.mean(held) <= 0.985


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 3))
    eta = X[:, 0] + 1.5 * X[:, 0] * X[:, 1]
    return FunctionalANOVA(random_state=0, progress=False).fit(X, eta).decomposition_, X, eta


def test_an_interaction_is_what_main_effects_and_a_line_do_not_keep(fitted):
    dec, X, eta = fitted
    found = measures.accuracy(dec, eta + np.random.default_rng(3).normal(size=len(X)), X, eta)
    kept = {candidate.name: candidate for candidate in found.candidates}
    assert kept["The model"].kept == 1
    assert kept["Main effects and pairs"].kept == pytest.approx(1, abs=0.02)
    for name in ("Main effects alone", "A linear model"):
        assert kept[name].kept == pytest.approx(1 / 3.25, abs=0.08)  # Var of the line over Var of both
        assert kept[name].interval.high < 0
    assert found.frame()["metric"] == ["R²", "RMSE", "MAE"]


def test_a_split_judges_rows_that_were_held_out_first(fitted):
    dec, X, eta = fitted
    split = np.where(np.arange(len(X)) % 4 == 0, "Test", "train")
    truth = eta + np.where(split == "Test", 3.0, 0.5) * np.random.default_rng(4).normal(size=len(X))
    found = measures.accuracy(dec, truth, X, eta, split=split)
    assert found.n_rows == {"held-out rows": 500, "training rows": 1500}
    first, last = (score.value for score in found.scores if score.metric == "RMSE")
    assert (first, last) == (pytest.approx(3, abs=0.3), pytest.approx(0.5, abs=0.05))
    assert found.main[1].value == first
    assert found.candidates[0].value == found.main[0].value


def test_cells_compare_truth_and_prediction_where_there_are_rows(fitted):
    dec, X, eta = fitted
    rng = np.random.default_rng(5)
    y = (rng.random(len(X)) < expit(eta + 1.0 * (X[:, 2] > 0))).astype(float)
    [truth] = truths(dec, KeptAside.read(len(X), targets={"y": y}), expit(eta)[:, None])
    assert truth.task == "binary"
    tenths = calibration(truth)
    assert sum(cell.n_rows for cell in tenths.shown) == len(X)
    first = truth.predicted < tenths.shown[0].high
    assert tenths.shown[0].observed == pytest.approx(y[truth.predicted <= tenths.shown[0].high].mean())
    assert first.sum() >= 199
    off = along(truth, dec.features[2], X[:, 2])
    assert [cell.differs for cell in off.shown if cell.low > -0.05] == [True] * 5
    assert sum(cell.differs for cell in off.shown if cell.high < 0) <= 1
    few = X[:, 2].copy()
    few[:10] = np.nan
    assert along(truth, dec.features[2], few).n_left_out == 10
    found = gain(truth)
    top = np.argsort(-truth.predicted)[:200]
    assert found.held[2] == pytest.approx(y[top].sum() / y.sum(), abs=2e-3)
    assert all(ends.low < held < ends.high for ends, held in zip(found.intervals[:-1], found.held[:-1], strict=True))
    assert found.best[2] == pytest.approx(np.sort(y)[::-1][:200].sum() / y.sum(), abs=2e-3)
    assert (found.rows[-1], found.held[-1], found.best[-1]) == (1.0, 1.0, 1.0)
    assert np.all(np.array(found.held) <= np.array(found.best) + 1e-12)


def test_intervals_of_what_the_first_rows_hold_cover_95_of_100_samples():
    def judged(rng, n):
        eta = rng.normal(size=n)
        y = rng.poisson(np.exp(0.7 * eta + 0.5 * rng.normal(size=n))).astype(float)
        return gain(Truth("log", "claims", 0, y, np.exp(0.7 * eta), KeptAside(n)))

    rng = np.random.default_rng(3)
    known, samples = judged(rng, 1_000_000).held, [judged(rng, 800) for _ in range(300)]
    for at in range(len(known) - 1):
        inside = [each.intervals[at].low <= known[at] <= each.intervals[at].high for each in samples]
        assert 0.91 <= np.mean(inside) <= 0.985, known[at]


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"target": [None, 1.0, *range(1998)]}, r"target 'target' is missing in 1 of 2,000 rows.*position 0"),
        ({"target": ["yes", "no"] * 1000}, "holds text, but the model predicts numbers"),
        ({"target": [1.0] * 2000}, "'target' is the same in all rows"),
        ({"target": range(7)}, "holds 7 values for 2,000 rows"),
        ({"target": range(2000), "split": [True] * 2000}, "all 2,000 rows were held out of training"),
        ({"target": range(2000), "split": ["a", "b"] * 1000}, "split holds 'a'"),
        ({"target": range(2000), "split": [0, 2] * 1000}, r"1,000 row\(s\)"),
    ],
)
def test_what_cannot_be_judged_is_refused(fitted, known, words):
    dec, X, eta = fitted
    with pytest.raises(InputError, match=words):
        measures.accuracy(dec, X=X, predictions=eta, **known)


def test_of_few_rows_cells_are_fewer_and_not_empty(fitted):
    dec, _, eta = fitted
    y = eta[:150] + np.random.default_rng(7).normal(size=150)
    [truth] = truths(dec, KeptAside.read(150, targets={"y": y}), eta[:150, None])
    found = calibration(truth)
    assert (len(found.shown), found.n_left_out) == (3, 0)
    assert sum(cell.n_rows for cell in found.shown) == 150


def test_classes_are_matched_by_their_names():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(600, 2))
    shares = np.exp(X @ rng.normal(size=(2, 3)))
    shares /= shares.sum(axis=1, keepdims=True)
    names = np.array(["b", "c", "a"])
    dec = (
        FunctionalANOVA(max_order=1, progress=False)
        .fit(X, pd.DataFrame(shares, columns=["b", "c", "a"]))
        .decomposition_
    )
    y = names[[rng.choice(3, p=row) for row in shares]]
    found = measures.accuracy(dec, y, X, shares)
    assert found.scores[0].value == pytest.approx(sk.log_loss(y, shares[:, [2, 0, 1]]), rel=1e-12)
    assert found.scores[1].value == (names[shares.argmax(axis=1)] == y).mean()
    assert [candidate.metric for candidate in found.candidates] == ["Log-loss"] * 3
    with pytest.raises(InputError, match="holds 'd' at position 5, which is no class"):
        measures.accuracy(dec, [*y[:5], "d", *y[6:]], X, shares)


@pytest.mark.parametrize("weights", [None, np.linspace(0.3, 1.7, 2000)], ids=["", "weighted"])
def test_a_cell_in_which_all_rows_are_of_the_class_does_not_differ_from_a_prediction_near_one(weights):
    rng = np.random.default_rng(0)
    p = np.sort(np.r_[rng.uniform(0.2, 0.9, 1000), rng.uniform(0.99, 0.999, 1000)])
    y = np.where(p > 0.9, 1.0, (rng.random(2000) < p).astype(float))
    found = calibration(Truth("binary", "y", 0, y, p, KeptAside(2000, weights=weights)))
    last = found.shown[-3:]
    assert [round(cell.observed, 9) for cell in last] == [1.0] * 3
    assert [cell.differs for cell in last] == [False] * 3
    assert all(cell.observed_interval.low == pytest.approx(1 - 3 / cell.n_rows, abs=0.01) for cell in last)


def test_one_large_row_at_a_bound_does_not_widen_the_interval_of_what_the_first_rows_hold():
    p = np.linspace(2.0, 1.0, 1000)
    y = np.where(np.arange(1000) % 2, 1.0, 3.0)
    y[399] = 60.0  # the last row of the first 40%
    known = gain(Truth("log", "claims", 0, y, p, KeptAside(1000)))
    widths = [ends.high - ends.low for ends in known.intervals]
    assert widths[5] < 1.7 * max(widths[4], widths[6])
