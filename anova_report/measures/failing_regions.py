"""Where the explanation fails: short rules whose rows hold far more of what is unexplained than their share.

Rules are found on one half of the residuals and judged on the other, both ways. A region counts only if it holds more
than any region of as many rows would by chance, with room for all the rules that were tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from anova_report.core.arrays import Floats
from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.explanation import rows_and_predictions
from anova_report.core.result.terms import CARRIES
from anova_report.measures.intervals import LEVEL, Interval
from anova_report.measures.local import given_predictions
from anova_report.measures.rules import Conditions, Divisions, Mask, grow, holds
from anova_report.measures.sentences.failures import rule_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.variance import prediction_variance

ResidualsOf: TypeAlias = Literal["held-out rows", "all rows"]

MOST_ROWS = 50_000  # whose residuals are looked at, where held-out ones are not known: a budget of time
# Statistics (`make regions`).
MOST_RULES = 3  # in each half: what one tree of so many leaves would find
TWICE = 2.0  # as much of what is unexplained as of the rows: less is no place to look at first
CARRYING_ROWS = 8.0  # effective rows that a region must rest on: one bad row is not a region
LARGEST = 0.99  # larger residuals count like this quantile when rules are looked for
FEWEST_JUDGED = 60  # rows in each half
FEWEST_UNITS = 8  # of which a half must consist, so that its errors are known


@dataclass(frozen=True)
class FailingRegion:
    """Rows of which a rule says that the explanation fails there.

    Parameters
    ----------
    conditions : tuple of Condition
        All of which its rows fulfil.
    rule : str
        The same in words.
    n_rows, n_judged : int
        How many of the rows on which it was judged lie in it; none of these was used to find it.
    row_share, residual_share : float
        Its share of these rows, and of the sum of their squared residuals, as rows count.
    interval : Interval
        Of the latter, wide enough for all rules that were tried.
    by_chance : float
        What a region of as many random rows would hold at most.
    unexplained : float
        The mean squared residual in it, over the variance of the predictions.
    half : int
        The half of the rows on which it was judged.
    """

    conditions: Conditions
    rule: str
    n_rows: int
    n_judged: int
    row_share: float
    residual_share: float
    interval: Interval
    by_chance: float
    unexplained: float
    half: int


@dataclass(frozen=True, repr=False)
class FailingRegions(Shown):
    """Regions where the explanation fails, the one that holds most beyond its share first.

    Parameters
    ----------
    regions : tuple of FailingRegion
    n_tried : int
        How many rules were judged: those that pick out rows with twice their share in the half they were found on.
    n_rows : int
        Rows whose residuals were looked at.
    over : {"held-out rows", "all rows"}
        Whether these are residuals of rows that the fit has not seen. Of a decomposition that was read from a file, and
        of other rows than those of the fit, they are predictions minus explanations.
    is_judged : bool
        Whether there are rows enough to find rules and to judge them.
    """

    regions: tuple[FailingRegion, ...]
    n_tried: int
    n_rows: int
    over: ResidualsOf
    is_judged: bool = True

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per region."""
        names = ("rule", "n_rows", "row_share", "residual_share")
        columns: dict[str, list[object]] = {name: [getattr(item, name) for item in self.regions] for name in names}
        columns["low"] = [item.interval.low for item in self.regions]
        columns["high"] = [item.interval.high for item in self.regions]
        return columns | {name: [getattr(item, name) for item in self.regions] for name in ("by_chance", "unexplained")}


def failing_regions(
    dec: Decomposition, X: Any = None, predictions: Any = None, output: str | int | None = None
) -> FailingRegions:
    """Find regions of rows that hold far more of what is unexplained than their share.

    Parameters
    ----------
    dec : Decomposition
        An `Explanation` needs nothing else.
    X : table of shape (n_rows, n_features), optional
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        Of these rows, on the scale that was decomposed.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import explain
    >>> X = np.random.default_rng(0).uniform(size=(2000, 3))
    >>> def model(rows):
    ...     return rows[:, 0] + np.where(rows[:, 2] < 0.1, np.sign(np.sin(40 * rows.prod(axis=1))), 0)
    >>> dec = explain(model, X, ask=0, progress=False)
    >>> failing_regions(dec).regions[0].rule
    'x2 < 0.125'
    """
    X, predictions = rows_and_predictions(dec, X, predictions)
    values = dec.encode(X)
    given = given_predictions(dec, predictions, values)[0]
    return encoded_failing_regions(dec, values, given, dec.output_index(output))


