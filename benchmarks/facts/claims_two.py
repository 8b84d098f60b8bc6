"""Claims of comparisons, against rows, predictions and components of both sides."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import spearmanr

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.claims_shares import EXACT
from benchmarks.facts.page import Floats, Page, Said, Term, coded
from benchmarks.facts.two import Two

Checker = Callable[[Two, Said], Iterator[Check]]
SMALLEST = 0.01  # of the standard deviation: effects that are closer do not count as different
LAW = 0.03  # by how much what is kept of a distribution may be off from its rows
RARE = 5.0  # rows that a level has at least where it counts by itself
DIRECTION = 5  # cells of a feature along which a difference is sought


def function(two: Two, said: Said) -> Iterator[Check]:
    """Measure the distance of the predictions, and see that the bounds hold it and ask for the outcome."""
    apart, spread = two.apart(said.output, known=said["n_known"] > 0), two.spread(said.output) or 1.0
    true = float(np.sqrt((apart**2).mean()))
    yield equal("limit", said["limit"], two.limit)
    if said["n_known"]:
        yield equal("rows", said["n_known"], float(len(apart)))
        yield near("distance", said["distance"], true, EXACT * spread)
        yield near("distance in standard deviations", said["relative"], true / spread, EXACT)
    yield within("distance", true / spread, said["low"] - EXACT, said["high"] + EXACT)
    outcome = "function that may have changed"
    if said["high"] <= two.limit:
        outcome = "same function"
    elif said["low"] > two.limit:
        outcome = "another function"
    yield equal("outcome", said.kind, outcome)


def left_open(two: Two, said: Said) -> Iterator[Check]:
    """See that the bound holds what both explanations leave open on held-out rows."""
    least = 0.0
    for at, side in enumerate(two.sides):
        output = two.output(said.output, at)
        least += np.sqrt(side.unexplained(output)) * side.predictions[:, output].std()
    yield within("left open", said["high"], 0.9 * least / (two.spread(said.output) or 1.0), np.inf)


def explanations(two: Two, said: Said) -> Iterator[Check]:
    """See that the explanations differ at all at the rows that both know."""
    yield within("their distance", float(np.std(_explained_apart(two, said.output))), 1e-9, np.inf)


def direction(two: Two, said: Said) -> Iterator[Check]:
    """See that the features explain more of the difference than features in random order would."""
    apart, cells = _explained_apart(two, said.output), np.zeros(int(two.common.sum()), dtype=int)
    for index in said.features:
        column = np.nan_to_num(_column(two, index)[two.common], nan=-1e300)
        edges = np.unique(np.quantile(column, np.linspace(0, 1, DIRECTION + 1)[1:-1]))
        cells = cells * (DIRECTION + 1) + np.searchsorted(edges, column, side="right")
    _, groups = np.unique(cells, return_inverse=True)
    means = np.bincount(groups, apart) / np.bincount(groups)
    share = float(means[groups].var() / max(apart.var(), 1e-300))
    yield within("share that they explain", share, (groups.max() + 1) / len(apart), 1.0)


def _column(two: Two, index: int) -> Floats:
    return coded(two.sides[0], two.table)[:, two.own(0, [index])[0]]


def _explained_apart(two: Two, output: int) -> Floats:
    found = []
    for at, side in enumerate(two.sides):
        values = side.dec.predict(two.table[list(side.columns)][two.common])
        found.append(values.reshape(len(values), -1)[:, two.output(output, at)])
    return np.asarray(found[1] - found[0])


def means(two: Two, said: Said) -> Iterator[Check]:
    """Average the predictions of both over their own rows."""
    first, second = (
        float(side.predictions[:, two.output(said.output, at)].mean()) for at, side in enumerate(two.sides)
    )
    spread = two.spread(said.output)
    yield near("first mean", said["first"], first, 1e-9 * spread)
    yield near("second mean", said["second"], second, 1e-9 * spread)
    if "shift" in said.numbers:
        yield near("difference", said["shift"], second - first, 1e-9 * spread)
        yield within("interval of the difference", said["shift"], said["low"], said["high"])
    if "relative" in said.numbers:
        yield near("difference in standard deviations", said["relative"], abs(second - first) / spread, EXACT)


def inputs(two: Two, said: Said) -> Iterator[Check]:
    """Count the features that are listed as moved, and all that were asked about."""
    listed = two.document["outputs"][said.output]["inputs_moved"]
    names = {name for label in listed for name in (label.split(" × ") if label not in two.columns else [label])}
    yield equal("inputs that moved", said["n_moved"], float(len(names)))
    yield equal("inputs", said["n_asked"], float(len(two.features)))


def distribution(two: Two, said: Said) -> Iterator[Check]:
    """Compare the distributions of a feature in the rows of both, and what both fits keep of them."""
    (index,) = said.features
    sides = [(side, two.own(at, [index])[0]) for at, side in enumerate(two.sides)]
    features = [side.dec.features[own] for side, own in sides]
    columns = [side.values[:, own] for side, own in sides]
    if features[0].levels:
        yield near("distance", said["distance"], _level_distance(features, columns), EXACT)
    else:
        laws = [_law(side, own) for side, own in sides]
        at = np.union1d(laws[0][0], laws[1][0])
        kept = [np.r_[law[1](at), 1.0] for law in laws]
        yield near("distance", said["distance"], float(np.abs(kept[1] - kept[0]).max()), EXACT)
        true = float(np.abs(_shares_below(columns[1], at) - _shares_below(columns[0], at)).max())
        yield within("distance of the rows", said["distance"], true - LAW, true + LAW)
    yield within("interval", said["distance"], said["low"], said["high"])


def _law(side: Page, own: int) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Return the values, and the share of the rows up to each, that a fit keeps."""
    marginal = side.dec.expansion.reference.marginals[own]
    present = 1 - float(np.isnan(side.values[:, own]).mean())
    if len(marginal.atoms) < len(marginal.knots):  # it interpolates
        return marginal.knots, lambda at: present * np.interp(at, marginal.knots, marginal.ranks, left=0.0, right=1.0)
    return marginal.knots, lambda at: _shares_below(side.values[:, own], at)


