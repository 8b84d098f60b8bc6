"""What verdict a sample deserves, from truth outside the software: fresh rows, closed forms, and how it was made.

Each fact about a sample gives the mildest and the most severe verdict that is right by it; together they deserve the
worst of both. Near a limit two verdicts are right, because nobody can tell on which side of it the truth lies.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.measures import Fidelity
from anova_report.measures.status import (
    CONCURVITY,
    COSINE,
    LEAKAGE,
    OPTIMISM,
    ROUGH_SHARES,
    SEVERITY,
    SMALL_SHARE,
    UNEXPLAINED,
    Limit,
    Status,
)
from benchmarks.judge import Floats, Term

Component = Callable[[Any], Floats]

# What is right at a limit, as a share of the limit: within it both verdicts are.
NEAR_R2 = 0.3
NEAR_LEAKAGE = 0.6  # few held-out rows decide it, and the limit itself is small
NEAR_CANCELLATION = 0.12
SAME_R2 = 0.01  # two figures of R² that no reader would tell apart
CARRIES = 0.05  # terms with less of the variance mislead nobody
SEEN = 0.01  # terms with less are not looked at
TINY = 1e-300
HELD = 0.90  # share of rows at which a band must hold the truth
BAND_ROWS = 2000
CELLS = 40  # along a feature, to see what functions of it explain
MISPLACED = 0.13  # squared error of a component over the variance of the predictions: the unexplained share that warns
STRUCTURAL_SUM = Limit(1.5, np.inf, "Structural shares that add up to this cancel by a third.")
ALIKE = Limit(0.7, np.inf, "Two components so correlated share half their variance.")


@dataclass(frozen=True)
class Deserved:
    """The mildest and the most severe verdict that would be right."""

    least: Status
    most: Status

    def __str__(self) -> str:
        return self.least if self.least == self.most else f"{self.least}–{self.most}"

    def and_also(self, other: "Deserved") -> "Deserved":
        """Join with what another fact deserves: a verdict is the worst of its findings."""
        least = max(self.least, other.least, key=SEVERITY.__getitem__)
        return Deserved(least, max(self.most, other.most, key=SEVERITY.__getitem__))

    def too_mild(self, verdict: Status) -> bool:
        """Whether a verdict says less than it must."""
        return SEVERITY[verdict] < SEVERITY[self.least]

    def too_severe(self, verdict: Status) -> bool:
        """Whether a verdict says more than it may."""
        return SEVERITY[verdict] > SEVERITY[self.most]


PASS, WARN, FAIL = Deserved("pass", "pass"), Deserved("warn", "warn"), Deserved("fail", "fail")
NEVER_FAIL, NEVER_PASS, BY_TRUTH = Deserved("pass", "warn"), Deserved("warn", "fail"), Deserved("pass", "fail")


@dataclass(frozen=True)
class Draw:
    """A sample to fit, and what is known besides.

    Parameters
    ----------
    X, predictions
        What is fitted.
    fresh, fresh_predictions
        Many other rows of the same law, or of the law on which the explanation is used.
    judged : optional
        Rows handed to the findings; those of the fit by default.
    fit : mapping
        Further arguments of `fit`.
    components : mapping
        Components known on paper; whatever carries variance is among them.
    shown : optional
        Predictions handed to the audit of these rows.
    """

    X: Any
    predictions: Floats
    fresh: Any
    fresh_predictions: Floats
    judged: Any = None
    fit: Mapping[str, Any] = field(default_factory=dict)
    components: Mapping[Term, Component] = field(default_factory=dict)
    shown: Floats | None = None

    def but(self, **changes: Any) -> "Draw":
        """Return the same sample with some things changed."""
        return replace(self, **changes)


Make = Callable[[np.random.Generator, int], Draw]


def fit_table(draw: Draw, max_order: int, random_state: int) -> Decomposition:
    """Fit our default."""
    estimator = FunctionalANOVA(max_order, random_state=random_state, progress=False)
    return estimator.fit(draw.X, draw.predictions, **draw.fit).decomposition_


@dataclass(frozen=True)
class Case:
    """A situation built to deserve a verdict.

    Parameters
    ----------
    name : str
    n_rows : int
    make : callable
        Draws a sample from a generator and a number of rows.
    deserved : Deserved
        By how it was made; fresh rows and known components can ask for worse.
    because : tuple of str
        Codes of which at least one must speak where a pass is wrong.
    output : int
        Which output is judged.
    same_seed : bool
        Whether the table is drawn with the very seed that is the fit's `random_state`.
    decompose : callable
    """

    name: str
    n_rows: int
    make: Make
    deserved: Deserved = PASS
    because: tuple[str, ...] = ()
    max_order: int = 2
    output: int = 0
    same_seed: bool = False
    needs: str = ""  # an argument of `fit`, or a dataset, without which the case is skipped
    decompose: Callable[[Draw, int, int], Decomposition] = fit_table


@dataclass(frozen=True)
class Truth:
    """What fresh rows say of an explanation.

    Parameters
    ----------
    deserved : Deserved
    by_code : mapping
        What each finding may say whose subject fresh rows tell; of some nobody is misled if it says nothing.
    r2 : float
        R² on fresh rows.
    misread, read : int
        Of how many main effects that carry 1% a reader is told something wrong; see `misread`.
    """

    deserved: Deserved
    by_code: Mapping[str, Deserved]
    r2: float
    misread: int = 0
    read: int = 0


def truth_of(case: Case, draw: Draw, dec: Decomposition, reported: Fidelity) -> Truth:
    """Find out what an explanation deserves."""
    r2 = r_squared(dec, draw.fresh, draw.fresh_predictions, case.output)
    optimism = r_squared(dec, draw.X, draw.predictions, case.output) - r2
    demanded = {"AR002": graded(UNEXPLAINED, 1 - r2, NEAR_R2)}
    if isinstance(draw.fresh, np.ndarray):
        demanded["AR005"] = graded(LEAKAGE, worst_leakage(dec, draw.fresh, case.output), NEAR_LEAKAGE)
    if draw.components:
        demanded["AR008"] = of_cancellation(draw)
    deserved = reduce(Deserved.and_also, demanded.values(), case.deserved)
    if flatters(reported, r2):
        deserved = deserved.and_also(NEVER_PASS)
    if draw.components and misplaced(dec, draw):
        deserved = deserved.and_also(WARN)
    permits = {
        "AR003": permitted(OPTIMISM, optimism),
        "AR004": permitted(COSINE, worst_cosine(dec, draw.fresh, case.output)),
    }
    if isinstance(draw.fresh, pd.DataFrame):  # laws of real tables are rough
        permits["AR005"] = permitted(LEAKAGE, worst_leakage(dec, draw.fresh, case.output), NEAR_LEAKAGE)
        if draw.components:
            permits["AR011"] = permitted(CONCURVITY, most_explained(draw))
    built = Deserved("pass", case.deserved.most)
    by_code = demanded | {code: found.and_also(built) for code, found in permits.items()}
    return Truth(deserved, by_code, r2, *(misread(dec, draw) if draw.components else (0, 0)))


def graded(limit: Limit, value: float, near: float) -> Deserved:
    """Judge a value of which less is better, with two right verdicts near a limit."""
    return Deserved(limit.judge(value * (1 - near)), limit.judge(value * (1 + near)))


def permitted(limit: Limit, value: float, near: float = NEAR_R2) -> Deserved:
    """Let a finding speak where fresh rows bear it out, though nobody is misled if it does not."""
    return Deserved("pass", graded(limit, value, near).most)


def r_squared(dec: Decomposition, X: Any, predictions: Floats, output: int) -> float:
    """R² of the explanation on rows."""
    wanted, predicted = _column(predictions, output), _column(dec.predict(X), output)
    return float(1 - np.mean((wanted - predicted) ** 2) / np.var(wanted))


def of_shares(case: Case, samples: Sequence[Mapping[Term, float]]) -> Deserved:
    """Let shares be called uncertain where they vary among samples, as much as half an interval that would hold."""
    terms = sorted({term for shares in samples for term in shares})
    table = np.array([[shares.get(term, 0.0) for term in terms] for shares in samples])
    half = 1.96 * table.std(axis=0, ddof=1) if len(samples) > 1 and terms else np.zeros(1)
    relative = float((half / np.maximum(np.abs(table.mean(axis=0)), SMALL_SHARE)).max()) if terms else 0.0
    return permitted(ROUGH_SHARES, relative).and_also(Deserved("pass", case.deserved.most))


def flatters(reported: Fidelity, r2: float) -> bool:
    """Whether the reported R², even the lower end of its interval, is higher than R² on fresh rows."""
    bounds = reported.held_out_interval if reported.held_out is not None else reported.in_sample_interval
    return (reported.best if bounds is None else bounds.low) > r2 + SAME_R2


def misplaced(dec: Decomposition, draw: Draw) -> bool:
    """Whether a component is clearly not the one known on paper."""
    gaps = (_estimate(dec, term, draw.fresh) - component(draw.fresh) for term, component in draw.components.items())
    return max(float(np.mean(gap**2)) for gap in gaps) > MISPLACED * float(np.var(draw.fresh_predictions))


def misread(dec: Decomposition, draw: Draw) -> tuple[int, int]:
    """Count main effects that are told wrongly, and all that are told.

    A band must hold the truth at 90% of the rows; or the feature must be named as one that cannot be read alone, and
    the joint share that is given instead must hold.
    """
    rows = draw.fresh[:BAND_ROWS]
    known = {term: component(draw.fresh) for term, component in draw.components.items()}
    spread = float(np.var(draw.fresh_predictions))
    carrying = [term for term, values in known.items() if len(term) == 1 and values.var() >= SEEN * spread]
    # Earlier versions name no such features.
    groups = measures.inseparable(dec) if hasattr(measures, "inseparable") else ()
    wrong = 0
    for term in carrying:
        group = next((group for group in groups if term[0] in group.features), None)
        held = (
            _share_inside(dec, term, rows, known[term]) >= HELD if group is None else _holds(group.joint, known, draw)
        )
        wrong += not held
    return wrong, len(carrying)


def _share_inside(dec: Decomposition, term: Term, rows: Any, values: Floats) -> float:
    if term not in dec.terms:
        return 0.0
    band, truth = measures.bands(dec, term, rows), values[: len(rows)]
    return float(np.mean((band.lower <= truth) & (truth <= band.upper)))


def _holds(joint: Any, known: Mapping[Term, Floats], draw: Draw) -> bool:
    """Whether the interval of a joint share holds that of the known components of its features."""
    inside = np.sum([values for term, values in known.items() if set(term) <= set(joint.features)], axis=0)
    share = float(np.cov(inside, draw.fresh_predictions)[0, 1] / np.var(draw.fresh_predictions))
    bounds = joint.total_interval
    return bounds is not None and bounds.low - SAME_R2 <= share <= bounds.high + SAME_R2


def of_cancellation(draw: Draw) -> Deserved:
    """Ask for a warning where components known on paper cancel, or are too alike to be read one by one."""
    spread = float(np.var(draw.fresh_predictions))
    values = np.array([component(draw.fresh) for component in draw.components.values()])
    shares = values.var(axis=1) / spread
    carrying = values[shares >= CARRIES]
    alike = np.abs(np.corrcoef(carrying) - np.eye(len(carrying))).max() if len(carrying) > 1 else 0.0
    found = graded(STRUCTURAL_SUM, float(shares.sum()), NEAR_CANCELLATION)
    return found.and_also(graded(ALIKE, float(alike), NEAR_CANCELLATION))


def worst_leakage(dec: Decomposition, X: Floats, output: int = 0) -> float:
    """Largest share of an interaction's variance that a function of one of its features explains, beyond chance."""
    values = _outputs(dec, X, output)
    floor = CARRIES * values.sum(axis=1).var()
    inside = [(term, column) for term, column in zip(dec.terms, values.T, strict=True) if column.var() > floor]
    values_of = (
        np.asarray(X) if isinstance(X, np.ndarray) else X.apply(lambda x: pd.factorize(x, sort=True)[0]).to_numpy()
    )
    return max(
        (_explained(column, values_of[:, feature]) for term, column in inside if len(term) > 1 for feature in term),
        default=0.0,
    )


