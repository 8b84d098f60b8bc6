"""Approximate by asking: recombined rows beside the rows of the data, and what they show about the model.

The number of questions and the weight of their answers are chosen here; the model itself is asked by what `explain`
passes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import DOUBLE_ROUNDING, Floats
from anova_report.core.fit.fits import AskedRows, OffData
from anova_report.core.fit.partition import GROUPS, Round
from anova_report.core.fit.row_blocks import ArrayRows, CodedRows, GroupedRows
from anova_report.core.input.features import Feature
from anova_report.core.input.recombination import Ask, Recombination, column_sets, recombine
from anova_report.core.input.table import whole_number
from anova_report.core.input.weights import RowWeights
from anova_report.core.randomness import stream
from anova_report.errors import ModelError

# Statistics (`make ask`).
ROWS_AND_QUESTIONS = 20_000  # together, and of many rows a quarter of it: more explain rows of the data hardly better
MOST_TIMES = 30  # as many questions as rows
WEIGHT_OF_ONE, MOST_WEIGHT = 0.8, 3.0  # of all recombined rows together, where they are as many as rows
AS_ONE_ROW = 32  # recombined rows, whose values repeat, allow functions as fine as one more row of the data does
FEWEST_ALONE = 20  # recombined rows that change one set of columns and suggest that the model does not read it
CONFIRMED = 1000  # further questions that show it


@dataclass(frozen=True)
class Asking:
    """How often a model was asked beside the rows of the data, and what that showed.

    Parameters
    ----------
    n_asked : int
        Recombined rows with predictions.
    unread : tuple of int
        Features that never changed a prediction.
    together : tuple of tuple of int
        Features that were recombined together, because they only make sense together.
    weight : float
        Of all recombined rows, relative to the rows of the data; 0 where the fit is better without them.
    note : str
        Why the model was not asked, where it was not.
    off_data : OffData or None
        Errors on rows of the data with and without recombined rows.
    """

    n_asked: int
    unread: tuple[int, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    weight: float = 1.0
    note: str = ""
    off_data: OffData | None = None


@dataclass(frozen=True, eq=False)
class Questions:
    """A model that can be asked at recombined rows, and how often."""

    ask: Ask
    n_asked: int
    at: NDArray[np.intp] | None = None  # rows of the user's table that the rows of the fit are; all by default
    together: Sequence[Sequence[int]] = ()  # features that are recombined together, because a user says so


def how_many(wanted: int | None, n_rows: int, seconds: float, *, patience: float = 20.0, useful: int = 100) -> int:
    """Choose at how many recombined rows a model is asked that took so many seconds for the rows of a table.

    Questions may take `patience` seconds, or twice as long as the rows did; fewer than are `useful` are not asked.

    Examples
    --------
    >>> how_many(None, 600, 0.1), how_many(None, 20_000, 0.1), how_many(None, 600, 60.0), how_many(500, 600, 0.1)
    (18000, 5000, 666, 500)
    """
    if wanted is not None:
        return whole_number("ask", wanted, least=0)
    found = min(max(ROWS_AND_QUESTIONS - n_rows, ROWS_AND_QUESTIONS // 4), MOST_TIMES * n_rows)
    # By thirds, so that the same model on another day is asked as often, as a rule.
    while found * seconds / n_rows > max(patience, 2 * seconds) and found >= useful:
        found //= 3
    return found if found >= useful else 0


def ask_recombined(
    questions: Questions, coded: CodedRows, features: Sequence[Feature], rounds: Sequence[Round], seed: int
) -> tuple[AskedRows | None, Asking]:
    """Ask a model at recombined rows whose parents are never divided by a round."""
    source = coded.source
    values = np.concatenate([block for block, _ in source.blocks()])
    predictions = np.concatenate([own for _, own in source.blocks()])
    folds = _joint_folds(coded, rounds, len(values))
    sets = column_sets(values, [feature.name for feature in features], questions.together)
    together = tuple(tuple(own) for own in sets if len(own) > 1)
    rng = stream(seed, "recombined")
    if len(sets) < 2:
        return None, Asking(0, together=together, note="All columns go together, so that no row can be recombined.")
    plan = recombine(folds, sets, len(features), questions.n_asked, rng)
    try:
        found, known = questions.ask(_located(plan, questions.at))
    except ModelError as error:
        return None, Asking(0, together=together, note=f"The model refuses recombined rows: {error}")
    if known.mean() < 0.5:  # then the others are hardly a fair sample
        note = f"The model has no finite prediction for {np.count_nonzero(~known):,} of {len(known):,} recombined rows."
        return None, Asking(0, together=together, note=note)
    unread = _unread(questions, plan, (found, known), (values, predictions), sets, folds, rng)
    weight = float(min(WEIGHT_OF_ONE * np.sqrt(known.sum() / len(values)), MOST_WEIGHT))
    plan = plan.at(known)
    given = None if source.weights is None else source.weights.values
    law = np.ones(len(values)) if given is None else given
    own = np.sqrt(law[plan.base] * law[plan.donor])
    own *= weight * law.sum() / own.sum()
    none = np.zeros(len(own), dtype=np.intp)
    rows = ArrayRows(np.asfortranarray(plan.values(values)), found[known], RowWeights(own, none, none, 0.0))
    asked = AskedRows(CodedRows(rows, coded.books, coded.center, coded.spread), plan.base, plan.donor)
    return asked, Asking(int(known.sum()), unread, together, weight)


def _located(plan: Recombination, at: NDArray[np.intp] | None) -> Recombination:
    return plan if at is None else replace(plan, base=at[plan.base], donor=at[plan.donor])


def _joint_folds(coded: CodedRows, rounds: Sequence[Round], n_rows: int) -> NDArray[np.intp]:
    """Find the sets of rows that no round divides."""
    by_row = GroupedRows(coded, (), rounds[0].groups).by_row
    folds = np.zeros(n_rows, dtype=np.intp)
    for one in rounds:
        folds = len(GROUPS) * folds + by_row(one.groups)
    return np.unique(folds, return_inverse=True)[1]


def _unread(
    questions: Questions,
    plan: Recombination,
    answers: tuple[Floats, NDArray[np.bool_]],
    rows: tuple[Floats, Floats],
    sets: Sequence[Sequence[int]],
    folds: NDArray[np.intp],
    rng: np.random.Generator,
) -> tuple[int, ...]:
    """List features that never change a prediction, in the recombined rows and when asked again with each alone.

    Recombined rows show it of features that move alone. Of columns that move together, some may be unread: a country
    that goes with its town.
    """
    (found, known), (values, predictions) = answers, rows
    # Matrix products depend on how many rows are asked at once.
    least = DOUBLE_ROUNDING * predictions.std(axis=0)

    def moved(own: Recombination, asked: Floats) -> NDArray[np.bool_]:
        return np.asarray((np.abs(asked - predictions[own.base]) > least).any(axis=1))

    def changed(own: Recombination) -> NDArray[np.bool_]:
        before, after = values[own.base], values[own.donor]
        same = (before == after) | (np.isnan(before) & np.isnan(after))
        return np.asarray((own.taken & ~same).any(axis=1))

    def moves(part: Recombination) -> bool:
        try:
            asked, finite = questions.ask(_located(part, questions.at))
        except ModelError:  # it looks at the column, if only to refuse it
            return True
        return bool(moved(part, asked)[finite].any())

    def never_moves(feature: int) -> bool:
        """Ask with this feature alone changed: at few rows, then at many; where it hardly ever differs, at none."""
        again = recombine(folds, [[feature]], values.shape[1], CONFIRMED, rng)
        again = again.only(feature).at(np.flatnonzero(changed(again.only(feature))))
        parts = [again.at(some) for some in (slice(FEWEST_ALONE), slice(FEWEST_ALONE, None))]
        return len(again.base) >= FEWEST_ALONE and not any(moves(part) for part in parts if len(part.base))

    differs, alone = moved(plan, found), np.where(changed(plan) & known, plan.alone, -1)
    unread = []
    for at, members in enumerate(sets):
        shown = differs[alone == at]
        if len(members) > 1 or (len(shown) >= FEWEST_ALONE and not shown.any()):
            unread += [feature for feature in members if never_moves(feature)]
    return tuple(sorted(unread))