def _shares_below(column: Floats, at: Floats) -> Floats:
    known = np.sort(column[~np.isnan(column)])
    return np.asarray(np.searchsorted(known, at, side="right") / len(column))


def _level_distance(features: list, columns: list[Floats]) -> float:
    levels = [*dict.fromkeys([*features[0].levels, *features[1].levels]), None]
    counts = np.array([_counts(*each, levels) for each in zip(features, columns, strict=True)])
    sizes = counts.sum(axis=1)
    rare = counts.sum(axis=0) / sizes.sum() * sizes.min() < RARE
    pooled = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)]) / sizes[:, None]
    return float(np.abs(pooled[1] - pooled[0]).sum() / 2)


def _counts(feature, column: Floats, levels: list) -> list[float]:
    named = ["" if np.isnan(code) else feature.levels[int(code)] for code in column]
    return [float(np.isnan(column).sum() if level is None else named.count(level)) for level in levels]


def correlation(two: Two, said: Said) -> Iterator[Check]:
    """Compare the correlations of ranks in the rows of both, and those that both fits keep."""
    kept, true = [], []
    for at, side in enumerate(two.sides):
        first, second = two.own(at, said.features)
        known = ~np.isnan(side.values[:, [first, second]]).any(axis=1)
        kept.append(float(side.dec.correlations[first, second]))
        true.append(float(spearmanr(side.values[known, first], side.values[known, second])[0]))
    yield near("distance", said["distance"], abs(kept[1] - kept[0]), EXACT)
    yield within("distance of the rows", said["distance"], *(abs(true[1] - true[0]) + side * LAW for side in (-1, 1)))
    yield within("interval", said["distance"], said["low"], said["high"])


def not_judged(two: Two, _said: Said) -> Iterator[Check]:
    """See that one of the estimators keeps no track of uncertainty, or that both know few inputs in common."""
    bare = any(side.dec.uncertainty is None for side in two.sides)
    yield equal("nothing to judge by", bare or int(two.common.sum()) < 30, True)


def counted_effects(two: Two, said: Said) -> Iterator[Check]:
    """Count main effects and pairs of common features, and those that are listed as different."""
    yield equal("effects", said["n_effects"], float(sum(len(term) <= 2 for term in two.terms)))
    named = two.document["outputs"][said.output]["different"]
    yield equal("effects that differ", said["n_differing"], float(len(named)))
    yield equal("effects that agree", said["n_agreeing"], said["n_effects"] - len(named))


def distance(two: Two, said: Said) -> Iterator[Check]:
    """Evaluate both versions of an effect at all points."""
    first, second = two.effects(said.terms[0], said.output)
    apart, spread = second - first, two.spread(said.output)
    true = float(np.sqrt((apart**2).mean()))
    yield near("distance", said["distance"], true, 1e-8 * spread)
    if "high" in said.numbers:
        yield within("what equal effects stay below", said["high"], _error(two, said.terms[0], said.output), np.inf)
        yield within("what counts at least", said["high"], SMALLEST * spread * (1 - 1e-6), np.inf)
    if "most" in said.numbers:
        yield within("beyond chance", said["distance"], said["high"], np.inf)
        near_most = float(np.abs(np.abs(apart) - np.abs(apart).max()).min())
        yield near("largest difference", abs(said["most"]), float(np.abs(apart).max()), 1e-8 * spread + near_most)
        yield equal("it occurs with its sign", bool(np.isclose(apart, said["most"], atol=1e-8 * spread).any()), True)
    listed = [other.terms[0] for other in said.others]
    sizes = [other["distance"] for other in said.others]
    yield equal("order", sizes, sorted(sizes, reverse=True))
    yield equal("named once", len(set(listed)), len(listed))


