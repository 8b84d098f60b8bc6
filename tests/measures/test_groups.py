"""Groups of features, and reasons of rows, against sums of components and exact Shapley values."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain, measures
from anova_report.errors import InputError

NAMES = ["a", "b", "c", "d"]
GROUPS = {"first": ["a", "b"]}


def model(rows: pd.DataFrame) -> np.ndarray:
    a, b, c, d = rows.to_numpy().T
    return 2 * a + a * b + b * c + a * d + 0.5 * np.sin(2 * d) + 0.3 * c


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    law = np.full((4, 4), 0.4) + 0.6 * np.eye(4)
    return pd.DataFrame(rng.multivariate_normal(np.zeros(4), law, size=1500), columns=NAMES)


@pytest.fixture(scope="module")
def dec(table):
    return explain(model, table, feature_groups=GROUPS, progress=False)


def test_the_share_of_a_group_is_the_variance_of_its_summed_components(dec, table):
    found = measures.group_shares(dec)
    parts = pd.DataFrame(dec.components(table), columns=[dec.label(term) for term in dec.terms])
    own = parts[["a", "b", "a × b"]].sum(axis=1)
    variance = dec.predictions.var()
    first = found.groups[0]
    assert first.effect.structural == pytest.approx(own.var(ddof=0) / variance, rel=1e-6)
    assert first.effect.total == pytest.approx(np.cov(own, dec.predictions, ddof=0)[0, 1] / variance, rel=1e-6)
    band = measures.bands(dec, "first", table)
    np.testing.assert_allclose(band.value, own, atol=1e-12)
    assert (band.upper > band.lower).all()
    assert measures.joint_effect(dec, "first").structural == first.effect.structural


def test_shares_of_groups_and_what_lies_between_them_add_up(dec, table):
    found = measures.group_shares(dec)
    assert [own.member.name for own in found.groups] == ["first", "c", "d"]
    assert {own.label for own in found.interactions} == {
        " × ".join(["first" if part in "ab" else part for part in dec.label(term).split(" × ")])
        for term in dec.terms
        if len(term) == 2 and term != (0, 1)
    }
    whole = sum(own.effect.total for own in found.groups) + sum(own.total for own in found.interactions)
    assert whole + found.unexplained == pytest.approx(1, abs=1e-7)
    assert sum(own.share for own in found.groups) + found.unexplained == pytest.approx(1, abs=1e-7)
    members = dec.shapley(table)[:, :2].sum(axis=1)
    expected = np.cov(members, dec.predictions, ddof=0)[0, 1] / dec.predictions.var()
    assert found.groups[0].share == pytest.approx(expected, rel=1e-6)
    assert found.groups[0].interval.low < expected < found.groups[0].interval.high


def test_a_group_is_asked_about_as_a_whole(dec):
    assert dec.asking.n_asked
    assert dec.asking.together == ((0, 1),)


def test_groups_stay_with_a_decomposition_under_another_law_and_in_its_file(dec, table, tmp_path):
    dec.save(tmp_path / "dec.json")
    for other in (dec.under(table[:700]), type(dec).load(tmp_path / "dec.json")):
        assert other.feature_groups == {"first": (0, 1)}
    assert not dec.grouped(None).feature_groups


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"a": ["b", "c"]}, "has the name of a feature"),
        ({"g": ["a", "bb"]}, "Did you mean 'b'"),
        ({"g": ["a", "b"], "h": ["b", "c"]}, "'b' cannot be in the groups 'g' and 'h'"),
        ({"g": ["a"]}, "two or more different columns"),
        (["a", "b"], "is a mapping"),
        ({"": ["a", "b"]}, "has a name"),
    ],
)
def test_groups_that_make_no_sense_are_refused(dec, groups, words):
    with pytest.raises(InputError, match=words):
        dec.grouped(groups)


def shapley(values: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Average over all orders what a feature adds to the mean over independent columns, each of all its values."""
    p, found = values.shape[1], np.zeros(values.shape[1])

    def mean(known: frozenset) -> float:
        grid = np.meshgrid(*[[row[j]] if j in known else np.unique(values[:, j]) for j in range(p)], indexing="ij")
        return float(function(np.column_stack([own.ravel() for own in grid])).mean())

    orders = list(permutations(range(p)))
    for order in orders:
        for at, j in enumerate(order):
            found[j] += mean(frozenset(order[: at + 1])) - mean(frozenset(order[:at]))
    return found / len(orders)


def function(rows: np.ndarray) -> np.ndarray:
    return rows[:, 0] * rows[:, 1] + 2 * rows[:, 1] - rows[:, 2] + 0.5 * rows[:, 0] * rows[:, 2] ** 2


def test_reasons_are_exact_shapley_values_where_features_are_independent():
    levels = np.array([-1.0, 0.0, 1.0, 2.0])
    X = np.tile(np.array(np.meshgrid(levels, levels, levels)).reshape(3, -1).T, (8, 1))
    dec = FunctionalANOVA(max_order=2, progress=False).fit(X, function(X)).decomposition_
    at = [3, 17, 40, 63]
    found = measures.reasons(dec, X[at], k=3)
    for row, own in zip(X[at], found.rows, strict=True):
        expected = shapley(X, row)
        np.testing.assert_allclose([reason.value for reason in own], [expected[int(r.name[1])] for r in own], atol=1e-8)
        assert [abs(reason.value) for reason in own] == sorted((abs(r.value) for r in own), reverse=True)
        wrong = {r.direction for r in own if r.low > 0} - {"raises"} | {r.direction for r in own if r.high < 0} - {
            "lowers"
        }
        assert not wrong
    assert all(len(own) <= 2 for own in measures.reasons(dec, X, k=2).rows)
    grouped = dec.grouped({"both": ["x0", "x1"]})
    (own,) = measures.reasons(grouped, X[at[:1]]).rows
    expected = shapley(X, X[at[0]])
    assert {reason.name: pytest.approx(reason.value, abs=1e-8) for reason in own} == {
        "both": expected[0] + expected[1],
        "x2": expected[2],
    }


def test_what_bands_leave_open_has_neither_rank_nor_direction():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 1.0 * X[:, 1] + rng.normal(size=300)
    dec = FunctionalANOVA(max_order=1, progress=False).fit(X, y).decomposition_
    equal, apart = measures.reasons(dec, [[1.0, 1.0, 0.0], [2.0, 0.2, 0.0]], k=3).rows
    assert not equal[0].is_ranked
    assert apart[0].is_ranked
    assert apart[0].name == "x0"
    lines = measures.reasons(dec, [[1.0, 1.0, 0.0]], k=2).frame()
    assert lines["rank"] == ["cannot be determined"] * 2
    assert all(reason.low < reason.value < reason.high for reason in equal)
    assert [r.direction for r in equal if r.low < 0 < r.high] == ["cannot be determined"] * sum(
        r.low < 0 < r.high for r in equal
    )
    with pytest.raises(InputError, match="at least 1"):
        measures.reasons(dec, X, k=0)
