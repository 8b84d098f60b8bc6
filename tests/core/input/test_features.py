import datetime as dt
import re
from decimal import Decimal

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anova_report import FunctionalANOVA, measures
from anova_report.core.input.features import UNSEEN, Feature, encode, recognize
from anova_report.errors import InputError, InputTypeError

NAN = np.nan
DAY = 86_400.0
SIZES = ["small", "medium", "large"]


def as_column(native):
    if isinstance(native, np.ndarray):
        return native
    if isinstance(native, pa.Array):
        native = pa.chunked_array([native])
    return nw.from_native(native, series_only=True)


def kind_and_values(native):
    column = as_column(native)
    feature = recognize("a", column)
    return feature.kind, encode(feature, column)


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (np.array([1.5, NAN, 3.0]), [1.5, NAN, 3]),
        (np.array([1, 2, 3], dtype=np.uint8), [1, 2, 3]),
        (objects(1, 2.5, None), [1, 2.5, NAN]),
        (objects(1, np.float32(2.5), pd.NA), [1, 2.5, NAN]),
        (pd.Series([1, None, 3], dtype="Int64"), [1, NAN, 3]),
        (pd.Series([1.5, None, NAN], dtype="Float64"), [1.5, NAN, NAN]),
        (pd.Series([1.5, None], dtype="float64[pyarrow]"), [1.5, NAN]),
        (pd.Series([1, 2.5, None], dtype=object), [1, 2.5, NAN]),
        (pl.Series([1, None, 3]), [1, NAN, 3]),
        (pl.Series([1.5, NAN, None]), [1.5, NAN, NAN]),
        (pl.Series(["1.50", None]).cast(pl.Decimal(10, 2)), [1.5, NAN]),
        (pa.array([1.5, None, 3]), [1.5, NAN, 3]),
        (pa.array([1, None, 3], type=pa.int8()), [1, NAN, 3]),
    ],
)
def test_numbers_are_numeric_and_missing_ones_are_nan(native, expected):
    kind, values = kind_and_values(native)
    assert kind == "numeric"
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(
    "native",
    [
        objects(True, False, None),
        objects(np.True_, False, pd.NA),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series([True, False, None], dtype=object),
        pl.Series([True, False, None]),
        pa.array([True, False, None]),
    ],
)
def test_true_and_false_are_boolean_ones_and_zeros(native):
    kind, values = kind_and_values(native)
    assert kind == "boolean"
    np.testing.assert_array_equal(values, [1, 0, NAN])


@pytest.mark.parametrize(
    "native",
    [
        objects("b", "a", None, NAN),
        pd.Series(["b", "a", None, NAN], dtype=object),
        pd.Series(["b", "a", None, NAN], dtype="str"),
        pd.Series(["b", "a", None, None], dtype="string"),
        pd.Series(["b", "a", None, None], dtype="category"),
        pl.Series(["b", "a", None, None]),
        pl.Series(["b", "a", None, None], dtype=pl.Categorical),
        pa.array(["b", "a", None, None]),
        pa.array(["b", "a", None, None]).dictionary_encode(),
    ],
)
def test_text_is_nominal_with_sorted_levels_whatever_the_library(native):
    feature = recognize("a", as_column(native))
    assert feature == Feature("a", "nominal", ("a", "b"))
    np.testing.assert_array_equal(encode(feature, as_column(native)), [1, 0, NAN, NAN])


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(pd.Categorical(["large", "small", None], categories=SIZES, ordered=True)),
        pl.Series(["large", "small", None], dtype=pl.Enum(SIZES)),
    ],
)
def test_ordered_categories_are_ordinal_in_the_declared_order(native):
    feature = recognize("a", as_column(native))
    assert feature == Feature("a", "ordinal", tuple(SIZES))
    np.testing.assert_array_equal(encode(feature, as_column(native)), [2, 0, NAN])


@pytest.mark.parametrize("last", [4.0, NAN])
def test_binned_numbers_are_ordinal_with_and_without_missing_rows(last):
    native = pd.cut(pd.Series([0.5, 1.5, last]), bins=[0, 1, 2, 5])
    feature = recognize("a", as_column(native))
    assert feature.levels == ("(0, 1]", "(1, 2]", "(2, 5]")
    np.testing.assert_array_equal(encode(feature, as_column(native)), [0, 1, 2 if last == 4.0 else NAN])


