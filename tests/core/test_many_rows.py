"""What keeps the cost of very many rows in bounds: a sample of rows for screening."""

import numpy as np
import pytest

from anova_report.core.basis.design import Columns, Evaluator
from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.fit import forward_selection
from anova_report.core.fit.forward_selection import main_columns
from anova_report.core.fit.row_blocks import GroupBlock
from anova_report.core.fit.screening import screen_pairs
from tests.core.small_fits import grouped_rows


def test_the_leading_rows_of_a_part_are_its_first_ones():
    block = GroupBlock(
        2,
        [np.arange(10, dtype=np.uint16)],
        np.arange(10.0)[:, None],
        [np.random.default_rng(0).normal(size=(3, 11)).astype(np.float32)],
        [(4, slice(0, 2)), (9, slice(2, 9)), (11, slice(9, 10))],
        np.arange(50, 60),
    )
    leading = block.leading(0.25)
    assert leading.group == 2
    assert leading.codes[0].tolist() == leading.predictions[:, 0].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(leading.functions[0], block.functions[0][:, :3])
    assert leading.slices == [(4, slice(0, 2)), (9, slice(2, 3))]
    assert leading.positions.tolist() == [50, 51, 52]
    assert block.leading(1.0) is block


def test_a_sample_of_rows_screens_like_all_of_them_within_its_noise():
    X = np.random.default_rng(1).normal(size=(40_000, 2))
    rows = grouped_rows(X, X[:, 0] * X[:, 1])
    columns: Columns = main_columns(rows.marginals, 2)
    nothing = Evaluator(columns, np.zeros((columns.size, 1)))
    whole = screen_pairs(rows, (0,), nothing, [4, 4])
    sample = screen_pairs(rows, (0,), nothing, [4, 4], share=0.25)
    noise = np.sqrt(sample.variance[0])
    assert (np.abs(sample.mean[0] - whole.mean[0]) <= 5 * noise).all()
    # A quarter of the rows has four times the sampling variance.
    ratio = sample.variance[0][:4, 4:] / whole.variance[0][:4, 4:]
    assert np.median(ratio) == pytest.approx(4.0, rel=0.2)


def test_a_fit_that_screens_a_sample_finds_the_same_pair(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12_000, 3))
    predictions = X[:, 0] + X[:, 1] * X[:, 2]
    monkeypatch.setattr(forward_selection, "SCREENED_ROWS", 3000)
    fitted = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions)
    assert (1, 2) in fitted.decomposition_.terms
    assert fitted.score(X, predictions) > 0.999
