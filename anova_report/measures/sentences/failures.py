"""Sentences on where the explanation fails."""

from collections.abc import Sequence
from typing import Protocol

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, percent


class Stated(Protocol):
    """A condition on a feature, as `measures.rules` has it."""

    @property
    def feature(self) -> int:
        """Which one."""

    @property
    def relation(self) -> str:
        """On which side of a value, which level, or none."""

    @property
    def text(self) -> str:
        """The value, as readers see it."""


SIGNS = {"below": "<", "from": "≥", "is": "="}


def rule_words(conditions: Sequence[Stated], names: Names) -> str:
    """Write the conditions of a rule; those on one feature stand together.

    Examples
    --------
    >>> from anova_report.measures.rules import Condition
    >>> rule = [Condition(0, "below", 25.0, "25"), Condition(1, "is", 2.0, "south"), Condition(0, "from", 20.0, "20")]
    >>> rule_words(rule, Names(("age", "region"), units=("years", "")))
    '20 ≤ age < 25 years and region = south'
    """
    written = []
    for feature in dict.fromkeys(condition.feature for condition in conditions):
        own = {one.relation: one.text for one in conditions if one.feature == feature}
        title = names.features[feature]
        if {"below", "from"} <= own.keys():
            written.append(f"{own['from']} ≤ {title} < {names.at(feature, own['below'])}")
            continue
        for relation, text in own.items():
            written.append(
                f"{title} is missing"
                if relation == "missing"
                else f"{title} {SIGNS[relation]} {names.at(feature, text)}"
            )
    return " and ".join(written)


def failures_words(claims: Sequence[Claim], names: Names) -> str:
    """Say where the explanation fails, and how that was found out.

    Examples
    --------
    >>> tried = Claim("rules tried", {"n_tried": 4.0, "n_rows": 1200.0}, over="held-out rows")
    >>> numbers = {"n_inside": 36.0, "n_judged": 600.0, "share": 0.06, "held": 0.41, "low": 0.28, "high": 0.55}
    >>> region = Claim("failing region", numbers | {"left": 0.5, "half": 1.0}, places=("age < 25",))
    >>> for sentence in failures_words([tried, region], Names(("age",))).split(". "):
    ...     print(sentence)
    Where age < 25, 6.0% of the rows hold 41.0% of what is unexplained (95% interval 28.0% to 55.0%): their mean squared residual is 50.0% of the variance of the predictions
    Looked at were 1,200 held-out rows: a rule is found on one half of them and judged on the other
    Intervals allow for all 4 rules that were tried.
    """  # noqa: E501 one sentence
    for few in chosen(claims, "too few rows for rules"):
        return (
            f"Of {_looked_at(few)} there are too few to find where the explanation fails on some of them, and to judge "
            "it on others."
        )
    tried, regions = claims[0], chosen(claims, "failing region")
    halves = f"Looked at were {_looked_at(tried)}: a rule is found on one half of them and judged on the other."
    if not regions:
        return (
            "No rule of up to three conditions picks out rows that hold much more of what is unexplained than their "
            f"share, and more than chance would give them. {halves}"
        )
    said = " ".join(_region_words(region, names) for region in regions)
    n_tried = round(tried["n_tried"])
    every = "the one rule that was tried" if n_tried == 1 else f"all {n_tried} rules that were tried"
    return f"{said} {halves} Intervals allow for {every}."


def _looked_at(claim: Claim) -> str:
    rows = round(claim["n_rows"])
    if claim.over == "held-out rows":
        return counted(rows, "held-out row", "held-out rows")
    return f"{counted(rows, 'row', 'rows')}, some of which the fit has seen"


def _region_words(claim: Claim, names: Names) -> str:
    return (
        f"Where {claim.places[0]}, {percent(claim['share'])} of the rows hold {percent(claim['held'])} of what is "
        f"unexplained (95% interval {percent(claim['low'])} to {percent(claim['high'])}): their mean squared residual "
        f"is {percent(claim['left'])} of the variance of {names.varying}."
    )


def failures_line(claims: Sequence[Claim]) -> str:
    """Say in a line where the explanation fails most.

    Examples
    --------
    >>> failures_line([Claim("rules tried", {"n_tried": 0.0, "n_rows": 1200.0})])
    'No region stands out'
    """
    for first in chosen(claims, "failing region"):
        held = percent(first["held"])
        return f"{first.places[0]}: {percent(first['share'])} of the rows, {held} of what is unexplained"
    return "Too few rows to look for regions" if chosen(claims, "too few rows for rules") else "No region stands out"


def listed_residuals_words(claim: Claim) -> str:
    """Say what the rows with the largest residuals hold.

    Examples
    --------
    >>> listed_residuals_words(Claim("rows listed by residual", {"n_listed": 10.0, "held": 0.23}))
    'These 10 rows hold 23.0% of the sum of all squared residuals.'
    """
    rows = counted(round(claim["n_listed"]), "row holds", "rows hold")
    these = "This" if claim["n_listed"] == 1 else "These"
    return f"{these} {rows} {percent(claim['held'])} of the sum of all squared residuals."


def listed_unseen_words(claim: Claim) -> str:
    """Say of how many rows the fit has not seen values or combinations, and how many are listed.

    Examples
    --------
    >>> numbers = {"n_listed": 10.0, "n_beyond": 31.0, "n_rows": 500.0}
    >>> listed_unseen_words(Claim("rows listed by what is unseen", numbers))
    'Of 31 of 500 rows the fit has not seen some values, or not together; 10 are listed.'
    """
    beyond, rows = round(claim["n_beyond"]), round(claim["n_rows"])
    if not beyond:
        return f"The fit has seen the values of all {rows:,} rows, and every two of them together."
    listed = "" if claim["n_listed"] == beyond else f"; {claim['n_listed']:,.0f} are listed"
    return f"Of {beyond:,} of {rows:,} rows the fit has not seen some values, or not together{listed}."
