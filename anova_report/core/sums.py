"""Sums over rows, group by group: after them the fit never looks at a row again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats, Reals
from anova_report.core.design import Columns
from anova_report.core.parallel import Scratch, in_order
from anova_report.core.rows import GroupedRows, Part


@dataclass(frozen=True, eq=False)
class Normal:
    """Averages over some rows: all that a least-squares fit on them needs.

    Parameters
    ----------
    gram : array of shape (n_columns, n_columns)
        Averages of the product of two columns; only the upper triangle is filled.
    cross : array of shape (n_columns, n_outputs)
        Averages of the product of a column and an answer.
    squares : array of shape (n_outputs,)
        Averages of squared answers.
    n_rows : int
    """

    gram: Floats
    cross: Floats
    squares: Floats
    n_rows: int

    @property
    def variance(self) -> Floats:
        """Variance of the answers; the constant is the first column."""
        return np.asarray(self.squares - self.cross[0] ** 2)

    def first(self, size: int) -> "Normal":
        """Keep the leading columns."""
        return Normal(np.asfortranarray(self.gram[:size, :size]), self.cross[:size], self.squares, self.n_rows)


class GroupSums:
    """Sums of products of columns and answers over the rows of each group.

    Blocks are multiplied in single precision, twice as fast, and added up in double. `groups` says which groups of rows
    are summed under each name, `n_rows` how many rows these are.
    """

    def __init__(self, groups: Sequence[int], n_outputs: int) -> None:
        self.groups: dict[int, tuple[int, ...]] = {group: (group,) for group in groups}
        self._gram: dict[int, Floats] = {group: np.zeros((0, 0)) for group in groups}
        self._cross: dict[int, Floats] = {group: np.zeros((0, n_outputs)) for group in groups}
        self._squares: dict[int, Floats] = {group: np.zeros(n_outputs) for group in groups}
        self.n_rows = dict.fromkeys(groups, 0)

    def extend(self, rows: GroupedRows, columns: Columns) -> None:
        """Add the columns that are not in yet, in one pass over the rows."""
        had = self._grow(columns.size)
        name_of = {member: name for name, members in self.groups.items() for member in members}

        scratch = Scratch()

        def multiply(part: Part) -> tuple[Part, Reals, Reals, Reals]:
            design = columns.design(part.functions, out=scratch.matrix(columns.size, len(part.answers)))
            new = design[had:]
            cross = new @ part.answers.astype(np.float32)
            return part, design[:had] @ new.T, new @ new.T, cross  # of the second, numpy makes only one half

        for part, with_old, among_new, cross in in_order(multiply, rows.parts(list(name_of))):
            name = name_of[part.group]
            self._gram[name][:had, had:] += with_old
            self._gram[name][had:, had:] += among_new
            self._cross[name][had:] += cross
            if not had:
                self._squares[name] += (part.answers**2).sum(axis=0)
                self.n_rows[name] += len(part.answers)

    def average(self, groups: Collection[int]) -> Normal:
        """Average over the rows of some groups."""
        first, *others = groups
        n_rows = sum(self.n_rows[group] for group in groups)
        gram = self._gram[first].copy(order="F")
        for group in others:
            gram += self._gram[group]
        gram /= n_rows
        cross = np.sum([self._cross[group] for group in groups], axis=0) / n_rows
        squares = np.sum([self._squares[group] for group in groups], axis=0) / n_rows
        return Normal(gram, cross, squares, n_rows)

    def merged(self, size: int) -> "GroupSums":
        """Make one group of all, with the leading columns only; this object gives up its own sums."""
        names = list(self._gram)
        everything = GroupSums([names[0]], self._squares[names[0]].size)
        everything.groups = {names[0]: tuple(member for name in names for member in self.groups[name])}
        gram = np.asfortranarray(self._gram.pop(names[0])[:size, :size])
        for name in names[1:]:
            gram += self._gram.pop(name)[:size, :size]
        everything._gram[names[0]] = gram
        everything._cross[names[0]] = np.sum([cross[:size] for cross in self._cross.values()], axis=0)
        everything._squares[names[0]] = np.sum(list(self._squares.values()), axis=0)
        everything.n_rows[names[0]] = sum(self.n_rows.values())
        return everything

    def _grow(self, size: int) -> int:
        """Make room for more columns; return how many there were."""
        had = 0
        for group, old in self._gram.items():
            had = len(old)
            self._gram[group] = np.zeros((size, size), order="F")
            self._gram[group][:had, :had] = old
            self._cross[group] = np.pad(self._cross[group], ((0, size - had), (0, 0)))
        return had
