"""Rows in chunks: the same result as from one table, whatever the size of the chunks."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.core.large.chunks import read_chunks
from anova_report.errors import InputError

SAME = 1e-10


def in_chunks(X, predictions: np.ndarray, size: int) -> Callable[[], Iterator[tuple[object, np.ndarray]]]:
    def chunks() -> Iterator[tuple[object, np.ndarray]]:
        for start in range(0, len(predictions), size):
            yield X[start : start + size], predictions[start : start + size]

    return chunks


def fit(X, predictions: np.ndarray) -> Decomposition:
    return FunctionalANOVA(random_state=0).fit(X, predictions).decomposition_


def fit_chunks(chunks: Callable) -> Decomposition:
    return FunctionalANOVA(random_state=0).fit_chunks(chunks).decomposition_


def assert_same(ours: Decomposition, theirs: Decomposition, X) -> None:
    assert ours.terms == theirs.terms
    assert ours.features == theirs.features
    np.testing.assert_allclose(ours.components(X), theirs.components(X), rtol=0, atol=SAME)
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=0, atol=SAME)
    for mine, other in ((ours.in_sample, theirs.in_sample), (ours.held_out, theirs.held_out)):
        assert mine.n_rows == other.n_rows
        np.testing.assert_allclose(mine.seconds, other.seconds, rtol=0, atol=SAME)
        np.testing.assert_allclose(mine.squared_gap, other.squared_gap, rtol=0, atol=SAME)
    np.testing.assert_allclose(ours.uncertainty.total, theirs.uncertainty.total, rtol=0, atol=SAME)
    assert ours.uncertainty.replicate_key == theirs.uncertainty.replicate_key != ""


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of a mixed table, sorted by level: early chunks hold levels that later ones do not, and vice versa."""
    rng = np.random.default_rng(0)
    n_rows = 9000
    level = np.sort(rng.choice(["a", "b", "c", "d"], size=n_rows))
    x, z = rng.normal(size=(2, n_rows))
    x = np.where(rng.random(n_rows) < 0.1, np.nan, x + (level == "b"))
    table = pd.DataFrame({"x": x, "level": level, "z": z, "flag": z > 0.5})
    return table, np.nan_to_num(x) * z + (level == "c") + rng.normal(size=n_rows)


@pytest.mark.parametrize("size", [777, 8192, 9000, 20_000])
def test_chunks_of_a_large_mixed_table_give_what_the_table_gives(mixed, size):
    X, predictions = mixed
    assert_same(fit_chunks(in_chunks(X, predictions, size)), fit(X, predictions), X)


def test_chunks_of_one_row_give_what_the_table_gives():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    predictions = X[:, 0] * X[:, 1] + X[:, 0]
    assert_same(fit_chunks(in_chunks(X, predictions, 1)), fit(X, predictions), X)


@pytest.mark.parametrize("size", [13, 200])
def test_chunks_of_a_small_table_give_what_the_table_gives(mixed, size):
    X, predictions = mixed[0][::60], mixed[1][::60]
    assert_same(fit_chunks(in_chunks(X, predictions, size)), fit(X, predictions), X)


def test_a_file_can_be_read_in_chunks_of_a_frame(mixed, tmp_path):
    X, predictions = mixed
    path = tmp_path / "rows.csv"
    X.assign(prediction=predictions).to_csv(path, index=False)

    def chunks() -> Iterator[tuple[pd.DataFrame, pd.Series]]:
        with pd.read_csv(path, chunksize=2500) as reader:
            for frame in reader:
                yield frame.drop(columns="prediction"), frame["prediction"]

    estimator = FunctionalANOVA(random_state=0).fit_chunks(chunks)
    assert estimator.feature_names_in_.tolist() == ["x", "level", "z", "flag"]
    assert estimator.decomposition_.output_names == ("prediction",)
    whole = pd.read_csv(path)
    assert_same(estimator.decomposition_, fit(whole.drop(columns="prediction"), whole["prediction"]), X)


def test_levels_and_names_are_gathered_from_all_chunks(mixed):
    X, predictions = mixed
    sample = read_chunks(in_chunks(X, predictions, 500))
    assert sample.named
    assert [feature.name for feature in sample.features] == ["x", "level", "z", "flag"]
    assert sample.features[1].levels == ("a", "b", "c", "d")
    assert sum(len(values) for values, _ in sample.rows.blocks()) == len(X)


