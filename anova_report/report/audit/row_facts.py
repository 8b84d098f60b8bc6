"""Facts about the audited rows, and single cases: what their predictions are made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.cases import force, row_values, waterfall
from anova_report.figures.figure import Figure
from anova_report.figures.networks import local_network
from anova_report.figures.rows import Rows
from anova_report.measures.claims import Claim
from anova_report.measures.local import notable_rows
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import case_words, row_title
from anova_report.measures.values import value_text
from anova_report.measures.variance import prediction_variance
from anova_report.report.audit.audit import CaseFacts
from anova_report.report.audit.group_facts import reason_facts

REASONS = {"typical": "typical case", "highest": "highest explained value", "lowest": "lowest explained value"}


def feature_claim(feature: Feature, index: int, column: Floats) -> Claim:
    """State which values, encoded in a column, a feature has.

    Examples
    --------
    >>> feature_claim(Feature("age", "numeric"), 0, np.array([20.0, 30.0, 70.0])).places
    ('20', '30', '70')
    """
    known, of = column[~np.isnan(column)], (index,)
    if not len(known):
        return Claim("nothing known", features=of, places=("always missing",))
    if feature.has_levels:
        codes, counts = np.unique(known[known != UNSEEN], return_counts=True)
        if not len(codes):
            return Claim("nothing known", features=of, places=("only levels that the fit has not seen",))
        most = int(counts.argmax())
        numbers = {"n_levels": float(len(codes)), "most": float(codes[most]), "share": float(counts[most] / len(known))}
        return Claim("levels", numbers, features=of, places=(feature.levels[int(codes[most])],))
    if feature.kind == "boolean":
        return Claim("truth value", {"share": float(known.mean())}, features=of)
    low, median, high = np.quantile(known, (0.0, 0.5, 1.0), method="inverted_cdf").tolist()
    texts = tuple(value_text(feature, value, high - low) for value in (low, median, high))
    return Claim("range", {"low": low, "median": median, "high": high}, features=of, places=texts)


def predictions_claim(dec: Decomposition, predictions: Floats | None, output: int) -> Claim:
    """State how the predictions are spread; without them, what the decomposition knows."""
    if predictions is None:
        spread = prediction_variance(dec, dec.in_sample, output) ** 0.5
        numbers = {"mean": float(dec.expansion.mean[output]), "deviation": spread}
        return Claim("mean and deviation", numbers, output=output, over="rows of the fit")
    column = predictions[:, output]
    names = ("low", "quarter", "median", "three_quarters", "high")
    quantiles = dict(zip(names, np.quantile(column, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist(), strict=True))
    moments = {"mean": float(column.mean()), "deviation": float(column.std())}
    return Claim("spread of predictions", quantiles | moments, output=output)


def base_claims(dec: Decomposition, output: int) -> tuple[Claim, ...]:
    """State what factors are factors of, on the logarithm; nothing where effects add up."""
    if not scale_of(dec.scale).factors:
        return ()
    return (Claim("base rate", {"mean": float(dec.expansion.mean[output])}, output=output),)


@dataclass(frozen=True)
class ChosenRow:
    """A row that is explained: its position, its name, and the claim why it was chosen."""

    row: int
    name: str
    why: Claim


def chosen_rows(rows: Rows, X: Any, output: int, wanted: Sequence[int] | None) -> tuple[ChosenRow, ...]:
    """Choose the rows to explain: those wanted or, by default, the typical, the extreme and the largest residual.

    X is the table of the same rows, and `wanted` are positions in it.
    """
    if wanted is None:
        notable = notable_rows(rows.dec, X, rows.predictions, output)
        why = [
            Claim(REASONS.get(item.reason, item.reason), {"place": float(item.place)}, rows=(item.row,), output=output)
            for item in notable
        ]
    else:
        why = [Claim("chosen case", rows=(rows.position(row),), output=output) for row in wanted]
    return tuple(ChosenRow(claim.rows[0], rows.name(claim.rows[0]), claim) for claim in why)


def case(rows: Rows, chosen: ChosenRow, output: int, keep: Callable[[Figure], str]) -> CaseFacts:
    """Explain one row."""
    found = rows.explanation(chosen.row, output)
    claims, names = found.claims((chosen.row,), output), Names.of(rows.dec, output)
    return CaseFacts(
        anchor=f"o{output}-row-{chosen.row}",
        title=row_title(chosen.why),
        row=chosen.name,
        words=case_words(claims, names),
        prediction=found.prediction,
        explained=found.explained,
        remainder=found.remainder,
        force=keep(force(rows, chosen.row, output)),
        waterfall=keep(waterfall(rows, chosen.row, output)),
        network=keep(local_network(rows, chosen.row, output)),
        values=row_values(rows, chosen.row),
        claims=(chosen.why, *claims),
        reasons=reason_facts(rows, chosen.row, output),
        shown=(
            "not given" if found.prediction is None else names.value(found.prediction),
            names.value(found.explained),
            "unknown" if found.remainder is None else names.effect(found.remainder),
        ),
    )
