"""What a page states, as typed facts: `sentences` makes words of them, and `make facts` holds each against the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from anova_report.core.result.terms import Term
from anova_report.errors import InputError, listing

Over: TypeAlias = Literal["all rows", "rows of the fit", "held-out rows", "drawn rows", "what is drawn"]

# Every kind of claim, and the names of its numbers; those that may be unknown come after the stroke.
_NUMBERS = {
    # rows and predictions
    "missing values": "share",
    "levels": "n_levels most share",
    "truth value": "share",
    "range": "low median high",
    "nothing known": "",
    "spread of predictions": "low quarter median three_quarters high mean deviation",
    "mean and deviation": "mean deviation",
    "base rate": "mean",
    # single rows
    "prediction": "value mean",
    "explained value": "value mean",
    "contribution": "value",
    "sum of contributions": "explained residual",
    "not seen in the fit": "",
    "row as probabilities": "mean explained | prediction",
    "prediction of the model itself": "prediction residual",
    # why a row is shown
    "typical case": "place",
    "highest explained value": "place",
    "lowest explained value": "place",
    "largest residual": "place",
    "chosen case": "",
    "reason": "value place ranked | low high",
    # cohorts
    "rows of a cohort": "n_rows n_all",
    "mean of a cohort": "mean all_rows",
    "unexplained in a cohort": "share all_rows",
    "share in a cohort": "share all_rows differs | low high all_low all_high",
    # pictures of rows
    "typical residual": "n_drawn n_rows residual deviation | far",
    "points of a sample": "n_drawn n_rows",
    "most frequent value": "n_rows rows n_values",
    "middle half": "n_rows quarter median three_quarters | beyond missing",
    "residuals by region": "n_rows typical largest smallest",
    "widest contributions of a feature": "n_drawn n_rows low high",
    "widest contributions of a term": "n_drawn n_rows low high",
    "contributions of a feature": "n_drawn n_rows low high n_missing",
    # pictures of one row
    "way from the mean": "mean explained | prediction residual",
    "further contributions": "n_steps",
    # where the explanation fails
    "rules tried": "n_tried n_rows",
    "too few rows for rules": "n_rows",
    "failing region": "n_inside n_judged share held low high left half",
    "rows listed by residual": "n_listed held",
    "rows listed by what is unseen": "n_listed n_beyond n_rows",
    # shares
    "structural share": "share",
    "shares of a term": "structural total",
    "shares of a feature": "structural total",
    "shares of a group": "structural total",
    "interaction of groups": "structural total | low high",
    "shares that are not drawn": "n_rest total",
    "joint share": "share | low high",
    "structural shares within": "n_terms sum n_left_out",
    "unexplained share": "share",
    "carried shares": "structural total",
    "share of a term": "structural correlative total | low high",
    "sum of shares": "structural total n_terms",
    # lines of sections
    "size of the table": "n_rows n_features n_missing",
    "features that carry": "n_carrying n_all least",
    "terms that carry": "n_carrying n_all least order",
    "groups read together": "n_groups",
    "groups of features": "n_groups",
    "read together": "",
    "methods compared": "n_methods",
    "least correlation of a method": "correlation least",
    "farthest from a method": "distance size",
    "features that go together": "correlation",
    "interactions of a feature": "share",
    "cases explained": "n_cases",
    "what is drawn": "n_features n_pairs",
    # fidelity
    "R²": "r2",
    "rows that R² rests on": "n_rows n_held_out",
    "R² on other rows": "low high",
    "interaction that is left out": "share order",
    "main effects of logarithms": "as_they_are logarithms n_rows",
    "rows that R² should rest on": "n_rows",
    "rows with the largest residuals": "share",
    "long tails": "kurtosis",
    "worse fit": "drop",
    "fits with and without recombined rows": "rows_only asked n_outputs",
    "limits": "| warn fail",
    # verdict
    "checks passed": "count applied",
    "checks failed": "count applied",
    "checks that call for caution": "count applied",
    "checks not tested": "count applied",
    "checks waived": "count applied",
    # waivers
    "waivers that apply": "count",
    "waiver that expired": "",
    "waiver of nothing": "",
    "waiver without need": "",
    # checks
    "constant predictions": "value",
    "deviation of predictions": "deviation",
    "rows and features": "n_rows n_features | n_effective",
    "overlap": "cosine floor",
    "overlaps beyond the limit": "n_beyond limit least",
    "leakage": "share | floor",
    "least precise share": "share width of | low high",
    "sign may change": "",
    "rank may change": "",
    "rank is certain": "",
    "rows for precise shares": "n_rows",
    "sum of structural shares": "sum",
    "effects that move together": "correlation first second n_others",
    "limits of moving together": "moving alike cancelling",
    "rows outside": "n_outside n_rows",
    "rows beyond the fit": "n_beyond n_rows",
    "unseen combinations": "share chance",
    "cells that were not read": "share",
    "most cells that were not read": "share",
    "truth among the columns": "correlation",
    "columns that number rows": "n_rows",
    # what is estimable, and how new held-out rows are
    "explained by the others": "share",
    "explained by functions": "share",
    "explained by values": "share",
    "explained value by value": "share",
    "one to one": "share",
    "effects not estimable": "share | low high",
    "effects hardly estimable": "share | low high",
    "further groups": "n_groups",
    "effects estimable by the model": "",
    "further groups estimable by the model": "n_groups",
    "joint structural share": "share",
    "rows held out one by one": "",
    "copies held out together": "n_copies n_rows n_units",
    "groups held out": "n_units",
    "blocks of time held out": "n_units",
    "near-duplicates": "share",
    "equal inputs apart": "share",
    "no near-duplicates": "",
    "rows that share values": "n_sets n_each together one_by_one",
    "neighbours that resemble each other": "correlation",
    "blocks of rows": "together one_by_one",
    "weights": "total n_effective",
    # what is expected
    "shape expected": "departure low high allowed part range n_places n_between first_at last_at | middle_at",
    "values expected": "value low high bound least most n_places n_beyond at | first_at last_at",
    "total share expected": "share low high limit",
    "effect expected": "share low high limit",
    "interaction expected": "share low high limit",
    "difference expected": "difference low high limit n_rows n_beyond",
    "difference of interactions expected": "difference low high limit n_rows n_beyond",
    # how good the model is
    "rows judged": "n_rows n_others | n_missing",
    "score": "value | low high",
    "accuracy of a function": "value difference low high | kept gain",
    "cells compared": "n_cells n_differing least | n_left_out",
    "largest departure": "predicted observed difference low high n_rows",
    "lift": "share lift low high part",
    # protected columns
    "protected columns": "n_columns",
    "protected column": "n_rows | n_missing n_small",
    "mean of a group": "predicted low high n_rows",
    "truth of a group": "observed difference low high",
    "association": "value low high",
    "association directly": "value low high",
    "association through others": "value low high",
    "association of the residual": "value low high",
    "association through a term": "value low high",
    # effects
    "size of an interaction": "deviation",
    "rising effect": "first first_at last last_at",
    "falling effect": "first first_at last last_at",
    "bounded effect": "low low_at high high_at",
    "constant effect": "value n_places",
    "effect that is not drawn": "low high | n_looked n_rows",
    "range over rows": "low high n_looked n_rows",
    "median half-width": "half_width",
    "effect of missing values": "value share",
    "highest level": "code value share | low high",
    "lowest level": "code value share | low high",
    "levels not compared": "n_levels least",
    "levels not drawn": "n_levels",
    "most of an effect": "value",
    "least of an effect": "value",
    "reach of pictures": "n_least distance",
    "hatched part": "share n_least | distance",
    "rising means": "first last",
    "falling means": "first last",
    "winding means": "first last low high",
    "same mean throughout": "value",
    "highest mean": "value",
    "lowest mean": "value",
    "common direction": "explained n_looked n_rows",
    "averaged rows": "n_looked n_rows",
    "slice": "cut first first_at last last_at",
    "slice without rows": "cut",
    # notes on rows, and on questions to the model
    "rows asked": "n_rows n_asked",
    "recombined together": "",
    "features not read": "n_times",
    "columns left out": "",
    "columns read as one": "n_columns",
    "population": "n_rows n_predicted | n_effective",
    "rows of the population beyond the fit": "n_rows",
    "rows of the population that combine anew": "n_rows",
    "rows left out of the population": "n_rows",
    "sure predictions": "n_sure n_rows",
    "rows kept of many": "n_drawn n_rows seed",
    # two decompositions
    "same function": "low high limit n_known | distance relative",
    "another function": "low high limit n_known | distance relative",
    "function that may have changed": "low high limit n_known | distance relative",
    "functions not compared": "",
    "left open": "high",
    "explanations differ": "",
    "clearest direction": "",
    "mean predictions": "first second | shift low high relative",
    "inputs that moved": "n_moved n_asked",
    "distribution that moved": "distance low high",
    "correlation that moved": "distance low high",
    "effects not compared": "",
    "effects that differ": "n_differing n_agreeing n_effects",
    "distance of an effect": "distance | high most",
    "effect that is lacking": "",
    "version of an effect": "",
    "effects that agree": "n_drawn",
    "feature shares that moved": "n_moved",
    "shares that moved": "n_moved n_shares",
    "share in both": "first second | low high",
    "features of one alone": "",
    "part that is not compared": "share",
}


@dataclass(frozen=True)
class Kind:
    """What numbers a kind of claim has: those it must have, and those that may be unknown."""

    needed: tuple[str, ...]
    known: tuple[str, ...] = ()


def _kind(numbers: str) -> Kind:
    needed, _, known = numbers.partition("|")
    return Kind(tuple(needed.split()), tuple(known.split()))


KINDS: Mapping[str, Kind] = MappingProxyType({name: _kind(numbers) for name, numbers in _NUMBERS.items()})


@dataclass(frozen=True)
class Claim:
    """One fact, in JSON types.

    Parameters
    ----------
    kind : str
        One of `KINDS`, which says what numbers it has.
    numbers : dict of str to float
    terms : tuple of Term
        Of which terms it is a fact.
    features, rows : tuple of int
        Of which features, and of which rows, by their positions; in a comparison, those among the common features.
    output : int or None
        Of which output; None where it is one of the table alone.
    over : {"all rows", "rows of the fit", "held-out rows", "drawn rows", "what is drawn"}
        On which rows it was measured.
    places : tuple of str
        Values of features as the sentence writes them: levels, dates, rounded numbers; in a comparison, the name of
        the decomposition that the fact is about.

    Raises
    ------
    InputError
        If there is no such kind, or it has other numbers.

    Examples
    --------
    >>> Claim("truth value", {"share": 0.25}, features=(3,)).numbers["share"]
    0.25
    """

    kind: str
    numbers: dict[str, float] = field(default_factory=dict)
    terms: tuple[Term, ...] = ()
    features: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    output: int | None = None
    over: Over = "all rows"
    places: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise InputError(f"There is no kind of claim {self.kind!r}; there are {listing(list(KINDS))}.")
        given = self.numbers.keys()
        if not set(kind.needed) <= given or not given <= {*kind.needed, *kind.known}:
            raise InputError(
                f"A claim of the kind {self.kind!r} has the numbers {listing(kind.needed + kind.known)}; got "
                f"{listing(list(given))}."
            )

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]


Claims: TypeAlias = tuple[Claim, ...]


def of_output(claims: Claims, output: int) -> Claims:
    """Say of which output claims are."""
    return tuple(replace(claim, output=output) for claim in claims)


def chosen(claims: Sequence[Claim], kind: str) -> list[Claim]:
    """Choose the claims of a kind, in their order."""
    return [claim for claim in claims if claim.kind == kind]
