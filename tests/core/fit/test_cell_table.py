"""Few-valued features whose cells are filled: the decomposition of the table is exact, whatever the dependence."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.basis.tally import tally
from anova_report.core.fit import recipe
from anova_report.core.fit.cell_fits import solve_or_tune
from anova_report.core.fit.cell_table import CellSums, all_products
from anova_report.core.fit.fits import Candidate, HeldOutFit
from anova_report.core.fit.partition import Partition, Units
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows
from anova_report.core.fit.tuning import tune
from tests.core.small_fits import column_search_for, grouped_rows
from tests.ground_truth import JOINT, ON_THE_TABLE, Floats, draw_table, exact_components

EXACT = 1e-6


@dataclass(frozen=True)
class TableLaw:
    """How often each cell of a table occurs, and the order of the functions on it."""

    counts: np.ndarray
    order: int
    unique: bool = True

    def rows(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Every cell as often as its count says, in random order; features of every kind. Also the cell of each row."""
        cell = np.random.default_rng(0).permutation(np.repeat(np.arange(self.counts.size), self.counts.ravel()))
        codes = np.unravel_index(cell, self.counts.shape)
        table = {
            "nominal": np.array(["b", "a", "c", "d"])[codes[0]],
            "ordered": pd.Categorical.from_codes(codes[1], categories=list("lmnopq"), ordered=True),
            "flag": codes[2] == 1 if self.counts.shape[2] == 2 else np.array([1.0, 4.0, 4.5])[codes[2]],
        }
        if self.counts.ndim > 3:
            table["number"] = np.array([0.5, np.nan, 30.0])[codes[3]]  # missing is a value like others
        return pd.DataFrame(table), cell

    def values(self) -> Floats:
        """Draw a function of the cells that is a sum of functions of so many features."""
        rng = np.random.default_rng(1)
        shape = self.counts.shape
        total = np.zeros(shape)
        for term in combinations(range(len(shape)), self.order):
            total += rng.normal(size=[size if axis in term else 1 for axis, size in enumerate(shape)])
        return total


def with_empty(counts: np.ndarray, *cells: tuple[int, ...]) -> np.ndarray:
    counts = counts.copy()
    for cell in cells:
        counts[cell] = 0
    return counts


def drawn(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).geometric(0.03, size=shape) + 11


def nested() -> np.ndarray:
    """The second feature tells the first: both have room for the same effect."""
    counts = drawn((2, 5, 3), seed=4)
    counts[0, 2:] = 0
    counts[1, :2] = 0
    return counts


CORNER = ((0, 1), (0, 2), (2, 0))
LAWS = {
    "dependent": TableLaw((1000 * JOINT).round().astype(int), 2),
    "many rows": TableLaw((4500 * JOINT).round().astype(int), 2),
    "empty cells": TableLaw(with_empty(drawn((3, 4, 2), 2), *CORNER, (1, 3, 1)), 2),
    "triples": TableLaw(drawn((3, 2, 2, 3), 3), 3),
    "triples, empty cells": TableLaw(with_empty(drawn((3, 4, 2, 2), 5), *CORNER, (1, 3, 1, 0)), 3),
    "nested": TableLaw(nested(), 2, unique=False),
}


def fit(X: pd.DataFrame, predictions: np.ndarray, **settings: int) -> Decomposition:
    return FunctionalANOVA(random_state=0, **settings).fit(X, predictions).decomposition_


def largest_error(dec: Decomposition, law: TableLaw, table: pd.DataFrame, cell: np.ndarray) -> float:
    """Largest error of a component at any cell, relative to the spread of the function."""
    exact = exact_components(law.counts / law.counts.sum(), law.values(), law.order, unique=law.unique)
    found = {term: dec.component(term, table) for term in dec.terms}
    errors = [np.abs(found.get(term, 0.0) - exact[term][cell]).max() for term in exact if term]
    return float(max(errors) / law.values().ravel()[cell].std())


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_components_are_those_of_the_table(law):
    table, cell = law.rows()
    dec = fit(table, law.values().ravel()[cell], max_order=law.order)
    assert largest_error(dec, law, table, cell) < EXACT
    assert dec.path == ("exact cells" if law.unique else "exact cells, least of several")
    assert measures.fidelity(dec).held_out == pytest.approx(1, abs=1e-9)


def test_features_that_say_the_same_share_their_effect():
    flag = np.repeat([0.0, 1.0], [300, 100])
    dec = fit(np.column_stack([flag, flag]), 4 * flag)
    for feature in (0, 1):
        np.testing.assert_allclose(dec.component((feature,), np.array([[0.0, 0.0], [1.0, 1.0]])), [-0.5, 1.5])


def test_interactions_that_hold_nothing_are_left_out():
    law = LAWS["triples"]
    table, cell = law.rows()
    first, second = law.values()[:, :, 0, 0], law.values()[0, :, :, 0]
    by_cell = first[:, :, None, None] + second[None, :, :, None] + np.zeros(law.counts.shape)
    dec = fit(table, by_cell.ravel()[cell], max_order=3)
    assert dec.terms == ((0,), (1,), (2,), (3,), (0, 1), (1, 2))


