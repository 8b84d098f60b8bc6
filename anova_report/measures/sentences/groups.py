"""Sentences on groups of features, on the reasons of a row, and on cohorts."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, enumeration, factor_words, percent

NAMED = 3  # groups, or shares that differ


def groups_words(claims: Sequence[Claim]) -> str:
    """Say what groups of features carry.

    Examples
    --------
    >>> numbers = {"structural": 0.42, "total": 0.4}
    >>> groups_words([Claim("shares of a group", numbers, features=(0, 1), places=("location",))])
    'Share of the variance, with the part of every interaction: location 40.0% (structural 42.0%).'
    """
    own = chosen(claims, "shares of a group")
    named = [f"{each.places[0]} {percent(each['total'])} (structural {percent(each['structural'])})" for each in own]
    between = chosen(claims, "interaction of groups")
    more = "".join(
        f" The largest interaction beyond groups is {each.places[0]} ({percent(each['structural'])})."
        for each in between[:1]
    )
    return f"Share of the variance, with the part of every interaction: {enumeration(named, NAMED)}.{more}"


def reason_words(claim: Claim, names: Names) -> str:
    """Say what a reason adds to a prediction, or by what it multiplies it, and what of that cannot be determined.

    Examples
    --------
    >>> from anova_report.core.input.scales import SCALES
    >>> found = Claim("reason", {"value": 1.5, "place": 1.0, "ranked": 1.0, "low": 1.0, "high": 2.0})
    >>> reason_words(found, Names(("age",), unit="€"))
    'raises the prediction by 1.5 € (95% interval 1 € to 2 €).'
    >>> reason_words(found, Names(("age",), scale=SCALES["log"]))
    'multiplies the prediction by 4.48 (95% interval × 2.72 to × 7.39).'
    >>> found = Claim("reason", {"value": -0.1, "place": 2.0, "ranked": 0.0, "low": -0.3, "high": 0.1})
    >>> reason_words(found, Names(("age",)))
    'adds −0.1 (95% interval −0.3 to +0.1): the direction and the rank cannot be determined.'
    """
    value, numbers = claim["value"], claim.numbers
    interval, has_direction = "", "low" not in numbers or claim["low"] > 0 or claim["high"] < 0
    if "low" in numbers:
        ends = [names.brief(claim["low"]), names.brief(claim["high"])]
        if has_direction and not names.scale.factors:  # as large as it raises, or lowers
            ends = [names.bound(size) for size in sorted((abs(claim["low"]), abs(claim["high"])))]
        interval = f"95% interval {' to '.join(ends)}"
    known = f" ({interval})" if interval else ""
    open_ = [what for what, so in (("the direction", has_direction), ("the rank", bool(claim["ranked"]))) if not so]
    end = f": {enumeration(open_)} cannot be determined." if open_ else "."
    if names.scale.factors:
        times, _, change = factor_words(value).removeprefix("× ").removesuffix(")").partition(" (")
        way, aside = f"multiplies the prediction by {times}", "; ".join(filter(None, (change, interval)))
        known = f" ({aside})" if aside else ""
    elif has_direction:
        way = f"{'raises' if value > 0 else 'lowers'} the prediction by {names.bound(abs(value))}"
    else:
        way = f"adds {names.effect(value)}"
    return f"{way}{known}{end}"


def cohort_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which rows a cohort is, and what is different there.

    Examples
    --------
    >>> claims = [
    ...     Claim("rows of a cohort", {"n_rows": 200.0, "n_all": 1000.0}, places=("age > 60",)),
    ...     Claim("mean of a cohort", {"mean": 2.0, "all_rows": 1.5}),
    ...     Claim("unexplained in a cohort", {"share": 0.02, "all_rows": 0.01}),
    ... ]
    >>> for sentence in cohort_words(claims, Names(("age",))).split(". "):
    ...     print(sentence)
    Effects and shares are those of the 200 of 1,000 rows where age > 60; the fit is that of all rows
    Their mean prediction is 2; that of all rows is 1.5
    The explanation leaves 2.0% of the variance of their predictions unexplained; for all rows it leaves 1.0%
    No share of a feature or group differs beyond its interval.
    """
    rows, mean, left = claims[:3]
    middle = "base rate" if names.scale.factors else "mean prediction"
    whose = "the logarithm of their predictions" if names.scale.factors else "their predictions"
    said = [
        f"Effects and shares are those of the {rows['n_rows']:,.0f} of {counted(round(rows['n_all']), 'row', 'rows')} "
        f"where {rows.places[0]}; the fit is that of all rows.",
        f"Their {middle} is {names.value(mean['mean'])}; that of all rows is {names.value(mean['all_rows'])}.",
        f"The explanation leaves {percent(left['share'])} of the variance of {whose} unexplained; for all rows it "
        f"leaves {percent(left['all_rows'])}.",
    ]
    moved = [
        f"{each.places[0]} ({percent(each['share'])} here, {percent(each['all_rows'])} in all rows)"
        for each in chosen(claims, "share in a cohort")
        if each["differs"]
    ]
    if moved:
        said.append(f"Shares that differ beyond their intervals: {enumeration(moved, NAMED)}.")
    else:
        said.append("No share of a feature or group differs beyond its interval.")
    return " ".join(said)


def cohort_line(claim: Claim) -> str:
    """Write the line to which the section of a cohort is folded."""
    return f"{claim['n_rows']:,.0f} of {counted(round(claim['n_all']), 'row', 'rows')}: {claim.places[0]}"


def groups_line(claim: Claim) -> str:
    """Write the line to which the section of groups is folded."""
    return f"{counted(round(claim['n_groups']), 'group', 'groups')} of features"
