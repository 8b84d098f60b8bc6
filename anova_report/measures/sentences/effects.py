"""Captions of effects: how they run over the rows, where they are largest, and how precisely they are known."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import joint_share_words, share_interval_words
from anova_report.measures.wording import counted, percent


def interaction_words(claim: Claim, names: Names) -> str:
    """Say how much a pair moves the predictions beyond its main effects.

    Examples
    --------
    >>> claim = Claim("size of an interaction", {"deviation": 0.512}, terms=((0, 1),))
    >>> interaction_words(claim, Names(("age", "sex"))).partition(" by ")[2]
    '± 0.512 (one standard deviation over the rows).'
    """
    first, second = (names.features[index] for index in claim.terms[0])
    return (
        f"Beyond their separate effects, the combination of {first} and {second} changes the prediction "
        f"by {'' if names.scale.factors else '± '}{names.size(claim['deviation'])} (one standard deviation over the "
        "rows)."
    )


def share_words(claim: Claim, names: Names) -> str:
    """Say how much of the variance a term carries, and how.

    Examples
    --------
    >>> shares = {"structural": 0.5, "correlative": -0.1, "total": 0.4}
    >>> share_words(Claim("share of a term", shares, ((0,),)), Names(("a",)))
    'a carries 40.0% of the variance: 50.0% by its own variance, −10.0% by its covariance with other terms.'
    """
    known = share_interval_words(claim, claim["total"])
    return (
        f"{names.term(claim.terms[0])} carries {percent(claim['total'])}{known} of the variance: "
        f"{percent(claim['structural'])} by its own variance, {percent(claim['correlative'])} by its covariance with "
        "other terms."
    )


def curve_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how a curve runs over the rows, where it is drawn and beyond, how precisely, and what missing values add.

    Examples
    --------
    >>> course = Claim(
    ...     "rising effect",
    ...     {"first": -1.0, "first_at": 20.0, "last": 2.0, "last_at": 70.0},
    ...     features=(0,),
    ...     places=("20", "70"),
    ... )
    >>> curve_words([course, Claim("median half-width", {"half_width": 0.25})], Names(("age",)))
    'The effect of age rises from −1 at 20 to +2 at 70; median 95% half-width 0.25.'
    """
    said = [f"The effect of {names.features[claims[0].features[0]]} {_course(claims[0], names)}"]
    said += [f"over {looked_words(claim)} it lies {_ends(claim, names)}" for claim in chosen(claims, "range over rows")]
    said += [
        f"median 95% half-width {names.size(claim['half_width'])}" for claim in chosen(claims, "median half-width")
    ]
    said += [
        f"missing values, {percent(claim['share'])} of the rows, have an effect of {names.effect(claim['value'])}"
        for claim in chosen(claims, "effect of missing values")
    ]
    return f"{'; '.join(said)}."


def _course(claim: Claim, names: Names) -> str:
    match claim.kind:
        case "rising effect" | "falling effect":
            verb, (first, last) = "rises" if claim.kind == "rising effect" else "falls", _ends_at(claim, names)
            return f"{verb} from {names.effect(claim['first'])} at {first} to {names.effect(claim['last'])} at {last}"
        case "bounded effect":
            low, high = _ends_at(claim, names)
            return f"lies between {names.effect(claim['low'])} at {low} and {names.effect(claim['high'])} at {high}"
        case "constant effect":
            return f"is {names.effect(claim['value'])} throughout"
        case _:
            return f"is drawn nowhere, since rows lie too far apart; it lies {_ends(claim, names)}"


def _ends_at(claim: Claim, names: Names) -> list[str]:
    return [names.at(claim.features[0], place) for place in claim.places]


def _ends(claim: Claim, names: Names) -> str:
    return f"between {names.effect(claim['low'])} and {names.effect(claim['high'])}"


def looked_words(claim: Claim) -> str:
    """Say over which rows a range was found."""
    every = counted(round(claim["n_rows"]), "row", "rows")
    return f"all {every}" if claim["n_looked"] == claim["n_rows"] else f"{claim['n_looked']:,.0f} of {every}"


