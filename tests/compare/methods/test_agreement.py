"""Agreement against its definition on rows, and what must not be compared."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import explain
from anova_report.compare import Attribution, agreement, attribute
from anova_report.compare.methods.agreement import counterpart_values
from anova_report.errors import InputError
from tests.compare.conftest import Case, decompose
from tests.compare.methods.test_registry import TwoClasses


def attribution_of(case: Case, contributions: np.ndarray, counterpart: str) -> Attribution:
    """Contributions that somebody else might have found on all rows of a case."""
    return Attribution(
        method="pdp",
        title="Somebody else",
        features=case.dec.features,
        rows=np.arange(len(contributions)),
        values=case.dec.encode(case.X[: len(contributions)]),
        contributions=contributions,
        output="prediction",
        scale="identity",
        counterpart=counterpart,  # type: ignore[arg-type]
    )


def test_our_own_values_agree_with_themselves(independent: Case) -> None:
    for counterpart, values in (
        ("ANOVA-Shapley value", independent.dec.shapley(independent.X)),
        ("main effect", np.column_stack([independent.dec.component(i, independent.X) for i in range(3)])),
    ):
        held = agreement(independent.dec, independent.X, attribution_of(independent, values.copy(), counterpart))
        assert held.counterpart == counterpart
        assert all(item.correlation == pytest.approx(1.0) for item in held.features)
        assert all(item.distance == pytest.approx(0.0, abs=1e-12) for item in held.features)


def test_correlation_and_distance_are_those_of_the_definition(independent: Case) -> None:
    theirs = np.random.default_rng(0).normal(size=(1500, 3)) + 7  # an offset does not count
    held = agreement(independent.dec, independent.X, attribution_of(independent, theirs.copy(), "ANOVA-Shapley value"))
    ours = independent.dec.shapley(independent.X)
    for index, item in enumerate(held.features):
        mine, other = ours[:, index] - ours[:, index].mean(), theirs[:, index] - theirs[:, index].mean()
        assert item.correlation == pytest.approx(np.corrcoef(mine, other)[0, 1])
        assert item.distance == pytest.approx(np.sqrt(np.mean((mine - other) ** 2)))
        assert (item.ours, item.theirs) == pytest.approx((mine.std(), other.std()))
        assert item.n_rows == 1500


def test_dense_regions_count_as_often_as_they_occur() -> None:
    # Of 1,000 rows 990 lie at 0 and 10 at 1: a method that errs at the rare value only is close by distance.
    X = np.column_stack([np.r_[np.zeros(990), np.ones(10)], np.tile([0.0, 1.0], 500)])
    case = Case(None, X, decompose(X, X[:, 0] + X[:, 1], max_order=1))
    wrong = np.column_stack([2 * X[:, 0], X[:, 1]])
    held = agreement(case.dec, X, attribution_of(case, wrong, "main effect"))
    spread = np.sqrt(0.01 * 0.99)
    assert held.features[0].distance == pytest.approx(spread, rel=0.05)


def test_what_does_not_vary_correlates_with_nothing(independent: Case) -> None:
    theirs = np.zeros((1500, 3))
    held = agreement(independent.dec, independent.X, attribution_of(independent, theirs, "main effect"))
    assert [item.correlation for item in held.features] == [None, None, None]
    assert all(item.distance == pytest.approx(item.ours) for item in held.features)


def test_a_main_effect_that_is_not_held_is_zero(independent: Case) -> None:
    expansion = independent.dec.expansion
    without = tuple(component for component in expansion.components if component.term != (1,))
    dec = replace(independent.dec, expansion=replace(expansion, components=without))
    held = counterpart_values(dec, independent.X[:20], "main effect")
    np.testing.assert_array_equal(held[:, 1], np.zeros(20))
    np.testing.assert_array_equal(held[:, 2], independent.dec.component(2, independent.X[:20]))


def test_columns_in_another_order_are_matched_by_name(mixed: Case) -> None:
    straight = agreement(mixed.dec, mixed.X, attribute("pdp", mixed.model, mixed.X, like=mixed.dec, max_rows=100))
    turned_table = mixed.X[["age", "color", "day"]]
    found = attribute("pdp", mixed.model, turned_table, like=mixed.dec, max_rows=100)
    turned = agreement(mixed.dec, turned_table, found)
    assert [item.feature for item in turned.features] == ["color", "day", "age"]
    for one, two in zip(straight.features, turned.features, strict=True):
        assert one.correlation == pytest.approx(two.correlation)
        assert one.distance == pytest.approx(two.distance)
        assert one.correlation > 0.99


def test_another_table_than_that_of_the_attribution_is_noticed(independent: Case) -> None:
    found = attribute("pdp", independent.model, independent.X, max_rows=50)
    with pytest.raises(InputError, match="other values than the attribution"):
        agreement(independent.dec, independent.X[::-1], found)
    with pytest.raises(InputError, match="the table has 20 rows"):
        agreement(independent.dec, independent.X[:20], found)


def test_other_features_are_refused(independent: Case, mixed: Case) -> None:
    found = attribute("pdp", independent.model, independent.X, max_rows=50)
    with pytest.raises(InputError, match="Compare explanations of the same features"):
        agreement(mixed.dec, mixed.X, replace(found, rows=np.arange(50)))


def test_another_scale_or_class_is_refused_and_predictions_given_as_numbers_are_not() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    logits, chances = (
        explain(TwoClasses(), X, scale=scale, progress=False, max_order=1) for scale in ("logit", "probability")
    )
    found = attribute("ale", TwoClasses(), X)
    assert agreement(logits, X, found).features[0].correlation > 0.99
    with pytest.raises(InputError, match="on the scale 'probability' and the attribution on 'logit'"):
        agreement(chances, X, found)
    with pytest.raises(InputError, match="explains 'yes' and the attribution 'no'"):
        agreement(logits, X, attribute("ale", TwoClasses(), X, output="no"))
    numbers = decompose(X, X[:, 0] ** 2, max_order=1)
    assert agreement(numbers, X, found).features[0].correlation > 0.99


def test_one_of_several_outputs_is_chosen() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = decompose(X, np.column_stack([X[:, 0], 5 * X[:, 1]]), max_order=1)
    found = attribute("ale", lambda rows: 5 * rows[:, 1], X)
    held = agreement(dec, X, found, output=1)
    assert held.output == "prediction 1"
    assert held.features[1].correlation > 0.999
    with pytest.raises(InputError, match="Choose one of the outputs"):
        agreement(dec, X, found)