def _error(two: Two, term: Term, output: int) -> float:
    """Return a standard error that every noise floor exceeds: half of the larger of the two, of different rows."""
    if two.same_rows:
        return 0.0
    found, kept = [0.0], two.kept(term)
    for at, side in enumerate(two.sides):
        own = two.own(at, term)
        if tuple(sorted(own)) in side.terms:
            columns = {index: two.points[at][kept, index] for index in own}
            groups = side.errors(tuple(sorted(own)), columns, two.output(output, at))
            found.append(float(np.sqrt(((groups - groups.mean(axis=0)) ** 2).sum(axis=1).mean())) / 2)
    return max(found)


def held(two: Two, said: Said) -> Iterator[Check]:
    """See whether a side holds a term."""
    side = two.names.index(said.places[0])
    own = tuple(sorted(two.own(side, said.terms[0])))
    yield equal("held", own in two.sides[side].terms, said.kind == "version of an effect")


def share_in_both(two: Two, said: Said) -> Iterator[Check]:
    """Compute the total share of a term, or of a feature, from all rows of both."""
    true = [_share(two, side, said) for side in (0, 1)]
    yield near("first share", said["first"], true[0], EXACT)
    yield near("second share", said["second"], true[1], EXACT)
    if "low" in said.numbers:
        yield within("interval", true[1] - true[0], said["low"] - EXACT, said["high"] + EXACT)


def _share(two: Two, side: int, said: Said) -> float:
    page, output = two.sides[side], two.output(said.output, side)
    if said.features:
        return page.feature_shares(two.own(side, said.features)[0], output)[1]
    own = tuple(sorted(two.own(side, said.terms[0])))
    return page.share([own], output)[1] if own in page.terms else 0.0


def counted_shares(two: Two, said: Said) -> Iterator[Check]:
    """Count the shares that moved, of those that are compared."""
    n_terms, n_features, key = len(two.terms), len(two.features), str(said.holder.get("key", ""))
    moved, every = len(two.document["outputs"][said.output]["moved"]), n_terms + n_features
    if key:  # a picture of some of them
        moved = sum(claim["kind"] == "share in both" for claim in said.holder["claims"])
        every = n_features if "feature" in key else n_terms
    if "n_shares" in said.numbers:
        yield equal("shares", said["n_shares"], float(every))
    else:
        moved = sum(claim["kind"] == "share in both" for claim in said.holder["claims"])
    yield equal("shares that moved", said["n_moved"], float(moved))


def drawn_alike(two: Two, said: Said) -> Iterator[Check]:
    """Count the pictures of main effects that agree."""
    yield equal("drawn", said["n_drawn"], float(len(two.document["outputs"][said.output]["agreeing"])))


def alone(two: Two, said: Said) -> Iterator[Check]:
    """List the features that only one of the two has."""
    side = two.sides[two.names.index(said.places[0])]
    named = [side.features[index] for index in said.features]
    yield equal(
        "features", named, [side.features[at] for at, name in enumerate(side.columns) if name not in two.columns]
    )


def not_compared(two: Two, said: Said) -> Iterator[Check]:
    """Compute what an explanation leaves unexplained."""
    side = two.names.index(said.places[0])
    yield near("share", said["share"], two.sides[side].unexplained(two.output(said.output, side)), EXACT)


OF_TWO: dict[str, Checker] = {
    "same function": function,
    "another function": function,
    "function that may have changed": function,
    "functions not compared": not_judged,
    "left open": left_open,
    "explanations differ": explanations,
    "clearest direction": direction,
    "mean predictions": means,
    "inputs that moved": inputs,
    "distribution that moved": distribution,
    "correlation that moved": correlation,
    "effects not compared": not_judged,
    "effects that differ": counted_effects,
    "distance of an effect": distance,
    "effect that is lacking": held,
    "version of an effect": held,
    "effects that agree": drawn_alike,
    "feature shares that moved": counted_shares,
    "shares that moved": counted_shares,
    "share in both": share_in_both,
    "features of one alone": alone,
    "part that is not compared": not_compared,
}
