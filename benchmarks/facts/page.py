"""A page to be checked: the audit as its file holds it, and what it is about, read and computed by own code."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from anova_report import Decomposition
from anova_report.core.randomness import stream
from benchmarks.facts.printed import FACTOR, reading

Floats = npt.NDArray[np.float64]
Term = tuple[int, ...]
UNKNOWN = -1.0  # code of a level that no row of a fit has


@dataclass(frozen=True, eq=False)
class Said:
    """A claim of a page, and what holds it: a figure, a finding, a case."""

    written: dict[str, Any]
    holder: dict[str, Any]

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.written["kind"])

    @property
    def numbers(self) -> dict[str, float]:
        """Its numbers by their names."""
        found: dict[str, float] = self.written["numbers"]
        return found

    @property
    def terms(self) -> list[Term]:
        """The terms it is about."""
        return [tuple(term) for term in self.written["terms"]]

    @property
    def features(self) -> Term:
        """The features it is about."""
        return tuple(self.written["features"])

    @property
    def rows(self) -> list[int]:
        """The rows it is about."""
        return list(self.written["rows"])

    @property
    def output(self) -> int:
        """The output it is about."""
        return int(self.written["output"] or 0)

    @property
    def places(self) -> list[str]:
        """Values of features as they are written."""
        return list(self.written["places"])

    @property
    def others(self) -> "list[Said]":
        """All claims of the same kind in the same place."""
        every = (Said(written, self.holder) for written in self.holder["claims"])
        return [said for said in every if said.kind == self.kind]

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]


@dataclass(frozen=True)
class Subject:
    """What a figure is about."""

    output: int = 0
    features: Term = ()
    row: int | None = None
    joint: bool = False


@dataclass(frozen=True, eq=False)
class Page:
    """The document of an audit, and the rows, predictions and components it speaks about."""

    name: str
    document: dict[str, Any]
    X: pd.DataFrame
    predictions: Floats  # shape (n_rows, n_outputs)
    dec: Decomposition
    population: pd.DataFrame | None = None  # rows under which it was decomposed, if not those of the fit
    weights: Floats | None = None  # how much each row counts; all the same where there are none
    # what the page holds the predictions against, where it does
    truth: Any = None
    split: Any = None  # which rows were held out when the model was trained
    protected: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def values(self) -> Floats:
        """The rows as numbers, shape (n_rows, n_features)."""
        return np.column_stack([self._column(feature) for feature in self.dec.features])

    def _column(self, feature: Any) -> Floats:
        """Read a feature: a column, or columns of zeros and ones that stand for its levels."""
        if not feature.columns:
            return encoded(self.X[feature.name], feature)
        every = self.X[list(feature.columns)].astype(float)
        level = every.idxmax(axis=1).where(every.sum(axis=1) == 1, "")
        return np.array([float(feature.columns.index(name)) if name else float(len(feature.columns)) for name in level])

    @property
    def n_fitted(self) -> int:
        """How many rows the fit had: of a cohort more than the page shows."""
        whole = getattr(self.dec, "whole", None)
        return len(self.values) if whole is None else len(whole.X)

    @cached_property
    def components(self) -> Floats:
        """All components on all rows, shape (n_rows, n_terms, n_outputs)."""
        found = self.dec.components(self.X)
        return found[:, :, None] if found.ndim == 2 else found

    @cached_property
    def mean(self) -> Floats:
        """The constant of each output."""
        return np.atleast_1d(self.dec.mean)

    @cached_property
    def explained(self) -> Floats:
        """The explanation of all rows, shape (n_rows, n_outputs)."""
        return np.asarray(self.mean + self.components.sum(axis=1))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms, in the order of the components."""
        return self.dec.terms

    @cached_property
    def features(self) -> tuple[str, ...]:
        """What readers see for the features."""
        return tuple(feature.label or feature.name for feature in self.dec.features)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(feature.name for feature in self.dec.features)

    @cached_property
    def has_factors(self) -> bool:
        """Whether predictions are logarithms, which the page writes as what they are the logarithms of."""
        return str(self.dec.scale) == "log"

    def size(self, text: str) -> str:
        """Make a printed prediction, or a part of one, readable: without its unit, and as a logarithm if it is one."""
        plain = without_unit(text, self.dec.prediction_unit).removeprefix("a factor of ")
        return plain if not self.has_factors or plain.startswith(FACTOR) else FACTOR + plain

    @cached_property
    def words(self) -> set[str]:
        """Names that sentences may hold, which may hold digits."""
        return {
            *self.features,
            *(feature.unit for feature in self.dec.features if feature.unit),
            *([self.dec.prediction_name] if self.dec.prediction_name else []),
            *([self.dec.prediction_unit] if self.dec.prediction_unit else []),
            *map(str, self.dec.output_names),
            self.document["run"]["created"],
            self.document["title"],
            *(text for texts in (self.document.get("about") or {}).values() for text in texts),  # the user's own words
        }

    @property
    def held_out(self) -> Any:
        """The averages that are kept of held-out rows."""
        if self.dec.held_out is None:
            raise ValueError(f"{self.name} states something of held-out rows, and there are none.")
        return self.dec.held_out

    @cached_property
    def drawn_rows(self) -> Any:
        """The rows that stand for all where there are more than 2,000."""
        if len(self.values) <= 2000:
            return np.arange(len(self.values))
        return np.sort(stream(0, "drawn rows").choice(len(self.values), size=2000, replace=False))

    def label(self, term: Sequence[int]) -> str:
        """Name a term."""
        return " × ".join(self.features[index] for index in term)

    def named(self, label: str) -> Term | None:
        """Find the term of a name; None where there is none, or several."""
        found = [term for term in self.terms if self.label(term) == label]
        return found[0] if len(found) == 1 else None

    def at(self, term: Term, points: dict[int, Any], output: int, *, joint: bool = False) -> Floats:
        """Evaluate a component, or the sum of all within its features, at points of these features."""
        length = max(len(np.atleast_1d(column)) for column in points.values())
        rows = np.repeat(self.values[:1], length, axis=0)
        for index, column in points.items():
            rows[:, index] = column
        inside = [own for own in self.terms if set(own) <= set(term)] if joint else [term]
        return np.asarray(self.dec.expansion.evaluate(rows, inside)[:, :, output].sum(axis=1))

    def errors(self, term: Term, points: dict[int, Any], output: int) -> Floats | None:
        """Return what each jackknife group contributes to a component at points, shape (n_points, n_groups)."""
        if self.dec.uncertainty is None:
            return None
        rows = np.repeat(self.values[:1], len(next(iter(points.values()))), axis=0)
        for index, column in points.items():
            rows[:, index] = column
        return np.asarray(self.dec.uncertainty.components[output].evaluate(rows, [term])[:, 0])

    def variance(self, output: int) -> float:
        """Variance of the predictions."""
        return self.product(self.predictions[:, output], self.predictions[:, output])

    def product(self, first: Floats, second: Floats) -> float:
        """Covariance of two columns over the rows, as these count."""
        centered = [column - np.average(column, weights=self.weights) for column in (first, second)]
        return float(np.average(centered[0] * centered[1], weights=self.weights))

    def share(self, terms: Sequence[Term], output: int) -> tuple[float, float]:
        """Structural and total share of the sum of some components, from all rows."""
        chosen = [self.terms.index(term) for term in terms]
        part = self.components[:, chosen, output].sum(axis=1)
        variance = self.variance(output) or np.inf
        return self.product(part, part) / variance, self.product(part, self.predictions[:, output]) / variance

    def feature_shares(self, index: int, output: int) -> tuple[float, float]:
        """Structural and total share of a feature: every term shared equally among its features."""
        own = [(self.share([term], output), len(term)) for term in self.terms if index in term]
        return sum(share[0] / order for share, order in own), sum(share[1] / order for share, order in own)

    def inside(self, features: Sequence[int]) -> list[Term]:
        """List the terms of some features only."""
        wanted = set(features)
        return [term for term in self.terms if set(term) <= wanted]

    def unexplained(self, output: int) -> float:
        """Unexplained share: on held-out rows, of which only averages are kept, or on the rows of the fit."""
        if self.dec.held_out is None:
            residual = self.predictions[:, output] - self.explained[:, output]
            return float((residual**2).mean() / self.variance(output))
        moments = self.dec.held_out
        firsts, seconds = moments.firsts[:, output], moments.seconds[:, :, output]
        return float(moments.squared_gap[output] / (seconds.sum() - firsts.sum() ** 2))

    def parts(self, term: Term) -> list[Term]:
        """List the proper subterms of a term that are components."""
        every = (part for order in range(1, len(term)) for part in combinations(term, order))
        return [part for part in every if part in self.terms]


