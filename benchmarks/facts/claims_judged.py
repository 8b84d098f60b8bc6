"""Claims on the accuracy of models and on protected columns, by scikit-learn and by means over rows."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge

from anova_report.core.randomness import stream
from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.page import Floats, Page, Said

Checker = Callable[[Page, Said], Iterator[Check]]
Metric = Callable[[Floats, Floats], float]

GROUPS = 40  # of rows, left out in turn: their spread is known within about a tenth
OF_TEXTBOOK = (0.55, 2.0)  # half an interval, as a part of 1.96 standard errors: room for other estimates of these
FITTED = 2e-3  # what two runs of a penalized regression may differ by; sums of claims are compared exactly
CELL_ROWS, PART_ROWS, LEVELS, FOLDS, RARE = 30, 40, 12, 5, 10
EXACT = {"xatol": 1e-9, "fatol": 1e-15, "maxiter": 2000}
SURE, OPEN = 4.0, 1.8  # standard errors: beyond the first a difference is one, within the second none


@dataclass(frozen=True, eq=False)
class Observed:
    """The truth and the predictions of one output on the scale of the truth, and the rows that decide."""

    y: Floats
    p: Floats  # of several classes together one column for each
    judged: Any
    binary: bool

    def at(self, rows: Any) -> tuple[Floats, Floats]:
        """Keep some rows."""
        return self.y[rows], self.p[rows]


def response(page: Page, values: Floats) -> Floats:
    """Turn the explained scale into that of the truth."""
    return {"logit": expit, "log": np.exp}.get(page.dec.scale, np.asarray)(values)


def observed(page: Page, output: int, *, together: bool = False) -> Observed:
    """Find truth and predictions of an output: of a class among several, against all others."""
    n, names = len(page.values), list(page.dec.output_names)
    judged = np.ones(n, dtype=bool) if page.split is None else page.split
    p = response(page, page.predictions)
    if len(names) == 1:
        binary = page.dec.scale in ("logit", "probability")
        return Observed(page.truth.astype(float), p[:, 0], judged, binary)
    position = np.array([names.index(str(value)) for value in page.truth])
    if together:
        return Observed(position.astype(float), p / p.sum(axis=1, keepdims=True), judged, binary=False)
    return Observed((position == output).astype(float), p[:, output], judged, binary=True)


def calibration(y: Floats, p: Floats, *, shift: bool = False) -> float:
    """Regress the truth on log-odds, or find the shift that makes these right on average, by maximum likelihood."""
    odds = np.log(p) - np.log1p(-p)

    def loss(found: Floats) -> float:
        line = odds + found[0] if shift else found[0] + found[1] * odds
        return float(np.logaddexp(0.0, np.where(y == 1, -line, line)).mean())

    found = minimize(loss, [0.0] if shift else [0.0, 1.0], method="Nelder-Mead", options=EXACT).x
    return float(found[-1])


METRICS: dict[str, Metric] = {
    "R²": sk.r2_score,
    "RMSE": sk.root_mean_squared_error,
    "MAE": sk.mean_absolute_error,
    "Mean Poisson deviance": sk.mean_poisson_deviance,
    "Mean gamma deviance": sk.mean_gamma_deviance,
    "AUC": sk.roc_auc_score,
    "Log-loss": lambda y, p: sk.log_loss(y, p, labels=np.arange(p.shape[1]) if p.ndim == 2 else [0, 1]),
    "Brier score": sk.brier_score_loss,
    "Accuracy": lambda y, p: sk.accuracy_score(y, p.argmax(axis=1)),
    "Calibration slope": calibration,
    "Calibration intercept": partial(calibration, shift=True),
}


def spread(measure: Callable[[Any], float], n_rows: int) -> float:
    """Estimate a standard error by leaving groups of rows out in turn."""
    group = np.arange(n_rows) % GROUPS
    found = np.array([measure(group != each) for each in range(GROUPS)])
    return float(np.sqrt((GROUPS - 1) / GROUPS * ((found - found.mean()) ** 2).sum()))


def half(said: Said, error: float) -> Iterator[Check]:
    """Compare half an interval with 1.96 standard errors of another estimate."""
    if error > 1e-9:
        low, high = (1.96 * error * part for part in OF_TEXTBOOK)
        yield within("half of the interval", (said["high"] - said["low"]) / 2, low, high)


def rows_judged(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows that decide."""
    judged = observed(page, 0).judged
    yield equal("rows that decide", said["n_rows"], float(judged.sum()))
    yield equal("other rows", said["n_others"], float((~judged).sum()))
    yield equal("which", said.places[1], "all rows" if judged.all() else "held-out rows")


