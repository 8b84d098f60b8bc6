"""Sentences on pictures of all rows at a glance."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted


def swarm_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which rows are drawn, and what moves their predictions most.

    Examples
    --------
    >>> numbers = {"n_drawn": 200.0, "n_rows": 5000.0, "low": -0.5, "high": 1.25}
    >>> swarm_words([Claim("widest contributions of a feature", numbers, features=(0,))], Names(("age",)))
    'A point for each of 200 of 5,000 rows. Contributions of age reach farthest, from −0.5 to +1.25.'
    """
    if not claims:
        return "There is nothing to draw: no feature changes the prediction."
    claim = claims[0]
    name = names.term(claim.terms[0]) if claim.terms else names.features[claim.features[0]]
    reach = f"from {names.brief(claim['low'])} to {names.brief(claim['high'])}"
    return f"A point for each of {_rows(claim)}. Contributions of {name} reach farthest, {reach}."


def glance_line(claims: Sequence[Claim]) -> str:
    """Say in a line how many rows are drawn."""
    return f"Contributions to {_rows(claims[0])}, as points" if claims else "Nothing to draw"


def row_effects_words(claim: Claim, names: Names) -> str:
    """Say of which rows the contributions of a feature are drawn, how far they reach, and what colors are.

    Examples
    --------
    >>> numbers = {"n_drawn": 400.0, "n_rows": 400.0, "low": -0.5, "high": 1.25, "n_missing": 3.0}
    >>> claim = Claim("contributions of a feature", numbers, features=(0, 1))
    >>> for sentence in row_effects_words(claim, Names(("age", "sex"))).split(". "):
    ...     print(sentence)
    Contributions of age to 400 rows, from −0.5 to +1.25, against its value, colored by sex
    In 3 rows the value is missing.
    """
    of, *by = (names.features[index] for index in claim.features)
    colored = f", colored by {by[0]}" if by else ""
    reach = f"from {names.brief(claim['low'])} to {names.brief(claim['high'])}"
    said = [f"Contributions of {of} to {_rows(claim)}, {reach}, against its value{colored}."]
    if claim["n_missing"]:
        rows = counted(round(claim["n_missing"]), "row", "rows")
        said.append(f"In {rows} the value is missing.")
    return " ".join(said)


def _rows(claim: Claim) -> str:
    if claim["n_drawn"] == claim["n_rows"]:
        return counted(round(claim["n_rows"]), "row", "rows")
    return f"{claim['n_drawn']:,.0f} of {counted(round(claim['n_rows']), 'row', 'rows')}"