TWO = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
LEVELS = pd.CategoricalDtype(["low", "high"], ordered=True)
OTHER_LEVELS = pd.CategoricalDtype(["low", "high", "higher"], ordered=True)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([], "There are no chunks"),
        ([(TWO, [1.0, 2.0]), (TWO.rename(columns={"b": "c"}), [1.0, 2.0])], "different columns"),
        ([(TWO, [1.0, 2.0]), (TWO[["b", "a"]], [1.0, 2.0])], "different columns"),
        ([(TWO, [1.0, 2.0]), (TWO[["a"]], [1.0, 2.0])], "different columns"),
        ([(TWO, [1.0, 2.0]), (TWO.assign(b=["x", "y"]), [1.0, 2.0])], "'b' is numeric in one chunk and nominal"),
        (
            [
                (TWO.assign(b=pd.Categorical(["low", "high"], dtype=LEVELS)), [1.0, 2.0]),
                (TWO.assign(b=pd.Categorical(["low", "high"], dtype=OTHER_LEVELS)), [1.0, 2.0]),
            ],
            "has other levels",
        ),
        ([(TWO, [1.0, 2.0]), (TWO, np.ones((2, 2)))], "different numbers of outputs"),
        ([(TWO, [1.0, 2.0, 3.0])], "3 predictions for 2 rows"),
        ([(TWO, [1.0, np.nan])], "not finite"),
        ([(TWO, [4.0, 4.0]), (TWO, [4.0, 4.0])], "constant in all 4 rows"),
        ([(TWO[:1], [4.0])], "at least 3"),
        ([(TWO.assign(b=7.0), [1.0, 2.0])] * 2, "'b' is constant"),
        ([(TWO.assign(b=np.nan), [1.0, 2.0])] * 2, "'b' is missing"),
        ([(pd.DataFrame({"id": [f"C{n}" for n in range(3000)]}), np.arange(3000.0))], "levels of 'id' are too rare"),
    ],
)
def test_chunks_that_make_no_table_are_refused_in_words(chunks, message):
    with pytest.raises(InputError, match=message):
        FunctionalANOVA(random_state=0).fit_chunks(lambda: chunks)


def test_a_chunk_in_which_a_column_is_wholly_missing_is_read():
    first = pd.DataFrame({"job": [None] * 40, "age": np.arange(40.0)})
    second = pd.DataFrame({"job": ["cook", "smith"] * 20, "age": np.arange(40.0)})
    predictions = np.arange(40.0)
    fanova = FunctionalANOVA(random_state=0).fit_chunks(lambda: [(first, predictions), (second, predictions)])
    assert fanova.decomposition_.features[0].levels == ("cook", "smith")


def test_empty_chunks_are_passed_over():
    X = np.random.default_rng(0).normal(size=(60, 2))
    fanova = FunctionalANOVA(random_state=0)
    pieces = [(X[:0], X[:0, 0]), (X[:30], X[:30, 0]), (X[30:30], X[30:30, 0]), (X[30:], X[30:, 0])]
    parts = fanova.fit_chunks(lambda: pieces).predict(X)
    np.testing.assert_allclose(parts, fanova.fit(X, X[:, 0]).predict(X), atol=1e-10)


def test_chunks_that_are_used_up_are_noticed():
    X = np.random.default_rng(0).normal(size=(60, 2))
    used = iter([(X, X[:, 0])])
    with pytest.raises(InputError, match="must return them anew each time"):
        FunctionalANOVA().fit_chunks(lambda: used)


def test_texts_that_name_rows_are_refused_before_they_fill_memory(monkeypatch):
    monkeypatch.setattr("anova_report.core.large.chunks.MOST_LEVELS", 500)
    names = [pd.DataFrame({"id": [f"C{at}" for at in range(start, start + 400)]}) for start in (0, 400)]
    with pytest.raises(InputError, match=r"Column 'id' holds more than 500 different texts"):
        read_chunks(lambda: ((part, np.arange(400.0)) for part in names))
