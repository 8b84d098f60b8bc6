"""Sentences on what a model is expected to do: whether it does, where not and by how much, or why nobody knows."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, percent

NO_ROWS = "No rows were given on which this could be judged."
NO_BANDS = "The estimator does not estimate uncertainty, so this cannot be judged."
FEW_PLACES = "Too few places have enough rows, so this cannot be determined."
ASIDE = {
    "increasing": "falls",
    "decreasing": "rises",
    "convex": "lies above its chord",
    "concave": "lies below its chord",
}
AMISS = {"increasing": "fall", "decreasing": "rise", "convex": "bulge upwards", "concave": "bulge downwards"}


def expectation_words(claims: Sequence[Claim], outcome: str, names: Names) -> str:
    """Say whether an expectation "holds", is "violated" or is "open"."""
    claim = claims[0]
    match claim.kind:
        case "shape expected":
            return _shape_words(claim, outcome, names)
        case "values expected":
            return _values_words(claim, outcome, names)
        case "difference expected" | "difference of interactions expected":
            return _difference_words(claim, outcome, names)
    return _share_words(claim, outcome, names)


def _shape_words(claim: Claim, outcome: str, names: Names) -> str:
    form, *texts = claim.places
    effect, amiss = f"the main effect of {names.features[claim.features[0]]}", AMISS[form]
    texts = [names.at(claim.features[0], text) for text in texts]
    where = (
        f"from {texts[0]} to {texts[-1]}" if len(texts) == 2 else f"at {texts[1]}, between {texts[0]} and {texts[2]}"
    )
    slack = f"{names.size(claim['allowed'])} ({claim['part']:.0%} of its range)"
    size = _size(claim["departure"], claim, names)
    if outcome == "violated":
        rows = counted(round(claim["n_between"]), "row lies", "rows lie")
        return f"Violated: {effect} {ASIDE[form]} {where} by {size}. Up to {slack} is accepted; {rows} there."
    seen = f"at {counted(round(claim['n_places']), 'place', 'places')} with enough rows"
    if outcome == "holds":
        most = f"{_by(amiss, names)} at most {names.size(claim['high'])}" if claim["high"] > 0 else f"no {amiss}"
        return f"Holds: {effect} is {form}. Bands that hold {seen} at once allow {most}; up to {slack} is accepted."
    return (
        f"Cannot be determined: {where}, {effect} may show {_by(amiss, names)} up to {names.size(claim['high'])}, and "
        f"up to {slack} is accepted. The bands hold {seen} at once."
    )


def _size(value: float, claim: Claim, names: Names) -> str:
    """Write a difference with its interval."""
    return f"{names.size(value)} (95% interval {names.bound(claim['low'])} to {names.bound(claim['high'])})"


def _by(amiss: str, names: Names) -> str:
    return f"a {amiss} {'by' if names.scale.factors else 'of'}"


def _values_words(claim: Claim, outcome: str, names: Names) -> str:
    effect, place = (
        f"the main effect of {names.features[claim.features[0]]}",
        names.at(claim.features[0], claim.places[0]),
    )
    ends = f"{names.brief(claim['low'])} to {names.brief(claim['high'])}"
    size = f"{names.brief(claim['value'])} (95% interval {ends})"
    seen = f"at {counted(round(claim['n_places']), 'place', 'places')} with enough rows"
    bound = names.brief(claim["bound"])
    if outcome == "violated":
        rows = counted(round(claim["n_beyond"]), "row has", "rows have")
        return (
            f"Violated: {effect} is {size} at {place}, beyond the bound {bound}; {rows} an effect outside the bounds."
        )
    if outcome == "holds":
        return f"Holds: {effect} stays within its bounds {seen}. It comes closest at {place}: {size}, bound {bound}."
    return (
        f"Cannot be determined: {effect} is {size} at {place}, and the bound is {bound}. The bands hold {seen} at once."
    )


def _share_words(claim: Claim, outcome: str, names: Names) -> str:
    named = names.term(claim.features)
    what = {
        "total share expected": f"the total share of {named} is",
        "effect expected": f"the terms of {named} have a structural share of",
        "interaction expected": f"the interactions of {named} have a structural share of",
    }[claim.kind]
    verb = {"holds": "Holds", "violated": "Violated", "open": "Cannot be determined"}[outcome]
    side = "less than" if claim.places[0] == "below" else "more than"
    bounds = f"95% interval {percent(claim['low'])} to {percent(claim['high'])}"
    return f"{verb}: {what} {percent(claim['share'])} ({bounds}); {side} {percent(claim['limit'])} is expected."


def _difference_words(claim: Claim, outcome: str, names: Names) -> str:
    named = names.term(claim.features)
    own = "with its interactions" if claim.kind == "difference expected" else "by interactions"
    size, limit = _size(claim["difference"], claim, names), names.size(claim["limit"])
    between = f"between {names.row(claim.rows[0])} and {names.row(claim.rows[1])}"
    if outcome == "violated":
        rows = counted(round(claim["n_rows"]), "row", "rows")
        beyond = f"of {rows}, {claim['n_beyond']:,.0f} lie that far from the former"
        return f"Violated: what {named} contributes, {own}, differs by {size} {between}, more than {limit}; {beyond}."
    if outcome == "holds":
        return f"Holds: what {named} contributes, {own}, differs most {between}, by {size}; up to {limit} is expected."
    return (
        f"Cannot be determined: what {named} contributes, {own}, differs by {size} {between}; up to "
        f"{limit} is expected."
    )
