"""Polynomial chaos by OpenTURNS, told the marginal laws of the inputs: the peer of the benchmark of simulators.

Up to `SPARSE_UP_TO` calls polynomials are selected by least angles and the corrected leave-one-out error. A single such
fit takes OpenTURNS a minute at 2,000 calls and six at 10,000, so with more calls all polynomials of a hyperbolic set
are fitted by least squares, and a fifth of the calls chooses the set. With dependent inputs polynomials are still those
of the marginals: least squares needs no independence, but Sobol' indices do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from benchmarks.judge import Floats, r_squared
from benchmarks.simulators import Indices, Marginal, Simulator

SPARSE_UP_TO = 500  # calls
SPARSE_COLUMNS = 300  # polynomials that least angles choose among: seconds, not minutes
CALLS_PER_COLUMN = (4, 12)  # of least squares: bold and cautious; calls that were held out choose
MOST_COLUMNS = 1200  # of least squares: what fits a minute
NORMS = (0.4, 0.6, 0.8, 1.0)  # of hyperbolic sets: from few interactions to all
MOST_DEGREE = 16  # beyond, polynomials of truncated laws lose their orthogonality to rounding
HELD_OUT = 5  # one call in so many chooses the set


@dataclass(frozen=True, eq=False)
class Chaos:
    """A fitted expansion: an OpenTURNS result."""

    result: Any

    def predict(self, X: Floats) -> Floats:
        """Evaluate the expansion."""
        return np.asarray(self.result.getMetaModel()(X))[:, 0]

    def indices(self) -> Indices:
        """Read Sobol' indices off the coefficients."""
        import openturns as ot

        found = ot.FunctionalChaosSobolIndices(self.result)
        inputs = range(self.result.getDistribution().getDimension())
        first, total = (np.array([of(at) for at in inputs]) for of in (found.getSobolIndex, found.getSobolTotalIndex))
        return Indices(first, total)


def fit_chaos(simulator: Simulator, X: Floats, outputs: Floats) -> Chaos:
    """Fit the expansion of a simulator, with the set of polynomials that promises most."""
    import openturns as ot

    ot.Log.Show(ot.Log.NONE)
    law = ot.JointDistribution([marginal(each) for each in simulator.inputs.values()])
    if len(X) <= SPARSE_UP_TO:
        tried = [_fit(law, X, outputs, *each, sparse=True) for each in _sets(X.shape[1], [SPARSE_COLUMNS])]
        return Chaos(min(tried, key=lambda result: float(result.getErrorHistory()[-1])))
    sizes = [min(len(X) // each, MOST_COLUMNS) for each in CALLS_PER_COLUMN]
    best = max(_sets(X.shape[1], sizes), key=lambda each: _held_out(law, X, outputs, *each))
    return Chaos(_fit(law, X, outputs, *best))


def marginal(law: Marginal) -> Any:
    """Tell OpenTURNS the law of an input."""
    import openturns as ot

    first, second = law.parameters
    made = {
        "uniform": lambda: ot.Uniform(first, second),
        "normal": lambda: ot.Normal(first, second),
        "lognormal": lambda: ot.LogNormal(first, second, 0.0),
        "gumbel": lambda: ot.Gumbel(second, first),
        "triangular": lambda: ot.Triangular(first, (first + second) / 2, second),
    }[law.kind]()
    if not isfinite(law.low) and not isfinite(law.high):
        return made
    bounds = ot.Interval([law.low], [law.high], [isfinite(law.low)], [isfinite(law.high)])
    return ot.TruncatedDistribution(made, bounds)


def _enumerate(n_inputs: int, norm: float) -> Any:
    import openturns as ot

    if norm == 1:  # the same sets, but the general function takes minutes for twenty inputs
        return ot.LinearEnumerateFunction(n_inputs)
    return ot.HyperbolicAnisotropicEnumerateFunction(n_inputs, norm)


def _sets(n_inputs: int, sizes: list[int]) -> Iterator[tuple[float, int]]:
    """List hyperbolic sets as norm and number of polynomials, the largest of each norm that stay within a size."""
    found = set()
    for norm in NORMS:
        enumerate_ = _enumerate(n_inputs, norm)
        counts = [enumerate_.getBasisSizeFromTotalDegree(1)]
        for degree in range(2, MOST_DEGREE + 1):
            if counts[-1] > max(sizes):
                break  # to count a set of high degree takes longer than all fits
            counts.append(enumerate_.getBasisSizeFromTotalDegree(degree))
        found |= {(norm, max((count for count in counts if count <= size), default=counts[0])) for size in sizes}
    yield from sorted(found)


def _held_out(law: Any, X: Floats, outputs: Floats, norm: float, n_columns: int) -> float:
    """Fit without a fifth of the calls, and return R² on them."""
    held_out = np.arange(len(X)) % HELD_OUT == 0
    fitted = Chaos(_fit(law, X[~held_out], outputs[~held_out], norm, n_columns))
    return r_squared(outputs[held_out], fitted.predict(X[held_out]))


def _fit(law: Any, X: Floats, outputs: Floats, norm: float, n_columns: int, sparse: bool = False) -> Any:
    import openturns as ot

    families = [ot.StandardDistributionPolynomialFactory(law.getMarginal(at)) for at in range(X.shape[1])]
    polynomials = ot.OrthogonalProductPolynomialFactory(families, _enumerate(X.shape[1], norm))
    strategy = ot.FixedStrategy(polynomials, n_columns)
    selection = ot.LeastSquaresMetaModelSelectionFactory(ot.LARS(), ot.CorrectedLeaveOneOut())
    projection = ot.LeastSquaresStrategy(selection) if sparse else ot.LeastSquaresStrategy()
    algorithm = ot.FunctionalChaosAlgorithm(X, outputs[:, None], law, strategy, projection)
    algorithm.run()
    return algorithm.getResult()
