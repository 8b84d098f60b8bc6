"""Who moves the answers: shares of their variance by term and by feature."""

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.terms import Term
from anova_report.figures.columns.axes import answer_label, rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Numbers, Shares, Totals
from anova_report.measures.intervals import Interval
from anova_report.measures.variance import feature_totals, variance_shares
from anova_report.measures.wording import percent

MOST_TERMS = 15
MOST_FEATURES = 15
NAMED = 3  # items that a sentence names


def shares_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_TERMS, key: str | None = None
) -> Figure:
    """Draw the shares of the terms that move the answers most, in either direction."""
    chosen = dec.output_index(output)
    found = variance_shares(dec, chosen)
    drawn, rest = _largest([share.total for share in found.terms], top)
    terms = [found.terms[at] for at in drawn]
    lower, upper = _bounds([share.total_interval for share in terms])
    data = Shares(
        labels=tuple(share.label for share in terms),
        terms=tuple(share.term for share in terms),
        structural=_rounded([share.structural for share in terms]),
        correlative=_rounded([share.correlative for share in terms]),
        total=_rounded([share.total for share in terms]),
        lower=lower,
        upper=upper,
        rest=rest,
        n_rest=len(found.terms) - len(terms),
        unexplained=found.unexplained,
    )
    cells = (
        (
            share.label,
            *map(percent, (share.structural, share.correlative, share.total)),
            _interval(share.total_interval),
        )
        for share in terms
    )
    table = Table(
        ("term", "structural", "correlative", "total", "95% interval of the total"),
        (*cells, *_closing(rest, data.n_rest, found.unexplained, "terms", empty=2)),
    )
    alt = _alt(dec, chosen, [(share.label, share.total) for share in terms], found.unexplained)
    return Figure(key or f"o{chosen}-shares", "Shares of the variance by term", alt, data, table)


def totals_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_FEATURES, key: str | None = None
) -> Figure:
    """Draw the shares of the features that move the answers most (ANOVA-Shapley effects)."""
    chosen = dec.output_index(output)
    found = feature_totals(dec, chosen)
    drawn, rest = _largest([total.share for total in found.features], top)
    features = [found.features[at] for at in drawn]
    lower, upper = _bounds([total.interval for total in features])
    data = Totals(
        labels=tuple(total.feature for total in features),
        share=_rounded([total.share for total in features]),
        lower=lower,
        upper=upper,
        rest=rest,
        n_rest=len(found.features) - len(features),
        unexplained=found.unexplained,
    )
    cells = ((total.feature, percent(total.share), _interval(total.interval)) for total in features)
    table = Table(
        ("feature", "share", "95% interval"), (*cells, *_closing(rest, data.n_rest, found.unexplained, "features"))
    )
    alt = _alt(dec, chosen, [(total.feature, total.share) for total in features], found.unexplained)
    return Figure(key or f"o{chosen}-totals", "Shares of the variance by feature", alt, data, table)


def largest_features(dec: Decomposition, output: int, most: int | None = None) -> list[int]:
    """List the features that move the answers most, in either direction, largest share first."""
    drawn, _ = _largest([total.share for total in feature_totals(dec, output).features], most or len(dec.features))
    return drawn


def linked_features(ranked: Sequence[int], sizes: Mapping[Term, float], most: int, n_linked: int) -> list[int]:
    """Choose features: first those of the largest pairs, then the first of a ranking; in the order of the ranking.

    Of many features the largest alone may have no pair in common, and a picture of pairs would show none.

    Parameters
    ----------
    ranked : sequence of int
    sizes : mapping of Term to float
        What makes a pair large, whatever its sign.
    most : int
        Features in all.
    n_linked : int
        Features that pairs may choose.
    """
    chosen: set[int] = set()
    for term in sorted((term for term in sizes if len(term) == 2), key=lambda term: -abs(sizes[term])):
        if len(chosen.union(term)) <= min(n_linked, most):
            chosen.update(term)
    others = (index for index in ranked if index not in chosen)
    chosen.update(islice(others, most - len(chosen)))
    return [index for index in ranked if index in chosen]


def _largest(values: Sequence[float], most: int) -> tuple[list[int], float]:
    """Choose by size whatever the sign, order by value, and sum what is left out."""
    by_size = sorted(range(len(values)), key=lambda at: -abs(values[at]))
    drawn = sorted(by_size[:most], key=lambda at: -values[at])
    return drawn, float(sum(values[at] for at in by_size[most:]))


def _rounded(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values), 0.1)


def _bounds(intervals: Sequence[Interval | None]) -> tuple[Numbers, Numbers]:
    known = [interval for interval in intervals if interval is not None]
    if len(known) < len(intervals):
        return (), ()
    return _rounded([interval.low for interval in known]), _rounded([interval.high for interval in known])


def _interval(interval: Interval | None) -> str:
    return "not known" if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"


def _closing(rest: float, n_rest: int, unexplained: float, kind: str, empty: int = 0) -> list[tuple[str, ...]]:
    """Lines of a table for what is not drawn and for what nothing explains."""
    blank = ("",) * empty
    lines = [(f"{n_rest} further {kind}", *blank, percent(rest), "")] if n_rest else []
    return [*lines, ("unexplained", *blank, percent(unexplained), "")]


def _alt(dec: Decomposition, output: int, items: Sequence[tuple[str, float]], unexplained: float) -> str:
    named = ", ".join(f"{label} ({percent(share)})" for label, share in items[:NAMED])
    return (
        f"Of the variance of the {answer_label(dec, output)}, the largest shares are those of {named}; "
        f"{percent(unexplained)} is unexplained."
    )