def levels_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which levels have the highest and the lowest effect among those with rows enough, and what is left out."""
    name, first = names.features[claims[0].features[0]], claims[0]
    if first.kind == "constant effect":
        of = "the only level" if first["n_places"] == 1 else f"all {first['n_places']:,.0f} levels"
        said = [f"The effect of {name} is {names.effect(first['value'])} for {of} drawn"]
    else:
        highest, lowest = (_level(chosen(claims, kind)[0], names) for kind in ("highest level", "lowest level"))
        said = [f"The effect of {name} is highest for {highest} and lowest for {lowest}"]
    said += [
        f"{counted(round(claim['n_levels']), 'level', 'levels')} with fewer than "
        f"{counted(round(claim['least']), 'row', 'rows')} not compared"
        for claim in chosen(claims, "levels not compared")
    ]
    said += [
        f"{counted(round(claim['n_levels']), 'rarer level', 'rarer levels')} not drawn"
        for claim in chosen(claims, "levels not drawn")
    ]
    return f"{'; '.join(said)}."


def _level(claim: Claim, names: Names) -> str:
    band = ""
    if "low" in claim.numbers:
        band = f", 95% interval {names.brief(claim['low'])} to {names.brief(claim['high'])}"
    level, share = names.at(claim.features[0], claim.places[0]), percent(claim["share"])
    return f"{level} ({names.brief(claim['value'])}{band}, {share} of the rows)"


def surface_words(claims: Sequence[Claim], names: Names) -> str:
    """Say the extremes over the rows where a surface is drawn, those over all rows, and what is hatched."""
    joint, first = chosen(claims, "joint share"), claims[0]
    verb = "multiply predictions" if names.scale.factors else "add"
    what = f"The pair {names.term(first.terms[0])} {'multiplies predictions' if names.scale.factors else 'adds'}"
    if joint:
        what = f"Together, {names.several(joint[0].features)} {verb}"
    by = " by" if names.scale.factors else ""
    match first.kind:
        case "effect that is not drawn":
            said = [f"{what}{by} {_ends(first, names)} over {looked_words(first)}, which lie too far apart to be drawn"]
        case "constant effect":
            said = [f"{what}{by} {names.effect(first['value'])} everywhere"]
        case _:
            said = [f"{what} most, {_extreme(claims[0], names)}, and least, {_extreme(claims[1], names)}"]
    said += [f"over {looked_words(claim)}, {_ends(claim, names)}" for claim in chosen(claims, "range over rows")]
    said += [
        f"{percent(claim['share'])} of the plane is hatched: {hatched_words(claim)}"
        for claim in chosen(claims, "hatched part")
    ]
    ending = "".join(
        f" This is {_parts(claim)} together, {joint_share_words(claim)} of the variance." for claim in joint
    )
    return f"{'; '.join(said)}.{ending}"


def _extreme(claim: Claim, names: Names) -> str:
    where = (
        f"{names.features[index]} = {names.at(index, place)}"
        for index, place in zip(claim.features, claim.places, strict=True)
    )
    return f"{names.effect(claim['value'])} at {', '.join(where)}"


def _parts(joint: Claim) -> str:
    return "both main effects and their interaction" if joint.features in joint.terms else "both main effects"


def hatched_words(claim: Claim) -> str:
    """Say how few rows are too few on a plane: close along numbers, and of the same level."""
    few = f"fewer than {counted(round(claim['n_least']), 'row', 'rows')}"
    if "distance" not in claim.numbers:
        return few
    return f"{few} within {percent(claim['distance'])} of {claim.places[0]}"


def reach_words(claim: Claim) -> str:
    """State the rule of what is drawn, once for all pictures of a page."""
    rows, share = counted(round(claim["n_least"]), "row", "rows"), percent(claim["distance"])
    return (
        f"Effects are drawn only where at least {rows} lie within {share} of the axis, on a plane within {share} of "
        "both axes, and at a level that as many rows have. Shaded ranges, hatched cells and pale bars have fewer; "
        "scales and sentences leave them out."
    )


def slices_words(claims: Sequence[Claim], names: Names) -> str:
    """Say from where to where a pair runs along one feature, for some values of the other."""
    along, cut = claims[0].features
    courses = []
    for claim in claims:
        where = f"where {names.features[cut]} = {names.at(cut, claim.places[0])}"
        if claim.kind == "slice without rows":
            courses.append(f"{where}, too few rows")
        else:
            first, last = (
                f"{names.effect(claim[end])} at {names.at(along, at)}"
                for end, at in zip(("first", "last"), claim.places[1:], strict=True)
            )
            courses.append(f"{where}, from {first} to {last}")
    pair = tuple(sorted(claims[0].features))
    what = f"pair {names.term(pair)}" if claims[0].terms == (pair,) else f"joint effect of {names.several(pair)}"
    return f"The {what} along {names.features[along]}: {'; '.join(courses)}."
