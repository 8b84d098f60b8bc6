import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from anova_report import FunctionalANOVA, explain
from anova_report.core.input.features import Feature
from anova_report.core.input.table import (
    encode_rows,
    left_out_words,
    open_table,
    read_sample,
    require_complete_numbers,
)
from anova_report.errors import InputError, InputTypeError

COLUMNS = {"age": [30.0, 41.5, 22.0], "hours": [40, 38, 60], "sex": ["f", "m", "f"]}
EXPECTED = [[30, 40, 0], [41.5, 38, 1], [22, 60, 0]]
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
NUMBERS = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 7.0]])


@pytest.mark.parametrize("frame", FRAMES)
def test_every_kind_of_frame_gives_the_same_sample(frame):
    sample = read_sample(frame(COLUMNS))
    assert [feature.name for feature in sample.features] == ["age", "hours", "sex"]
    assert [feature.kind for feature in sample.features] == ["numeric", "numeric", "nominal"]
    assert sample.named
    np.testing.assert_array_equal(sample.values, EXPECTED)


@pytest.mark.parametrize(
    "table",
    [
        list(zip(*COLUMNS.values(), strict=True)),
        [list(row) for row in zip(*COLUMNS.values(), strict=True)],
        np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object),
    ],
)
def test_nested_lists_and_object_arrays_give_the_values_of_a_frame_without_its_names(table):
    sample = read_sample(table)
    assert [feature.name for feature in sample.features] == ["x0", "x1", "x2"]
    assert not sample.named
    np.testing.assert_array_equal(sample.values, EXPECTED)


def test_a_frame_whose_columns_were_never_named_is_read_like_an_array():
    sample = read_sample(pd.DataFrame(NUMBERS))
    assert [feature.name for feature in sample.features] == ["x0", "x1"]
    assert not sample.named
    np.testing.assert_array_equal(encode_rows(pd.DataFrame(NUMBERS), sample.features), NUMBERS)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_with_columns_in_another_order_gives_the_same_values(frame):
    features = read_sample(frame(COLUMNS)).features
    shuffled = frame({name: COLUMNS[name] for name in ("sex", "age", "hours")})
    np.testing.assert_array_equal(encode_rows(shuffled, features), EXPECTED)


def test_rows_may_come_from_another_library_than_the_fit():
    features = read_sample(pd.DataFrame(COLUMNS)).features
    for frame in FRAMES:
        np.testing.assert_array_equal(encode_rows(frame(COLUMNS), features), EXPECTED)


@pytest.mark.parametrize(
    ("native", "kind"), [(pd.DataFrame(COLUMNS), pd.DataFrame), (pl.DataFrame(COLUMNS), pl.DataFrame)]
)
def test_slices_of_a_frame_stay_frames_of_the_same_library(native, kind):
    rows = open_table(native).rows(1, 3)
    assert isinstance(rows, kind)
    assert list(rows.columns) == list(COLUMNS)
    assert rows["age"].to_list() == [41.5, 22.0]