def most_explained(draw: Draw) -> float:
    """Largest share of a main effect of 1% or more that trees of the other columns explain on rows new to them."""
    codes = draw.fresh.apply(lambda x: x if pd.api.types.is_numeric_dtype(x) else pd.factorize(x, sort=True)[0])
    table, half = codes.to_numpy(float), len(codes) // 2
    spread, found = float(np.var(draw.fresh_predictions)), [0.0]
    for term, component in draw.components.items():
        values = component(draw.fresh)
        if len(term) == 1 and values.var() >= SEEN * spread:
            others = np.delete(table, term[0], axis=1)
            trees = HistGradientBoostingRegressor(random_state=0).fit(others[:half], values[:half])
            found.append(1 - float(np.mean((values[half:] - trees.predict(others[half:])) ** 2) / values[half:].var()))
    return max(found)


def worst_cosine(dec: Decomposition, X: Any, output: int = 0) -> float:
    """Largest cosine between an interaction and a main effect of it, as an angle between their values on rows."""
    values = dict(zip(dec.terms, _outputs(dec, X, output).T, strict=True))
    floor = SEEN * float(np.sum(list(values.values()), axis=0).var())
    inside = [term for term in values if len(term) > 1 and values[term].var() > floor]
    pairs = [(values[term], values[(part,)]) for term in inside for part in term if (part,) in values]
    return max((abs(float(a @ b)) / max(np.linalg.norm(a) * np.linalg.norm(b), TINY) for a, b in pairs), default=0.0)


def _explained(values: Floats, x: Floats) -> float:
    """Share of variance between cells of equal frequency, less what chance gives."""
    cell = np.searchsorted(np.quantile(x, np.linspace(0, 1, CELLS + 1)[1:-1]), x)
    counts = np.bincount(cell, minlength=CELLS)
    means = np.bincount(cell, values - values.mean(), CELLS) / np.maximum(counts, 1)
    return float((counts @ means**2) / len(x) / values.var() - CELLS / len(x))


def _estimate(dec: Decomposition, term: Term, X: Any) -> Floats:
    return dec.component(term, X) if term in dec.terms else np.zeros(len(X))


def _outputs(dec: Decomposition, X: Any, output: int) -> Floats:
    components = dec.components(X)
    return components if dec.single_output else components[..., output]


def _column(values: Floats, output: int) -> Floats:
    return values if values.ndim == 1 else values[:, output]