@pytest.mark.parametrize("ordered", [True, False])
def test_whole_numbers_as_levels_are_found_again_as_floats(ordered):
    fitted = pd.Series(pd.Categorical([3, 1, 2], categories=[1, 2, 3], ordered=ordered))
    feature = recognize("a", as_column(fitted))
    assert feature.levels == ("1", "2", "3")
    np.testing.assert_array_equal(encode(feature, as_column(pd.Series([2.0, None, 3.0]))), [1, NAN, 2])


@pytest.mark.parametrize(
    ("feature", "native"),
    [
        (Feature("a", "nominal", ("x", "y")), pl.Series(["y", "new", None])),
        (Feature("a", "ordinal", ("x", "y")), pd.Series(["y", "new", None])),
        (Feature("a", "nominal", ("x", "y")), objects("y", "new", NAN)),
    ],
)
def test_a_level_the_fit_has_not_seen_is_unseen_and_not_missing(feature, native):
    np.testing.assert_array_equal(encode(feature, as_column(native)), [1, UNSEEN, NAN])


MOMENTS = [dt.datetime(1970, 1, 2), dt.datetime(1969, 12, 31, 23, 59, 59, 500_000), None]


@pytest.mark.parametrize(
    "native",
    [
        np.array(MOMENTS, dtype="M8[us]"),
        np.array(MOMENTS, dtype="M8[ns]"),
        pd.Series(MOMENTS, dtype="M8[ns]"),
        pd.Series(MOMENTS, dtype="timestamp[us][pyarrow]"),
        pd.Series(MOMENTS).dt.tz_localize("UTC"),
        pl.Series(MOMENTS),
        pl.Series(MOMENTS, dtype=pl.Datetime("ms")),
        pa.array(MOMENTS),
        pa.array(MOMENTS, type=pa.timestamp("ns")),
    ],
)
def test_datetimes_are_seconds_since_1970(native):
    kind, values = kind_and_values(native)
    assert kind == "datetime"
    np.testing.assert_array_equal(values, [DAY, -0.5, NAN])


@pytest.mark.parametrize("library", [pd.Series, pl.Series])
def test_a_time_zone_counts(library):
    noon_in_paris = library([dt.datetime(1970, 1, 1, 12), dt.datetime(1970, 1, 1, 13)]).dt
    localise = noon_in_paris.tz_localize if library is pd.Series else noon_in_paris.replace_time_zone
    assert kind_and_values(localise("Europe/Paris"))[1].tolist() == [11 * 3600, 12 * 3600]


@pytest.mark.parametrize(
    "native",
    [
        np.array([1500, 86_400_000, "NaT"], dtype="m8[ms]"),
        pd.Series(pd.to_timedelta([1.5, DAY, None], unit="s")),
        pl.Series([dt.timedelta(seconds=1.5), dt.timedelta(days=1), None]),
        pa.array([dt.timedelta(seconds=1.5), dt.timedelta(days=1), None]),
    ],
)
def test_durations_are_seconds(native):
    kind, values = kind_and_values(native)
    assert kind == "duration"
    np.testing.assert_array_equal(values, [1.5, DAY, NAN])


@pytest.mark.parametrize(
    ("native", "types"),
    [
        (objects("a", 1), "int, str"),
        (pd.Series(["a", 1.5, None], dtype=object), "float, str"),
        (objects(np.zeros(2), np.ones(2)), "ndarray"),
        (pl.Series([[1, 2], [3]]), "list"),
        (pl.Series([{"u": 1}, {"u": 2}]), "dict"),
    ],
)
def test_a_column_of_mixed_or_unknown_types_is_refused_with_the_types_it_holds(native, types):
    with pytest.raises(InputTypeError, match=f"^Column 'a' holds values of type {types}. Each argument must be a"):
        recognize("a", as_column(native))


@pytest.mark.parametrize(
    "native", [np.array([1.0, np.inf, -np.inf]), pd.Series([1.0, np.inf, -np.inf]), pl.Series([1.0, np.inf, -np.inf])]
)
def test_infinite_values_are_refused_with_their_rows(native):
    with pytest.raises(InputError, match=r"^Column 'a' holds infinite values \(inf\) in 2 row\(s\).* position 1, 2\."):
        kind_and_values(native)


