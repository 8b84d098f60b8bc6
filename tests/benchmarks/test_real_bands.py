"""The truth of real inputs is a decomposition under all rows, and promises are kept where they say so."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import real_inputs
from benchmarks.real_bands import Coverage, Held, promises
from benchmarks.real_inputs import decomposed, draw_case

N_ROWS = 20_000


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    count = rng.poisson(2.0, N_ROWS)
    rest = {"half": (count + rng.integers(3, size=N_ROWS)).astype(float), "level": rng.choice(["a", "b", "c"], N_ROWS)}
    return pd.DataFrame({"count": count.astype(float), **rest})


def test_components_are_orthogonal_to_every_function_of_less_and_their_sum_stays(X):
    product = np.sqrt(X["count"].to_numpy()) * (X["half"].to_numpy() > 3)
    parts = {(0,): X["half"].to_numpy() ** 0, (1,): np.sin(X["half"].to_numpy()), (0, 1): product}
    found = decomposed(X, parts)
    total = sum(found.values())
    np.testing.assert_allclose(total, sum(parts.values()) - np.mean(sum(parts.values())), atol=1e-9)
    for column in ("count", "half"):
        means = pd.Series(found[0, 1]).groupby(X[column]).mean()
        np.testing.assert_allclose(means, 0.0, atol=1e-8)


def test_a_drawn_function_is_the_sum_of_its_components_and_jumps_where_rows_are(X, monkeypatch):
    monkeypatch.setitem(real_inputs.TABLES, "counts", (lambda: X, ("count", "half", "level"), ((0, 1),)))
    for seed in range(20):
        case = draw_case("counts", seed)
        predicted = case.model(case.X)
        np.testing.assert_allclose(sum(case.components.values()), predicted - predicted.mean(), atol=1e-9)
        for at in range(3):
            own, counts = np.unique(case.components[at,].round(9), return_counts=True)
            # No value that a sample of 500 would hardly ever show carries a main effect that jumps.
            assert len(own) != 2 or counts.min() >= 0.02 * N_ROWS


def case_with(inside: float, width: float) -> Coverage:
    held = [Held(term, inside, True, width, 0.1, 0.999, True) for term in ((0,), (1,), (0, 1))]
    return Coverage.of([held, held])


@pytest.mark.parametrize(
    ("cases", "broken"),
    [
        ([("a", case_with(0.95, 0.2))], 0),
        ([("a", case_with(0.95, 0.2)), ("b", case_with(0.95, 0.6))], 1),  # three times the error
        ([("a", case_with(0.7, 0.2)), ("a", case_with(1.0, 0.2))], 2),  # on average, but no term of function a
        ([("a", case_with(0.7, 0.2)), ("b", case_with(1.0, 0.2))], 3),
    ],
)
def test_promises_are_broken_by_low_averages_terms_and_wide_bands(cases, broken):
    assert sum(not kept for _, kept in promises(cases)) == broken
