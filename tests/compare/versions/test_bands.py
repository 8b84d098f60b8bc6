"""Noise floors and bands of differences, against random functions whose spread is known."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.compare.versions.differences import UNSHARED, ReplicateErrors, SharedRows, same_replicates
from tests.ground_truth import decomposition_of, signs, traced

REPLICATES = 64  # as many as a fit makes; the law holds for any number
KINDS: tuple[SharedRows, ...] = ("same replicates", "same", "different")


def traces(standard_deviation: float, n_points: int, rows: SharedRows, seed: int = 0) -> ReplicateErrors:
    """Contributions of replicates to two estimates that err by as much each, independently."""
    rng = np.random.default_rng(seed)
    size = standard_deviation / np.sqrt(REPLICATES)
    first, second = (size * rng.normal(size=(n_points, REPLICATES)) for _ in range(2))
    return ReplicateErrors(first, second, rows)


def test_errors_of_different_rows_add_up_as_squares_and_of_the_same_rows_as_they_are() -> None:
    apart, together = (traces(3.0, 2000, rows).standard_error().mean() for rows in ("different", "same"))
    assert apart == pytest.approx(3.0 * np.sqrt(2), rel=0.02)
    assert together == pytest.approx(6.0, rel=0.02)


def test_what_the_same_replicates_do_to_both_cancels_but_for_the_share_that_choices_keep() -> None:
    moved = traces(3.0, 2000, "same replicates").first
    equal = ReplicateErrors(moved, moved, "same replicates")
    assert equal.standard_error().mean() == pytest.approx(UNSHARED * 3.0 * np.sqrt(2), rel=0.02)
    opposite = ReplicateErrors(moved, -moved, "same replicates")
    expected = 3.0 * np.hypot(2, UNSHARED * np.sqrt(2))
    assert opposite.standard_error().mean() == pytest.approx(expected, rel=0.02)


def test_a_band_reaches_two_standard_errors_and_a_little_more_since_replicates_are_few() -> None:
    for rows in KINDS:
        made = traces(1.0, 10, rows)
        np.testing.assert_allclose(made.half_width(0.95) / made.standard_error(), 1.998, atol=1e-3)


def test_a_term_that_one_leaves_out_is_no_surer_than_what_the_other_makes_of_it() -> None:
    made = traces(2.0, 50, "same replicates").first
    for rows, kind in (("same replicates", "different"), ("same", "same"), ("different", "different")):
        for found in (ReplicateErrors.of(made, None, rows), ReplicateErrors.of(None, made, rows)):
            assert found is not None
            assert (found.rows, found.first is made, found.second is made) == (kind, True, True)
    assert ReplicateErrors.of(None, None, "same") is None


@pytest.mark.parametrize("n_directions", [1, 3, 20])
@pytest.mark.parametrize("rows", ["different", "same replicates"])
def test_equal_functions_stay_below_the_noise_floor_in_95_of_100_samples(
    n_directions: int, rows: SharedRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Columns are given here, not chosen, so nothing is added for the choice.
    monkeypatch.setattr("anova_report.compare.versions.differences.UNSHARED", 0.0)
    # A random function is a sum of fixed directions with normal weights of decreasing size, as smooth fits are.
    rng = np.random.default_rng(n_directions)
    directions = rng.normal(size=(40, n_directions)) / np.arange(1, n_directions + 1)
    together = 0.8 if rows == "same replicates" else 0.0  # how much rows move both
    below = []
    for _ in range(300):
        parts = rng.normal(size=(3, n_directions, REPLICATES)) / np.sqrt(REPLICATES)
        first, second = (together * parts[2] + part for part in parts[:2])
        difference = directions @ (rng.normal(size=n_directions) - rng.normal(size=n_directions))
        floor = ReplicateErrors(directions @ first, directions @ second, rows).floor(0.95)
        below.append(np.sqrt(np.mean(difference**2)) <= floor)
    assert 0.91 <= np.mean(below) <= 0.99


def test_of_the_same_rows_in_another_order_the_floor_is_the_highest() -> None:
    for seed in range(5):
        apart, together = (traces(1.0, 50, rows, seed=seed).floor(0.95) for rows in ("different", "same"))
        assert together > apart


def test_where_nothing_can_move_the_floor_is_zero() -> None:
    for rows in KINDS:
        assert ReplicateErrors(np.zeros((5, REPLICATES)), np.zeros((5, REPLICATES)), rows).floor(0.95) == 0.0
        assert ReplicateErrors(np.zeros((0, REPLICATES)), np.zeros((0, REPLICATES)), rows).floor(0.95) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("a-0", "a-0", True), ("a-0", "a-1", False), ("", "", False), ("a-0", None, False), (None, None, False)],
)
def test_replicates_are_the_same_where_rows_and_their_division_are_recognized(
    first: str | None, second: str | None, same: bool
) -> None:
    column, *_ = signs(25)
    known = [None if dealt is None else replace(traced(0.1), replicate_key=dealt) for dealt in (first, second)]
    assert same_replicates(*(decomposition_of({(0,): column}, uncertainty=each) for each in known)) is same
