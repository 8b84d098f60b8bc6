"""Comparing two decompositions: how often equal models are called different, and how often a change is found.

Models are trained once. For every sample rows are drawn anew and divided into halves: the same model on both halves,
the same model with a planted change on one of them, and the same model on rows that moved. Predictions have no noise,
as those of black boxes. Run with `python -m benchmarks.alarms [--samples 17] [--rows 10000] [--only trees]`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from anova_report import Decomposition, FunctionalANOVA
from anova_report.compare import Comparison, compare_decompositions
from benchmarks.datasets import available, load
from benchmarks.judge import Floats

Positions = NDArray[np.intp]

MOST_PAGES = 0.05  # with any difference, of equal models
FOUND = 0.90  # planted changes, at least
TOLD_APART = 0.95  # inputs that moved and functions that changed, at least
PLANTED = 0.05  # size of a change: its standard deviation over that of the predictions
NOTICED = 0.01  # limit of the distance with which planted changes are looked for: these are larger
TRAINING = 12_000  # rows a model is trained on
KINDS = ("bend", "slope", "pair")
BIKE = (
    *("season", "yr", "mnth", "hr", "holiday", "weekday", "workingday", "weathersit"),
    *("temp", "atemp", "hum", "windspeed"),
)


def trees() -> Any:
    """Boost histograms."""
    return HistGradientBoostingRegressor(random_state=0)


def forest() -> Any:
    """Average many deep trees."""
    return RandomForestRegressor(n_estimators=50, min_samples_leaf=5, random_state=0)


def network() -> Any:
    """Stack two hidden layers."""
    hidden = MLPRegressor(hidden_layer_sizes=(64, 32), early_stopping=True, max_iter=200, random_state=0)
    return make_pipeline(StandardScaler(), hidden)


def linear() -> Any:
    """Fit a line."""
    return make_pipeline(StandardScaler(), LinearRegression())


def california() -> tuple[Floats, Floats]:
    """8 features, of which two tell places together."""
    found = load("california_housing")
    return found.numbers.to_numpy(), found.y.to_numpy(float)


def bike() -> tuple[Floats, Floats]:
    """12 features, some of which determine each other."""
    found = load("bike_sharing", features=BIKE)
    return found.numbers.to_numpy(), found.y.to_numpy(float)


def friedman() -> tuple[Floats, Floats]:
    """10 independent features, of which five matter."""
    rng = np.random.default_rng(11)
    X = rng.random((40_000, 10))
    wave = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, wave + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=len(X))


def fourteen() -> tuple[Floats, Floats]:
    """14 dependent features."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(40_000, 14)) @ (np.eye(14) + 0.35 * rng.normal(size=(14, 14))).T
    X = X / X.std(axis=0)
    smooth = np.sin(1.5 * X[:, 0]) + X[:, 1] * X[:, 2] + np.tanh(X[:, 4] + X[:, 5]) + 0.5 * X[:, 3] + 0.3 * X[:, 8]
    return X, smooth + 0.5 * X[:, 6] ** 2 * (X[:, 7] > 0) + 0.3 * rng.normal(size=len(X))


