"""Sentences on shares of the variance: of terms, of features, of joint effects, and of what nothing explains."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, percent, portions, signed

SHARES = ("structural share", "structural share of a feature", "total share", "share of a feature", "contribution")


def shares_words(claims: Sequence[Claim], names: Names) -> str:
    """Name the largest shares.

    Examples
    --------
    >>> claims = [Claim("structural share", {"share": 0.5}, ((0,),)), Claim("unexplained share", {"share": 0.02})]
    >>> shares_words(claims, Names(("age",)))
    'Of the variance of the prediction, the largest structural shares are those of age (50.0%); 2.0% is unexplained.'
    """
    kind = "structural shares" if claims[0].kind.startswith("structural") else "shares"
    rest = "".join(
        f"; totals of the {round(claim['n_left_out']):,} not drawn add up to {percent(claim['share'])}"
        for claim in chosen(claims, "totals left out")
    )
    unexplained = chosen(claims, "unexplained share")
    left = "".join(f"; {portions(1 - claim['share'])[1]} is unexplained" for claim in unexplained)
    largest = f"the largest {kind} are those of {_named(claims, names)}"
    return f"Of the variance of the {names.prediction}, {largest}{rest}{left}."


def network_words(claims: Sequence[Claim], names: Names) -> str:
    """Name the largest terms of a network: by their structural shares, or by what they contribute in a row."""
    first, drawn = claims[0], claims[-1]
    what = "The largest structural shares"
    if first.kind == "contribution":
        what = f"The largest contributions in {names.row(first.rows[0])}"
    features = counted(round(drawn["n_features"]), "feature", "features")
    pairs = counted(round(drawn["n_pairs"]), "pair", "pairs")
    return f"{what} are those of {_named(claims, names)}; {features} and {pairs} drawn."


def _named(claims: Sequence[Claim], names: Names) -> str:
    found = []
    for claim in claims:
        if claim.kind in SHARES:
            name = names.term(claim.terms[0]) if claim.terms else names.features[claim.features[0]]
            size = signed(claim["value"]) if claim.kind == "contribution" else percent(claim["share"])
            found.append(f"{name} ({size})")
    return ", ".join(found)


def joint_share_words(claim: Claim) -> str:
    """Write the total share of a joint effect with its interval.

    Examples
    --------
    >>> joint_share_words(Claim("joint share", {"share": 0.25, "low": 0.2, "high": 0.3}, features=(0, 1)))
    '25.0% (95% interval 20.0% to 30.0%)'
    """
    known = f" (95% interval {percent(claim['low'])} to {percent(claim['high'])})" if "low" in claim.numbers else ""
    return percent(claim["share"]) + known


def within_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how much a joint effect carries, and what the shares of its terms would add up to."""
    joint, within = claims
    left = round(within["n_left_out"])
    beyond = f" {left} smaller terms among these features are not drawn." if left else ""
    carried = f"Together, {names.several(joint.features)} carry {joint_share_words(joint)} of the variance"
    terms = counted(round(within["n_terms"]), "term", "terms")
    return f"{carried}; the structural shares of their {terms} add up to {percent(within['sum'])}.{beyond}"
