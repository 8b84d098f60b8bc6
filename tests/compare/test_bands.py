"""Bands and noise floors of differences against simulation."""

import numpy as np
import pytest

from anova_report.compare.bands import Traces

CHUNKS = 64


def traces(standard_deviation: float, n_points: int, same_rows: bool, law: float = 0.0, seed: int = 0) -> Traces:
    """Contributions of chunks that are independent at every point, with a known standard error on both sides."""
    rng = np.random.default_rng(seed)
    size = standard_deviation / np.sqrt(CHUNKS)
    first, second = (size * rng.normal(size=(n_points, CHUNKS)) for _ in range(2))
    return Traces(first, second, law, same_rows)


def test_errors_of_different_rows_add_up_as_squares_and_of_the_same_rows_as_they_are() -> None:
    apart, together = (traces(3.0, 2000, same_rows).standard_error().mean() for same_rows in (False, True))
    assert apart == pytest.approx(3.0 * np.sqrt(2), rel=0.02)
    assert together == pytest.approx(6.0, rel=0.02)


def test_what_the_law_adds_counts_for_different_rows_only() -> None:
    assert traces(3.0, 500, False, law=7.0).standard_error().mean() == pytest.approx(5.0, rel=0.03)
    assert traces(3.0, 500, True, law=7.0).standard_error().mean() == pytest.approx(6.0, rel=0.03)


def test_a_band_reaches_two_standard_errors_and_a_little_more_since_chunks_are_few() -> None:
    traced = traces(1.0, 10, False)
    np.testing.assert_allclose(traced.reach(0.95) / traced.standard_error(), 1.998, atol=1e-3)


@pytest.mark.parametrize("n_directions", [1, 3, 20])
def test_equal_functions_stay_below_the_noise_floor_in_95_of_100_samples(n_directions: int) -> None:
    # A random function is a sum of fixed directions with normal weights of decreasing size, as smooth fits are.
    rng = np.random.default_rng(n_directions)
    directions = rng.normal(size=(40, n_directions)) / np.arange(1, n_directions + 1)
    below = []
    for _ in range(200):
        chunks = rng.normal(size=(2, n_directions, CHUNKS)) / np.sqrt(CHUNKS)
        traced = Traces(directions @ chunks[0], directions @ chunks[1], 0.0, same_rows=False)
        difference = directions @ (rng.normal(size=n_directions) - rng.normal(size=n_directions))
        below.append(np.sqrt(np.mean(difference**2)) <= traced.floor(0.95))
    assert 0.91 <= np.mean(below) <= 0.99


def test_from_the_same_rows_the_floor_is_never_lower() -> None:
    for seed in range(5):
        apart, together = (traces(1.0, 50, same_rows, seed=seed).floor(0.95) for same_rows in (False, True))
        assert together > apart


def test_a_surer_floor_is_higher_and_a_law_lifts_it() -> None:
    traced = traces(1.0, 50, False)
    assert traced.floor(0.99) > traced.floor(0.95)
    assert traces(1.0, 50, False, law=4.0).floor(0.95) > traced.floor(0.95)


def test_where_nothing_can_move_the_floor_is_zero() -> None:
    nothing = Traces(np.zeros((5, CHUNKS)), np.zeros((5, CHUNKS)), 0.0, same_rows=False)
    assert nothing.floor(0.95) == 0.0
    assert Traces(np.zeros((0, CHUNKS)), np.zeros((0, CHUNKS)), 0.0, same_rows=True).floor(0.95) == 0.0
