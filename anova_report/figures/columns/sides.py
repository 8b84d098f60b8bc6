"""Two decompositions at the same points: their components with mean zero there, so that constants do not differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.versions.points import points_of
from anova_report.core.arrays import Floats
from anova_report.core.decomposition import Decomposition
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.terms import Term
from anova_report.figures.columns.rows import Effect, Rows


@dataclass(frozen=True, eq=False)
class Sides:
    """Two decompositions and the points at which they are compared.

    Parameters
    ----------
    names : tuple of two str
    rows : tuple of two Rows
        The same points, as each decomposition reads them.
    outputs : tuple of two int
    outside : tuple of two arrays of bool, shape (n_points, n_features)
        What lies off the data of each.
    """

    names: tuple[str, str]
    rows: tuple[Rows, Rows]
    outputs: tuple[int, int]
    outside: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    @classmethod
    def of(
        cls,
        decs: tuple[Decomposition, Decomposition],
        X: Any,
        *,
        names: tuple[str, str],
        outputs: tuple[int, int] = (0, 0),
        max_rows: int = 1000,
        seed: int = 0,
    ) -> Self:
        """Choose the points as `compare_decompositions` does with the same arguments."""
        points = points_of(*decs, X, max_rows, seed)
        rows = Rows(decs[0], points.first, seed=seed), Rows(decs[1], points.second, seed=seed)
        return cls(names, rows, outputs, (points.first_outside, points.second_outside))

    def positions(self, side: int, features: Sequence[str]) -> list[int]:
        """Find features by name in one of the decompositions."""
        return [self.rows[side].dec.feature_names.index(name) for name in features]

    def kept(self, features: Sequence[str]) -> NDArray[np.bool_]:
        """Tell which points lie on the data of both."""
        off = [self.outside[side][:, self.positions(side, features)] for side in (0, 1)]
        return np.logical_not(np.hstack(off).any(axis=1))

    def term(self, side: int, features: Sequence[str]) -> Term | None:
        """Find a term by names; None where the decomposition does not hold it."""
        term = tuple(sorted(self.positions(side, features)))
        return term if term in self.rows[side].dec.expansion.position else None

    def effect(self, side: int, features: Sequence[str], columns: Sequence[Floats]) -> Effect:
        """Evaluate a component of one side, with its band, at values as the first decomposition codes them.

        A component that is not held is zero. Its mean over the points that are kept is taken off, as it is where
        differences are measured.
        """
        term = self.term(side, features)
        if term is None:
            return Effect(np.zeros(len(columns[0])), None, None)
        rows, output = self.rows[side], self.outputs[side]
        own = [self._recoded(side, name, column) for name, column in zip(features, columns, strict=True)]
        found = rows.effect(term, _ordered(self.positions(side, features), own), output)
        kept = self.kept(features)
        held = rows.component(term, [rows.values[kept, index] for index in term], output) if kept.any() else np.zeros(1)
        return _shifted(found, float(held.mean()))

    def _recoded(self, side: int, name: str, column: Floats) -> Floats:
        """Write codes of levels of the first decomposition as one of the two codes them."""
        source, target = (self.rows[at].dec.features[self.positions(at, [name])[0]] for at in (0, side))
        return column if not source.has_levels or source.levels == target.levels else _codes(column, source, target)


def _codes(column: Floats, source: Feature, target: Feature) -> Floats:
    known = {level: float(code) for code, level in enumerate(target.levels)}
    return np.array(
        [np.nan if np.isnan(code) else known.get(source.levels[int(code)], float(UNSEEN)) for code in column]
    )


def _ordered(positions: Sequence[int], columns: Sequence[Floats]) -> list[Floats]:
    """Put columns into the order of the decomposition's own features."""
    return [columns[at] for at in np.argsort(positions)]


def _shifted(effect: Effect, mean: float) -> Effect:
    if effect.lower is None or effect.upper is None:
        return Effect(effect.value - mean, None, None)
    return Effect(effect.value - mean, effect.lower - mean, effect.upper - mean)
