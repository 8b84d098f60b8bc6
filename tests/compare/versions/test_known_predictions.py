"""Three outcomes: predictions decide where they are known, and what explanations leave open is in the bounds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.compare import compare_decompositions, phenomenon
from anova_report.compare.versions.known_predictions import KnownPredictions, known_predictions
from anova_report.errors import InputError
from tests.compare.conftest import decompose

X = np.random.default_rng(20).normal(size=(1500, 3))
ELSEWHERE = np.random.default_rng(21).normal(size=(1500, 3)) + np.array([0.8, 0.0, 0.0])


def smooth(rows: Any) -> Any:
    return rows[:, 0] + 0.5 * rows[:, 1]


def rough(rows: Any) -> Any:
    """Steps in all three features at once, which no sum of effects of two holds."""
    return 0.2 * np.sign(np.sin(9 * rows[:, 0]) * np.sin(9 * rows[:, 1]) * np.sin(9 * rows[:, 2]))


def relative(first: Any, second: Any) -> float:
    return float(np.sqrt(np.mean((second - first) ** 2)) / max(first.std(), second.std()))


def test_a_difference_that_no_explanation_shows_is_seen_in_predictions_of_the_same_rows() -> None:
    before, after = smooth(X), smooth(X) + rough(X)
    found = compare_decompositions(decompose(X, before), decompose(X, after), X).function
    assert found is not None
    assert found.changed is True  # of every so manyth row a decomposition keeps its prediction
    assert found.distance == pytest.approx(0.2)  # everywhere, so that the least it may be is what was seen
    assert found.interval.low == pytest.approx(relative(before, after) * found.spread)
    assert found.interval.low < found.interval.high


def test_without_predictions_it_cannot_be_determined_and_the_bounds_hold_the_truth() -> None:
    before, after = (
        replace(decompose(X, predictions), fingerprint=None) for predictions in (smooth(X), smooth(X) + rough(X))
    )
    found = compare_decompositions(before, after, X).function
    assert found is not None
    assert found.changed is None
    truth = relative(smooth(X), smooth(X) + rough(X)) * found.spread
    assert found.interval.low <= truth <= found.interval.high
    assert found.left_open >= 0.15  # 0.2 in all


@pytest.mark.parametrize(("added", "changed"), [(0.0, False), (0.03, False), (0.1, True)])
def test_the_limit_decides_between_same_and_different(added: float, changed: bool) -> None:
    a = decompose(X, smooth(X))
    b = a if not added else decompose(X, smooth(X) + added * X[:, 2])
    given = smooth(X), smooth(X) + added * X[:, 2]
    found = compare_decompositions(a, b, X, predictions=given)
    assert found.changed is changed
    assert found.function.distance / found.function.spread == pytest.approx(relative(*given), abs=1e-9)


def test_another_limit_gives_another_outcome() -> None:
    given = smooth(X), smooth(X) + 0.1 * X[:, 2]
    a, b = (decompose(X, predictions) for predictions in given)
    outcomes = [compare_decompositions(a, b, X, predictions=given, limit=limit).changed for limit in (0.01, 0.09, 0.2)]
    assert outcomes == [True, None, False]
    with pytest.raises(InputError, match="limit must be a share"):
        compare_decompositions(a, b, X, limit=-1)


def test_models_of_two_explanations_are_asked_at_rows_of_both_where_inputs_moved() -> None:
    settings = {"progress": False, "ask": 500}
    here = explain(smooth, X, **settings)
    same, other = (explain(model, ELSEWHERE, **settings) for model in (smooth, lambda rows: smooth(rows) + rough(rows)))
    found = compare_decompositions(here, same)
    assert (found.changed, [item.label for item in found.moved()]) == (False, ["x0"])
    assert found.function.distance == 0.0
    changed = compare_decompositions(here, other).function
    assert changed.changed is True
    assert changed.distance == pytest.approx(0.2)  # everywhere


def test_a_model_that_was_not_to_be_asked_elsewhere_is_not_asked() -> None:
    calls = []

    def counting(rows: Any) -> Any:
        calls.append(len(rows))
        return smooth(rows)

    here, there = (explain(counting, rows, progress=False, ask=0) for rows in (X, ELSEWHERE))
    asked = sum(calls)
    compare_decompositions(here, there)
    assert sum(calls) == asked == len(X) + len(ELSEWHERE)


def test_models_take_their_own_columns_of_a_frame_and_are_not_asked_without_them() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])

    def narrow(rows: Any) -> Any:
        assert list(rows.columns) == ["a", "b"]
        return rows["a"] + 0.5 * rows["b"]

    def wide(rows: Any) -> Any:
        assert list(rows.columns) == ["a", "b", "c"]
        return rows["a"] + 0.5 * rows["b"]

    first, second = explain(narrow, frame[["a", "b"]], progress=False), explain(wide, frame, progress=False)
    asked = compare_decompositions(first, second, frame[["c", "b", "a"]])
    assert (asked.changed, asked.function.n_known) == (False, 1500)
    assert compare_decompositions(first, second, frame[["a", "b"]].assign(c=0.0)).changed is False
    assert known_predictions((first, second), (0, 0), None, None, 0) is None


def test_what_was_observed_is_no_prediction() -> None:
    like = decompose(X, smooth(X))
    observed = phenomenon(X, smooth(X) + np.random.default_rng(3).normal(size=len(X)), like)
    found = compare_decompositions(like, observed, X)
    assert (found.changed, found.function.n_known) == (None, 0)
    assert found.differing() == ()


def test_mean_predictions_are_compared_with_their_error() -> None:
    a, b = decompose(X, smooth(X)), decompose(ELSEWHERE, smooth(ELSEWHERE))
    bounds = compare_decompositions(a, b).mean_interval
    means = smooth(X).mean(), smooth(ELSEWHERE).mean()
    assert (bounds.low + bounds.high) / 2 == pytest.approx(means[1] - means[0], abs=1e-3)
    assert bounds.high - bounds.low == pytest.approx(2 * 1.96 * np.sqrt(2 * 1.25 / 1500), rel=0.1)
    assert compare_decompositions(a, a).mean_interval.high == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("kind", ["normal", "rare"])
def test_the_bounds_of_a_distance_hold_that_of_all_rows(kind: str) -> None:
    held = 0
    for seed in range(200):
        rng = np.random.default_rng([30, seed])
        differences = rng.normal(size=20_000) if kind == "normal" else (rng.random(20_000) < 0.01) * 1.0
        drawn = differences[:1000]
        bounds = KnownPredictions(np.zeros(1000), drawn, 20_000).interval(1.0)
        held += bounds.low <= np.sqrt(np.mean(differences**2)) <= bounds.high
    assert held >= 180


def test_predictions_that_do_not_fit_are_refused() -> None:
    a = decompose(X, smooth(X))
    with pytest.raises(InputError, match="belong to rows"):
        compare_decompositions(a, a, predictions=(smooth(X), smooth(X)))
    with pytest.raises(InputError, match="as a pair"):
        compare_decompositions(a, a, X, predictions=smooth(X))
    with pytest.raises(InputError, match="There are 3 predictions for 1,500 rows"):
        compare_decompositions(a, a, X, predictions=(smooth(X), [1.0, 2.0, 3.0]))
