"""Where the explanation fails: rules that are found on some rows and judged on others, and lists of rows."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.input.features import Feature
from anova_report.measures.rules import Condition, Divisions, grow, holds, thresholds
from anova_report.measures.values import value_text


def table(n_rows=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"))
    return X.assign(age=rng.integers(18, 80, n_rows).astype(float), town=rng.choice(["x", "y", "z"], n_rows))


def model(rows):
    plain = rows["a"] + rows["b"] + 0.02 * rows["age"]
    return plain + ((rows["age"] < 40) & (rows["town"] == "y")) * np.sign(rows["a"] * rows["b"] * rows["c"])


@pytest.fixture(scope="module")
def explained():
    return explain(model, table(), progress=False)


def test_a_region_is_found_with_rows_that_were_held_out_and_judged_on_others(explained):
    found = measures.failing_regions(explained)
    region = found.regions[0]
    assert {(one.feature, one.relation) for one in region.conditions} == {(3, "below"), (4, "is")}
    assert found.over == "held-out rows"
    assert found.n_rows == explained.held_out.n_rows
    assert region.residual_share > 0.9 > 3 * region.row_share
    assert region.interval.low <= region.residual_share <= region.interval.high
    assert region.interval.low > region.by_chance > region.row_share


def test_a_region_holds_what_its_rows_among_those_it_was_judged_on_do(explained):
    found, known = measures.failing_regions(explained), explained.row_residuals
    region = found.regions[0]
    half = np.unique(known.units, return_inverse=True)[1] % 2 == region.half
    squares = known.residuals[half, 0] ** 2
    inside = holds(region.conditions, explained.encode(explained.X)[known.positions[half]])
    assert (region.n_rows, region.n_judged) == (inside.sum(), half.sum())
    assert region.residual_share == pytest.approx(squares[inside].sum() / squares.sum())
    assert region.row_share == pytest.approx(inside.mean())


def test_the_frame_has_a_line_for_every_region(explained):
    found = measures.failing_regions(explained)
    frame = pd.DataFrame(found.frame())
    assert frame["rule"].tolist() == [region.rule for region in found.regions]
    assert list(frame) == [
        *("rule", "n_rows", "row_share", "residual_share", "low", "high", "by_chance", "unexplained"),
    ]


def test_without_held_out_residuals_those_of_the_rows_that_are_given_are_looked_at(explained, tmp_path):
    explained.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    assert loaded.row_residuals is None
    found = measures.failing_regions(loaded, explained.X, explained.predictions)
    assert (found.over, found.n_rows) == ("all rows", len(explained.X))
    assert found.regions[0].rule.count(" and ") == 1
    others = table(seed=1)
    assert measures.failing_regions(explained, others, model(others)).over == "all rows"


def test_nothing_is_claimed_of_residuals_that_are_noise():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 3))
    y = X[:, 0] + rng.standard_t(3, 1500)
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, y).decomposition_
    assert measures.failing_regions(dec, X, y).regions == ()


def test_one_wild_row_is_no_region():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = X[:, 0] + 0.01 * rng.normal(size=2000)
    y[:3] += 1e3
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, y).decomposition_
    assert measures.failing_regions(dec, X, y).regions == ()


def test_predictions_that_are_explained_exactly_have_no_regions():
    dec = explain(lambda rows: rows[:, 0], np.random.default_rng(0).normal(size=(600, 2)), progress=False)
    assert measures.failing_regions(dec).regions == ()


def test_of_few_rows_nothing_is_said():
    dec = explain(lambda rows: rows[:, 0] * rows[:, 1], np.random.default_rng(0).normal(size=(90, 2)), progress=False)
    found = measures.failing_regions(dec)
    assert (found.regions, found.is_judged) == ((), False)


def test_residuals_by_row_add_up_to_the_unexplained_share(explained):
    known = explained.row_residuals
    mean = np.average(known.residuals**2, axis=0, weights=known.weights)
    assert mean == pytest.approx(explained.held_out.squared_gap)
    assert (np.diff(known.positions) > 0).all()


def test_rows_of_a_group_are_in_one_half():
    X = table(1200)
    groups = np.arange(1200) // 10
    dec = explain(model, X, groups=groups, progress=False)
    known = dec.row_residuals
    units = [len(set(known.units[groups[known.positions] == group].tolist())) for group in range(120)]
    assert set(units) <= {0, 1}


@pytest.mark.parametrize(
    ("relation", "value", "rows"),
    [("below", 2.0, [0]), ("from", 2.0, [1, 3]), ("is", 2.0, [1]), ("missing", 0.0, [2])],
)
def test_missing_values_are_on_neither_side_of_a_threshold(relation, value, rows):
    values = np.array([[1.0], [2.0], [np.nan], [3.0]])
    assert np.flatnonzero(Condition(0, relation, value).holds(values)).tolist() == rows


def test_a_rule_may_be_that_a_value_is_missing():
    column = np.where(np.arange(500) % 10 == 0, np.nan, np.arange(500.0))
    divided = [Divisions.of(0, Feature("income", "numeric"), column)]
    rule = grow(divided, np.ones(500), np.where(np.isnan(column), 9.0, 1.0))
    assert [condition.relation for condition in rule] == ["missing"]


def test_sums_over_the_rows_of_conditions_are_those_of_the_rows_that_fulfil_them():
    rng = np.random.default_rng(0)
    column = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
    divided = Divisions.of(0, Feature("x", "numeric"), column)
    amounts = rng.random((2, 300))
    sums = divided.sums(np.arange(300), amounts)
    for condition, own in zip(divided.conditions, sums, strict=True):
        inside = condition.holds(column[:, None])
        assert own == pytest.approx(amounts[:, inside].sum(axis=1))


def test_thresholds_are_written_in_full():
    column = np.random.default_rng(0).lognormal(8, 1, 2000)
    edges, span = thresholds(Feature("income", "numeric"), column)
    texts = [value_text(Feature("income", "numeric"), edge, span) for edge in edges.tolist()]
    assert [float(text.replace(",", "")) for text in texts] == edges.tolist()


def test_rows_with_the_largest_residuals_come_first(explained):
    found = measures.largest_residuals(explained, most=5)
    residuals = np.abs(explained.predictions - explained.predict(explained.X))
    assert [row.position for row in found.rows] == np.argsort(-residuals, kind="stable")[:5].tolist()
    assert found.held == pytest.approx(np.sort(residuals**2)[-5:].sum() / (residuals**2).sum())
    assert found.rows[0].residual == pytest.approx(found.rows[0].prediction - found.rows[0].explained)
    assert list(found.frame()) == ["position", "prediction", "explained", "residual"]


def test_rows_beyond_the_fit_are_listed_with_what_is_unseen(explained):
    X = table(50, seed=5)
    X.loc[7, "a"], X.loc[9, ["a", "b"]] = 99.0, 99.0
    found = measures.extrapolated_rows(explained, X)
    assert [row.position for row in found.rows][:2] == [9, 7]
    assert found.rows[0].unseen[:2] == ((0,), (1,))
    assert found.frame()["unseen"][1].startswith("a")
