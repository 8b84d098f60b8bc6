"""How seconds and memory of our default grow with rows, features and outputs, on a synthetic model.

Run with `python -m benchmarks.growth`. Each fit has a process of its own, one after the other.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.judge import Floats, Outcome, in_own_process

CORRELATION = 0.5  # of neighbouring features
SECONDS_LIMIT = 1800.0
MEMORY_GB = 12.0  # beyond it a fit gets a MemoryError, and the machine stays usable


CLASSES = 10


@dataclass(frozen=True)
class Size:
    """How large a fit is; `classes` asks for so many logits of a classifier instead of one function."""

    n_rows: int
    n_features: int = 10
    classes: int = 0

    def __str__(self) -> str:
        return f"{self.n_rows:>9,} rows × {self.n_features:>2} features, {max(self.classes, 1):>2} outputs"


@dataclass(frozen=True)
class Cost:
    """What a fit took: seconds, and megabytes above a process that only holds the data, and of the process."""

    seconds: float
    above_bare_mb: float
    peak_mb: float


SERIES = {
    "rows": (Size(10_000), Size(100_000), Size(1_000_000)),
    "features": (Size(20_000, 8), Size(20_000, 20), Size(20_000, 81)),
    "outputs": (Size(20_000, classes=1), Size(20_000, classes=CLASSES)),
}


def draw(size: Size, seed: int = 0) -> tuple[Floats, Floats]:
    """Draw dependent inputs and the predictions of a smooth-plus-step model on them.

    Returns
    -------
    X : array of shape (n_rows, n_features)
        Normal, neighbours correlated.
    predictions : array of shape (n_rows,) or (n_rows, n_outputs)
    """
    if size.classes:
        return _logits(size, seed)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((size.n_rows, size.n_features))
    for feature in range(1, size.n_features):
        X[:, feature] = CORRELATION * X[:, feature - 1] + np.sqrt(1 - CORRELATION**2) * X[:, feature]
    return X, _effects(X).sum(axis=1)


def _logits(size: Size, seed: int) -> tuple[Floats, Floats]:
    """Train a model of ten classes and ask it for the logits of the first ones."""
    import xgboost
    from sklearn.datasets import make_classification

    X, labels = make_classification(
        size.n_rows,
        size.n_features,
        n_informative=size.n_features - 2,
        n_classes=CLASSES,
        n_clusters_per_class=2,
        random_state=seed,
    )
    model = xgboost.XGBClassifier(n_estimators=60, max_depth=5, learning_rate=0.1, random_state=seed).fit(X, labels)
    logits = np.asarray(model.predict(X, output_margin=True), dtype=np.float64)
    return X, logits[:, 0] if size.classes == 1 else logits[:, : size.classes]


def _effects(X: Floats) -> Floats:
    """Evaluate curves, steps and pairs of both, one per column."""
    a, b, c, d, e = X.T[:5]
    mains = [np.sin(2 * a), 1.5 * (b > 0.3), 0.3 * c**2, 0.1 * X.mean(axis=1)]
    return np.stack([*mains, a * c, (b > 0) * np.tanh(d), (d > 0.5) * (e < 0)], axis=1)


def hold(size: Size) -> float:
    """Make the data and do nothing with them."""
    X, predictions = draw(size)
    return float(X.nbytes + predictions.nbytes)


def fit(size: Size) -> float:
    """Make the data, fit our default, and return the seconds of the fit."""
    from anova_report import FunctionalANOVA

    X, predictions = draw(size)
    start = time.perf_counter()
    FunctionalANOVA(max_order=2, random_state=0).fit(X, predictions)
    return time.perf_counter() - start


def measure(size: Size, limit: float = SECONDS_LIMIT) -> Cost | str:
    """Fit in a process of its own; a reason if there is no result."""
    bare, fitted = (in_own_process(function, size, limit=limit, memory_gb=MEMORY_GB) for function in (hold, fit))
    failed = next((outcome.reason for outcome in (bare, fitted) if outcome.reason is not None), None)
    return failed if failed is not None else _cost(bare, fitted)


def _cost(bare: Outcome, fitted: Outcome) -> Cost:
    bare_mb, peak_mb = bare.peak_mb or 0.0, fitted.peak_mb or 0.0
    return Cost(fitted.value, peak_mb - bare_mb, peak_mb)


def line(size: Size, cost: Cost | str, previous: Cost | str | None) -> str:
    """Write what a fit took, and how many times the one before it."""
    if isinstance(cost, str):
        return f"  {size}  {cost}"
    grown = ""
    if isinstance(previous, Cost):
        grown = f"  ×{cost.seconds / previous.seconds:.3g} seconds, ×{cost.peak_mb / previous.peak_mb:.3g} peak"
    return f"  {size}  {cost.seconds:8.2f} s  +{cost.above_bare_mb:6.0f} MB  peak {cost.peak_mb:6.0f} MB{grown}"


def grow(name: str, sizes: Sequence[Size]) -> None:
    """Measure a series, each size with its ratio to the one before it."""
    print(f"Growth with {name}:", flush=True)
    previous: Cost | str | None = None
    for size in sizes:
        cost = measure(size)
        print(line(size, cost, previous), flush=True)
        previous = cost


def main(arguments: list[str] | None = None) -> None:
    """Measure the series named on the command line, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SERIES, action="append", help="one series; all by default")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for name in options.only or SERIES:
        sizes = SERIES[name]
        if options.rows is not None:
            sizes = tuple(replace(size, n_rows=min(size.n_rows, options.rows)) for size in sizes)
        grow(name, sizes)


if __name__ == "__main__":
    main()