def score(page: Page, said: Said) -> Iterator[Check]:
    """Compute a metric, and its spread."""
    name, where, of = said.places
    seen = observed(page, said.output, together=of == "all classes")
    y, p = seen.at(~seen.judged if where == "training rows" else seen.judged)
    yield near(name, said["value"], float(METRICS[name](y, p)), 1e-5 if name.startswith("Calibration") else 1e-9)
    if "low" in said.numbers:
        yield within("interval", said["value"], said["low"], said["high"])
    counted = len(y) if not (of or seen.binary) else min(np.bincount(y.astype(int)))
    if "low" in said.numbers and counted > 2 * GROUPS:
        yield from half(said, spread(lambda kept: float(METRICS[name](y[kept], p[kept])), len(y)))


def functions(page: Page, output: int) -> dict[str, Floats]:
    """Predict the truth by simpler functions."""
    several = len(page.dec.output_names) > 1
    seen = observed(page, output, together=several)
    found = {"The model": seen.p, "A linear model": linear(page, output)}
    for name, order in (("Main effects alone", 1), ("Main effects and pairs", 2), ("Main effects and interactions", 9)):
        own = [at for at, term in enumerate(page.terms) if len(term) <= order]
        values = response(page, page.mean + page.components[:, own].sum(axis=1))
        found[name] = values / values.sum(axis=1, keepdims=True) if several else values[:, output]
    return found


@lru_cache(maxsize=4)
def linear(page: Page, output: int) -> Floats:
    """Predict by a linear model, fitted to training rows or cross-fitted."""
    several = len(page.dec.output_names) > 1
    seen = observed(page, output, together=several)
    columns, rng, n = design(page), stream(0, "linear model"), len(page.values)
    made: Any = LogisticRegression(max_iter=500) if seen.binary or several else Ridge(alpha=1.0)
    if page.dec.scale == "log":
        made = PoissonRegressor(alpha=1e-4, max_iter=500)

    def predicted(learnt: Any, rows: Any) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = made.fit(columns[learnt], seen.y[learnt])
        if several:
            return np.asarray(fitted.predict_proba(columns[rows]))
        return np.asarray(fitted.predict_proba(columns[rows])[:, 1] if seen.binary else fitted.predict(columns[rows]))

    if page.split is not None:
        return predicted(~page.split, np.ones(n, dtype=bool))
    fold = rng.permutation(np.arange(n) % FOLDS)
    found = np.empty_like(seen.p)
    for each in range(FOLDS):
        found[fold == each] = predicted(fold != each, fold == each)
    return found


def design(page: Page) -> Floats:
    """Write features as columns: levels as indicators, numbers standardized, a column for gaps."""
    columns = []
    for feature, column in zip(page.dec.features, page.values.T, strict=True):
        gaps = np.isnan(column)
        if feature.levels:
            counts = {code: int((column == code).sum()) for code in np.unique(column[~gaps])}
            often = sorted(counts, key=lambda code: -counts[code])[:50]
            columns += [(column == code).astype(float) for code in often if counts[code] >= RARE]
        else:
            scaled = (column - np.nanmean(column)) / (np.nanstd(column) or 1.0)
            columns.append(np.where(gaps, 0.0, scaled))
        columns += [gaps.astype(float)] if gaps.any() else []
    return np.column_stack(columns)