def test_chunks_give_the_same_components():
    law = LAWS["many rows"]
    table, cell = law.rows()
    predictions = law.values().ravel()[cell]
    cuts = [slice(0, 1000), slice(1000, 1100), slice(1100, None)]
    chunked = FunctionalANOVA(random_state=0).fit_chunks(lambda: ((table[at], predictions[at]) for at in cuts))
    whole = fit(table, predictions)
    assert chunked.decomposition_.path == "exact cells"
    np.testing.assert_array_equal(chunked.decomposition_.components(table), whole.components(table))


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_standard_errors_tell_how_far_components_are_from_those_of_the_law_that_rows_were_drawn_from(noise):
    exact = exact_components(JOINT, ON_THE_TABLE, max_order=2)
    errors, claimed = [], []
    for seed in range(5):
        table, predictions, cell = draw_table(4200, seed, noise)
        dec = fit(table, predictions)
        assert noise or dec.path == "exact cells"
        for term in dec.terms:
            band = measures.bands(dec, term, table[:200])
            errors.append(np.mean((band.value - exact[term][cell[:200]]) ** 2))
            claimed.append(np.mean(band.standard_error**2))
    assert 0.55 < np.sqrt(np.mean(errors) / np.mean(claimed)) < 1.15


@pytest.mark.parametrize("noise", [2.0, 6.0])
def test_with_noise_fresh_rows_are_explained_no_worse_than_by_a_penalized_fit(noise, monkeypatch):
    drawn = [draw_table(4200, seed, noise) for seed in range(3)]

    def squared_errors() -> tuple[float, set[str | None]]:
        made = [fit(table, predictions) for table, predictions, _ in drawn]
        gaps = [
            dec.predict(table) - ON_THE_TABLE.ravel()[cell] for dec, (table, _, cell) in zip(made, drawn, strict=True)
        ]
        return float(np.mean(np.square(gaps))), {dec.path for dec in made}

    either, _ = squared_errors()
    monkeypatch.setattr(recipe, "all_products", lambda *_: None)
    penalized, paths = squared_errors()
    assert paths == {"penalised"}
    assert either <= 1.05 * penalized


def test_of_pure_noise_cells_are_not_solved():
    table, _, _ = draw_table(4200, 6)
    dec = fit(table, np.random.default_rng(7).normal(size=len(table)))
    assert dec.path == "penalised"
    assert measures.fidelity(dec).held_out < 0.01


def numbers(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(2).integers(0, 3, size=(n_rows, 3)).astype(float)
    return X, X[:, 0] * X[:, 1] + (X[:, 2] == 1)


@pytest.mark.parametrize("n_rows", [500, 4200])
def test_a_held_out_fit_of_cells_does_not_know_the_predictions_it_is_reported_on(n_rows):
    X, predictions = numbers(n_rows)
    rows = grouped_rows(X, predictions)
    units = Units(Partition("row", n_rows), n_rows, seed=0)
    columns = all_products(rows.marginals, tally(rows.coded.source, 3), 2)

    def last_held_out(predictions: np.ndarray) -> HeldOutFit:
        coded = CodedRows(ArrayRows(X, predictions[:, None]), rows.coded.books, rows.center, rows.spread)
        candidate = Candidate(column_search_for(rows), coded, units.replicates)
        rounds = units.rounds(n_rows)
        tuned = partial(tune, {"waves": candidate}, rounds, 1)
        return solve_or_tune(columns, candidate.rows, len(rounds), units, tuned)[1][-1]

    ours = last_held_out(predictions)
    (reported,) = (block.positions for block in ours.fit.rows.blocks((ours.group,)))
    spoilt = predictions.copy()
    spoilt[reported] = 50 * np.random.default_rng(3).normal(size=len(reported))
    theirs = last_held_out(spoilt)
    assert ours.fit.solution is not None
    np.testing.assert_array_equal(ours.fit.coefficients, theirs.fit.coefficients)


def test_the_rarest_combination_of_values_is_counted_over_all_groups():
    X, predictions = numbers(400)
    X[:3] = [[0, 0, 7], [0, 1, 7], [0, 1, 7]]  # one row has 0 and 7 in the last two, two have 1 and 7
    rows = grouped_rows(X, predictions, np.arange(400) % 2)
    columns = all_products(rows.marginals, tally(rows.coded.source, 3), 2)
    assert CellSums(columns, rows, (0, 1)).fewest_rows == 1
    X[0, 1] = 1
    rows = grouped_rows(X, predictions, np.arange(400) % 2)
    assert CellSums(columns, rows, (0, 1)).fewest_rows == 3


@pytest.mark.parametrize("max_order", [1, 2, 3])
def test_features_of_many_values_and_tables_of_many_columns_have_no_products(max_order):
    def found(X: np.ndarray) -> bool:
        rows = grouped_rows(X, X[:, 0])
        return all_products(rows.marginals, tally(rows.coded.source, X.shape[1]), max_order) is not None

    X, _ = numbers(2000)
    assert found(X)
    assert not found(np.column_stack([X, np.arange(2000) % 9]))  # more values than functions of degree 4 can tell
    assert not found(X[:20])
    assert max_order == 1 or not found(np.random.default_rng(0).integers(0, 2, size=(4000, 60)).astype(float))


def test_the_path_is_saved(tmp_path):
    table, predictions, _ = draw_table(600, 1)
    dec = fit(table, predictions)
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").path == "exact cells"
