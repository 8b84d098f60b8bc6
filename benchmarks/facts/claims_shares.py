"""Claims on shares of the variance, against components on all rows."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from benchmarks.facts.checks import Check, equal, near, printed, within
from benchmarks.facts.page import Page, Said
from benchmarks.facts.printed import reading

Checker = Callable[[Page, Said], Iterator[Check]]
CARRIES = 0.01  # of the variance: from here on pages count a term
EXACT = 1e-7  # of the variance: what sums over rows in another order leave


def structural_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute the structural share of a term, and see whether one that is not named is larger."""
    every = [page.share([term], said.output)[0] for term in page.terms]
    true = every[page.terms.index(said.terms[0])]
    yield near("structural share", said["share"], true, EXACT)
    yield _largest(every, {page.terms.index(other.terms[0]) for other in said.others}, true)


def term_shares(page: Page, said: Said) -> Iterator[Check]:
    """Compute both shares of a term, and see whether a structural one that is not named is larger."""
    every = [page.share([term], said.output) for term in page.terms]
    own, total = every[page.terms.index(said.terms[0])]
    yield near("structural share", said["structural"], own, EXACT)
    yield near("total share", said["total"], total, EXACT)
    yield _largest([size for size, _ in every], {page.terms.index(other.terms[0]) for other in said.others}, own)


def feature_shares(page: Page, said: Said) -> Iterator[Check]:
    """Compute both shares of a feature, and see whether a structural one that is not named is larger."""
    every = [page.feature_shares(index, said.output) for index in range(len(page.features))]
    own, total = every[said.features[0]]
    yield near("structural share", said["structural"], own, EXACT)
    yield near("total share", said["total"], total, EXACT)
    yield _largest([size for size, _ in every], {other.features[0] for other in said.others}, own)


def not_drawn(page: Page, said: Said) -> Iterator[Check]:
    """Add the totals of what a picture of shares leaves out up."""
    data = said.holder["data"]
    if "terms" in data:
        shown = {tuple(term) for term in data["terms"]}
        left = [page.share([term], said.output)[1] for term in page.terms if term not in shown]
    else:
        others = (index for index in range(len(page.features)) if index not in data["features"])
        left = [page.feature_shares(index, said.output)[1] for index in others]
    yield equal("not drawn", said["n_rest"], float(len(left)))
    yield near("their totals", said["total"], sum(left), EXACT)


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
    yield near("size of an interaction", said["deviation"], page.product(values, values) ** 0.5)


def carried(page: Page, said: Said) -> Iterator[Check]:
    """Compute both shares of a term."""
    own, total = page.share(said.terms, said.output)
    yield near("structural share", said["structural"], own, EXACT)
    yield near("total share", said["total"], total, EXACT)


def one_share(page: Page, said: Said) -> Iterator[Check]:
    """Compute all shares of a term."""
    yield from carried(page, said)
    own, total = page.share(said.terms, said.output)
    yield near("correlative share", said["correlative"], total - own, EXACT)
    yield from interval(said, total)


def sum_of_shares(page: Page, said: Said) -> Iterator[Check]:
    """Add the shares of some terms up."""
    every = [page.share([term], said.output) for term in said.terms]
    yield equal("terms", said["n_terms"], float(len(every)))
    yield near("structural shares", said["structural"], sum(own for own, _ in every), EXACT)
    yield near("total shares", said["total"], sum(total for _, total in every), EXACT)


def carrying_features(page: Page, said: Said) -> Iterator[Check]:
    """Count the features that carry enough among those that are drawn."""
    every = [page.feature_shares(index, said.output)[0] for index in range(len(page.features))]
    yield equal("features", said["n_all"], float(len(every)))
    yield equal("what is enough", said["least"], CARRIES)
    drawn = sorted(every, reverse=True)[:15]  # as many as pictures show
    yield equal("features that carry", said["n_carrying"], float(sum(share >= said["least"] for share in drawn)))


def carrying_terms(page: Page, said: Said) -> Iterator[Check]:
    """Count the terms of an order that carry enough."""
    every = [page.share([term], said.output)[0] for term in page.terms if len(term) == said["order"]]
    yield equal("order", said["order"] in (1.0, 2.0, 3.0), True)
    yield equal("terms", said["n_all"], float(len(every)))
    yield equal("what is enough", said["least"], CARRIES)
    yield equal("terms that carry", said["n_carrying"], float(sum(share >= said["least"] for share in every)))


def groups(page: Page, said: Said) -> Iterator[Check]:
    """Count the joint effects of the page."""
    yield equal("groups", said["n_groups"], float(len(page.document["outputs"][said.output]["joints"])))


def correlation(_page: Page, said: Said) -> Iterator[Check]:
    """See that it is one."""
    yield within("correlation", said["correlation"], -1.0, 1.0)


def farthest(page: Page, said: Said) -> Iterator[Check]:
    """Look the distance up among those that the page lists, and see that no other is larger."""
    others = page.document["outputs"][said.output]["others"]
    at = others["distance"]["head"].index(said.places[0])
    lines = {line[0]: line[at] for line in others["distance"]["rows"]}
    known = [reading(page.size(text)) for text in lines.values() if text != "–"]
    name = page.features[said.features[0]]
    yield printed(f"distance of {name}", page.size(lines[name]), said["distance"])
    yield within("it is the largest", said["distance"], max(low for low, _ in known), np.inf)
    sizes = next(line[1] for line in others["distance"]["rows"] if line[0] == name).split(" to ")
    ends = [end for text in sizes for end in reading(page.size(text))]
    yield within("size of ours", said["size"], min(ends), max(ends))


def go_together(page: Page, said: Said) -> Iterator[Check]:
    """Correlate the ranks of two features, where both are known."""
    values = pd.DataFrame(page.values[:, list(said.features)])
    known = values.dropna().rank()
    yield near("rank correlation", said["correlation"], float(known.corr().iloc[0, 1]), 0.03)


def interactions(page: Page, said: Said) -> Iterator[Check]:
    """Add the shares of all interactions with a feature up."""
    own = [term for term in page.terms if len(term) > 1 and said.features[0] in term]
    yield near("their shares", said["share"], sum(page.share([term], said.output)[0] for term in own), EXACT)


SHARES: dict[str, Checker] = {
    "structural share": structural_share,
    "shares of a term": term_shares,
    "shares of a feature": feature_shares,
    "shares that are not drawn": not_drawn,
    "joint share": joint_share,
    "structural shares within": shares_within,
    "unexplained share": unexplained,
    "what is drawn": what_is_drawn,
    "size of an interaction": interaction_size,
    "carried shares": carried,
    "share of a term": one_share,
    "sum of shares": sum_of_shares,
    "features that carry": carrying_features,
    "terms that carry": carrying_terms,
    "groups read together": groups,
    "least correlation of a method": correlation,
    "farthest from a method": farthest,
    "features that go together": go_together,
    "interactions of a feature": interactions,
}