def function(page: Page, said: Said) -> Iterator[Check]:
    """Compute what a function reaches, how far from the model, and which part of its gain that is."""
    name, metric = said.places
    several = len(page.dec.output_names) > 1
    seen = observed(page, said.output, together=several)
    y, model = seen.at(seen.judged)
    of = METRICS[metric]
    own = functions(page, said.output)[name][seen.judged]
    yield near("value", said["value"], float(of(y, own)), FITTED if name == "A linear model" else 1e-7)
    reached = float(of(y, model))
    yield near("difference", said["difference"], said["value"] - reached, 1e-9)
    yield within("interval", said["difference"], said["low"] - 1e-12, said["high"] + 1e-12)
    if name != "The model":
        yield from half(said, spread(lambda kept: float(of(y[kept], own[kept]) - of(y[kept], model[kept])), len(y)))
    alike = np.full(len(y), y.mean())
    if several:
        alike = np.tile(np.bincount(y.astype(int), minlength=model.shape[1]) / len(y), (len(y), 1))
    gain = reached - float(of(y, alike))
    if "kept" in said.numbers:
        yield near("kept", said["kept"], 1 + (said["value"] - reached) / gain, 1e-6)


@dataclass(frozen=True, eq=False)
class Cell:
    """Rows of a cell among those that decide: how many, and means with the spread of their difference."""

    at: float
    y: Floats
    p: Floats

    @property
    def apart(self) -> float:
        """Mean truth minus mean prediction."""
        return float((self.y - self.p).mean())

    @property
    def beyond(self) -> float:
        """How many standard errors these are apart; of shares of none or all, as if one row were otherwise."""
        gap = self.y - self.p
        if set(np.unique(self.y)) in ({0.0}, {1.0}) and (self.p >= 0).all() and (self.p <= 1).all():
            return OPEN + (SURE - OPEN) * 0.5 if abs(self.apart) < 6 / len(gap) else SURE + 1
        return float(abs(gap.mean()) / (gap.std(ddof=1) / np.sqrt(len(gap)) or np.inf))


