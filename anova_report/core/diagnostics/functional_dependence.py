"""Effects that others can stand for though their main effects cannot: value by value, or through interactions.

Where a column is determined by others, data cannot tell its effect from theirs. Determined value by value, as a code
determines a name, it shows however rough effects are: rows that share values of the others share its own. Determined
smoothly, as factors determine a product, it shows in a regression on products of functions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.diagnostics.sampled_effects import MOST_FUNCTIONS, SampledEffects
from anova_report.core.fit.row_blocks import GroupedRows
from anova_report.core.fit.summary import Assembly
from anova_report.core.input.features import ROWS_EACH
from anova_report.core.result.terms import Term

# Budgets of time.
MOST_SETS = 300  # of one, two and three features whose combinations of values are counted
MOST_TRIED = 4  # pairs of features, and third ones, that are tried for an effect: those that promise most

# Statistics: what is said to determine an effect (`make verdicts`).
NOTABLE = 0.7  # share that others must explain to be of interest: where a curve is uncertain, it counts from here on
ENOUGH = 0.98  # of the most that any features explain: then fewer of them are preferred and named
SHARED = 0.9  # of the rows, and of the variance of an effect, that lie in combinations of values several rows have
SCREENED = 3  # functions of a feature whose products are screened: a product that determines a column shows in these
# Functions of one feature, of each of two and of each of three: as many as the rows afford.
DEGREES = ((MOST_FUNCTIONS, 5, 3), (6, 4, 2), (4, 3, 2), (3, 2, 1))
HARDLY = 0.2  # of the combinations that independence would make: then values of one go with those of the others
MOST_LEVELS = 50  # values of a feature that may go with sets of rows: more show in how they vary within
FEWEST_SETS = 20  # combinations of values: fewer are levels that fresh rows share
LARGEST = 0.1  # share of the rows in one set: a value of so many, zero say, is a case of its own
ROWS_OF_A_VALUE = 5  # on average, before one number alone is said to recur
NEAR_GRID = 0.1  # of the smallest step between values: numbers that lie so close to multiples of it were rounded


@dataclass(frozen=True)
class Relation:
    """An effect that functions of other features explain.

    Parameters
    ----------
    output : int
    term : Term
    others : tuple of int
        The fewest features that explain almost as much as any.
    share : float
        Of the variance of the effect, beyond chance.
    n_values : int or None
        Where values determine it one by one, how many combinations there are; None where smooth functions do.
    """

    output: int
    term: Term
    others: tuple[int, ...]
    share: float
    n_values: int | None = None


@dataclass(frozen=True, eq=False)
class ValueCells:
    """The combinations of values of some features, and how much effects vary among rows that share one."""

    features: Term
    n_cells: int
    sizes: NDArray[np.intp]  # shape (n_cells,): rows in each
    within: Floats  # shape (n_effects,): share of the variance, without bias; 1 where that is not known


@dataclass(frozen=True)
class Recurring:
    """Features of which many rows share all values, as visits share those of their patient."""

    features: tuple[int, ...]
    keys: tuple[int, ...]  # of these, the ones that determine the others


def compare_effects(assembly: Assembly, rows: GroupedRows) -> tuple[tuple[Relation, ...], Recurring | None]:
    """Look at the effects of a fit on some of its rows: which ones others determine, and which values recur."""
    sampled = SampledEffects.of(assembly, rows)
    cells = value_cells(sampled)
    return relations(sampled, cells), recurring(sampled, cells)


def relations(sampled: SampledEffects, cells: Sequence[ValueCells]) -> tuple[Relation, ...]:
    """Find for every effect what explains most of it, if that is notable."""
    found = []
    for at in range(len(sampled.own)):
        candidates = [each for each in (_by_values(sampled, at, cells), _by_functions(sampled, at)) if each is not None]
        best = max(candidates, key=lambda each: each.share, default=None)
        if best is not None and best.share >= NOTABLE:
            found.append(best)
    return tuple(found)


def recurring(sampled: SampledEffects, cells: Sequence[ValueCells]) -> Recurring | None:
    """Find the features that most others go with value by value, though too many values occur to be levels.

    One number alone recurs where its values are neither few nor rounded.
    """
    by_features = {each.features: each for each in cells}
    found = []
    many = [each for each in cells if each.n_cells >= FEWEST_SETS and each.sizes.max() <= LARGEST * sampled.n_rows]
    for each in (each for each in many if not _crossed(sampled, each)):
        fewer = (by_features.get(some) for some in combinations(each.features, len(each.features) - 1))
        if any(some is not None and some.n_cells >= (1 - HARDLY) * each.n_cells for some in fewer):
            continue  # fewer features have as many combinations, and are looked at themselves
        followed = {
            term[0]
            for (_, term), within in zip(sampled.own, each.within, strict=True)
            if len(term) == 1 and within <= 1 - SHARED
        }
        for j in set(sampled.features) - set(each.features):
            both = by_features.get(tuple(sorted((*each.features, j))))
            if both is not None and _opened(sampled, each, both, j) <= HARDLY:
                followed.add(j)
        together = tuple(sorted({*each.features, *followed}))
        if len(together) > len(each.features) and _recur(sampled, together):
            found.append(Recurring(together, each.features))
    if found:
        return max(found, key=lambda each: (len(each.features), -len(each.keys)))
    alone = [each.features[0] for each in many if len(each.features) == 1]
    alone = [
        j for j in alone if sampled.n_rows >= ROWS_OF_A_VALUE * sampled.n_values(j) and not _is_rounded(sampled, j)
    ]
    largest = max(alone, key=sampled.size, default=None)
    return None if largest is None else Recurring((largest,), (largest,))


def _recur(sampled: SampledEffects, features: Term) -> bool:
    """Tell whether nearly all rows share the values of several features with others."""
    rows = np.column_stack([sampled.codes[j] for j in features])
    _, counts = np.unique(rows, axis=0, return_counts=True)
    return bool(counts[counts > 1].sum() >= SHARED * sampled.n_rows)


def _crossed(sampled: SampledEffects, cells: ValueCells) -> bool:
    """Tell whether several features combine their values about as freely as if they were independent."""
    if len(cells.features) == 1:
        return False
    held = np.ones(1)  # chances of combinations, and how many have each: values of equal frequency count at once
    times = np.ones(1)
    for j in cells.features:
        counts = np.bincount(sampled.codes[j])
        sizes, alike = np.unique(counts[counts > 0], return_counts=True)
        held, times = np.outer(held, sizes / sampled.n_rows).ravel(), np.outer(times, alike).ravel()
    return cells.n_cells > HARDLY * float((times * (1 - (1 - held) ** sampled.n_rows)).sum())


def _opened(sampled: SampledEffects, cells: ValueCells, both: ValueCells, feature: int) -> float:
    """How many of the further combinations occur that a feature with few values would make if it were independent."""
    counts = np.bincount(sampled.codes[feature])
    counts = counts[counts > 0]
    if len(counts) > MOST_LEVELS:
        return 1.0
    expected = float((1 - (1 - counts / counts.sum()) ** cells.sizes[:, None]).sum()) - cells.n_cells
    return (both.n_cells - cells.n_cells) / expected if expected >= FEWEST_SETS else 1.0


def _is_rounded(sampled: SampledEffects, feature: int) -> bool:
    """Tell whether a feature has levels, or values at multiples of some step."""
    if feature not in sampled.numbers:
        return True
    steps = np.diff(sampled.numbers[feature])
    multiples = steps / steps.min()
    return bool((np.abs(multiples - np.round(multiples)) <= NEAR_GRID).all())


def value_cells(sampled: SampledEffects) -> list[ValueCells]:
    """Look at effects within combinations of values of one, two and three features."""
    return [
        ValueCells(tuple(sorted(chosen)), int(cells.max()) + 1, np.bincount(cells), _within(sampled, cells))
        for chosen, cells in _combinations(sampled)
    ]


def _combinations(sampled: SampledEffects) -> Iterator[tuple[Term, NDArray[np.intp]]]:
    """Yield combinations of values, numbered, as long as nearly all rows share theirs with others."""
    ordered = sorted(sampled.features, key=sampled.n_values)
    known: dict[Term, NDArray[np.intp]] = {(): np.zeros(sampled.n_rows, dtype=np.intp)}
    left = MOST_SETS
    for order in (1, 2, 3):
        for chosen in combinations(ordered, order):
            if chosen[:-1] not in known or (order > 1 and chosen[-1:] not in known) or not left:
                continue
            left -= 1
            mixed = known[chosen[:-1]] * (sampled.codes[chosen[-1]].max() + 1) + sampled.codes[chosen[-1]]
            cells = np.unique(mixed, return_inverse=True)[1]
            if (np.bincount(cells)[cells] > 1).mean() >= SHARED:
                known[chosen] = cells
                yield chosen, cells


def _within(sampled: SampledEffects, cells: NDArray[np.intp]) -> Floats:
    """Estimate the share of the variance of each effect within cells that several rows share."""
    counts = np.bincount(cells)
    shared = counts > 1
    n_rows, n_cells = int(counts[shared].sum()), int(shared.sum())
    weights = np.where(shared[cells], sampled.weights, 0.0)
    membership = csr_array((weights, cells, np.arange(len(cells) + 1)), shape=(len(cells), len(counts))).T
    squares, sums, masses = weights @ sampled.by_row**2, membership @ sampled.by_row, np.bincount(cells, weights)
    within = squares - (sums[shared] ** 2 / masses[shared, None]).sum(axis=0)
    whole = squares - sums.sum(axis=0) ** 2 / masses.sum()
    # Where the rows that vary most share their cell with none, others do not speak for them.
    known = (whole >= SHARED * (sampled.effects**2).sum(axis=1)) & (n_rows - n_cells >= ROWS_EACH) & (whole > 0)
    found = within / max(n_rows - n_cells, 1) / np.where(known, whole / max(n_rows - 1, 1), 1.0)
    return np.asarray(np.where(known, np.clip(found, 0.0, 1.0), 1.0))


def _by_values(sampled: SampledEffects, at: int, cells: Sequence[ValueCells]) -> Relation | None:
    """Find the fewest features whose values determine an effect."""
    output, term = sampled.own[at]
    found = [each for each in cells if not set(term) <= set(each.features) and not set(each.features) <= set(term)]
    least = min((float(each.within[at]) for each in found), default=1.0)
    near = [each for each in found if 1 - each.within[at] >= ENOUGH * (1 - least)]
    if not near:
        return None
    best = min(near, key=lambda each: (len(each.features), each.within[at]))
    others = tuple(j for j in best.features if j not in term)
    return Relation(output, term, others, 1 - float(best.within[at]), best.n_cells)


def _by_functions(sampled: SampledEffects, at: int) -> Relation | None:
    """Regress an effect on products of functions of others: of two features, then of a third with the best two."""
    output, term = sampled.own[at]
    ranked = _promising(sampled, at, [j for j in sampled.features if j not in term and len(sampled.raw[j])])
    tried = {chosen: _explained(sampled, at, chosen) for chosen in ranked[:MOST_TRIED]}
    if not tried:
        return None
    best = max(tried, key=lambda chosen: tried[chosen])
    if len(best) == 2 and NOTABLE / 2 <= tried[best] < ENOUGH:
        thirds = list(dict.fromkeys(j for chosen in ranked for j in chosen if j not in best))[:MOST_TRIED]
        wider: list[Term] = [tuple(sorted((*best, third))) for third in thirds]
        tried |= {chosen: _explained(sampled, at, chosen) for chosen in wider}
    most = max(tried.values())
    enough = [chosen for chosen, share in tried.items() if share >= ENOUGH * most]
    best = min(enough, key=lambda chosen: (len(chosen), -tried[chosen]))
    return Relation(output, term, tuple(j for j in best if j not in term), tried[best])


def _promising(sampled: SampledEffects, at: int, others: Sequence[int]) -> list[Term]:
    """Rank sets of features by how far their products go with what main effects of all others leave of an effect."""
    term, effect = sampled.own[at][1], sampled.effects[at]
    if len(term) > 1:  # of an interaction: each other feature, with those of its own
        wider: list[Term] = [tuple(sorted((*term, j))) for j in others] if len(term) == 2 else []
        coarse = {chosen: _explained(sampled, at, chosen, DEGREES[-1:]) for chosen in wider}
        return sorted(coarse, key=lambda chosen: -coarse[chosen])
    if len(others) < 2:
        return []
    owners, columns, gram = sampled.mains
    of_others = owners != term[0]
    coefficients = np.zeros(len(owners))
    cross = (columns @ effect / len(effect))[of_others]
    coefficients[of_others] = _regressed(gram[np.ix_(of_others, of_others)], cross)
    left = effect - coefficients @ columns
    low = np.concatenate([sampled.raw[j][:SCREENED] for j in others]).astype(np.float64)
    starts = np.cumsum([0, *(len(sampled.raw[j][:SCREENED]) for j in others)])[:-1]
    products = (low * (left * np.sqrt(sampled.weights))) @ low.T
    squared = np.add.reduceat(np.add.reduceat(products**2, starts, axis=0), starts, axis=1)
    pairs = sorted(combinations(range(len(others)), 2), key=lambda pair: -squared[pair])
    return [(others[one], others[other]) for one, other in pairs]


def _explained(
    sampled: SampledEffects, at: int, chosen: Term, degrees: Sequence[tuple[int, int, int]] = DEGREES
) -> float:
    """Share of an effect that products of functions of up to three features explain, beyond chance.

    Products that depend on all features of the effect's own term are left out.
    """
    term, effect = sampled.own[at][1], sampled.effects[at]
    allowed = [own for order in (1, 2, 3) for own in combinations(chosen, order) if not set(term) <= set(own)]
    for degree in degrees:
        columns = sampled.products(allowed, degree)
        if len(columns) * ROWS_EACH <= sampled.n_rows:
            break
    chance = min(len(columns) / sampled.n_rows, 0.5)
    cross = columns @ effect / len(effect)
    explained = float(cross @ _regressed(columns @ columns.T / len(effect), cross)) * len(effect)
    left = 1 - explained / float(effect @ effect)
    return min(max(1 - left / (1 - chance), 0.0), 1.0)


def _regressed(gram: Floats, cross: Floats) -> Floats:
    """Regress on columns, which may depend on each other, given averages of their products."""
    return np.asarray(np.linalg.solve(gram + ROUNDING * np.eye(len(gram)), cross))
