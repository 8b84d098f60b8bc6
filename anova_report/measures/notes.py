"""What the notes of a decomposition state: where the model was asked, under which rows, and which rows are kept."""

from anova_report.core.fit.asking import CONFIRMED, Asking
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.core.result.population import Population
from anova_report.measures.claims import Claim, Claims


def note_claims(dec: Decomposition) -> Claims:
    """State what the sentences of `Decomposition.notes` say.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import explain
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> dec = explain(lambda rows: rows[:, 0], X, ask=300, progress=False)
    >>> [(claim.kind, claim.features) for claim in note_claims(dec)]
    [('features not read', (1,))]
    """
    asked = () if dec.asking is None else _unread_claims(dec.asking)
    if dec.asking is not None and not dec.asking.n_asked:
        asked = asked_claims(dec)
    under = () if dec.population is None else _population_claims(dec.population, dec.in_sample.n_rows)
    left_out = (Claim("columns left out", places=tuple(column.name for column in dec.left_out)),) * bool(dec.left_out)
    folded = (
        Claim("columns read as one", {"n_columns": float(len(feature.columns))}, features=(at,))
        for at, feature in enumerate(dec.features)
        if feature.columns
    )
    return (*left_out, *folded, *asked, *under, *(_row_claims(dec) if isinstance(dec, Explanation) else ()))


def asked_claims(dec: Decomposition) -> Claims:
    """State how often a model was asked and where, and what that showed; nothing where it could not be asked."""
    if dec.asking is None:
        return ()
    counts = {"n_rows": float(dec.in_sample.n_rows), "n_asked": float(dec.asking.n_asked)}
    together = (Claim("recombined together", features=own) for own in dec.asking.together if dec.asking.n_asked)
    return (Claim("rows asked", counts, over="rows of the fit"), *together, *_unread_claims(dec.asking))


def _unread_claims(asking: Asking) -> Claims:
    if not asking.unread:
        return ()
    return (Claim("features not read", {"n_times": float(CONFIRMED)}, features=tuple(asking.unread)),)


def _population_claims(found: Population, n_predicted: int) -> Claims:
    numbers = {"n_rows": float(found.n_rows), "n_predicted": float(n_predicted)}
    if found.weighted:
        numbers["n_effective"] = found.n_effective
    counts = {
        "rows of the population beyond the fit": found.n_beyond,
        "rows of the population that combine anew": found.n_uncombined,
        "rows left out of the population": found.n_left_out,
    }
    beyond = (Claim(kind, {"n_rows": float(count)}) for kind, count in counts.items() if count)
    return (Claim("population", numbers, places=(found.where,) if found.where else ()), *beyond)


def _row_claims(dec: Explanation) -> Claims:
    stated = []
    if dec.n_sure:
        stated.append(Claim("sure predictions", {"n_sure": float(dec.n_sure), "n_rows": float(len(dec.predictions))}))
    if dec.rows_note:
        drawn = {"n_drawn": float(len(dec.predictions)), "n_rows": float(dec.in_sample.n_rows)}
        stated.append(Claim("rows kept of many", drawn | {"seed": float(dec.settings["random_state"])}))
    return tuple(stated)
