"""Lookup tables: what they add up to is what `predict` returns, read back by the libraries themselves."""

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain
from anova_report.errors import InputError

RNG = np.random.default_rng(0)
N = 500


@pytest.fixture(scope="module")
def listed():
    """Features of which every value is listed, with names and levels that a spreadsheet would compute."""
    X = pd.DataFrame(
        {
            "=1+1": RNG.integers(0, 5, N).astype(float),
            "@level": RNG.choice(["=HYPERLINK(1)", "+plain", "rare", "rarer"], N, p=[0.5, 0.486, 0.008, 0.006]),
            "grade": pd.Categorical(RNG.choice(["low", "high"], N), ["low", "high"], ordered=True),
        }
    )
    X.loc[RNG.random(N) < 0.1, "=1+1"] = np.nan
    y = X["=1+1"].fillna(7) * (X["@level"] == "+plain") + (X["grade"].astype(str) == "high") * 2.0
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, np.asarray(y)).decomposition_
    assert max(map(len, dec.terms)) == 2
    return dec, X


def looked_up(dec, X, cell) -> np.ndarray:
    """Add up the mean and what `cell` finds for each term and the values of its features."""
    found = np.full(len(X), dec.mean)
    for term in dec.terms:
        for row in range(len(X)):
            values = [X.iloc[row, index] for index in term]
            found[row] += cell(term, ["(missing)" if pd.isna(value) else value for value in values])
    return found


def test_a_frame_adds_up_to_predictions(listed):
    dec, X = listed
    frame = dec.to_frame()
    effects = {}
    for line in frame.to_dict("records"):
        sides = [at for at in (1, 2) if isinstance(line[f"feature_{at}"], str)]
        term = tuple(dec.feature_names.index(line[f"feature_{at}"]) for at in sides)
        texts = [line[f"text_{at}"] if isinstance(line[f"text_{at}"], str) else line[f"value_{at}"] for at in sides]
        effects[term, tuple(texts)] = line["effect"]

    def cell(term, values):
        rare = {"rare", "rarer"} if len(term) > 1 else set()
        return effects[term, tuple("(rare levels)" if value in rare else value for value in values)]

    assert np.abs(looked_up(dec, X[:80], cell) - dec.predict(X[:80])).max() < 1e-9
    new = X[:3].assign(**{"@level": "never seen"})
    unseen = looked_up(dec, new.assign(**{"@level": "(not seen in the fit)"}), cell)
    assert np.abs(unseen - dec.predict(new)).max() < 1e-9
    assert dec.to_frame(backend="polars").shape == frame.shape
    assert dec.to_frame(["grade"])["term"].unique().tolist() == ["grade"]


def test_a_workbook_adds_up_to_predictions_and_computes_nothing(listed, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    dec, X = listed
    dec.to_xlsx(tmp_path / "tables.xlsx")
    book = openpyxl.load_workbook(tmp_path / "tables.xlsx")
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert not any(cell.data_type == "f" for cell in cells)
    said = {cell.value for cell in cells if cell.data_type == "s"}
    assert {"=1+1", "@level", "=HYPERLINK(1)", "+plain"} <= said
    assert all(cell.quotePrefix for cell in cells if str(cell.value).startswith(("=", "+", "@")))
    first, *sheets = book.worksheets
    contents = list(first.iter_rows(min_row=2, values_only=True))
    assert contents[0][1] == "mean"
    assert contents[0][3] == pytest.approx(dec.mean, rel=1e-15)  # of 17 digits openpyxl writes 16
    assert [row[0] for row in contents[1:]] == [sheet.title for sheet in sheets]
    tables = {}
    for term, sheet in zip(dec.terms, sheets, strict=True):
        head, *lines = sheet.iter_rows(values_only=True)
        assert list(head) == [*(dec.feature_names[index] for index in term), "effect"]
        tables[term] = {line[:-1]: line[-1] for line in lines}

    def cell(term, values):
        rare = {"rare", "rarer"} if len(term) > 1 else set()
        return tables[term][tuple("(rare levels)" if value in rare else value for value in values)]

    assert np.abs(looked_up(dec, X[:80], cell) - dec.predict(X[:80])).max() < 1e-9
    written = (tmp_path / "tables.xlsx").read_bytes()
    dec.to_xlsx(tmp_path / "tables.xlsx")
    assert (tmp_path / "tables.xlsx").read_bytes() == written
    assert [path.name for path in tmp_path.iterdir()] == ["tables.xlsx"]


def test_straight_lines_between_listed_values_come_close_to_a_curve():
    X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
    y = np.asarray(np.sin(2 * X["a"]) + X["b"])
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, y).decomposition_
    frame = dec.to_frame(["a"])
    found = np.interp(X["a"], frame["value_1"], frame["effect"])
    assert np.abs(found - dec.component("a", X)).max() < 0.02


def test_factors_multiply_to_predictions_and_outputs_have_columns():
    X = pd.DataFrame({"a": RNG.integers(0, 4, N).astype(float), "b": RNG.integers(0, 3, N).astype(float)})

    class Model:
        def predict(self, rows):
            return np.exp(0.3 * rows["a"] - 0.2 * rows["b"])

    dec = explain(Model(), X, scale="log", ask=0, max_order=1, progress=False)
    frame = dec.to_frame()
    assert list(frame.columns) == ["term", "feature_1", "value_1", "text_1", "effect", "factor"]
    factors = frame.set_index(["term", "value_1"])["factor"]
    rated = [np.exp(dec.mean) * factors["a", row.a] * factors["b", row.b] for row in X[:20].itertuples()]
    assert np.allclose(rated, Model().predict(X[:20]))
    y = np.stack([X["a"], X["b"]], axis=1)
    two = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, y).decomposition_
    assert list(two.to_frame().columns)[-2:] == [f"effect {name}" for name in two.output_names]


def test_what_has_no_table_is_refused(listed, monkeypatch):
    dec, _ = listed
    with pytest.raises(InputError, match="backend must be one of 'pandas', 'polars', 'pyarrow'; got 'numpy'"):
        dec.to_frame(backend="numpy")
    monkeypatch.setattr("anova_report.core.export.lookup.MOST_LINES", 10)
    with pytest.raises(InputError, match="combinations of values, and a table at most 10"):
        dec.to_frame()
    numbers = RNG.normal(size=(200, 2))
    published = FunctionalANOVA.published(K=1, d=3).fit(numbers, numbers.sum(axis=1)).decomposition_
    with pytest.raises(InputError, match="published method keeps no values"):
        published.to_frame()