@dataclass(frozen=True, eq=False)
class BlackBox:
    """A model of a table, trained once, and its predictions for all rows."""

    name: str
    table: Callable[[], tuple[Floats, Floats]]
    model: Callable[[], Any]
    needs: str = ""  # file with the table

    @cached_property
    def asked(self) -> tuple[Floats, Floats]:
        """The table, and what the model predictions."""
        X, y = self.table()
        chosen = np.random.default_rng(5).permutation(len(X))[:TRAINING]
        return X, self.model().fit(X[chosen], y[chosen]).predict(X)

    def halves(self, seed: int, n_rows: int) -> tuple[Positions, Positions]:
        """Draw two disjoint random sets of rows, as positions."""
        order = np.random.default_rng([1, seed]).permutation(len(self.asked[0]))
        size = min(n_rows, len(order) // 2)
        return order[:size], order[size : 2 * size]

    def planted(self, seed: int) -> Floats:
        """Make a change for all rows: a bend or a slope of one feature, or a product of two."""
        X, predictions = self.asked
        rng = np.random.default_rng([2, seed])
        first, second = (ranks(X[:, at]) for at in rng.choice(X.shape[1], size=2, replace=False))
        change = {"bend": first**2, "slope": first, "pair": first * second}[KINDS[seed % len(KINDS)]]
        return np.asarray(PLANTED * predictions.std() * (change - change.mean()) / change.std())

    def moved(self, seed: int, n_rows: int) -> Positions:
        """Draw rows of which one feature is low, as positions."""
        X = self.asked[0]
        rng = np.random.default_rng([3, seed])
        order = rng.permutation(len(X))
        for feature in rng.permutation(X.shape[1]).tolist():
            low = order[X[order, feature] <= np.quantile(X[:, feature], 0.6)]
            # Where a feature takes few values, all rows may be low, or another feature may not vary any more.
            if len(low) < 0.9 * len(X) and (np.ptp(X[low[:n_rows]], axis=0) > 0).all():
                return low[:n_rows]
        raise ValueError(f"No feature of {self.name} can be kept low.")


def ranks(values: Floats) -> Floats:
    """Mid-ranks with mean zero and standard deviation one."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - counts / 2)[at]
    return np.asarray((ranks - ranks.mean()) / ranks.std())


BOXES = (
    BlackBox("California, trees (8 features)", california, trees, "california_housing"),
    BlackBox("California, network (8 features)", california, network, "california_housing"),
    BlackBox("Friedman, forest (10 features)", friedman, forest),
    BlackBox("Bike, linear (12 features)", bike, linear, "bike_sharing"),
    BlackBox("Bike, trees (12 features)", bike, trees, "bike_sharing"),
    BlackBox("dependent, network (14 features)", fourteen, network),
)


def decompose(X: Floats, predictions: Floats) -> Decomposition:
    """Fit our default."""
    return FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_


def calls_different(found: Comparison) -> bool:
    """Whether a page of this comparison shows any difference: function, inputs, an effect, a share."""
    shares = any(item.exceeds for item in (*found.term_shares, *found.feature_shares))
    return bool(found.changed or found.moved() or found.differing() or shares)


@dataclass
class Rates:
    """How often what is promised was kept: for each promise, hits and tries."""

    counts: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, promise: str, kept: bool) -> None:
        """Count one try."""
        self.counts.setdefault(promise, []).append(kept)

    def rate(self, promise: str) -> float:
        """Share of tries in which it was so."""
        return float(np.mean(self.counts[promise]))

    def broken(self) -> list[str]:
        """List the promises that are not kept."""
        limits = {
            "equal, with rows": (0.0, MOST_PAGES),
            "equal, without rows": (0.0, MOST_PAGES),
            "planted": (FOUND, 1.0),
            "told apart": (TOLD_APART, 1.0),
        }
        return [
            promise
            for promise, (low, high) in limits.items()
            if promise in self.counts and not low <= self.rate(promise) <= high
        ]

    def __str__(self) -> str:
        """Write hits and tries."""
        return "; ".join(f"{promise} {sum(tries)} of {len(tries)}" for promise, tries in self.counts.items())


def sample(box: BlackBox, seed: int, n_rows: int) -> Iterator[tuple[str, bool]]:
    """Compare the same model on two halves, with a change, and on rows that moved."""
    X, predictions = box.asked
    one, other = box.halves(seed, n_rows)
    a, b = (decompose(X[rows], predictions[rows]) for rows in (one, other))
    yield "equal, with rows", calls_different(compare_decompositions(a, b, X))
    yield "equal, without rows", calls_different(compare_decompositions(a, b))
    changed = compare_decompositions(a, decompose(X[other], (predictions + box.planted(seed))[other]), X, limit=NOTICED)
    yield "planted", bool(changed.changed)
    yield "told apart", bool(changed.changed) and not changed.moved()
    rows = box.moved(seed, n_rows)
    moved = compare_decompositions(a, decompose(X[rows], predictions[rows]), X)
    yield "told apart", not moved.changed and bool(moved.moved())


def measure(boxes: Sequence[BlackBox], n_samples: int, n_rows: int) -> Rates:
    """Print the rates of each black box, and return those of all."""
    total = Rates()
    for box in boxes:
        own = Rates()
        for seed in range(n_samples):
            for promise, kept in sample(box, seed, n_rows):
                own.add(promise, kept)
                total.add(promise, kept)
        print(f"  {box.name}: {own}", flush=True)
    return total


def main(arguments: list[str] | None = None) -> int:
    """Print how often equal models are called different and changes found; 1 if a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alarms", description=str(__doc__).splitlines()[0])
    parser.add_argument("--samples", type=int, default=17, help="of each black box (%(default)s)")
    parser.add_argument("--rows", type=int, default=10_000, help="of each half, at most (%(default)s)")
    parser.add_argument("--only", default="", help="black boxes whose name holds this")
    options = parser.parse_args(arguments)
    boxes = [box for box in BOXES if options.only in box.name and (not box.needs or available(box.needs))]
    print(
        f"Pages that call equal models different (at most {MOST_PAGES:.0%}), changes of {PLANTED:.0%} of the standard "
        f"deviation that are found (at least {FOUND:.0%}), moved and changed told apart (at least {TOLD_APART:.0%}):"
    )
    total = measure(boxes, options.samples, options.rows)
    broken = total.broken()
    print(f"All: {total}\n{'Broken: ' + ', '.join(broken) if broken else 'All promises are kept.'}")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
