"""Sentences on the questions a model was asked beside the rows of the data."""

from collections.abc import Sequence

from anova_report.core.fit.asking import CONFIRMED, Asking
from anova_report.core.input.table import NAMES_SHOWN
from anova_report.errors import listing


def asked_words(asking: Asking | None, names: Sequence[str], n_rows: int, *, used: bool = True) -> tuple[str, ...]:
    """Say how often a model was asked and where, and what that showed; nothing where it could not be asked.

    `used` says whether the function was approximated at recombined rows, too.

    Examples
    --------
    >>> asked_words(Asking(0, note="All columns go together."), ["a", "b"], 600)
    ('The model was asked at 600 rows of the data, and at no recombined rows. All columns go together.',)
    """
    if asking is None:
        return ()
    if not asking.n_asked:
        return (
            f"The model was asked at {n_rows:,} rows of the data, and at no recombined rows. {asking.note}".rstrip(),
        )
    purpose = "separate the effects of dependent inputs"
    if used and not asking.weight:
        purpose = "were left out of the fit: rows of the data are predicted better without them"
    if not used:
        purpose = "were not needed: all combinations of values were solved exactly from the rows of the data"
    asked = (
        f"The model was asked at {n_rows:,} rows of the data and at {asking.n_asked:,} recombined rows, which "
        f"{purpose}; fidelity and shares refer to rows of the data only."
    )
    together = "; ".join(listing([names[at] for at in own], NAMES_SHOWN) for own in asking.together)
    kept = f"Columns that were recombined together, because they only make sense together: {together}."
    return (asked, *([kept] if together else []), *unread_words(asking, names))


def unread_words(asking: Asking | None, names: Sequence[str]) -> tuple[str, ...]:
    """Say which features a model does not read on the data; nothing where it reads all, or that is not known.

    Off the data it may read them: a model that fools explainers does.

    Examples
    --------
    >>> [words] = unread_words(Asking(2000, unread=(1,)), ["debt", "cost"])
    >>> words.partition(": ")[0]
    "The model does not read 'cost' on the data"
    """
    if asking is None or not asking.unread:
        return ()
    named = listing([names[at] for at in asking.unread], NAMES_SHOWN)
    alone, so = ("it", "It has") if len(asking.unread) == 1 else ("each of them", "They have")
    return (
        f"The model does not read {named} on the data: asked {CONFIRMED:,} times with {alone} alone changed, it always "
        f"predicted the same. {so} no terms.",
    )


def asked_notes(asking: Asking | None, names: Sequence[str], n_rows: int) -> tuple[str, ...]:
    """Choose what a reader must know who does not read about the method: what is not read, and what failed."""
    if asking is not None and not asking.n_asked:
        return asked_words(asking, names, n_rows)
    return unread_words(asking, names)
