"""Sentences on components: what an effect does, and where."""

from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import number


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
        f"Beyond their separate effects, the combination of {first} and {second} changes the prediction by "
        f"± {number(claim['deviation'])} (one standard deviation over the rows)."
    )
