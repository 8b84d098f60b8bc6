"""Few-valued features whose cells are filled: the decomposition of the table is exact, whatever the dependence."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from tests.ground_truth import JOINT, Floats, exact_components

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
    "empty cells": TableLaw(with_empty(drawn((3, 4, 2), 2), *CORNER, (1, 3, 1)), 2),
    "triples": TableLaw(drawn((3, 2, 2, 3), 3), 3),
    "triples, empty cells": TableLaw(with_empty(drawn((3, 4, 2, 2), 5), *CORNER, (1, 3, 1, 0)), 3),
    "nested": TableLaw(nested(), 2, unique=False),
}


def fit(X: pd.DataFrame, answers: np.ndarray, **settings: int) -> Decomposition:
    return FunctionalANOVA(random_state=0, **settings).fit(X, answers).decomposition_


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
