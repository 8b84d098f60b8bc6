"""Sentences on shares of the variance: of terms, of features, of joint effects, and of what nothing explains."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, percent, portions

AT_AN_END = 0.1  # of its interval: an estimate nearer to an end is known to be biased
VISIBLE = 0.0005  # share: intervals of ten times this width or less need no words


def shares_words(claims: Sequence[Claim], names: Names) -> str:
    """Name the largest shares, and say what is left out and what is unexplained.

    Examples
    --------
    >>> claims = [
    ...     Claim("shares of a term", {"structural": 0.5, "total": 0.4}, ((0,),)),
    ...     Claim("unexplained share", {"share": 0.02}),
    ... ]
    >>> shares_words(claims, Names(("age",))).partition("the largest ")[2]
    'structural shares are those of age (50.0%, total 40.0%); 2.0% is unexplained.'
    """
    named = ", ".join(
        f"{_name(claim, names)} ({percent(claim['structural'])}, total {percent(claim['total'])})"
        for kind in ("shares of a term", "shares of a feature", "shares of a group")
        for claim in chosen(claims, kind)
    )
    said = [
        f"Of the variance of the {names.varies or names.prediction}, the largest structural shares are those of {named}"
    ]
    said += [
        f"totals of the {claim['n_rest']:,.0f} not drawn add up to {percent(claim['total'])}"
        for claim in chosen(claims, "shares that are not drawn")
    ]
    said += [f"{portions(1 - claim['share'])[1]} is unexplained" for claim in chosen(claims, "unexplained share")]
    return f"{'; '.join(said)}."


def _name(claim: Claim, names: Names) -> str:
    if claim.places:
        return claim.places[0]
    return names.term(claim.terms[0]) if claim.terms else names.features[claim.features[0]]


def network_words(claims: Sequence[Claim], names: Names) -> str:
    """Name the largest terms of a network: by their structural shares, or by what they contribute in a row."""
    first, drawn = claims[0], claims[-1]
    what = "The largest structural shares"
    if first.kind == "contribution":
        what = f"The largest contributions in {names.row(first.rows[0])}"
    features = counted(round(drawn["n_features"]), "feature", "features")
    pairs = counted(round(drawn["n_pairs"]), "pair", "pairs")
    sizes = (
        names.brief(claim["value"]) if claim.kind == "contribution" else percent(claim["share"])
        for claim in claims[:-1]
    )
    named = ", ".join(f"{_name(claim, names)} ({size})" for claim, size in zip(claims[:-1], sizes, strict=True))
    return f"{what} are those of {named}; {features} and {pairs} drawn."


def joint_share_words(claim: Claim) -> str:
    """Write the total share of a joint effect with its interval.

    Examples
    --------
    >>> joint_share_words(Claim("joint share", {"share": 0.25, "low": 0.2, "high": 0.3}, features=(0, 1)))
    '25.0% (95% interval 20.0% to 30.0%)'
    """
    return percent(claim["share"]) + share_interval_words(claim, claim["share"])


def share_interval_words(claim: Claim, share: float) -> str:
    """Write the interval of a share; where the estimate is known to lack something, say on which side the truth lies.

    Examples
    --------
    >>> share_interval_words(Claim("joint share", {"share": 0.25, "low": 0.2, "high": 0.3}), 0.25)
    ' (95% interval 20.0% to 30.0%)'
    >>> share_interval_words(Claim("joint share", {"share": 0.318, "low": 0.317, "high": 0.44}), 0.318)
    ' (probably more: 95% interval 31.7% to 44.0%)'
    """
    if "low" not in claim.numbers:
        return ""
    low, high = claim["low"], claim["high"]
    edge = AT_AN_END * (high - low) if low else 0.0  # at zero an interval ends because shares do
    leaning = "probably more: " if share - low < edge else "probably less: " if high - share < edge else ""
    return f" ({leaning if edge > VISIBLE else ''}95% interval {percent(low)} to {percent(high)})"


def within_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how much a joint effect carries, and what the shares of its terms would add up to."""
    joint, within = claims
    left = round(within["n_left_out"])
    beyond = f" {left:,} smaller terms among these features are not drawn." if left else ""
    carried = f"Together, {names.several(joint.features)} carry {joint_share_words(joint)} of the variance"
    terms = counted(round(within["n_terms"]), "term", "terms")
    return f"{carried}; the structural shares of their {terms} add up to {percent(within['sum'])}.{beyond}"
