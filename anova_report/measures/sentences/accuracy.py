"""Sentences on how close predictions come to the observed target, and on what simpler functions keep of that."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.wording import cosine, counted, enumeration, number, percent, score, signed

LARGE_IS_GOOD = ("R²", "AUC", "Accuracy")
IN_UNITS = ("RMSE", "MAE", "Mean Poisson deviance", "Mean gamma deviance")  # of the truth, or its deviance
HELD_OUT = "held-out rows"
UNKNOWN_SPLIT = (
    "The rows on which the model was trained are not named. If it was trained on these, it is less accurate on others: "
    "name the column or mask that separates training rows from held-out rows (split)."
)


def metric_text(metric: str, value: float) -> str:
    """Write the value of a metric as its kind of number.

    Examples
    --------
    >>> metric_text("R²", 0.81234), metric_text("Accuracy", 0.5), metric_text("RMSE", 1234.5), metric_text("AUC", 0.7)
    ('0.812', '50.0%', '1,234', '0.700')
    """
    if metric in ("R²", "AUC"):
        return score(value)
    if metric == "Accuracy":
        return percent(value)
    return number(value) if metric in IN_UNITS else cosine(value)


def difference_text(metric: str, value: float) -> str:
    """Write a difference of two values of a metric; one that the digits of the metric do not show is not zero.

    Examples
    --------
    >>> [difference_text("R²", value) for value in (-0.00002, 0.0, -0.0412)], difference_text("RMSE", 0.0001234)
    (['about 0', '0', '−0.041'], '0.000123')
    """
    return cosine(value) if metric in ("R²", "AUC") else metric_text(metric, value)


def judged_words(claim: Claim) -> str:
    """Say on which rows predictions are held against the observed target.

    Examples
    --------
    >>> judged_words(Claim("rows judged", {"n_rows": 300, "n_others": 900}, places=("price", "held-out rows")))[:79]
    'The predictions are held against price, on the 300 rows that were held out when'
    """
    target, where = claim.places
    n_missing = round(claim.numbers.get("n_missing", 0.0))
    left = f" {counted(n_missing, 'row that lacks it is', 'rows that lack it are')} left out." if n_missing else ""
    if where != HELD_OUT:
        rows = counted(round(claim["n_rows"]), "row", "rows")
        on = f"the {rows} of which it is known" if left else f"all {rows}"
        return f"The predictions are held against {target}, on {on}.{left} {UNKNOWN_SPLIT}"
    rest = counted(round(claim["n_others"]), "training row", "training rows")
    return (
        f"The predictions are held against {target}, on the {claim['n_rows']:,.0f} rows that were held out when the "
        f"model was trained.{left} Numbers on the {rest} stand beside, and decide nothing."
    )


def accuracy_line(claims: Sequence[Claim]) -> str:
    """Write the line to which the section is folded: the first metric, and on which rows.

    Examples
    --------
    >>> rows = Claim("rows judged", {"n_rows": 300, "n_others": 0}, places=("price", "all rows"))
    >>> accuracy_line([rows, Claim("score", {"value": 0.8123}, places=("R²", "all rows", ""))])
    'R² 0.812 on 300 rows, which may be training rows'
    """
    rows, first = chosen(claims, "rows judged")[0], chosen(claims, "score")[0]
    metric, where, _ = first.places
    known = f"{metric} {metric_text(metric, first['value'])} on"
    if where == HELD_OUT:
        return f"{known} {counted(round(rows['n_rows']), 'held-out row', 'held-out rows')}"
    return f"{known} {counted(round(rows['n_rows']), 'row', 'rows')}, which may be training rows"


def functions_words(claims: Sequence[Claim]) -> str:
    """Say how much of what a model gains simpler functions keep.

    Examples
    --------
    >>> numbers = {"value": 0.5, "difference": -0.3, "low": -0.4, "high": -0.2, "kept": 0.625}
    >>> functions_words([Claim("accuracy of a function", numbers, places=("A linear model", "R²"))])
    'Of what the model gains in R² over one prediction for all rows, a linear model keeps 62.5%.'
    >>> model = {"value": 0.01, "difference": 0.0, "low": 0.0, "high": 0.0, "gain": 0.01}
    >>> linear = {"value": 0.07, "difference": 0.06, "low": -0.02, "high": 0.14, "gain": 0.07}
    >>> both = (("The model", model), ("A linear model", linear))
    >>> stated = [Claim("accuracy of a function", numbers, places=(name, "R²")) for name, numbers in both]
    >>> functions_words(stated).partition(", ")[2]
    'too little to divide by: a linear model gains 0.070.'
    """
    metric = claims[0].places[1]
    own = [claim for claim in claims if claim.places[1] == metric and claim.places[0] != "The model"]
    better = [_small(claim.places[0]) for claim in reversed(own) if _is_better(claim)]
    more = f" Beyond chance the model is less accurate than {enumeration(better)}." if better else ""
    if "gain" in claims[0].numbers:
        gains = [f"{_small(claim.places[0])} {_gains(claim)} {_amount(claim)}" for claim in reversed(own)]
        return (
            f"In {_within(metric)} the model gains only {_amount(claims[0])} over one prediction for all rows, too "
            f"little to divide by: {enumeration(gains)}.{more}"
        )
    if any("kept" not in claim.numbers for claim in own):
        nothing = "the model is no better than one prediction for all rows, so there is nothing to keep."
        return f"By {_within(metric)} {nothing}"
    told = [f"{_small(claim.places[0])} {_keeps(claim)} {percent(claim['kept'])}" for claim in reversed(own)]
    return f"Of what the model gains in {_within(metric)} over one prediction for all rows, {enumeration(told)}.{more}"


def _is_better(claim: Claim) -> bool:
    """Whether a function is more accurate than the model, by more than the interval of the difference."""
    return claim["low"] > 0 if claim.places[1] in LARGE_IS_GOOD else claim["high"] < 0


def _small(name: str) -> str:
    return name[0].lower() + name[1:]


def _within(metric: str) -> str:
    """Write the name of a metric within a sentence."""
    return _small(metric) if metric.startswith(("Mean ", "Log-")) else metric


def _amount(claim: Claim) -> str:
    return difference_text(claim.places[1], claim["gain"])


def _gains(claim: Claim) -> str:
    return "gains" if claim.places[0].startswith("A ") else "gain"


def _keeps(claim: Claim) -> str:
    return "keeps" if claim.places[0].startswith("A ") else "keep"


def cells_words(claims: Sequence[Claim]) -> str:
    """Say in how many cells observed and predicted means differ by more than chance, and where most.

    Examples
    --------
    >>> cells_words([Claim("cells compared", {"n_cells": 10, "n_differing": 0, "least": 30})])
    'In none of 10 cells the observed mean differs from the predicted mean by more than its 95% interval.'
    """
    counts = claims[0]
    every = counted(round(counts["n_cells"]), "cell", "cells")
    left = (
        f" {counted(round(counts['n_left_out']), 'row', 'rows')} of cells with fewer than {counts['least']:.0f} rows, "
        "or of rarer values, are left out."
        if "n_left_out" in counts.numbers
        else ""
    )
    differing = chosen(claims, "largest departure")
    if not counts["n_cells"]:
        return f"No cell has {counts['least']:.0f} rows.{left}"
    if not differing:
        return (
            f"In none of {every} the observed mean differs from the predicted mean by more than its 95% interval.{left}"
        )
    far = differing[0]
    return (
        f"In {counts['n_differing']:.0f} of {every} the observed mean differs from the predicted mean by more than its "
        f"95% interval; most at {far.places[0]}, by {signed(far['difference'])}: {number(far['observed'])} was "
        f"observed, {number(far['predicted'])} predicted, in {counted(round(far['n_rows']), 'row', 'rows')}.{left}"
    )


def lift_words(claim: Claim) -> str:
    """Say what the rows with the largest predictions hold.

    Examples
    --------
    >>> lift_words(Claim("lift", {"share": 0.31, "lift": 3.1, "part": 0.1, "low": 0.25, "high": 0.38}))
    'The 10% of the rows with the largest predictions hold 31.0% of the observed total (95% interval 25.0% to 38.0%), \
3.1 times their part.'
    """
    known = f" (95% interval {percent(claim['low'])} to {percent(claim['high'])})" if "low" in claim.numbers else ""
    return (
        f"The {claim['part']:.0%} of the rows with the largest predictions hold {percent(claim['share'])} of the "
        f"observed total{known}, {number(claim['lift'])} times their part."
    )
