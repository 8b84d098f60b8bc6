"""Sentences on which effects are estimable, from data or from the model, and on effects that are read together."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import joint_share_words
from anova_report.measures.wording import cosine, counted, enumeration, percent

MOST_GROUPS = 3  # of features that a sentence names


def stands_words(claim: Claim, names: Names) -> str:
    """Say what explains what in a group, in words that follow its names.

    Examples
    --------
    >>> claim = Claim("explained value by value", {"share": 1.0}, ((0,),), (1,))
    >>> stands_words(claim, Names(("town", "district")))
    'each value of district always comes with the same value of town'
    """
    extent = "all" if claim["share"] == 1 else percent(claim["share"])
    if claim.kind == "explained by the others":
        return (
            f"functions of the others explain {extent if extent == 'all' else f'up to {extent}'} of the effect of one"
        )
    effect, others = names.term(claim.terms[0]), enumeration([names.features[index] for index in claim.features])
    together = " together" if len(claim.features) > 1 else ""
    match claim.kind:
        case "explained by functions":
            return f"functions of {others}{together} explain {extent} of the effect of {effect}"
        case "explained by values":
            return f"the values of {others}{together} explain {extent} of the effect of {effect}"
        case "one to one":
            return f"each value of {others} always comes with the same value of {effect}, and the reverse"
        case _:
            each = "value" if len(claim.features) == 1 else "combination of values"
            same = "value" if len(claim.terms[0]) == 1 else "effect"
            return f"each {each} of {others} always comes with the same {same} of {effect}"


def apart_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which effects the data do not determine, and which the model does; claims on groups come in pairs."""
    said = []
    groups = [claim for claim in claims if claim.kind in ("effects not estimable", "effects hardly estimable")]
    for group in groups:
        stands = claims[list(claims).index(group) + 1]
        open_ = "Their separate effects are not estimable from these data"
        if group.kind == "effects hardly estimable":
            open_ = "Only a few rows determine their separate effects"
        said.append(
            f"Among {names.several(group.features)}, {stands_words(stands, names)} (concurvity). {open_}; together "
            f"they carry {joint_share_words(group)} of the variance."
        )
    said += [
        f"The same holds for {counted(round(claim['n_groups']), 'further group', 'further groups')}."
        for claim in chosen(claims, "further groups")
    ]
    by_model = chosen(claims, "effects estimable by the model")
    if by_model:
        named = "; ".join(names.several(claim.features) for claim in by_model)
        more = "".join(
            f"; and {counted(round(claim['n_groups']), 'further group', 'further groups')}"
            for claim in chosen(claims, "further groups estimable by the model")
        )
        said.append(
            f"From the data alone, these effects are not estimable separately: {named}{more}. The model determines "
            "them: it was asked at recombined rows, where these features vary separately."
        )
    return " ".join(said)


def not_separate_words(claims: Sequence[Claim], names: Names, *, is_known: bool) -> str:
    """Say why features are read together that cannot be distinguished, and whether their sum is known."""
    group, stands = claims[:2]
    whose = "the data do not determine which feature an effect belongs to"
    if group.kind == "effects hardly estimable":
        whose = "only the few rows in which they differ determine which one an effect belongs to"
    said = stands_words(stands, names)
    whole = "their sum is not" if is_known else "their sum is not, but the interval of its share is wide"
    return (
        f"{said[0].upper()}{said[1:]} (concurvity), so {whose}. Its division among them is largely a choice of the "
        f"fit; {whole}."
    )


def moving_together_words(claims: Sequence[Claim], names: Names) -> str:
    """Say why two effects are read together that move together, or against each other."""
    pair, both = claims[:2]
    first, second = map(names.term, pair.terms)
    how, which = (
        ("against each other", "the other lowers it") if pair["correlation"] < 0 else ("together", "so does the other")
    )
    return (
        f"The effects of {first} and {second} move {how} (correlation {cosine(pair['correlation'])}): where one raises "
        f"the prediction, {which}. Their structural shares are {percent(pair['first'])} and {percent(pair['second'])}; "
        f"that of both added up is {percent(both['share'])}."
    )


def carried_words(claim: Claim, names: Names) -> str:
    """Say how much some features carry together, and of what their joint effect is made."""
    is_pair = len(claim.features) == 2
    made_of = "both main effects and their interaction" if is_pair else "their main effects and interactions"
    carried = f"{names.several(claim.features)} carry {joint_share_words(claim)} of the variance"
    return f"Together, {carried}: {made_of}, drawn as one function."
