"""Groups and times as users pass them, and what is said where they cannot be used."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anova_report.core.input.units import TIME_BLOCKS, read_units, time_blocks
from anova_report.errors import InputError, InputTypeError

LABELS = [f"patient {number % 7}" for number in range(30)]
NUMBERS = [number % 7 for number in range(30)]


@pytest.mark.parametrize(
    "groups",
    [
        LABELS,
        NUMBERS,
        np.array(LABELS),
        np.array(NUMBERS) + 2.5,
        np.array(NUMBERS, dtype=np.int64) + 2**60,  # too large for floats to tell apart
        np.array(LABELS, dtype=object),
        pd.Series(LABELS, index=range(30, 0, -1)),
        pd.Series(LABELS, dtype="category"),
        pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(NUMBERS, unit="D")),
        pl.Series(LABELS),
        pl.Series(NUMBERS),
    ],
    ids=lambda groups: f"{type(groups).__module__.split('.')[0]} {getattr(groups, 'dtype', 'list')}",
)
def test_labels_of_any_kind_are_groups_in_order_of_appearance(groups):
    found = read_units(groups, None, 30)
    assert found.kind == "group"
    assert found.codes.tolist() == NUMBERS


DAYS = [date(2024, 1, 1) + timedelta(days=7 * number) for number in range(40)]


@pytest.mark.parametrize(
    "times",
    [
        [float(number) for number in range(40)],
        [day.isoformat() for day in DAYS],
        pd.Series(pd.to_datetime(DAYS)),
        np.array(DAYS, dtype="datetime64[D]"),
        pl.Series(DAYS),
        [f"{2000 + number // 4}Q{number % 4 + 1}" for number in range(40)],
    ],
    ids=["numbers", "text", "pandas", "numpy", "polars", "quarters"],
)
def test_times_of_any_kind_make_consecutive_blocks_whatever_the_order_of_the_rows(times):
    order = np.random.default_rng(0).permutation(40)
    shuffled = [times[at] for at in order] if isinstance(times, list) else times[order.tolist()]
    found = read_units(None, shuffled, 40)
    assert found.kind == "time block"
    np.testing.assert_array_equal(found.codes, order // 2)


def test_rows_of_one_time_stay_together_and_blocks_are_of_about_equal_size():
    rng = np.random.default_rng(1)
    times = np.sort(rng.integers(0, 365, size=20_000)).astype(float)
    blocks = time_blocks(times)
    assert (np.diff(blocks) >= 0).all()
    assert all(len(np.unique(blocks[times == day])) == 1 for day in range(365))
    sizes = np.bincount(blocks)
    assert len(sizes) == TIME_BLOCKS
    assert sizes.min() > 850
    assert sizes.max() < 1150


@pytest.mark.parametrize(
    ("groups", "time", "error", "words"),
    [
        (["a"] * 30, None, InputError, "There is only 1 group in groups: 'a'. To learn from some"),
        ([0, 1, 2] * 10, None, InputError, "There are only 3 groups"),
        (LABELS[:-1], None, InputError, "groups holds 29 values for 30 rows"),
        ([None, *LABELS[1:]], None, InputError, r"groups is missing in 1 row\(s\), first at position 0"),
        (np.array([np.nan, *range(29)]), None, InputError, r"groups is missing in 1 row\(s\)"),
        (
            pd.Series([*LABELS[:-2], pd.NA, None]),
            None,
            InputError,
            r"groups is missing in 2 row\(s\), first at position 28",
        ),
        (pl.Series([None, *NUMBERS[1:]]), None, InputError, "groups is missing in 1"),
        ("patient", None, InputTypeError, "got the text 'patient'. Pass the column itself"),
        (5, None, InputTypeError, "groups must hold one value for every row; got int"),
        (np.zeros((30, 2)), None, InputError, r"one column; got an array of shape \(30, 2\)"),
        ([{}] * 30, None, InputTypeError, "groups holds values of type dict"),
        (LABELS, range(30), InputError, "Both groups and time are given"),
        (None, [pd.NaT, *pd.to_datetime(DAYS[:29])], InputError, "time is missing in 1"),
        (None, ["May", "June"] * 15, InputError, "the text 'June', whose order in time is not known"),
        (None, ["31/12/2024"] * 30, InputError, "begins with the year"),
        (None, [1, 2] * 15, InputError, r"time holds 2 different times for 30 rows, which make 2 block\(s\)"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(groups, time, error, words):
    with pytest.raises(error, match=words):
        read_units(groups, time, 30)


def test_blocks_of_time_hold_equal_weight_and_whole_weights_are_repeated_rows():
    weights = np.random.default_rng(1).integers(1, 5, size=400)
    blocks = time_blocks(np.arange(400.0), weights * 0.1)
    repeated = time_blocks(np.repeat(np.arange(400.0), weights))
    np.testing.assert_array_equal(np.repeat(blocks, weights), repeated)
    assert np.ptp(np.bincount(blocks, weights=weights)) <= 2 * weights.max()
