"""Sums over rows, group by group, of products and of the parts they share: then the fit needs no row any more."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, Reals
from anova_report.core.engines.threads import Scratch, in_order
from anova_report.core.fit.design import Columns
from anova_report.core.fit.replicates import CHUNKS, Cuts, sum_runs
from anova_report.core.fit.rows import GroupedRows, Part
from anova_report.core.terms import Term, ancestors


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


class Parts:
    """Which columns of a fit are parts of which interactions.

    Parameters
    ----------
    columns : Columns
    terms : sequence of Term
        The interactions.
    """

    def __init__(self, columns: Columns, terms: Sequence[Term]) -> None:
        self.columns = columns
        self.terms = tuple(terms)
        sharing: dict[Term, list[int]] = {}
        for index, term in enumerate(self.terms):
            for part in self.of(term):
                sharing.setdefault(part, []).append(index)
        self.sharing = {part: np.array(indices) for part, indices in sharing.items()}

    def of(self, term: Term) -> list[Term]:
        """List the parts of an interaction that have columns; the constant is not listed."""
        return [part for part in ancestors(term) if part in self.columns.positions]

    def positions(self, term: Term) -> NDArray[np.intp]:
        """Columns of the parts of an interaction, the constant first."""
        own = [self.columns.positions[part] for part in self.of(term)]
        return np.concatenate([np.zeros(1, dtype=np.intp), *own])

    def evaluate(self, part: Term, functions: Sequence[Reals]) -> Reals:
        """Evaluate the columns of one part, shape (n_columns, n_rows)."""
        chosen = self.columns.functions[part]
        if len(part) == 1:
            # Main effects use the leading functions of a feature: a view, where a choice would copy.
            return functions[part[0]][: len(chosen)]
        factors = [functions[feature][which] for feature, which in zip(part, chosen.T, strict=True)]
        return np.asarray(np.prod(factors, axis=0))

    def subtract(self, shifts: Mapping[Term, Floats], functions: Sequence[Reals], values: Reals) -> None:
        """Take parts out of interactions, in place; `values` has shape (n_outputs, n_interactions, n_rows)."""
        if not self.terms:
            return
        blocks = {term: self._split(term, shifts[term]) for term in self.terms}
        values -= np.array([shifts[term][0] for term in self.terms], dtype=values.dtype).T[:, :, None]
        for part, sharing in self.sharing.items():
            weights = np.stack([blocks[self.terms[index]][part].T for index in sharing], axis=1).astype(values.dtype)
            values[:, sharing] -= weights @ self.evaluate(part, functions)

    def products(self, functions: Sequence[Reals], values: Reals, cuts: Cuts) -> list["Products"]:
        """Sum part times interaction over runs of rows; `values` has shape (n_outputs, n_interactions, n_rows)."""
        by_part: list[dict[Term, Reals]] = [{} for _ in cuts]
        for part, sharing in self.sharing.items():
            own = self.evaluate(part, functions)
            shared = values[:, sharing].reshape(-1, values.shape[2])
            for found, (_, cut) in zip(by_part, cuts, strict=True):
                found[part] = (shared[:, cut] @ own[:, cut].T).reshape(len(values), len(sharing), -1)
        constants = sum_runs(values, cuts)
        return [
            Products(chunk, constant, found)
            for (chunk, _), constant, found in zip(cuts, constants, by_part, strict=True)
        ]

    def _split(self, term: Term, shift: Floats) -> dict[Term, Floats]:
        found, start = {}, 1
        for part in self.of(term):
            stop = start + len(self.columns.positions[part])
            found[part] = shift[start:stop]
            start = stop
        return found


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of part times interaction over rows of one chunk.

    Parameters
    ----------
    chunk : int
    constant : array of shape (n_outputs, n_interactions)
    by_part : dict of Term to array of shape (n_outputs, n_sharing, n_columns)
    """

    chunk: int
    constant: Reals
    by_part: dict[Term, Reals]


class PartSums:
    """Sums of part times interaction over each chunk of rows.

    Attributes
    ----------
    constant : array of shape (n_chunks, n_outputs, n_interactions)
    by_part : dict of Term to array of shape (n_chunks, n_outputs, n_sharing, n_columns)
    """

    def __init__(self, parts: Parts, n_outputs: int, n_chunks: int = CHUNKS) -> None:
        self.parts = parts
        self.constant = np.zeros((n_chunks, n_outputs, len(parts.terms)))
        self.by_part = {
            part: np.zeros((n_chunks, n_outputs, len(sharing), len(parts.columns.positions[part])))
            for part, sharing in parts.sharing.items()
        }

    def add(self, found: Iterable[Products]) -> None:
        """Count some rows."""
        for products in found:
            self.constant[products.chunk] += products.constant
            for part, sums in products.by_part.items():
                self.by_part[part][products.chunk] += sums

    def of(self, term: Term) -> Floats:
        """Return the sums of one interaction, (n_outputs, n_chunks, n_parts), in the order of `Parts.positions`."""
        index = self.parts.terms.index(term)
        found = [self.constant[:, :, [index]]]
        for part in self.parts.of(term):
            at = int(np.searchsorted(self.parts.sharing[part], index))
            found.append(self.by_part[part][:, :, at])
        return np.concatenate(found, axis=2).transpose(1, 0, 2)
