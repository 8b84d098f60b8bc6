"""Functions of a feature as cubics: the same values as those that are evaluated from splines."""

import numpy as np
import pytest

from anova_report.core.basis.marginals import fit_nominal, fit_numeric
from anova_report.core.export.piecewise import Pieces

RNG = np.random.default_rng(0)
COLUMNS = {
    "many values": RNG.normal(size=2000),
    "long tails": RNG.lognormal(sigma=2, size=2000),
    "few values": RNG.integers(0, 9, 2000).astype(float),
    "half of them zero": np.where(RNG.random(2000) < 0.5, 0.0, RNG.exponential(size=2000)),
    "two heaps": np.r_[RNG.normal(size=1000), 500 + RNG.normal(size=1000)],
    "a value alone at the end": np.r_[RNG.normal(size=1900), np.full(100, 50.0)],
    "seconds of a year": 1.6e9 + RNG.uniform(0, 3e7, 2000).round(),
}


def by_hand(pieces: Pieces, value: float) -> np.ndarray:
    """Evaluate all functions at one value, as a database does."""
    if np.isnan(value):
        at = len(pieces.starts) + len(pieces.heavy)
    elif value in pieces.heavy:
        at = len(pieces.starts) + int(np.flatnonzero(pieces.heavy == value)[0])
    else:
        at = int((pieces.breaks <= value).sum())
    u = (value - pieces.starts[at]) / pieces.widths[at] if at < len(pieces.starts) else 0.0
    return pieces.cubics[:, at] @ np.array([1, u, u**2, u**3])


@pytest.mark.parametrize("n_missing", [0, 150])
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("family", ["waves", "polynomials"])
def test_cubics_are_the_functions_everywhere(name, family, n_missing):
    values, counts = np.unique(COLUMNS[name], return_counts=True)
    marginal = fit_numeric(values, counts, n_missing, degree=12)[family]
    whole = values[-1] - values[0]
    at = np.r_[values, RNG.uniform(values[0] - whole, values[-1] + whole, 200), marginal.breaks, np.nan]
    wanted = marginal.evaluate(at)
    found = np.stack([by_hand(Pieces.of(marginal), value) for value in at], axis=1)
    assert np.abs(found - wanted).max() <= 1e-9 * max(np.abs(wanted).max(), 1)


def test_levels_have_their_contrasts_and_unseen_ones_none():
    marginal = fit_nominal(np.array([500, 300, 200]), n_missing=50)
    pieces = Pieces.of(marginal)
    assert not pieces.is_ordered
    assert np.array_equal(pieces.cubics[:, :-1, 0], marginal.table)
    assert not pieces.cubics[:, -1].any()
    assert not pieces.cubics[:, :, 1:].any()