def cells(page: Page, output: int, feature: int | None) -> tuple[list[Cell], int]:
    """Divide the rows that decide into tenths, or by value where there are few; also count rows of small cells."""
    seen = observed(page, output)
    y, p = seen.at(seen.judged)
    column = p if feature is None else page.values[seen.judged, feature]
    gaps = np.isnan(column)
    known = column[~gaps]
    values, counts = np.unique(known, return_counts=True)
    groups: list[Any] = []
    if feature is not None and (page.dec.features[feature].levels or len(values) <= LEVELS):
        often = sorted(range(len(values)), key=lambda at: (-counts[at], at))[:LEVELS]
        groups += [column == values[at] for at in sorted(often)]
    else:
        parts = min(10, max(1, len(known) // PART_ROWS))
        edges = [-np.inf, *np.unique(np.quantile(known, np.arange(1, parts) / parts, method="inverted_cdf")), np.inf]
        groups += [(column > low) & (column <= high) for low, high in pairwise(edges)]
    groups.append(gaps)
    shown = [group for group in groups if group.sum() >= CELL_ROWS]
    kept = int(sum(group.sum() for group in shown))
    return [Cell(float(column[group].mean()), y[group], p[group]) for group in shown], len(column) - kept


def compared(page: Page, said: Said) -> Iterator[Check]:
    """Count cells, and those in which truth and prediction differ for sure or perhaps."""
    own, left = cells(page, said.output, said.features[0] if said.features else None)
    yield equal("cells", said["n_cells"], float(len(own)))
    yield equal("least rows", said["least"], float(CELL_ROWS))
    yield equal("rows left out", said.numbers.get("n_left_out", 0.0), float(left))
    sure, perhaps = (sum(cell.beyond > bound for cell in own) for bound in (SURE, OPEN))
    yield equal("a whole number of cells", said["n_differing"] % 1, 0.0)
    yield within("cells that differ", said["n_differing"], sure, perhaps)


def departure(page: Page, said: Said) -> Iterator[Check]:
    """Find the cell that is named, and see that no other that differs for sure is further apart."""
    own, _ = cells(page, said.output, said.features[0] if said.features else None)
    names = [line[0] for line in said.holder["table"]["rows"]]
    cell = own[names.index(said.places[0])]
    yield near("mean truth", said["observed"], float(cell.y.mean()), 1e-9)
    yield near("mean prediction", said["predicted"], float(cell.p.mean()), 1e-9)
    yield near("difference", said["difference"], cell.apart, 1e-9)
    yield equal("rows", said["n_rows"], float(len(cell.y)))
    furthest = max((abs(one.apart) for one in own if one.beyond > SURE), default=0.0)
    yield within("it is the furthest", abs(said["difference"]), furthest - 1e-9, 1e300)
    yield within("interval", said["difference"], said["low"], said["high"])


def held(y: Floats, by: Floats, parts: Any) -> Floats:
    """Add up the truth of parts of the rows, the largest of a column first, rows of one value taken together."""
    values = np.unique(by)[::-1]
    rows = np.r_[0.0, np.cumsum([(by == value).mean() for value in values])]
    return np.asarray(
        np.interp(parts, rows, np.r_[0.0, np.cumsum([y[by == value].sum() for value in values]) / y.sum()])
    )


def lift(page: Page, said: Said) -> Iterator[Check]:
    """Add up the truth of the rows with the largest predictions."""
    seen = observed(page, said.output)
    y, p = seen.at(seen.judged)
    true = float(held(y, p, said["part"]))
    yield equal("part of the rows", said["part"], 0.1)
    yield near("share", said["share"], true, 1e-9)
    yield near("lift", said["lift"], true / 0.1, 1e-7)
    yield within("interval", true, said["low"], said["high"])
    if min(y.sum(), len(y)) > 5 * GROUPS:
        yield from half(said, spread(lambda kept: float(held(y[kept], p[kept], said["part"])), len(y)))


def number_of_columns(page: Page, said: Said) -> Iterator[Check]:
    """Count protected columns."""
    yield equal("columns", said["n_columns"], float(len(page.protected)))


def levels(page: Page, name: str) -> dict[str, Any]:
    """Find the rows of each level of a protected column; none of a number."""
    column = page.protected[name]
    if column.dtype == object:
        found = {str(value): np.array([one == value for one in column]) for value in sorted({*column} - {None})}
        gaps = np.array([one is None for one in column])
    else:
        values = np.unique(column[~np.isnan(column)])
        if len(values) > 2:
            return {}
        found = {f"{value:g}": column == value for value in values}
        gaps = np.isnan(column)
    return found | ({"(missing)": gaps} if gaps.any() else {})


def column(page: Page, said: Said) -> Iterator[Check]:
    """See whether a column is an input and has terms, and count rows and levels that are left out."""
    name, standing = said.places
    read = name in page.features and any(page.features.index(name) in term for term in page.terms)
    yield equal("standing", standing, "read" if read else "not read" if name in page.features else "not given")
    yield equal("rows", said["n_rows"], float(len(page.values)))
    every = levels(page, name)
    gaps = 0 if every else int(np.isnan(page.protected[name]).sum())
    yield equal("rows without a value", said.numbers.get("n_missing", 0.0), float(gaps))
    small = sum(rows.sum() < CELL_ROWS for rows in every.values())
    yield equal("small levels", said.numbers.get("n_small", 0.0), float(small))


def of_group(page: Page, said: Said) -> tuple[Observed, Any]:
    """Find the rows of a group: those that decide, where there are enough."""
    inside = levels(page, said.places[0])[said.places[1]]
    if page.truth is None:
        return Observed(np.zeros(len(inside)), response(page, page.predictions)[:, said.output], inside, False), inside
    seen = observed(page, said.output)
    both = inside & seen.judged
    return seen, both if both.sum() >= CELL_ROWS else inside


def mean_of_group(page: Page, said: Said) -> Iterator[Check]:
    """Average predictions of a group."""
    seen, rows = of_group(page, said)
    p = seen.p[rows]
    yield equal("rows", said["n_rows"], float(len(p)))
    yield near("mean prediction", said["predicted"], float(p.mean()), 1e-9)
    yield from half(said, float(p.std(ddof=1) / np.sqrt(len(p))))


def truth_of_group(page: Page, said: Said) -> Iterator[Check]:
    """Average the truth of a group."""
    seen, rows = of_group(page, said)
    y, p = seen.at(rows)
    yield near("mean truth", said["observed"], float(y.mean()), 1e-9)
    yield near("difference", said["difference"], float((y - p).mean()), 1e-9)
    if np.ptp(y):
        yield from half(said, float((y - p).std(ddof=1) / np.sqrt(len(y))))


def going_with(page: Page, said: Said, values: Floats) -> float:
    """Measure how something goes with a protected column: a difference of means, or a slope per standard deviation."""
    name, level = said.places
    if level:
        inside = levels(page, name)[level]
        return float(values[inside].mean() - values[~inside].mean())
    own = page.protected[name]
    known = ~np.isnan(own)
    return float(np.cov(own[known], values[known], ddof=0)[0, 1] / own[known].std())


def amounts(page: Page, said: Said) -> dict[str, float]:
    """Measure the whole, and what it adds up from."""
    name, output = said.places[0], said.output
    own = page.features.index(name) if name in page.features else -1
    parts = page.components[:, :, output]
    direct = [at for at, term in enumerate(page.terms) if own in term]
    others = [at for at in range(len(page.terms)) if at not in direct]
    columns = {
        "association": page.predictions[:, output],
        "association directly": parts[:, direct].sum(axis=1),
        "association through others": parts[:, others].sum(axis=1),
        "association of the residual": page.predictions[:, output] - page.explained[:, output],
    }
    return {kind: going_with(page, said, values) for kind, values in columns.items()}


def association(page: Page, said: Said) -> Iterator[Check]:
    """Compute an amount; the whole is what all claims beside it add up to."""
    yield near(said.kind, said["value"], amounts(page, said)[said.kind], 1e-9)
    yield within("interval", said["value"], said["low"], said["high"])
    if said.kind == "association" and said.places[1]:
        inside = levels(page, said.places[0])[said.places[1]]
        values = page.predictions[:, said.output]
        yield from half(said, float(np.sqrt(sum(values[side].var() / side.sum() for side in (inside, ~inside)))))
        parts = [each for each in said.holder["claims"] if each["kind"].endswith(("a term", "the residual"))]
        added = sum(each["numbers"]["value"] for each in parts)
        yield within("terms and residual add up", added - amounts(page, said)["association"], -1e-9, 1e-9)


def through(page: Page, said: Said) -> Iterator[Check]:
    """Compute what runs through one component."""
    values = page.components[:, page.terms.index(said.terms[0]), said.output]
    yield near("through a term", said["value"], going_with(page, said, values), 1e-9)
    yield within("interval", said["value"], said["low"], said["high"])


JUDGED: dict[str, Checker] = {
    "rows judged": rows_judged,
    "score": score,
    "accuracy of a function": function,
    "cells compared": compared,
    "largest departure": departure,
    "lift": lift,
    "protected columns": number_of_columns,
    "protected column": column,
    "mean of a group": mean_of_group,
    "truth of a group": truth_of_group,
    "association": association,
    "association directly": association,
    "association through others": association,
    "association of the residual": association,
    "association through a term": through,
}
