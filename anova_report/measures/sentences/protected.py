"""Sentences on how protected columns go with predictions, directly and through other columns."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, enumeration

STANDING = {
    "read": "{} is an input, and the explanation has terms with it.",
    "not read": "{} is an input, and no term of the explanation has it: what goes with it runs through other columns.",
    "not given": "{} is no input of the explanation: what goes with it runs through other columns.",
}
NAMED = 3  # other columns through which most runs


def column_words(claim: Claim, title: str, *, held_out: bool = False) -> str:
    """Say what a protected column is to the model, which of its rows are not counted, and over which means are taken.

    Examples
    --------
    >>> column_words(Claim("protected column", {"n_rows": 100}, places=("sex", "not given")), "Sex")
    'Sex is no input of the explanation: what goes with it runs through other columns.'
    """
    said = [STANDING[claim.places[1]].format(title)]
    if "n_missing" in claim.numbers:
        said.append(f"{counted(round(claim['n_missing']), 'row is', 'rows are')} left out: they have no value.")
    if "n_small" in claim.numbers:
        said.append(
            f"{counted(round(claim['n_small']), 'level is', 'levels are')} left out, with too few rows for a mean."
        )
    if held_out:
        said.append("Means are those of held-out rows; of a group with few of these, those of all its rows.")
    return " ".join(said)


def ledger_words(claims: Sequence[Claim], title: str, names: Names) -> str:
    """Say how large an association is, and through what it runs."""
    whole, direct, others = (
        chosen(claims, kind)[0] for kind in ("association", "association directly", "association through others")
    )
    level = whole.places[1]
    first = f"Per standard deviation of {title}, the {names.prediction} changes by {_effect(whole, names)}"
    if level:
        minus = "over" if names.scale.factors else "minus"
        mean = f"{'geometric ' if names.scale.factors else ''}mean {names.prediction}"
        first = f"The {mean} where {title} is {level}, {minus} that of all other rows, is {_effect(whole, names)}"
    through = [
        f"{names.term(each.terms[0])} ({names.brief(each['value'])})"
        for each in chosen(claims, "association through a term")
        if not _is_direct(each, direct)
    ]
    most = f", most through {enumeration(through[:NAMED])}" if through and others["value"] else ""
    rest = f"through other columns{most}"
    if not direct["value"]:
        return f"{first}. Of this, {_effect(others, names)} runs {rest}."
    own = f"{_effect(direct, names)} runs through terms of {title} itself"
    return f"{first}. Of this, {own}, and {_effect(others, names)} {rest}."


def _is_direct(each: Claim, direct: Claim) -> bool:
    return bool(set(each.terms[0]) & set(direct.features))


def _effect(claim: Claim, names: Names) -> str:
    bounds = f"95% interval {names.brief(claim['low'])} to {names.brief(claim['high'])}"
    return f"{names.effect(claim['value'])} ({bounds})"


def protected_line(claim: Claim) -> str:
    """Write the line to which the section is folded."""
    return f"How {counted(round(claim['n_columns']), 'column goes', 'columns go')} with the predictions"
