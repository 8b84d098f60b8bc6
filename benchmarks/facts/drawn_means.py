"""Joint effects averaged over rows, along a common direction or by one feature, against components at these rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from anova_report.core.randomness import stream
from benchmarks.facts.checks import Check, drawn, equal
from benchmarks.facts.page import Floats, Page, Said, Subject, Term, value_of

AVERAGED_ROWS, ROWS_PER_MEAN, MOST_MEANS = 5000, 40, 24


@dataclass(frozen=True, eq=False)
class Means:
    """A joint effect at the rows it is averaged over, and the group of each row."""

    rows: Any
    effect: Floats
    group: Any

    @property
    def value(self) -> Floats:
        """The mean of every group."""
        return np.asarray(np.bincount(self.group, self.effect) / np.bincount(self.group))

    def mean(self, column: Floats) -> Floats:
        """Average another column over the groups."""
        return np.asarray(np.bincount(self.group, column[self.rows]) / np.bincount(self.group))


def joint_rows(page: Page, terms: list[Term], output: int) -> tuple[Any, Floats]:
    """Return the rows that are averaged over, and the sum of components there."""
    rows = np.arange(len(page.values))
    if len(rows) > AVERAGED_ROWS:
        rows = np.sort(stream(0, "drawn rows").choice(len(rows), size=AVERAGED_ROWS, replace=False))
    at = [page.terms.index(term) for term in terms]
    return rows, page.components[np.ix_(rows, at, [output])][:, :, 0].sum(axis=1)


def runs(column: Floats) -> Any:
    """Divide rows into neighbours, about equally many; equal values stay together."""
    ranks = rankdata(column, method="average") - 0.5  # the middle of equal values
    n_runs = min(max(len(column) // ROWS_PER_MEAN, 1), MOST_MEANS)
    found = np.floor(ranks * n_runs / len(column)).astype(int)
    return np.unique(found, return_inverse=True)[1]


def along(page: Page, said: Said) -> Means:
    """Find the first principal component of the ranks of the features that have an order."""
    rows, effect = joint_rows(page, said.terms, said.output)
    columns = []
    for index in said.features:
        column = page.values[rows, index]
        known, ranks = ~np.isnan(column), np.zeros(len(rows))
        if page.dec.features[index].kind != "nominal" and known.any():
            ranks[known] = rankdata(column[known])
            ranks[known] -= ranks[known].mean()
        columns.append(ranks / (ranks.std() or 1.0))
    table = np.column_stack(columns)
    _, _, directions = np.linalg.svd(table, full_matrices=False)
    positions = table @ directions[0]
    if directions[0][np.abs(directions[0]).argmax()] < 0:
        positions = -positions
    return Means(rows, effect, runs(positions))


def by_number(page: Page, said: Said, index: int) -> Means:
    """Divide the rows by the values of one feature; those without one are a group of their own, the last."""
    rows, effect = joint_rows(page, said.terms, said.output)
    column = page.values[rows, index]
    absent, group = np.isnan(column), np.zeros(len(rows), dtype=int)
    group[~absent] = runs(column[~absent])
    group[absent] = group.max() + 1
    return Means(rows, effect, group)


def means(page: Page, figure: dict[str, Any], _subject: Subject) -> Iterator[Check]:
    """Average the joint effect over the rows of every point, or level."""
    data, last = figure["data"], Said(figure["claims"][-1], figure)
    course = Said(figure["claims"][0], figure)
    if last.kind == "common direction":
        found = along(page, course)
        value = found.value
        # Which end comes first is a matter of sign.
        turned = np.abs(value[::-1] - data["value"]).sum() < np.abs(value - data["value"]).sum()
        yield drawn("means along", data["value"], value[::-1] if turned else value)
        return
    (index,) = last.features
    if data["x"]["levels"]:
        rows, effect = joint_rows(page, course.terms, course.output)
        column, true = page.values[rows, index], []
        for name in data["x"]["levels"]:
            code = value_of(page.dec.features[index], name, page.values[:, index])
            true.append(float(effect[np.isnan(column) if np.isnan(code) else column == code].mean()))
        yield drawn("means of levels", data["value"], true)
        return
    found = by_number(page, course, index)
    at = found.mean(page.values[:, index])
    inside = (at >= data["x"]["low"]) & (at <= data["x"]["high"])
    yield equal("points", len(data["at"]), int(inside.sum()))
    yield drawn("means by number", data["value"], found.value[inside])
    yield drawn("where they lie", data["at"], at[inside], data["x"]["high"] - data["x"]["low"])
