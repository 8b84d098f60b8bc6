"""Claims on groups of features, on reasons of rows and on cohorts, against components on all rows."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.claims_shares import EXACT, interval
from benchmarks.facts.page import Page, Said, Term

Checker = Callable[[Page, Said], Iterator[Check]]


def part(term: Term, members: Sequence[int]) -> float:
    """Return how much of a term counts for some features, each of its own counting the same."""
    return len(set(term) & set(members)) / len(term)


def group_share(page: Page, members: Sequence[int], output: int) -> tuple[float, float]:
    """Structural and total share of a group: of its own terms together, and the part of those that cross its border."""
    inside = page.inside(members)
    own = page.share(inside, output)[0] if inside else 0.0
    every = [(page.share([term], output), part(term, members), set(term) <= set(members)) for term in page.terms]
    crossing = sum(share[0] * weight for share, weight, is_inside in every if not is_inside)
    return own + crossing, sum(share[1] * weight for share, weight, _ in every)


def blocks(page: Page) -> dict[str, tuple[int, ...]]:
    """List groups, and features of no group, by their names."""
    grouped = {at for own in page.dec.feature_groups.values() for at in own}
    alone = {page.features[at]: (at,) for at in range(len(page.features)) if at not in grouped}
    return {**page.dec.feature_groups, **alone}


def of_a_group(page: Page, said: Said) -> Iterator[Check]:
    """Compute both shares of a group."""
    own, total = group_share(page, said.features, said.output)
    yield equal("its features", said.features, blocks(page).get(said.places[0]))
    yield near("structural share", said["structural"], own, EXACT)
    yield near("total share", said["total"], total, EXACT)


def between(page: Page, said: Said) -> Iterator[Check]:
    """Add up the terms that have features of just these groups, and of all of these."""
    named = [set(blocks(page)[name]) for name in said.places[0].split(" × ")]
    union = set().union(*named)
    own = [term for term in page.terms if set(term) <= union and all(set(term) & each for each in named)]
    yield equal("terms", list(said.terms), own)
    structural, total = page.share(own, said.output)
    yield near("structural share", said["structural"], structural, EXACT)
    yield near("total share", said["total"], total, EXACT)
    yield from interval(said, total)


def reason(page: Page, said: Said) -> Iterator[Check]:
    """Add up the components of a row for every group, and rank the sums."""
    row, output = said.rows[0], said.output
    values = {
        members: sum(page.components[row, at, output] * part(term, members) for at, term in enumerate(page.terms))
        for members in blocks(page).values()
    }
    own = values[tuple(said.features)]
    yield near("value", said["value"], own, 1e-9)
    yield equal("whether the rank is certain", said["ranked"] in (0.0, 1.0), True)
    larger = sum(abs(value) > abs(own) * (1 + 1e-9) + 1e-12 for value in values.values())
    yield equal("place", said["place"], float(larger + 1))
    if "low" in said.numbers:
        yield near("middle of the interval", (said["low"] + said["high"]) / 2, own, 1e-9)
        weights = np.array([part(term, said.features) for term in page.terms])
        traced = page.dec.uncertainty.components[output].evaluate(page.values[row : row + 1])[0]
        error = float(np.sqrt(((weights @ traced) ** 2).sum() * traced.shape[1] / (traced.shape[1] - 1)))
        yield within("half of the interval", (said["high"] - said["low"]) / 2, 1.9 * error, 13.0 * error + 1e-12)


def number_of_groups(page: Page, said: Said) -> Iterator[Check]:
    """Count the groups."""
    yield equal("groups", said["n_groups"], float(len(page.dec.feature_groups)))


def whole(page: Page) -> Page:
    """Return all rows, of which these are a cohort."""
    dec = page.dec.whole
    return Page(f"all rows of {page.name}", page.document, dec.X, dec.predictions.reshape(len(dec.X), -1), dec)


def rows_of_a_cohort(page: Page, said: Said) -> Iterator[Check]:
    """Find the rows by another reader of expressions."""
    every = page.dec.whole.X
    found = every.query(said.places[0])
    yield equal("rows in all", said["n_all"], float(len(every)))
    yield equal("rows", said["n_rows"], float(len(found)))
    yield equal("they are those of the page", np.array_equal(found.to_numpy(), page.X.to_numpy()), True)


def mean_of_a_cohort(page: Page, said: Said) -> Iterator[Check]:
    """Average predictions."""
    yield near("mean", said["mean"], float(page.predictions[:, said.output].mean()), 1e-7)
    yield near("mean of all rows", said["all_rows"], float(whole(page).predictions[:, said.output].mean()), 1e-7)


def unexplained_in_a_cohort(page: Page, said: Said) -> Iterator[Check]:
    """Compare residuals with predictions, here and in all rows."""
    for name, own in (("share", page), ("all_rows", whole(page))):
        residual = own.predictions[:, said.output] - own.explained[:, said.output]
        yield near(name, said[name], float((residual**2).mean() / own.variance(said.output)), EXACT)


def share_in_a_cohort(page: Page, said: Said) -> Iterator[Check]:
    """Compute the share of a feature or a group here and in all rows; intervals hold them, and say if they differ."""
    for name, prefix, own in (("share", "", page), ("all_rows", "all_", whole(page))):
        true = group_share(own, said.features, said.output)[1]
        yield near(name, said[name], true, EXACT)
        if f"{prefix}low" in said.numbers:
            yield within(f"interval of {name}", true, said[f"{prefix}low"] - EXACT, said[f"{prefix}high"] + EXACT)
    if "low" in said.numbers:
        apart = said["low"] > said["all_high"] or said["high"] < said["all_low"]
        yield equal("differs", bool(said["differs"]), apart)


GROUPS: dict[str, Checker] = {
    "shares of a group": of_a_group,
    "interaction of groups": between,
    "reason": reason,
    "groups of features": number_of_groups,
    "rows of a cohort": rows_of_a_cohort,
    "mean of a cohort": mean_of_a_cohort,
    "unexplained in a cohort": unexplained_in_a_cohort,
    "share in a cohort": share_in_a_cohort,
}
