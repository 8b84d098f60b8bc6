"""Advice that works: what a finding says to do is done, and the finding passes.

That of AR008 and AR011, to read the joint effect, is tried in `test_joint`, that of AR012, to explain the logarithm, in
the tests of the verdict.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.fit.asking import Asking


def fitted(X: np.ndarray, predictions: np.ndarray, **settings) -> Decomposition:
    groups = settings.pop("groups", None)
    return FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions, groups=groups).decomposition_


def uniform(n_rows: int, n_features: int) -> np.ndarray:
    return np.random.default_rng(11).uniform(-1, 1, size=(n_rows, n_features))


def threefold(max_order: int) -> Decomposition:
    X = uniform(1500, 3)
    return fitted(X, X[:, 0] + 3 * X[:, 0] * X[:, 1] * X[:, 2], max_order=max_order)


def product(max_order: int) -> Decomposition:
    X = uniform(1500, 3)
    return fitted(X, X[:, 0] + X[:, 1] * X[:, 2], max_order=max_order)


@pytest.mark.parametrize(("make", "order"), [(product, 1), (threefold, 2)])
def test_another_order_is_advised_where_it_explains_what_is_left(make: Callable[[int], Decomposition], order: int):
    before = measures.findings(make(order))["AR002"]
    assert before.status in ("warn", "fail")
    assert f"interactions of {'three' if order == 2 else 'two'} features" in before.advice
    assert measures.findings(make(order + 1))["AR002"].status == "pass"


def test_no_other_order_is_advised_where_none_would_help():
    X = uniform(1500, 3)
    noisy = X[:, 0] + np.random.default_rng(1).normal(size=1500)
    before, after = (measures.findings(fitted(X, noisy, max_order=order))["AR002"] for order in (2, 3))
    assert "No interaction of a higher order" in before.advice
    assert after.value > before.value - 0.02


@pytest.mark.parametrize(
    ("asking", "may_lack"), [(None, True), (Asking(0, note="It was not asked."), True), (Asking(4000), False)]
)
def test_of_a_model_that_was_asked_nobody_is_told_to_look_for_other_inputs(asking, may_lack):
    X = uniform(300, 3)
    noisy = X[:, 0] + np.random.default_rng(1).normal(size=300)
    advice = measures.findings(replace(fitted(X, noisy), asking=asking))["AR002"].advice
    assert ("not among the inputs" in advice) == may_lack
    assert ("asked at more recombined rows" in advice) != may_lack


def dependent_product(n_rows: int) -> Decomposition:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n_rows, 3))
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    # Polynomials would be exact here, and nothing would leak.
    return fitted(X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2], family="waves")


def many_features(n_rows: int) -> Decomposition:
    X = uniform(n_rows, 8)
    return fitted(X, X.sum(axis=1), max_order=1)


def memorised(n_rows: int) -> Decomposition:
    X = uniform(n_rows, 4)
    return fitted(X, np.sin(9 * X).sum(axis=1) + np.random.default_rng(2).normal(size=n_rows), max_order=1)


@pytest.mark.parametrize(
    ("code", "make", "few", "many"),
    [
        ("AR003", memorised, 200, 6000),
        ("AR005", dependent_product, 500, 6000),
        ("AR006", many_features, 100, 2000),
        ("AR007", many_features, 200, 2000),
    ],
)
def test_more_rows_help_where_they_are_advised(code: str, make: Callable[[int], Decomposition], few: int, many: int):
    before = measures.findings(make(few))[code]
    assert before.status in ("warn", "fail")
    assert "more rows" in before.advice.lower()
    # With enough rows an interaction that leaked may turn out too small to be asked about.
    assert measures.findings(make(many))[code].status in ("pass", "not applicable")


def correlated(sign: int) -> np.ndarray:
    X = np.random.default_rng(8).normal(size=(2000, 2))
    X[:, 1] = sign * 0.95 * X[:, 0] + 0.3 * X[:, 1]
    return X


@pytest.mark.parametrize(
    ("code", "seen", "new"),
    [("AR009", uniform(1000, 2), 2 * uniform(1000, 2)), ("AR010", correlated(1), correlated(-1))],
)
def test_a_fit_on_rows_like_the_new_ones_supports_them(code: str, seen: np.ndarray, new: np.ndarray):
    before = measures.findings(fitted(seen, seen[:, 0], max_order=1), new)[code]
    assert before.status in ("warn", "fail")
    assert "fit on rows" in before.advice
    assert measures.findings(fitted(new, new[:, 0], max_order=1), new)[code].status == "pass"


def test_groups_make_held_out_rows_independent():
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(60), 40)
    X = rng.normal(size=(60, 3))[group] + 0.01 * rng.normal(size=(2400, 3))
    predictions = rng.normal(size=60)[group]
    before = measures.findings(fitted(X, predictions, max_order=1))
    assert before["AR013"].status == "fail"
    assert "groups=" in before["AR013"].advice
    after = measures.findings(fitted(X, predictions, max_order=1, groups=group))
    assert after["AR013"].status == "pass"
    assert after["AR002"].status == "fail"  # and then it shows that there is nothing to explain
