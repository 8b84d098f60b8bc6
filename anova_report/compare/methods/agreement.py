"""How closely another method's contributions agree with ours, feature by feature."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from anova_report.compare.methods.attribution import Attribution, Counterpart
from anova_report.compare.methods.cells import Positions, pick
from anova_report.compare.methods.registry import METHODS, centered
from anova_report.core.arrays import Floats
from anova_report.core.input.predictions import scales_differ
from anova_report.core.input.table import open_table
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.errors import InputError, listing
from anova_report.measures.variance import feature_totals

FLAT = 1e-9  # of the largest spread: below, a column does not vary and correlates with nothing


@dataclass(frozen=True)
class FeatureAgreement:
    """Ours and theirs for one feature, both centered, on the same rows: dense regions count as often as they occur.

    Parameters
    ----------
    feature : str
    share : float
        Of the predictions' variance that the feature has: its ANOVA-Shapley effect.
    correlation : float or None
        None where either does not vary.
    distance : float or None
        Root mean square difference, in units of the predictions; None where the method has nothing to say.
    ours, theirs : float
        Root mean squares of the two.
    n_rows : int
        Rows on which both are known.
    """

    feature: str
    share: float
    correlation: float | None
    distance: float | None
    ours: float
    theirs: float
    n_rows: int


@dataclass(frozen=True, repr=False)
class Agreement(Shown):
    """Agreement of one method with a decomposition.

    Parameters
    ----------
    method, title : str
        As in the attribution.
    output : str
    counterpart : {"main effect", "ANOVA-Shapley value"}
        Which of our quantities it was compared with.
    why : str
        In words.
    features : tuple of FeatureAgreement
        In the order of the decomposition.
    note : str
    """

    method: str
    title: str
    output: str
    counterpart: Counterpart
    why: str
    features: tuple[FeatureAgreement, ...]
    note: str = ""

    def ranked(self) -> tuple[FeatureAgreement, ...]:
        """Features by share, largest first."""
        return tuple(sorted(self.features, key=lambda item: -item.share))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        columns = [column.name for column in fields(FeatureAgreement)]
        return {name: [getattr(item, name) for item in self.features] for name in columns}


def agreement(dec: Decomposition, X: Any, attribution: Attribution, output: str | int | None = None) -> Agreement:
    """Compare another method's contributions with their counterpart in a decomposition.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features)
        The table that was passed to `attribute`.
    attribution : Attribution
    output : str or int, optional
        Which output of the decomposition, where there are several.

    Examples
    --------
    >>> from anova_report import explain
    >>> from anova_report.compare.methods.registry import attribute
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> def model(rows):
    ...     return np.sin(rows[:, 0]) + rows[:, 1]
    >>> dec = explain(model, X, max_order=1, random_state=0)
    >>> found = agreement(dec, X, attribute("ale", model, X))
    >>> [round(item.correlation, 2) for item in found.features]
    [1.0, 1.0]
    """
    chosen, attribution = dec.output_index(output), attribution.folded(dec.features)
    _check_same_question(dec, attribution, dec.output_names[chosen])
    theirs = list(attribution.feature_names)
    left_out = {column.name for column in dec.left_out}
    if sorted({*theirs} - left_out) != sorted(dec.feature_names):
        raise InputError(
            f"The attribution is about {listing(theirs)} and the decomposition about {listing(dec.feature_names)}. "
            "Compare explanations of the same features."
        )
    order = [theirs.index(name) for name in dec.feature_names]
    values = _own_rows(dec, X, attribution.rows, attribution.values[:, order])
    ours = centered(counterpart_values(dec, values, attribution.counterpart, chosen))
    shares = [total.share for total in feature_totals(dec, chosen).features]
    found = [
        _feature_agreement(name, share, ours[:, index], attribution.contributions[:, order[index]])
        for index, (name, share) in enumerate(zip(dec.feature_names, shares, strict=True))
    ]
    return Agreement(
        method=attribution.method,
        title=attribution.title,
        output=dec.output_names[chosen],
        counterpart=attribution.counterpart,
        why=METHODS[attribution.method].why,
        features=tuple(found),
        note=attribution.note,
    )


def counterpart_values(dec: Decomposition, values: Floats, counterpart: Counterpart, output: int = 0) -> Floats:
    """Evaluate our counterpart on encoded rows, shape (n_rows, n_features); a main effect that is not held is zero."""
    if counterpart == "ANOVA-Shapley value":
        return np.asarray(dec.expansion.evaluate(values)[:, :, output] @ dec.membership)
    found = np.zeros(values.shape)
    mains = [term for term in dec.terms if len(term) == 1]
    found[:, [term[0] for term in mains]] = dec.expansion.evaluate(values, mains)[:, :, output]
    return found


def _own_rows(dec: Decomposition, X: Any, rows: Positions, theirs: Floats) -> Floats:
    """Encode the rows of an attribution, whose own values must be the same."""
    table = open_table(X)
    if rows[-1] >= table.shape[0]:
        raise InputError(
            f"The attribution explains row {rows[-1]}, and the table has {table.shape[0]:,} rows. Pass the table that "
            "it was made from."
        )
    values = dec.encode(pick(table, rows).rows(0, len(rows)), reader="the comparison")
    numbers = [index for index, feature in enumerate(dec.features) if not feature.has_levels]
    if not np.array_equal(values[:, numbers], theirs[:, numbers], equal_nan=True):
        raise InputError("The table holds other values than the attribution. Pass the table that it was made from.")
    return values


def _check_same_question(dec: Decomposition, attribution: Attribution, output: str) -> None:
    if scales_differ(dec.scale, attribution.scale):
        raise InputError(
            f"The decomposition is on the scale {dec.scale!r} and the attribution on {attribution.scale!r}. Pass "
            "like= the decomposition to attribute."
        )
    # Predictions that were handed over as numbers have names of their own.
    if "identity" not in (dec.scale, attribution.scale) and output != attribution.output:
        raise InputError(
            f"The decomposition explains {output!r} and the attribution {attribution.output!r}. Pass the same output= "
            "to both."
        )


def _feature_agreement(name: str, share: float, ours: Floats, theirs: Floats) -> FeatureAgreement:
    known = np.isfinite(theirs)
    ours, theirs = ours[known], theirs[known]
    if not known.any():
        return FeatureAgreement(name, share, None, None, 0.0, 0.0, 0)
    ours, theirs = ours - ours.mean(), theirs - theirs.mean()
    spreads = float(np.sqrt(np.mean(ours**2))), float(np.sqrt(np.mean(theirs**2)))
    varies = min(spreads) > FLAT * max(spreads)
    return FeatureAgreement(
        feature=name,
        share=share,
        correlation=float(np.mean(ours * theirs) / spreads[0] / spreads[1]) if varies else None,
        distance=float(np.sqrt(np.mean((ours - theirs) ** 2))),
        ours=spreads[0],
        theirs=spreads[1],
        n_rows=int(known.sum()),
    )