REFUSED = {
    "no columns": (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
    "no columns in a frame": (pd.DataFrame(index=range(3)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
    "no rows": (np.empty((0, 2)), r"n_samples=0 row\(s\); a decomposition describes how predictions vary"),
    "no rows in a frame": (pl.DataFrame({"a": []}), r"n_samples=0 row\(s\)"),
    "one row": ([[1.0, 2.0]], r"n_samples=1 row\(s\).* needs at least 2"),
    "all missing": (np.full((4, 1), np.nan), r"^No column is left to explain: 'x0' \(empty in every row\)\. Pass a"),
    "infinite": ([[1.0], [np.inf]], r"^Column 'x0' holds infinite values \(inf\) in 1 row\(s\).*position 1"),
    "complex": (np.array([[1j], [2]]), r"^Complex data not supported\. Pass the real and imaginary parts"),
    "one dimension": ([1.0, 2.0], r"got 1 dimension\(s\)\. Reshape your data: X\.reshape\(-1, 1\)"),
    "a series": (pd.Series([1.0, 2.0]), r"got a series\. Pass X\.to_frame\(\) if it is one column"),
    "decimal commas": (
        pd.DataFrame({"a": ["1,5", "2", "-0,25"]}),
        r"'a' holds numbers as text with a comma, such as '-0,25'\. Pass numbers \(pandas: X\['a'\]\.str\.replace",
    ),
    "three dimensions": (np.zeros((2, 2, 2)), r"got 3 dimension\(s\)"),
    "nothing": (None, r"got 0 dimension\(s\)"),
    "ragged": ([[1.0, 2.0], [3.0]], r"^X cannot be read as a table: its rows are of unequal length"),
    "names twice in pandas": (pd.DataFrame(NUMBERS, columns=["a", "a"]), r"must be distinct; .* is named 'a'\.$"),
    "names twice in pyarrow": (
        pa.Table.from_arrays([pa.array([1, 2]), pa.array([1, 3])], names=["a", "a"]),
        r"^Column names must be distinct; more than one column is named 'a'\.$",
    ),
    "names that are numbers": (
        pd.DataFrame(NUMBERS, columns=[7, 8]),
        r"^Column 0 is named 7, of type int; names must be text\. Rename",
    ),
    "names that are tuples": (
        pd.DataFrame(NUMBERS, columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
        r"^Column 0 is named \('a', 'b'\), of type tuple",
    ),
}


@pytest.mark.parametrize(("table", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_a_table_that_cannot_be_fitted_is_refused_in_a_sentence(table, words):
    with pytest.raises(InputError, match=words):
        read_sample(table)


def test_columns_that_tell_nothing_are_left_out_and_new_rows_may_hold_them_or_not():
    rows = np.arange(3000)
    table = pd.DataFrame(
        {
            "fixed": 7.0,
            "age": rows % 50,
            "client": [f"C{row}" for row in rows],
            "legacy": np.nan,
            "city": np.where(rows % 3, "Rome", "Oslo"),
            "postcode": [f"P{row // 2}" for row in rows],
        }
    )
    sample = read_sample(table)
    assert [feature.name for feature in sample.features] == ["age", "city"]
    assert left_out_words(sample.left_out) == (
        "Left out: 'fixed' (the same value in every row).",
        "Left out: 'client' (text that differs in nearly every row).",
        "Left out: 'legacy' (empty in every row).",
        "Left out: 'postcode' (levels that are all rare: 1,500 in 3,000 rows).",
    )
    for given in (table, table[["city", "age"]], table.to_numpy(dtype=object)):
        np.testing.assert_array_equal(encode_rows(given, sample.features, left_out=sample.left_out), sample.values)
    with pytest.raises(InputError, match="is expecting 6 features"):
        encode_rows(sample.values, sample.features, left_out=sample.left_out)


def test_text_that_names_rows_is_kept_where_its_column_is_asked_for():
    names = pd.DataFrame({"client": ["a", "b", "c", "d"], "age": [1.0, 2.0, 3.0, 5.0]})
    assert [feature.name for feature in read_sample(names, asked=["client"]).features] == ["client", "age"]


def test_levels_that_look_like_numbers_with_a_comma_are_levels_where_they_are_declared():
    declared = pd.DataFrame({"a": pd.Categorical(["1,5", "2,5", "1,5"])})
    assert read_sample(declared).features[0].levels == ("1,5", "2,5")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (sparse.csr_array(NUMBERS), r"sparse matrix, which cannot be read\. Pass a dense array: X\.toarray\(\)\."),
        (pl.LazyFrame(COLUMNS), r"lazy frame, whose rows are not there yet\. Pass X\.collect\(\)\."),
        (pd.DataFrame({"a": ["u", 1]}), r"Column 'a' holds values of type int, str"),
        (pd.DataFrame({"a": [1j, 2]}), r"Column 'a' holds values of type complex"),
    ],
)
def test_a_table_of_the_wrong_type_is_a_type_error(table, words):
    with pytest.raises(InputTypeError, match=words):
        read_sample(table)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["age", "sex"], r"^The new rows lack the column\(s\) 'hours'\. Pass the 3 columns of the fit\.$"),
        (["age", "hours", "sex", "id"], r"^The new rows have the column\(s\) 'id' that the fit has not seen\. Pass"),
        (["age", "sex", "id"], r"lack the column\(s\) 'hours' and have the column\(s\) 'id' that the fit has not seen"),
    ],
)
@pytest.mark.parametrize("frame", FRAMES)
def test_new_rows_with_other_columns_are_refused_by_name(frame, names, words):
    features = read_sample(pd.DataFrame(COLUMNS)).features
    with pytest.raises(InputError, match=words):
        encode_rows(frame({name: COLUMNS.get(name, [1, 2, 3]) for name in names}), features)


def test_an_array_with_the_wrong_number_of_columns_is_refused_with_both_numbers():
    features = read_sample(pd.DataFrame(COLUMNS)).features
    with pytest.raises(InputError, match=r"^X has 2 features, but Reader is expecting 3 features as input: 'age', 'ho"):
        encode_rows(NUMBERS, features, reader="Reader")


def test_a_method_for_numbers_refuses_text_and_gaps_by_name():
    gaps = np.array([[1.0], [np.nan], [np.nan]])
    with pytest.raises(InputError, match="Column 'sex' holds text, and the method is defined for numbers only"):
        require_complete_numbers(gaps, [Feature("sex", "nominal", ("f", "m"))], "the method")
    with pytest.raises(
        InputError, match=r"'age' has missing values \(NaN\) in 2 row\(s\), first at position 1, 2, and"
    ):
        require_complete_numbers(gaps, [Feature("age", "numeric")], "the method")


def test_a_named_frame_after_a_fit_on_an_array_is_told_what_to_pass():
    sample = read_sample(np.arange(6.0).reshape(3, 2))
    with pytest.raises(InputError, match="Pass the rows as an array, as in the fit"):
        encode_rows(pd.DataFrame({"a": [1.0], "b": [2.0]}), sample.features)


def test_an_ordinal_level_that_is_new_is_refused_where_numbers_are_needed():
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    sample = read_sample(pd.DataFrame({"risk": pd.Series(["low", "high", "mid"], dtype=kind)}))
    values = encode_rows(pd.DataFrame({"risk": ["low", "extreme"]}), sample.features)
    with pytest.raises(InputError, match="'risk' holds a level that the fit has not seen in 1 row"):
        require_complete_numbers(values, sample.features, "this method")


def test_what_a_mask_hides_is_missing():
    hidden = np.ma.masked_array(np.arange(12.0).reshape(6, 2), mask=np.eye(6, 2, dtype=bool))
    np.testing.assert_array_equal(np.isnan(read_sample(hidden).values), np.eye(6, 2, dtype=bool))


@pytest.mark.parametrize("table", [pd.DataFrame(NUMBERS, columns=["a", "a"]), pa.table([[1.0], [2.0]], ["a", "a"])])
@pytest.mark.parametrize(
    "use", [lambda X: FunctionalANOVA().fit(X, np.zeros(len(X))), lambda X: explain(len, X, progress=False)]
)
def test_names_that_come_twice_are_refused_wherever_a_table_is_passed(table, use):
    with pytest.raises(InputError, match="more than one column is named 'a'"):
        use(table)


def test_dictionaries_of_arrow_in_a_pandas_frame_are_levels():
    words = pa.array(["b", "a", None, "b"]).dictionary_encode()
    sample = read_sample(pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "w": pd.arrays.ArrowExtensionArray(words)}))
    assert sample.features[1] == Feature("w", "nominal", ("a", "b"))
    np.testing.assert_array_equal(sample.values[:, 1], [1, 0, np.nan, 1])


def test_values_too_small_to_count_are_not_called_equal():
    sample = read_sample(np.array([[1.0, 1e-200, 0.0], [2.0, 2e-200, 0.0], [3.0, 4e-200, 0.0]]))
    reasons = {column.name: column.reason for column in sample.left_out}
    assert reasons == {"x1": "values so small that they count as zero", "x2": "the same value in every row"}
