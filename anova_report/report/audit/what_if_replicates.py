"""What replicates contributed to coefficients, as coarsely as bands can be: most numbers of a page are these."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Component, Expansion
from anova_report.core.result.terms import Term
from anova_report.measures.variance import prediction_variance
from anova_report.report.audit.what_if import PackedNumbers
from anova_report.report.audit.what_if_functions import FunctionTable, Products, packed, rounded, size

# Of what a replicate usually contributes: bands are wrong by a hundredth or two. Terms of few numbers can be finer.
COARSE, LESS_COARSE, FEW = 2.0**-2, 2.0**-4, 4096
LEAST = 2.0**-20  # of the standard deviation of the predictions: bands need not be finer than a thousandth of it


def packed_replicates(
    dec: Decomposition, output: int, products: Sequence[Products], tables: Sequence[FunctionTable]
) -> PackedNumbers | None:
    """Write what replicates contributed to an output: to the mean and to offsets, then to coefficients.

    None where the estimator keeps no track of uncertainty.

    Of each term there are two lists: of products of all its features, and of fewer. What an interaction takes from its
    subterms cancels in the whole, which must not drown in what rounding adds to it: so the second list is rounded
    coarsely, and what that changes is added to the subterm, which is rounded finely.
    """
    if dec.uncertainty is None:
        return None
    traced, least = dec.uncertainty.components[output], LEAST * prediction_variance(dec, dec.in_sample, output) ** 0.5
    usual, numbers = (
        _usual(traced),
        [np.zeros((0, 0)) if each.traced is None else each.traced[output] for each in products],
    )
    fine, coarse = zip(*(_steps(own, usual, least, tables) for own in traced.components), strict=True)
    constants = np.vstack([traced.mean, *(component.offset for component in traced.components)])
    known = _hand_down(products, [*numbers, constants], coarse)
    constants = known[-1]
    lists, steps = [constants.ravel()], [min(fine, default=1.0)]
    for own, rows, *each in zip(products, known[:-1], fine, coarse, strict=True):
        is_whole = (own.functions != 0).all(axis=1)
        lists += [rows[is_whole].ravel(), rows[~is_whole].ravel()]
        steps += each
    return packed(lists, steps)


def _steps(own: Component, usual: float, least: float, tables: Sequence[FunctionTable]) -> tuple[float, float]:
    """Tell how finely the numbers of a component are written: of products of all its features, and of fewer."""
    is_whole = (own.degrees > 0).all(axis=1)
    sizes = [size(rows) / math.sqrt(max(rows.size, 1)) for rows in (own.coefficients[is_whole], own.coefficients)]
    part, finer = LESS_COARSE if own.coefficients.size <= FEW else COARSE, _finer(own, tables)
    fine, coarse = min(usual, sizes[0]) or sizes[0], sizes[1]
    return max(part * fine, least) * finer, max(part * coarse, least) * finer


def _hand_down(products: Sequence[Products], numbers: Sequence[Floats], steps: Sequence[float]) -> list[Floats]:
    """Round what terms hold of products of fewer features, and add what that changes to the terms of these features.

    The last of the numbers are those of the mean, to which products of no feature belong, and of offsets.
    """
    found = [rows.copy() for rows in numbers]
    place: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {(): (-1, 0)}
    for at, own in enumerate(products):
        for row in np.flatnonzero((own.functions > 0).all(axis=1)).tolist():
            place[_product(own.term, own.functions[row])] = (at, row)
    for at in sorted(range(len(products)), key=lambda at: -len(products[at].term)):
        own = products[at]
        parts = np.flatnonzero((own.functions == 0).any(axis=1) & (own.functions >= 0).all(axis=1))
        exact = found[at][parts]
        found[at][parts] = rounded(exact, steps[at])
        for row, change in zip(parts.tolist(), exact - found[at][parts], strict=True):
            below, other = place.get(_product(own.term, own.functions[row]), (at, row))
            if below != at:
                found[below][other] += change
    return found


def _product(term: Term, functions: NDArray[np.intp]) -> tuple[tuple[int, int], ...]:
    return tuple((feature, function) for feature, function in zip(term, functions.tolist(), strict=True) if function)


def _finer(own: Component, tables: Sequence[FunctionTable]) -> float:
    """Tell how much finer numbers are for bands beyond the range, where rough functions grow large that matter little.

    One range further each function has grown by so much; the band is made of what replicates contributed, times that,
    and the rounding of every number grows as well.
    """
    if not own.coefficients.size:
        return 1.0
    growth = np.ones(len(own.degrees))
    for position, feature in enumerate(own.term):
        growth = np.maximum(growth, np.r_[1.0, tables[feature].growth][own.degrees[:, position]])
    squares = (own.coefficients**2).mean(axis=1)
    known = squares.sum() * (growth**2).sum()
    return min(math.sqrt(float((squares * growth**2).sum() * len(growth) / known)), 1.0) if known else 1.0


def _usual(traced: Expansion) -> float:
    """Measure what a replicate usually contributes to a coefficient of the whole, in which much cancels."""
    whole: dict[tuple[tuple[int, int], ...], Floats] = {}
    for component in traced.components:
        for degrees, own in zip(component.degrees, component.coefficients, strict=True):
            product = _product(component.term, degrees)
            whole[product] = whole.get(product, 0.0) + own
    whole.pop((), None)
    n_numbers = sum(component.coefficients.size for component in traced.components)
    return math.sqrt(sum(float(own @ own) for own in whole.values()) / max(n_numbers, 1))
