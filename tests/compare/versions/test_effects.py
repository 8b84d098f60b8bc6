"""Differences of single effects: what is shown, and what counts."""

import numpy as np
import pytest

from anova_report import Decomposition
from anova_report.compare.versions.differences import EffectDifference, Family, effect_differences
from anova_report.compare.versions.points import Points, points_of
from anova_report.core.fit.uncertainty import standard_error
from anova_report.measures import bands
from tests.compare.conftest import Case, decompose


def difference(values: list[float], reach: float | None, floor: float | None, smallest: float) -> EffectDifference:
    shown = np.array(values)
    return EffectDifference(
        features=("a",),
        held_by="both",
        values=np.arange(len(values), dtype=float)[:, None],
        first=np.zeros(len(values)),
        second=shown.copy(),
        difference=shown,
        lower=None if reach is None else shown - reach,
        upper=None if reach is None else shown + reach,
        distance=float(np.sqrt(np.mean(shown**2))),
        floor=floor,
        smallest=smallest,
    )


def test_a_difference_exceeds_where_its_band_leaves_out_zero_and_it_is_large_enough() -> None:
    found = difference([0.0, 0.5, -2.0, 3.0], reach=0.4, floor=1.0, smallest=1.0)
    assert found.exceeds is not None
    assert found.exceeds.tolist() == [False, False, True, True]
    assert found.exceeding == 0.5


@pytest.mark.parametrize(("floor", "smallest", "differs"), [(0.5, 0.1, True), (1.5, 0.1, False), (0.5, 1.5, False)])
def test_an_effect_differs_when_its_distance_is_above_noise_and_above_what_matters(
    floor: float, smallest: float, differs: bool
) -> None:
    assert difference([1.0, -1.0], reach=0.1, floor=floor, smallest=smallest).differs is differs


def test_without_uncertainty_nothing_is_claimed() -> None:
    found = difference([1.0, -1.0], reach=None, floor=None, smallest=0.0)
    assert (found.exceeds, found.exceeding, found.differs) == (None, None, None)
    assert found.distance == 1.0


Two = tuple[Decomposition, Decomposition]


@pytest.fixture(scope="module")
def decs() -> Two:
    X = np.random.default_rng(0).normal(size=(1000, 2))
    noise = np.random.default_rng(1).normal(size=1000)
    return decompose(X, X[:, 0] + noise), decompose(X, X[:, 0] * X[:, 1] + noise)


@pytest.fixture(scope="module")
def points(decs: Two) -> Points:
    return points_of(*decs, np.random.default_rng(0).normal(size=(1000, 2)), 400, 0)


def test_effects_are_those_of_the_decompositions_recentered_over_the_points(decs: Two, points: Points) -> None:
    (found,) = effect_differences(decs, (0, 0), points, [("x0",)], Family("same"), 0.0)
    first, second = (dec.component(0, points.first) for dec in decs)
    np.testing.assert_allclose(found.first, first - first.mean())
    np.testing.assert_allclose(found.second, second - second.mean())
    np.testing.assert_allclose(found.difference, found.second - found.first)
    np.testing.assert_array_equal(found.values[:, 0], points.first[:, 0])


def test_bands_of_the_same_rows_are_about_as_wide_as_both_bands_together(decs: Two, points: Points) -> None:
    (found,) = effect_differences(decs, (0, 0), points, [("x0",)], Family("same"), 0.0)
    widths = sum(band.upper - band.lower for band in (bands(dec, 0, points.first) for dec in decs))
    # Recentering takes out the error of the average, which is much of the band of a smooth curve.
    assert 0.6 < np.median((found.upper - found.lower) / widths) < 1.1


def test_a_term_that_one_does_not_hold_is_zero_there_and_no_surer(decs: Two, points: Points) -> None:
    assert (0, 1) not in decs[0].terms
    (found,) = effect_differences(decs, (0, 0), points, [("x0", "x1")], Family("same"), 0.0)
    assert (found.held_by, found.label, found.differs) == ("second", "x0 × x1", True)
    assert (found.first == 0).all()
    traced = decs[1].uncertainty.components[0].evaluate(points.second, [(0, 1)])[:, 0]
    error = standard_error(traced - traced.mean(axis=0), axis=1)
    np.testing.assert_allclose(found.upper - found.difference, 1.99834 * 2 * error, rtol=1e-4)


def test_points_off_the_data_of_either_are_left_out(independent: Case) -> None:
    inner = independent.X[np.abs(independent.X[:, 0]) < 1]
    b = decompose(inner, independent.model(inner), max_order=1)
    points = points_of(independent.dec, b, independent.X, 1500, 0)
    (found,) = effect_differences((independent.dec, b), (0, 0), points, [("x0",)], Family("different"), 0.0)
    assert np.abs(found.values).max() < 1
    assert 0 < len(found.values) < 1500
    assert found.first.mean() == pytest.approx(0.0, abs=1e-12)
