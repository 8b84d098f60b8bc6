"""Whether functions differ: laws of the test itself, on decompositions whose components and errors are known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from anova_report.compare import Comparison, compare_decompositions
from anova_report.compare.versions.explained_pair import ExplainedPair, ExplainedPredictions, mean_square
from anova_report.compare.versions.function import ERROR_RATE
from tests.compare.conftest import decompose

REPLICATES = 64
SMOOTH = 5  # directions that are asked about


def side(
    rng: np.random.Generator, truth: Any, directions: Any, squared_residual: float, choice: float = 1.0
) -> ExplainedPredictions:
    """An estimate that errs in some directions by normal numbers of variance 1/1000, with contributions to match."""
    n_directions = directions.shape[1]
    weights = rng.normal(size=(n_directions, REPLICATES)) / np.sqrt(1000 * REPLICATES)
    # What was chosen shows where the function is rough, not in the first directions.
    sizes = np.where(np.arange(n_directions) < SMOOTH, 1.0, choice) / np.sqrt(1000)
    values = truth + directions @ (sizes * rng.normal(size=n_directions))
    return ExplainedPredictions(values, directions @ weights, squared_residual, 1000, choice)


@pytest.fixture(scope="module")
def directions() -> Any:
    made = np.linalg.qr(np.random.default_rng(0).normal(size=(300, 21)))[0] * np.sqrt(300)
    return made - made.mean(axis=0)


@pytest.mark.parametrize("choice", [1.0, 1.5])
def test_equal_functions_are_called_different_in_few_samples_and_a_change_is_found(
    directions: Any, choice: float
) -> None:
    rng = np.random.default_rng(1)
    alarms = {0.0: 0, 0.3: 0}
    for change, seed in ((change, seed) for change in alarms for seed in range(100)):
        truth = np.zeros(300)
        first = side(rng, truth, directions, 0.5, choice)
        second = side(rng, truth + change * directions[:, seed % SMOOTH], directions, 0.5, choice)
        pair = ExplainedPair(first, second, "different", 0.01)
        tried = [pair.distance_p_value(0.01), *(pair.p_value(directions[:, at]) for at in range(SMOOTH))]
        alarms[change] += min(tried) * len(tried) <= ERROR_RATE
    assert alarms[0.0] <= 7
    assert alarms[0.3] >= 90


def test_the_interval_of_the_distance_holds_it(directions: Any) -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(100):
        first = side(rng, np.zeros(300), directions, 0.0)
        bounds = ExplainedPair(first, side(rng, 0.4 * directions[:, 0], directions, 0.0), "different", 0.0).interval()
        held += bounds.low <= 0.4 <= bounds.high
    assert held >= 90


def test_differences_below_what_matters_are_no_change_however_certain(directions: Any) -> None:
    rng = np.random.default_rng(3)
    first, second = (side(rng, truth, 1e-6 * directions, 0.0) for truth in (np.zeros(300), 0.009 * directions[:, 0]))
    pair = ExplainedPair(first, second, "different", 0.01)
    assert pair.p_value(directions[:, 0]) == 1.0
    assert pair.distance_p_value(0.01) > 0.05
    assert ExplainedPair(first, second, "different", 0.005).p_value(directions[:, 0]) < 1e-6


def test_what_replicates_do_to_both_cancels_on_the_same_rows(directions: Any) -> None:
    first = side(np.random.default_rng(4), np.zeros(300), directions, 0.0)
    moved = replace(first, values=first.values + 0.03 * directions[:, 0])
    apart, paired = (ExplainedPair(first, moved, rows, 0.01) for rows in ("different", "same replicates"))
    assert paired.p_value(directions[:, 0]) == 0.0
    assert apart.p_value(directions[:, 0]) > 0.1


def line(X: Any) -> Any:
    return X[:, 0] + 0.5 * X[:, 1] + 0.25 * X[:, 0] * X[:, 1]


def law(seed: int, shift: float, correlation: float = 0.0) -> Any:
    X = np.random.default_rng([9, seed]).normal(size=(4000, 2))  # from here on a fit is quick
    X[:, 1] = correlation * X[:, 0] + np.sqrt(1 - correlation**2) * X[:, 1]
    return X + np.array([shift, 0.0])


@pytest.fixture(scope="module")
def here() -> Any:
    return decompose(law(0, 0.0), line(law(0, 0.0)))


def outcome(found: Comparison) -> tuple[bool | None, list[str]]:
    return found.changed, [item.label for item in found.moved()]


@pytest.fixture(scope="module")
def there() -> dict[str, Any]:
    """Decompositions of other rows: where the inputs moved, where the function changed, neither and both."""
    moved, same = law(1, 1.0), law(2, 0.0)
    return {
        "moved": decompose(moved, line(moved)),
        "same": decompose(same, line(same)),
        "changed": decompose(same, line(same) + 0.1 * same[:, 1] ** 2),
        "both": decompose(moved, line(moved) + moved[:, 1]),
    }


@pytest.mark.parametrize("table", [np.vstack([law(0, 0.0), law(1, 1.0)]), None], ids=["with rows", "without rows"])
def test_inputs_that_moved_under_an_interaction_are_distinguished_from_a_function_that_changed(
    here: Any, there: dict[str, Any], table: Any
) -> None:
    # The main effect of x1 is steeper where x0 is higher, so components and shares differ; the function does not.
    found = {name: outcome(compare_decompositions(here, dec, table)) for name, dec in there.items()}
    assert found == {
        "moved": (False, ["x0"]),
        "same": (False, []),
        "changed": (True, []),
        "both": (True, ["x0"]),
    }


def test_inputs_that_go_together_differently_moved_although_each_did_not(here: Any) -> None:
    together = law(3, 0.0, 0.6)
    found = compare_decompositions(here, decompose(together, line(together)), np.vstack([law(0, 0.0), together]))
    assert outcome(found) == (False, ["x0 × x1"])
    assert found.moved()[0].interval.low <= 0.6 <= found.moved()[0].interval.high


def test_another_constant_is_another_function(here: Any) -> None:
    X = law(0, 0.0)
    found = compare_decompositions(here, decompose(X, line(X) + 0.1), X)
    assert found.changed
    assert found.function is not None
    assert found.function.distance == pytest.approx(0.1, rel=0.05)
    assert found.differing() == ()
    assert compare_decompositions(here, decompose(X, line(X) + 0.1)).changed  # without rows, too


def test_a_fit_that_gained_on_its_own_rows_errs_by_more_than_its_replicates_show() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 6))
    dec = decompose(X, X[:, 0] + 2 * rng.normal(size=600))
    outside, inside = (float(moments.squared_gap[0]) for moments in (dec.held_out, dec.in_sample))
    traced = dec.uncertainty.components[0].predict(X)
    noise = mean_square(traced - traced.mean(axis=0))
    expected = np.sqrt(max((outside - inside) / 2 / noise, 1.0))
    assert ExplainedPredictions.of(dec, 0, X).choice == pytest.approx(min(expected, 3.0), rel=1e-6)
    assert ExplainedPredictions.of(replace(dec, held_out=None), 0, X).choice == 1.0