def encoded_failing_regions(
    dec: Decomposition, values: Floats, predictions: Floats, output: int = 0, seed: int = 0
) -> FailingRegions:
    """Find regions among encoded rows; `seed` divides them where no held-out residuals are known."""
    judged = JudgedRows.of(dec, values, predictions, output, seed)
    halves = [judged.chosen(judged.half == half) for half in (0, 1)]
    few_rows = min(len(half.squares) for half in halves) < FEWEST_JUDGED
    if few_rows or min(len(np.unique(half.units)) for half in halves) < FEWEST_UNITS:
        return FailingRegions((), 0, len(judged.squares), judged.over, is_judged=False)
    tried = [(rule, 1 - half) for half, rows in enumerate(halves) for rule in _rules(dec, rows)]
    found = [_judge(dec, rule, halves[half], half, len(tried), output) for rule, half in tried]
    claimed = sorted((item for item in found if _fails(item, halves[item.half])), key=_beyond, reverse=True)
    kept: list[FailingRegion] = []
    for region in claimed:
        others = halves[region.half].without(kept)
        alone = _judge(dec, region.conditions, others, region.half, len(tried), output)
        if 2 * alone.n_rows >= region.n_rows and _fails(alone, others):
            kept.append(region)
    return FailingRegions(tuple(kept), len(tried), len(judged.squares), judged.over)


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Rows with their squared residuals, divided into two halves of whole units."""

    values: Floats
    squares: Floats
    weights: Floats
    units: NDArray[np.intp]
    over: ResidualsOf

    @classmethod
    def of(cls, dec: Decomposition, values: Floats, predictions: Floats, output: int, seed: int) -> "JudgedRows":
        """Take held-out residuals where these are the rows of the fit; else predictions minus explanations."""
        known = dec.row_residuals
        if known is not None and dec.fingerprint is not None and dec.fingerprint.is_of_rows(values):
            squares = known.residuals[:, output] ** 2
            return cls(values[known.positions], squares, known.weights, known.units, "held-out rows")
        units = stream(seed, "units of residuals").integers(REPLICATES, size=len(values))
        some = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_ROWS)).astype(np.intp))
        residuals = predictions[some, output] - dec.expansion.predict(values[some])[:, output]
        return cls(values[some], residuals**2, np.ones(len(some)), units[some], "all rows")

    @property
    def half(self) -> NDArray[np.intp]:
        """The half of each row: every other unit is in the second."""
        return np.asarray(np.unique(self.units, return_inverse=True)[1] % 2)

    def chosen(self, rows: Mask) -> "JudgedRows":
        """Keep some rows."""
        return JudgedRows(self.values[rows], self.squares[rows], self.weights[rows], self.units[rows], self.over)

    def without(self, regions: Sequence[FailingRegion]) -> "JudgedRows":
        """Leave out the rows of regions."""
        return (
            self.chosen(~np.any([holds(own.conditions, self.values) for own in regions], axis=0)) if regions else self
        )


def _rules(dec: Decomposition, rows: JudgedRows) -> list[Conditions]:
    """Find rules one after the other, each on the rows that no earlier one picks out."""
    found: list[Conditions] = []
    while len(found) < MOST_RULES and len(rows.squares) >= FEWEST_JUDGED // 2:
        amounts = rows.weights * np.minimum(rows.squares, np.quantile(rows.squares, LARGEST))
        if not amounts.any():
            break
        divisions = [Divisions.of(at, feature, rows.values[:, at]) for at, feature in enumerate(dec.features)]
        rule = grow(divisions, rows.weights, amounts)
        inside = holds(rule, rows.values) if rule else np.zeros(len(rows.squares), dtype=bool)
        if not rule or amounts[inside].sum() / amounts.sum() < TWICE * rows.weights[inside].sum() / rows.weights.sum():
            break
        found.append(rule)
        rows = rows.chosen(~inside)
    return found


def _judge(
    dec: Decomposition, rule: Conditions, rows: JudgedRows, half: int, n_tried: int, output: int
) -> FailingRegion:
    """Measure what the rows of a rule hold, among rows that it was not found on."""
    inside = holds(rule, rows.values)
    share, held, interval, by_chance = _held(inside, rows, n_tried)
    mean_square = float(np.average(rows.squares, weights=rows.weights)) if len(rows.squares) else 0.0
    variance = prediction_variance(dec, dec.in_sample, output) or np.inf
    return FailingRegion(
        conditions=rule,
        rule=rule_words(rule, Names.of(dec, output)),
        n_rows=int(inside.sum()),
        n_judged=len(inside),
        row_share=share,
        residual_share=held,
        interval=interval,
        by_chance=by_chance,
        unexplained=mean_square * held / share / variance if share else 0.0,
        half=half,
    )


def _held(inside: Mask, rows: JudgedRows, n_tried: int) -> tuple[float, float, Interval, float]:
    """Return the share of rows and of squared residuals inside, the interval of the latter, and what chance gives.

    The interval is one of the logarithm of what is inside over what is outside, whose error is that of sums over units.
    """
    squares = rows.weights * rows.squares
    share, whole = float(rows.weights[inside].sum() / (rows.weights.sum() or 1.0)), float(squares.sum())
    within = float(squares[inside].sum())
    if not 0 < within < whole:
        held = within / whole if whole else 0.0
        return share, held, Interval(0.0, 1.0), 1.0
    _, unit = np.unique(rows.units, return_inverse=True)
    moved = np.bincount(unit, squares * np.where(inside, 1 / within, -1 / (whole - within)))
    n_units = len(moved)
    error = float(np.sqrt(((moved - moved.mean()) ** 2).sum() * n_units / (n_units - 1)))
    reach = float(student.ppf(1 - (1 - LEVEL) / (2 * n_tried), n_units - 1))
    odds = np.log(within / (whole - within)) + reach * error * np.array([-1.0, 1.0])
    low, high = (1 / (1 + np.exp(-odds))).tolist()
    # The variance of what as many rows hold that are drawn at random.
    chance = float(np.sqrt(share * (1 - share) * (squares**2).sum())) / whole
    return share, within / whole, Interval(low, high), share + reach * chance


def _fails(region: FailingRegion, rows: JudgedRows) -> bool:
    """Tell whether a region holds more than by chance, enough to look at, and not because of a few rows."""
    squares = (rows.weights * rows.squares)[holds(region.conditions, rows.values)]
    carrying = float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 0.0
    is_large = region.residual_share >= TWICE * region.row_share and region.unexplained >= CARRIES
    return is_large and carrying >= CARRYING_ROWS and region.interval.low > region.by_chance


def _beyond(region: FailingRegion) -> float:
    return region.residual_share - region.row_share
