"""Predictions of two black boxes at the same rows, where they are at hand: given, held by both, or asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from anova_report.compare.methods.cells import pick
from anova_report.compare.methods.request import draw
from anova_report.compare.versions.points import Points, common_points, read_points
from anova_report.core.arrays import Floats
from anova_report.core.input.predictions import read_predictions
from anova_report.core.input.table import FrameTable, InputTable, open_table
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.errors import InputError
from anova_report.measures.fidelity import HEAVY_RESIDUALS, LIGHT_TAILS
from anova_report.measures.intervals import LEVEL, Interval, quantile
from anova_report.measures.scale import predictions_note

MOST_READ = 100_000  # rows whose predictions are given: the distance is known to 1% of itself, and memory is bounded
MOST_ASKED = 4000  # rows at which both models are asked: seconds for most
RULE_OF_THREE = 3.0  # over the number of rows: of what none of them shows, other rows have no larger share (95%)


@dataclass(frozen=True, eq=False)
class KnownPredictions:
    """Predictions of both for the same rows.

    Parameters
    ----------
    first, second : arrays of shape (n_known,)
    n_rows : int
        How many rows they stand for: more than are known where these were drawn from them.
    """

    first: Floats
    second: Floats
    n_rows: int

    @property
    def distance(self) -> float:
        """Root mean square difference."""
        return float(np.sqrt(np.mean((self.second - self.first) ** 2)))

    def interval(self, spread: float) -> Interval:
        """Bounds of the distance on rows like these, 95%; `spread` is the predictions' standard deviation."""
        n_known = len(self.first)
        squares = (self.second - self.first) ** 2
        mean, fourth = float(squares.mean()), float((squares**2).mean())
        # Of rows that were not drawn a few may differ by as much as predictions differ from each other.
        unseen = RULE_OF_THREE / n_known * spread**2 if n_known < self.n_rows else 0.0
        if not mean > 0 or not fourth > 0:
            return Interval(0.0, float(np.sqrt(unseen)))
        carrying = n_known * mean**2 / fourth  # rows of equal size that would tell as much
        step = _step(carrying, n_known)
        wide = _step(carrying / HEAVY_RESIDUALS, n_known) if carrying < LIGHT_TAILS * n_known else step
        return Interval(float(np.sqrt(mean * np.exp(-step))), float(np.sqrt(mean * np.exp(wide) + unseen)))


def _step(carrying: float, n_known: int) -> float:
    """Half the width of an interval of the logarithm of a mean square."""
    return quantile(LEVEL, n_known) * float(np.sqrt(max(1 / carrying - 1 / n_known, 0.0)))


def known_predictions(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], X: Any, given: Any, seed: int
) -> KnownPredictions | None:
    """Find predictions of both at the same rows; None where there are none, or too few of common inputs.

    Those that are `given` for the rows of X come first, then those that both hold for the same rows, then answers of
    both models at the rows of X, or at those of both. Models that were not to be asked elsewhere are not asked.
    """
    if given is not None:
        return _given(decs, outputs, X, given, seed)
    return _held(decs, outputs) or _asked(decs, outputs, X, seed)


def _given(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], X: Any, given: Any, seed: int
) -> KnownPredictions | None:
    if X is None:
        raise InputError("Predictions belong to rows. Pass the rows, too: X.")
    if not isinstance(given, Sequence) or len(given) != 2:
        raise InputError("Pass the predictions of both for the rows of X, as a pair: predictions=(first, second).")
    table = open_table(X)
    n_rows = table.shape[0]
    rows = draw(n_rows, MOST_READ, stream(seed, "known predictions"))
    points = read_points(*decs, pick(table, rows))
    columns = []
    for dec, output, values, own in zip(decs, outputs, (points.first, points.second), given, strict=True):
        found = read_predictions(own, n_rows).values[rows]
        if found.shape[1] not in (1, len(dec.output_names)):
            raise InputError(
                f"There are {found.shape[1]} columns of predictions for {len(dec.output_names)} outputs. Pass a column "
                "for each, or that of the output that is compared."
            )
        if found.shape[1] == len(dec.output_names):
            predictions_note(dec, values, found)  # refuses those of another scale
        columns.append(found[:, output if found.shape[1] > 1 else 0])
    return _at_common_points(decs, points, columns, n_rows)


def _held(decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int]) -> KnownPredictions | None:
    """Take predictions for the rows of the fit, where these are the same; a decomposition by itself keeps a few."""
    first, second = (dec.fingerprint for dec in decs)
    if first is None or second is None or first.inputs != second.inputs:
        return None
    if any(dec.population is not None for dec in decs):
        return None  # the rows of the fits are not those that components refer to
    n_rows = first.n_rows
    if first.predictions == second.predictions and outputs[0] == outputs[1]:
        return KnownPredictions(np.zeros(n_rows), np.zeros(n_rows), n_rows)  # all agree, to the last bit
    if all(isinstance(dec, Explanation) and len(dec.predictions) == n_rows for dec in decs):
        whole = [np.asarray(dec.predictions).reshape(n_rows, -1) for dec in decs if isinstance(dec, Explanation)]
        return KnownPredictions(whole[0][:, outputs[0]], whole[1][:, outputs[1]], n_rows)
    return KnownPredictions(first.kept[:, outputs[0]], second.kept[:, outputs[1]], n_rows)


def _asked(
    decs: tuple[Decomposition, Decomposition], outputs: tuple[int, int], X: Any, seed: int
) -> KnownPredictions | None:
    first, second = decs
    if not isinstance(first, Explanation) or not isinstance(second, Explanation):
        return None
    if not all(dec.asking is not None and dec.asking.n_asked for dec in decs):
        return None
    tables = [open_table(own) for own in ([first.X, second.X] if X is None else [X])]
    found = []
    for at, table in enumerate(tables):
        rows = draw(table.shape[0], MOST_ASKED // len(tables), stream(seed, "asked rows", at))
        chosen = pick(table, rows)
        own, other = _as_given(first, chosen), _as_given(second, chosen)
        if own is None or other is None:
            return None
        predictions = [np.asarray(dec.ask(each)) for dec, each in ((first, own), (second, other))]
        columns = [each.reshape(len(rows), -1)[:, at] for each, at in zip(predictions, outputs, strict=True)]
        known = _at_common_points(decs, read_points(*decs, chosen), columns, table.shape[0])
        if known is not None:
            found.append(known)
    if not found:
        return None
    return KnownPredictions(
        np.concatenate([each.first for each in found]),
        np.concatenate([each.second for each in found]),
        sum(each.n_rows for each in found),
    )


def _at_common_points(
    decs: tuple[Decomposition, Decomposition], points: Points, columns: Sequence[Floats], n_rows: int
) -> KnownPredictions | None:
    kept = common_points(decs, points)
    if not kept.any():
        return None
    share = float(kept.mean())
    return KnownPredictions(columns[0][kept], columns[1][kept], max(round(share * n_rows), int(kept.sum())))


def _as_given(dec: Explanation, table: InputTable) -> Any | None:
    """Return rows in the form in which a model was given its own; None where columns are lacking."""
    own, n_rows = open_table(dec.X), table.shape[0]
    if not isinstance(table, FrameTable) or own.names is None or table.names is None:
        alike = isinstance(own, type(table)) and own.shape[1] == table.shape[1]
        return table.rows(0, n_rows) if alike else None
    if not set(own.names) <= set(table.names):
        return None
    return nw.to_native(table.frame.select(list(own.names)))
