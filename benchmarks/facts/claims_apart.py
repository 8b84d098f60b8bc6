"""Claims on what the data tell apart, and on how rows were held out, against rows; partly what only the fit keeps."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.claims_shares import EXACT, joint_share
from benchmarks.facts.page import Floats, Page, Said

Checker = Callable[[Page, Said], Iterator[Check]]
MOST_JOINTS = 6  # that a page draws
WHOLE = 0.9999  # of the variance of an effect: what is called all of it


def explained(page: Page, said: Said) -> Iterator[Check]:
    """Look up what the fit found that functions of others explain of an effect; no page could keep these functions."""
    known = page.dec.dependence
    if known is None:
        raise ValueError(f"{page.name} states what explains an effect, and nothing was measured.")
    if said.kind == "explained by the others":
        found = [float(known.imitated[index, said.output]) for index in said.features]
    else:
        alike = [each for each in known.relations if each.output == said.output and [each.term] == said.terms]
        found = [each.share for each in alike if each.others == said.features]
    most = max(found, default=np.nan)
    yield near("share", said["share"], 1.0 if most > WHOLE else most)


def value_by_value(page: Page, said: Said) -> Iterator[Check]:
    """Average an effect over rows that share the values of other features: it hardly varies among them."""
    yield equal("share", said["share"], 1.0)
    yield equal("others", set(said.terms[0]).isdisjoint(said.features), True)
    effect = page.components[:, page.terms.index(said.terms[0]), said.output]
    yield within("what varies", _within(effect, page.values[:, list(said.features)]), 0.0, 1 - WHOLE)


def one_to_one(page: Page, said: Said) -> Iterator[Check]:
    """See that each value of either feature goes with one value of the other."""
    yield equal("share", said["share"], 1.0)
    (first,), (second,) = said.terms[0], said.features
    yield equal("two features", first != second, True)
    for one, other in ((first, second), (second, first)):
        column = page.values[:, [other]]
        yield within("what varies", _within(page.values[:, one], column), 0.0, 1 - WHOLE)


def _within(values: Floats, keys: Floats) -> float:
    """Return the share of a variance that is left among rows of equal keys."""
    _, groups = np.unique(np.nan_to_num(keys, nan=-1e300), axis=0, return_inverse=True)
    groups = groups.ravel()
    held = np.nan_to_num(values, nan=-1e300)
    sums, counts = np.bincount(groups, held), np.bincount(groups)
    return float(((held - (sums / counts)[groups]) ** 2).sum() / max(((held - held.mean()) ** 2).sum(), 1e-300))


def further(page: Page, said: Said) -> Iterator[Check]:
    """Count the joint effects of the page beyond those that are named."""
    joints = page.document["outputs"][said.output]["joints"]
    yield within("groups", said["n_groups"], 1.0, float(max(len(joints), 1)) + 100 * (len(joints) >= 6))


def by_model(page: Page, said: Said) -> Iterator[Check]:
    """See that the model was asked at recombined rows, and that it reads any of the features."""
    asking = page.dec.asking
    yield equal("the model was asked", asking is not None and asking.n_asked > 0, True)
    yield equal("any has an effect", any((index,) in page.terms for index in said.features), True)


def read_together(page: Page, said: Said) -> Iterator[Check]:
    """Find the features among the joint effects that the page draws, unless these are but the first of many."""
    joints = page.document["outputs"][said.output]["joints"]
    drawn = [
        tuple(claim["features"]) for joint in joints for claim in joint["claims"] if claim["kind"] == "joint share"
    ]
    yield equal("a joint effect is drawn", said.features in drawn or len(joints) >= MOST_JOINTS, True)


def joint_structural(page: Page, said: Said) -> Iterator[Check]:
    """Compute the structural share of a sum of components."""
    yield near("share", said["share"], page.share(said.terms, said.output)[0], EXACT)


def one_by_one(page: Page, _said: Said) -> Iterator[Check]:
    """Look up that every row is a unit of its own."""
    yield equal("units", page.dec.partition.n_units if page.dec.partition else 0, page.n_fitted)


def copies(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows that repeat another."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("independent rows", said["n_units"], float(_distinct(page.values)))
    yield within("copies", said["n_copies"], said["n_rows"] - said["n_units"], 2 * (said["n_rows"] - said["n_units"]))
    _, counts = np.unique(np.nan_to_num(page.values, nan=-1e300), axis=0, return_counts=True)
    either = {float(counts[counts > 1].sum()), float((counts - 1).sum())}
    yield equal("copies, with or without the first", said["n_copies"] in either, True)


def _distinct(values: Floats, columns: Sequence[int] | None = None) -> int:
    chosen = values if columns is None else values[:, list(columns)]
    return len(np.unique(np.nan_to_num(chosen, nan=-1e300), axis=0))


def units(page: Page, said: Said) -> Iterator[Check]:
    """Look up how many units were held out as wholes."""
    yield equal("units", said["n_units"], float(page.dec.partition.n_units if page.dec.partition else 0))


def resembling(page: Page, said: Said) -> Iterator[Check]:
    """Look up which share of the rows the fit found to resemble rows that were not held out with them."""
    known = page.dec.partition
    if known is None:
        raise ValueError(f"{page.name} states how rows were held out, and nothing is known of it.")
    true = known.clumped if said.kind == "near-duplicates" else known.n_apart / len(page.values)
    yield near("share", said["share"], float(true or 0.0))


def nothing_alike(page: Page, _said: Said) -> Iterator[Check]:
    """Look up that few rows resemble others."""
    clumped = page.dec.partition.clumped if page.dec.partition else None
    yield within("share", float(clumped or 0.0), 0.0, 0.1)


def sharing(page: Page, said: Said) -> Iterator[Check]:
    """Count the combinations of values of some features."""
    n_sets = _distinct(page.values, said.features)
    yield equal("sets", said["n_sets"], float(n_sets))
    yield equal("rows of each", said["n_each"], float(round(len(page.values) / n_sets)))
    yield from _both_ways(page, said, "recurring")


def neighbours(page: Page, said: Said) -> Iterator[Check]:
    """Look up how far rows resemble the next."""
    yield near(
        "correlation", said["correlation"], float(page.dec.partition.serial or 0.0) if page.dec.partition else 0.0
    )


def blocks(page: Page, said: Said) -> Iterator[Check]:
    """Look up R² where blocks of rows were held out."""
    yield from _both_ways(page, said, "blocks")


def _both_ways(page: Page, said: Said, name: str) -> Iterator[Check]:
    found = getattr(page.dec.partition, name)
    for way in ("together", "one_by_one"):
        yield near(f"R², {way}", said[way], 1 - float(getattr(found, way)[said.output]))


def weights(page: Page, said: Said) -> Iterator[Check]:
    """Look up what the rows weigh."""
    yield near("effective rows", said["n_effective"], float(page.dec.in_sample.n_effective or len(page.values)))
    yield near("total", said["total"], float((page.dec.partition.total_weight if page.dec.partition else 0.0) or 0.0))


APART: dict[str, Checker] = {
    "explained by the others": explained,
    "explained by functions": explained,
    "explained by values": explained,
    "explained value by value": value_by_value,
    "one to one": one_to_one,
    "effects not estimable": joint_share,
    "effects hardly estimable": joint_share,
    "further groups": further,
    "effects estimable by the model": by_model,
    "further groups estimable by the model": further,
    "read together": read_together,
    "joint structural share": joint_structural,
    "rows held out one by one": one_by_one,
    "copies held out together": copies,
    "groups held out": units,
    "blocks of time held out": units,
    "near-duplicates": resembling,
    "equal inputs apart": resembling,
    "no near-duplicates": nothing_alike,
    "rows that share values": sharing,
    "neighbours that resemble each other": neighbours,
    "blocks of rows": blocks,
    "weights": weights,
}
