"""From a purified fit to component functions, their moments, and how each chunk of rows moved them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.design import Evaluator
from anova_report.core.expansion import Component, Expansion
from anova_report.core.marginals import MarginalReference
from anova_report.core.parts import Parts
from anova_report.core.purify import Purified, purify
from anova_report.core.rows import Part
from anova_report.core.terms import Term, ancestors, sort_terms
from anova_report.core.tuning import Fit


@dataclass(frozen=True, eq=False)
class Assembly:
    """The components of a fit, as combinations of its columns.

    Parameters
    ----------
    fit : Fit
    purified : Purified
    """

    fit: Fit
    purified: Purified

    @classmethod
    def of(cls, fit: Fit) -> "Assembly":
        """Purify a fit."""
        roughness = fit.columns.roughness(fit.rows.marginals)
        return cls(fit, purify(fit.columns, fit.normal, fit.coefficients, fit.rows, fit.groups, roughness))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Terms by order, then by index."""
        return sort_terms(self.fit.columns.positions)

    @cached_property
    def parts(self) -> Parts:
        """The parts of the interactions, which come last among the terms."""
        return Parts(self.fit.columns, [term for term in self.terms if len(term) > 1])

    @cached_property
    def offsets(self) -> Floats:
        """Averages of the main effects over the rows of the fit, shape (n_terms, n_outputs); others have none."""
        averages = self.fit.normal.gram[0]
        coefficients = self.purified.coefficients
        own = [self.fit.columns.positions[term] for term in self.terms]
        means = [averages[at] @ coefficients[at] for at in own]
        return np.array([mean if len(term) == 1 else 0 * mean for term, mean in zip(self.terms, means, strict=True)])

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns a component is made of: its own, then the parts that were taken out of it."""
        own = self.fit.columns.positions[term]
        return np.concatenate([own, self.purified.projections[term].positions]) if len(term) > 1 else own

    def coefficients(self, term: Term) -> Floats:
        """Coefficients of a component for standardised answers, in the order of `positions`."""
        own = self.purified.coefficients[self.fit.columns.positions[term]]
        return np.concatenate([own, -self.purified.projections[term].shift]) if len(term) > 1 else own

    def degrees(self, term: Term) -> NDArray[np.intp]:
        """Degrees of the products of a component, in the order of `positions`; the constant function is 0."""
        functions = self.fit.columns.functions
        own = functions[term] + 1
        if len(term) == 1:
            return own
        blocks = [own, np.zeros((1, len(term)), dtype=np.intp)]
        for part in ancestors(term):
            if part in functions:
                block = np.zeros((len(functions[part]), len(term)), dtype=np.intp)
                block[:, [term.index(feature) for feature in part]] = functions[part] + 1
                blocks.append(block)
        return np.concatenate(blocks)

    def expansion(self) -> Expansion:
        """Write the components as functions, for answers as they came."""
        rows = self.fit.rows
        components = tuple(
            Component(term, self.degrees(term), self.coefficients(term) * rows.spread, -offset * rows.spread)
            for term, offset in zip(self.terms, self.offsets, strict=True)
        )
        mean = rows.centre + rows.spread * (self.purified.coefficients[0] + self.offsets.sum(axis=0))
        return Expansion(MarginalReference(tuple(rows.marginals)), components, mean)

    @cached_property
    def evaluator(self) -> Evaluator:
        """The components before parts are taken out of them, on parts of the rows."""
        return Evaluator(self.fit.columns, self.purified.coefficients)

    def columns(self, part: Part) -> Floats:
        """Evaluate components and, last, the gap, for standardised answers, shape (n_outputs, n_terms + 1, n_rows)."""
        values = self.evaluator.components(self.terms, part.functions)
        n_mains = len(self.terms) - len(self.parts.terms)
        shifts = {term: projection.shift for term, projection in self.purified.projections.items()}
        self.parts.subtract(shifts, part.functions, values[:, n_mains:])
        columns = np.empty((len(values), len(self.terms) + 1, values.shape[2]))
        np.subtract(values, self.offsets.T[:, :, None], out=columns[:, :-1])
        mean = self.purified.coefficients[0] + self.offsets.sum(axis=0)
        columns[:, -1] = part.answers.T - mean[:, None] - columns[:, :-1].sum(axis=1)
        return columns
