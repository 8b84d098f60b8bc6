"""Sentences on how rows were held out, how far they resemble rows that were not, and what rows weigh."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import MOST_NAMED, Names
from anova_report.measures.wording import counted, enumeration, percent, score


def held_out_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how rows were held out, and how far they resemble rows that were not.

    Examples
    --------
    >>> held_out_words([Claim("groups held out", {"n_units": 50}), Claim("no near-duplicates")], Names(()))
    'Whole groups are held out, 50 in all. There is no sign of further near-duplicates.'
    """
    return " ".join(WORDS[claim.kind](claim, names) for claim in claims)


def _copies(claim: Claim, _names: Names) -> str:
    repeat = "repeats" if claim["n_copies"] == 1 else "repeat"
    return (
        f"{claim['n_copies']:,.0f} of the {claim['n_rows']:,.0f} rows {repeat} the inputs of another. Equal rows are "
        f"held out together, which leaves {claim['n_units']:,.0f} independent ones."
    )


def _near_duplicates(claim: Claim, _names: Names) -> str:
    return (
        f"{percent(claim['share'])} of the rows have near-duplicates among rows that were not held out with them. "
        "Held-out rows then resemble rows of the fit more than new rows would, and the fidelity may be overstated."
    )


def _equal_inputs(claim: Claim, _names: Names) -> str:
    return f"{percent(claim['share'])} of the rows have the same inputs as a row that was not held out with them."


def _sharing(claim: Claim, names: Names) -> str:
    what = "combinations of values" if len(claim.features) > 1 else "values"
    named = enumeration([names.features[index] for index in claim.features], MOST_NAMED)
    each = counted(round(claim["n_each"]), "row", "rows")
    return f"The rows share {claim['n_sets']:,.0f} {what} of {named}, {each} each on average: {_r2(claim)}"


def _neighbors(claim: Claim, _names: Names) -> str:
    return (
        "Neighboring rows of the table resemble each other, as rows in order of time do: half of the features have a "
        f"correlation of {score(claim['correlation'])} or more with themselves one row later."
    )


def _r2(claim: Claim) -> str:
    """Compare R² of both ways of holding rows out; by how much a fit is worse than the mean nobody reads."""
    together, one_by_one = ("below 0" if claim[way] < 0 else score(claim[way]) for way in ("together", "one_by_one"))
    return f"R² is {together} if these are held out as wholes, and {one_by_one} if their rows are held out one by one."


WORDS: Mapping[str, Callable[[Claim, Names], str]] = MappingProxyType(
    {
        "rows held out one by one": lambda _claim, _names: "Rows are held out one by one.",
        "copies held out together": _copies,
        "groups held out": lambda claim, _names: f"Whole groups are held out, {claim['n_units']:,.0f} in all.",
        "blocks of time held out": lambda claim, _names: (
            f"Whole blocks of time are held out, {claim['n_units']:,.0f} in all."
        ),
        "near-duplicates": _near_duplicates,
        "equal inputs apart": _equal_inputs,
        "no near-duplicates": lambda _claim, _names: "There is no sign of further near-duplicates.",
        "rows that share values": _sharing,
        "neighbours that resemble each other": _neighbors,
        "blocks of rows": lambda claim, _names: f"For blocks of consecutive rows, {_r2(claim)}",
    }
)


def weights_words(claim: Claim) -> str:
    """Say that the rows of a fit were weighted, and what that means."""
    worth = counted(round(claim["n_effective"]), "row", "rows")
    return (
        f"Rows are weighted, with a total weight of {claim.places[0]}. Effects, shares, fidelity and intervals count "
        f"each row by its weight; their precision is that of {worth} of equal weight. Histograms, medians and counts "
        "of rows take every row once."
    )