def encoded(column: pd.Series, feature: Any) -> Floats:
    """Read a column as numbers: positions of levels, seconds since 1970, NaN where it is missing."""
    if feature.levels:
        known = {level: float(at) for at, level in enumerate(feature.levels)}
        return np.array([np.nan if pd.isna(value) else known[str(value)] for value in column])
    if feature.kind == "datetime":
        return ((column - pd.Timestamp(0)) / pd.Timedelta(seconds=1)).to_numpy(float, na_value=np.nan)
    return column.to_numpy(float, na_value=np.nan)


def coded(page: Page, table: pd.DataFrame) -> Floats:
    """Read the rows of a table as a decomposition codes them; a level that it does not know gets no code of its own."""
    columns = []
    for feature in page.dec.features:
        column = table[feature.name]
        if feature.levels:
            known = {level: float(at) for at, level in enumerate(feature.levels)}
            columns.append(np.array([np.nan if pd.isna(value) else known.get(str(value), UNKNOWN) for value in column]))
        elif feature.kind == "datetime":
            columns.append(((column - pd.Timestamp(0)) / pd.Timedelta(seconds=1)).to_numpy(float, na_value=np.nan))
        else:
            columns.append(column.to_numpy(float, na_value=np.nan))
    return np.column_stack(columns)