def test_numbers_are_of_a_size_that_can_be_reckoned_with():
    with pytest.raises(InputError, match=r"^Column 'a' holds values beyond 1e\+70 in 1 row\(s\).* position 1\."):
        kind_and_values(np.array([1.0, -1e71]))
    _, values = kind_and_values(np.array([1.0, 5e-324, -1e-71]))
    assert values.tolist() == [1.0, 0.0, 0.0]
    X = np.random.default_rng(0).choice([0.0, 5e-324, 1e-68, 1e69], size=(150, 2))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, X[:, 0] / 1e69).decomposition_
    assert measures.findings(dec, X)["AR001"].status == "pass"


@pytest.mark.parametrize(
    ("fitted", "native", "now"),
    [
        ("numeric", pd.Series(["1", "2"]), "nominal"),
        ("numeric", pd.Series(MOMENTS), "datetime"),
        ("numeric", pl.Series([dt.timedelta(1)]), "duration"),
        ("datetime", np.array([1.0]), "numeric"),
        ("duration", np.array([1.0]), "numeric"),
        ("duration", pd.Series(MOMENTS), "datetime"),
        ("boolean", pl.Series(["yes"]), "nominal"),
        ("boolean", pl.Series(["small"], dtype=pl.Enum(SIZES)), "ordinal"),
    ],
)
def test_a_column_that_has_changed_kind_is_refused(fitted, native, now):
    with pytest.raises(InputError, match=f"'a' was {fitted} when the decomposition was fitted and is {now} now. Conv"):
        encode(Feature("a", fitted), as_column(native))


@pytest.mark.parametrize(("fitted", "native"), [("boolean", np.array([0, 1])), ("numeric", np.array([False, True]))])
def test_ones_and_zeros_may_stand_for_true_and_false(fitted, native):
    assert encode(Feature("a", fitted), native).tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["numeric", "boolean", "datetime", "duration", "nominal", "ordinal"])
@pytest.mark.parametrize(
    "native",
    [
        objects(None, None),
        np.array([NAN, NAN]),
        pd.Series([None, None]),
        pl.Series([None, None]),
        pa.array([None, None]),
    ],
)
def test_rows_that_all_miss_a_value_fit_a_column_of_any_kind(kind, native):
    np.testing.assert_array_equal(encode(Feature("a", kind), as_column(native)), [NAN, NAN])


@pytest.mark.parametrize(
    ("kind", "values", "numbers"),
    [
        ("numeric", [Decimal("1.5"), None, Decimal(3)], [1.5, np.nan, 3.0]),
        ("datetime", [dt.date(1970, 1, 2), dt.date(1970, 1, 1)], [86400.0, 0.0]),
        ("duration", [dt.time(1, 0, 30), dt.time(0)], [3630.0, 0.0]),
    ],
)
def test_decimals_dates_and_times_of_day_are_read_as_objects(kind, values, numbers):
    for column in (np.array(values, dtype=object), nw.from_native(pd.Series(values, dtype=object), series_only=True)):
        feature = recognize("a", column)
        assert feature.kind == kind
        np.testing.assert_array_equal(encode(feature, column), numbers)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([*(f"{number / 7:.3f}" for number in range(60)), "n.a."], "holds numbers as text, and 'n.a.'"),
        ([f"{number}%" for number in range(60)], "holds numbers as text, and '0%', '1%', '10%' and 57 more"),
    ],
)
def test_numbers_that_are_written_as_text_are_not_lost_quietly(texts, words):
    with pytest.raises(InputError, match=re.escape(words)):
        recognize("a", np.array(texts))
    recognize("a", np.array(["1", "2", "3", "other"]))


def test_whole_numbers_that_floats_cannot_tell_apart_are_refused():
    column = 2**53 + np.arange(6)
    with pytest.raises(InputError, match=r"beyond 2\^53"):
        encode(Feature("a", "numeric"), column)
    encode(Feature("a", "numeric"), column[::2])


@pytest.mark.parametrize("frame_of", [pa.table, pl.DataFrame, pd.DataFrame])
def test_whole_numbers_and_dates_beyond_those_that_floats_hold_exactly_are_read_in_every_library(frame_of):
    large = [2**60, 2**61, 2**62]
    far = [dt.datetime(2300 + at, 1, 1) for at in range(3)]
    for values, expected in ((large, np.array(large, dtype=float)), (far, 1e10 + np.zeros(3))):
        column = nw.from_native(frame_of({"a": values}))["a"]
        np.testing.assert_allclose(encode(recognize("a", column), column), expected, rtol=0.1)
