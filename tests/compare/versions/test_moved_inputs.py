"""Laws of the features in two decompositions, against samples whose distance is known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, spearmanr

from anova_report.compare.versions.moved_inputs import frequency_ratios, input_shifts
from anova_report.compare.versions.points import points_of
from tests.compare.conftest import decompose


def rows(seed: int, shift: float = 0.0, share: float = 0.5) -> pd.DataFrame:
    rng = np.random.default_rng([4, seed])
    frame = pd.DataFrame({"a": rng.normal(shift, size=1500), "b": rng.integers(0, 3, 1500).astype(float)})
    frame["c"] = np.where(rng.random(1500) < share, "u", "v")
    frame["d"] = np.where(rng.random(1500) < share / 2, np.nan, frame["a"] + rng.normal(size=1500))
    return frame


def fitted(frame: pd.DataFrame) -> Any:
    return decompose(frame, frame["a"] + frame["b"], max_order=1)


@pytest.fixture(scope="module")
def first() -> Any:
    return fitted(rows(0))


@pytest.fixture(scope="module")
def second() -> Any:
    return fitted(rows(1, shift=0.3, share=0.6))


def test_distances_are_those_of_the_samples_and_what_moved_is_named(first: Any, second: Any) -> None:
    shifts = {item.features: item for item in input_shifts(first, second, ["a", "b", "c", "d"])}
    one, two = rows(0), rows(1, shift=0.3, share=0.6)
    assert shifts["a",].distance == pytest.approx(ks_2samp(one["a"], two["a"]).statistic, abs=0.005)
    assert shifts["b",].distance == pytest.approx(ks_2samp(one["b"], two["b"]).statistic, abs=0.005)
    levels = abs((one["c"] == "u").mean() - (two["c"] == "u").mean())
    assert shifts["c",].distance == pytest.approx(levels, abs=1e-6)
    missing = abs(one["d"].isna().mean() - two["d"].isna().mean())
    assert shifts["d",].distance >= missing - 0.005
    assert [name for (name, *_), item in shifts.items() if item.moved] == ["a", "c", "d"]
    assert all(item.interval.low <= item.distance <= item.interval.high for item in shifts.values())
    # Kolmogorov's distance of two normal laws 0.3 apart is 2 Phi(0.15) - 1.
    assert shifts["a",].interval.low <= 0.119 <= shifts["a",].interval.high


def test_other_rows_of_one_law_have_not_moved(first: Any) -> None:
    shifts = input_shifts(first, fitted(rows(2)), ["a", "b", "c", "d"])
    assert len(shifts) == 4
    assert not any(item.moved for item in shifts)


def test_correlations_of_ranks_are_kept_and_levels_have_none(first: Any) -> None:
    frame = rows(0).dropna()
    dec = fitted(frame)
    expected = spearmanr(frame[["a", "b", "d"]]).statistic
    np.testing.assert_allclose(dec.correlations[np.ix_([0, 1, 3], [0, 1, 3])], expected, atol=0.002)
    np.testing.assert_array_equal(dec.correlations[2], [0.0, 0.0, 1.0, 0.0])
    assert first.correlations[0, 3] == pytest.approx(0.7, abs=0.15)  # where d is known


def test_values_that_are_rare_in_one_are_reported(first: Any, second: Any) -> None:
    frame = pd.concat([rows(0), rows(1, shift=0.3, share=0.6)])
    points = points_of(first, second, frame, 1000, 0)
    ratios = frequency_ratios(first, second, points)
    at = points.first[:, 0]
    assert ratios[at > 1.5, 0].min() > 1.2
    assert ratios[at < -1.5, 0].max() < 0.8
    levels = {round(float(value), 2) for value in ratios[:, 2]}
    assert len(levels) == 2
    assert min(levels) == pytest.approx(0.4 / 0.5, abs=0.1)
    assert max(levels) == pytest.approx(0.6 / 0.5, abs=0.1)


def test_correlations_of_opposite_signs_are_more_than_1_apart_and_so_is_their_interval() -> None:
    rng = np.random.default_rng(0)
    a, noise = rng.normal(size=(2, 1000))
    both = [fitted(pd.DataFrame({"a": a, "b": sign * a + 0.3 * noise})) for sign in (1, -1)]
    [shift] = [item for item in input_shifts(*both, ("a", "b")) if len(item.features) == 2]
    assert shift.distance == pytest.approx(1.9, abs=0.1)
    assert shift.interval.low <= shift.distance <= shift.interval.high < 2