def within_rows(values: Floats, rows: Floats) -> Any:
    """Tell which values lie within those of some rows; missing ones do where one of these is."""
    known = rows[~np.isnan(rows)]
    inside = (values >= known.min()) & (values <= known.max()) if len(known) else np.zeros(len(values), dtype=bool)
    return np.where(np.isnan(values), np.isnan(rows).any(), inside)


def headings(feature: Any) -> tuple[str, ...]:
    """List what an axis along a feature may be called: what readers see for it, with what its values count."""
    title = feature.label or feature.name
    return title, f"{title} (seconds)", f"{title} ({feature.unit})"


def without_unit(text: str, unit: str) -> str:
    """Take the unit off a printed number."""
    return text.removesuffix(unit).removesuffix(" × ").removesuffix(" ") if unit else text


def place(feature: Any, text: str) -> tuple[float, float]:
    """Return the range of encoded values that a printed value of a feature stands for."""
    text = without_unit(text, feature.unit)
    if text == "(missing)":
        return np.nan, np.nan
    if feature.levels:
        code = float(feature.levels.index(text))
        return code, code
    if feature.kind == "boolean" and text in ("True", "False"):
        return (float(text == "True"),) * 2
    if feature.kind == "datetime":
        start = (pd.Timestamp(text) - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
        return start, start + (1.0 if ":" in text else 86_400.0)
    return reading(text.removesuffix(" s"))


def value_of(feature: Any, text: str, among: Floats) -> float:
    """Return the value, among some, that a printed value of a feature stands for: the nearest that reads like it."""
    low, high = place(feature, text)
    inside = among[(among >= low) & (among <= high)]
    return float(inside[np.argmin(np.abs(inside - (low + high) / 2))]) if len(inside) else (low + high) / 2
