"""Claims on shares of the variance, against components on all rows."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.page import Page, Said

Checker = Callable[[Page, Said], Iterator[Check]]
EXACT = 1e-7  # of the variance: what sums over rows in another order leave


def term_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute the share of a term, and see whether one that is not named is larger."""
    which = ("structural share", "total share").index(said.kind)
    every = [page.share([term], said.output)[which] for term in page.terms]
    true = every[page.terms.index(said.terms[0])]
    yield near(said.kind, said["share"], true, EXACT)
    named = {page.terms.index(other.terms[0]) for other in said.others}
    yield _largest(every, named, true)


def feature_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute the share of a feature, and see whether one that is not named is larger."""
    every = [page.feature_share(index, said.output) for index in range(len(page.features))]
    true = every[said.features[0]]
    yield near(said.kind, said["share"], true, EXACT)
    yield _largest(every, {other.features[0] for other in said.others}, true)


def feature_size(page: Page, said: Said) -> Iterator[Check]:
    """Add up a feature's parts of structural shares, and see whether one that is not named is larger."""
    every = [0.0] * len(page.features)
    for term in page.terms:
        for index in term:
            every[index] += page.share([term], said.output)[0] / len(term)
    true = every[said.features[0]]
    yield near(said.kind, said["share"], true, EXACT)
    yield _largest(every, {other.features[0] for other in said.others}, true)


def left_out(page: Page, said: Said) -> Iterator[Check]:
    """Count what is not drawn, and add its total shares up."""
    data = said.holder["data"]
    if "terms" in data:
        drawn = {tuple(term) for term in data["terms"]}
        left = [page.share([term], said.output)[1] for term in page.terms if term not in drawn]
    else:
        every = range(len(page.features))
        left = [page.feature_share(index, said.output) for index in every if index not in data["features"]]
    yield equal("shares that are not drawn", said["n_left_out"], float(len(left)))
    yield near("their sum", said["share"], sum(left), EXACT)


def _largest(every: Sequence[float], named: set[int], true: float) -> Check:
    left = [value for at, value in enumerate(every) if at not in named]
    return within("largest share that is not named", max(left, default=true), -np.inf, true + 1e-6)


def joint_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute the share of all terms of some features; its interval holds it."""
    true = page.share(page.inside(said.features), said.output)[1]
    yield near("joint share", said["share"], true, EXACT)
    yield from interval(said, true)


def interval(said: Said, value: float) -> Iterator[Check]:
    """See that an interval, where there is one, holds its estimate."""
    if "low" in said.numbers:
        yield within("interval", value, said["low"] - EXACT, said["high"] + EXACT)


def shares_within(page: Page, said: Said) -> Iterator[Check]:
    """Add the structural shares of the terms of some features up."""
    inside = page.inside(said.features)
    yield equal("terms", said["n_terms"], float(len(inside)))
    true = sum(page.share([term], said.output)[0] for term in inside)
    yield near("sum of structural shares", said["sum"], true, EXACT)
    drawn = len(said.holder["data"]["terms"]) - 1
    yield equal("terms that are not drawn", said["n_left_out"], float(len(inside) - drawn))


def unexplained(page: Page, said: Said) -> Iterator[Check]:
    """Compute the unexplained share."""
    yield near("unexplained share", said["share"], page.unexplained(said.output))


def what_is_drawn(_page: Page, said: Said) -> Iterator[Check]:
    """Count nodes and lines."""
    data = said.holder["data"]
    yield equal("features", said["n_features"], float(len(data["nodes"])))
    yield equal("pairs", said["n_pairs"], float(len(data["edges"])))


def interaction_size(page: Page, said: Said) -> Iterator[Check]:
    """Compute the standard deviation of a pair over all rows."""
    values = page.components[:, page.terms.index(said.terms[0]), said.output]
    yield near("size of an interaction", said["deviation"], float(values.std()))


SHARES: dict[str, Checker] = {
    "structural share": term_share,
    "total share": term_share,
    "share of a feature": feature_share,
    "structural share of a feature": feature_size,
    "totals left out": left_out,
    "joint share": joint_share,
    "structural shares within": shares_within,
    "unexplained share": unexplained,
    "what is drawn": what_is_drawn,
    "size of an interaction": interaction_size,
}
