"""The benchmark of bands in a small version: what it counts, what it prints."""

import numpy as np
import pytest

from anova_report import Decomposition, measures
from benchmarks import bands
from tests.ground_truth import FGM, KnownCase

N_ROWS = 4000


@pytest.fixture(scope="module")
def fitted() -> tuple[Decomposition, np.ndarray]:
    ((seed, X, fresh),) = bands.samples(FGM, 1, N_ROWS)
    return bands.fit_ours(X, FGM.answers(X), seed), fresh


def test_the_share_inside_is_counted_row_by_row(fitted):
    dec, fresh = fitted
    band = measures.bands(dec, (0,), fresh)
    truth = FGM.components[0,](fresh)
    inside = sum(low <= true <= high for low, true, high in zip(band.lower, truth, band.upper, strict=True))
    assert bands.share_inside(FGM, dec, (0,), fresh) == pytest.approx(inside / N_ROWS)


def test_errors_are_relative_and_a_component_that_was_left_out_has_error_one(fitted):
    dec, fresh = fitted
    doubled = {term: (lambda X, term=term: 2 * dec.component(term, X)) for term in ((0,), (0, 1))}
    case = KnownCase("doubled", FGM.draw, {**doubled, (0, 1, 2): lambda X: X[:, 2]})
    assert bands.component_errors(case, dec, fresh) == pytest.approx([0.5, 0.5, 1.0])
