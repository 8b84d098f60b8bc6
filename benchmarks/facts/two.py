"""A comparison to be checked: its document as the file holds it, and rows, predictions and components of both sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from anova_report import Decomposition
from anova_report.compare.versions.points import points_of
from benchmarks.facts.page import UNKNOWN, Floats, Page, Term, coded, within_rows

MADE_UP, FUNCTION_ROWS = 2000, 4000  # rows that a page makes to compare effects, and functions


@dataclass(frozen=True, eq=False)
class Two:
    """The document of a comparison, both sides, and the rows at which they are compared."""

    name: str
    document: dict[str, Any]
    sides: tuple[Page, Page]
    X: pd.DataFrame | None  # rows of the comparison; None where they are made up
    answers: tuple[Floats, Floats]  # of both models at the rows of X, or at those of both tables
    limit: float = 0.05
    has_models: bool = True  # whether the comparison had both models and their predictions, or files

    @cached_property
    def names(self) -> tuple[str, str]:
        """What both are called."""
        first, second = self.document["names"]
        return first, second

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The features that both have, by name and kind."""
        first, second = ({item.name: _family(item.kind) for item in side.dec.features} for side in self.sides)
        return tuple(name for name, kind in first.items() if second.get(name) == kind)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """What readers see for these: labels of the first, or of the second where that has none."""
        shown = []
        for name in self.columns:
            own = [side.features[side.columns.index(name)] for side in self.sides]
            shown.append(own[0] if own[0] != name else own[1])
        return tuple(shown)

    @property
    def has_factors(self) -> bool:
        """Whether effects are factors."""
        return self.sides[0].has_factors

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Main effects, pairs and higher terms over common features that either holds, as positions among these."""
        found = set()
        for side in self.sides:
            named = [[side.columns[index] for index in term] for term in side.terms]
            found |= {tuple(sorted(map(self.columns.index, own))) for own in named if set(own) <= set(self.columns)}
        return tuple(sorted(found, key=lambda term: (len(term), term)))

    @cached_property
    def words(self) -> set[str]:
        """Names that sentences may hold, which may hold digits."""
        run = self.document["run"]["created"]
        return {run, self.document["title"], *self.names} | {word for side in self.sides for word in side.words}

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows at which predictions of both are known: those of X, or made-up ones."""
        return made_up(self.sides[0].dec, self.sides[1].dec) if self.X is None else self.X

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """The rows at which effects are compared, as both sides code them."""
        if self.X is None:
            made = points_of(self.sides[0].dec, self.sides[1].dec, None, MADE_UP, 0)
            return made.first, made.second
        return coded(self.sides[0], self.X), coded(self.sides[1], self.X)

    def own(self, side: int, features: Sequence[int]) -> Term:
        """Find common features in one of the sides."""
        return tuple(self.sides[side].columns.index(self.columns[index]) for index in features)

    def output(self, position: int, side: int) -> int:
        """Find an output of the page in one of the sides; the corpus names outputs alike."""
        name = self.document["outputs"][position]["name"].split(" / ")
        return list(map(str, self.sides[side].dec.output_names)).index(name[min(side, len(name) - 1)])

    def kept(self, features: Sequence[int]) -> Any:
        """Tell which points lie within the rows of both, in each of some features."""
        kept = np.ones(len(self.points[0]), dtype=bool)
        for side, values in enumerate(self.points):
            for index in self.own(side, features):
                kept &= within_rows(values[:, index], self.sides[side].values[:, index])
        return kept

    def effect(self, side: int, term: Term, columns: Sequence[Floats], output: int) -> Floats:
        """Evaluate a component of one side at columns as the first codes them, with mean zero over the points."""
        own, page = self.own(side, term), self.sides[side]
        held = tuple(sorted(own))
        if held not in page.terms:
            return np.zeros(len(columns[0]))
        at = self.output(output, side)
        recoded = [self._recoded(side, index, column) for index, column in zip(term, columns, strict=True)]
        kept = self.kept(term)
        mean = page.at(held, {index: self.points[side][kept, index] for index in own}, at).mean() if kept.any() else 0.0
        return page.at(held, dict(zip(own, recoded, strict=True)), at) - mean

    def effects(self, term: Term, output: int) -> tuple[Floats, Floats]:
        """Evaluate a component of both at the points that are kept."""
        kept = self.kept(term)
        columns = [self.points[0][kept, index] for index in self.own(0, term)]
        return self.effect(0, term, columns, output), self.effect(1, term, columns, output)

    def _recoded(self, side: int, index: int, column: Floats) -> Floats:
        first, own = (self.sides[at].dec.features[self.own(at, [index])[0]] for at in (0, side))
        if not first.levels:
            return column
        codes = {at: own.levels.index(level) for at, level in enumerate(first.levels) if level in own.levels}
        return np.array([np.nan if np.isnan(code) else codes.get(int(code), UNKNOWN) for code in column])

    def spread(self, output: int) -> float:
        """Return the larger standard deviation of the predictions over the rows of a fit."""
        return max(float(side.predictions[:, self.output(output, at)].std()) for at, side in enumerate(self.sides))

    @cached_property
    def same_rows(self) -> bool:
        """Whether both were fitted to the same rows."""
        return self.sides[0].X.equals(self.sides[1].X)

    @cached_property
    def common(self) -> Any:
        """Tell which rows of the table lie within the rows of both, and combine values as some of both do."""
        kept = np.ones(len(self.table), dtype=bool)
        for side in self.sides:
            values, support = coded(side, self.table), side.dec.joint_support
            for index in range(values.shape[1]):
                kept &= within_rows(values[:, index], side.values[:, index])
            if support is not None:  # which combinations a fit has seen only the fit knows
                kept &= ~support.unseen(side.dec.expansion.reference.marginals, values).any(axis=1)
        return kept

    def apart(self, output: int, *, known: bool) -> Floats:
        """Return the differences of the predictions of both: at the rows of both fits, or those of the comparison."""
        own = [self.output(output, at) for at in (0, 1)]
        if known and self.same_rows:
            step = 1 if self.has_models else self.sides[0].dec.fingerprint.step  # files keep some of the predictions
            first, second = (side.predictions[::step, at] for side, at in zip(self.sides, own, strict=True))
        else:
            first, second = (answer[self.common, at] for answer, at in zip(self.answers, own, strict=True))
        return np.asarray(second - first)


def made_up(a: Decomposition, b: Decomposition) -> pd.DataFrame:
    """Return the rows that a comparison makes where it is given none; those of the corpus are numbers."""
    return pd.DataFrame(points_of(a, b, None, FUNCTION_ROWS, 0).first, columns=list(a.feature_names))


def _family(kind: str) -> str:
    return "number" if kind in ("numeric", "boolean") else kind
