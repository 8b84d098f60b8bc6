"""Columns of a table that are no inputs of a model, and cells that could not be taken as they stand.

No inputs are numbers that name rows, and the truth that predictions aim at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import rankdata

from anova_report.core.arrays import Floats
from anova_report.core.input.features import CONSTANT, EMPTY, Feature
from anova_report.core.result.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import numbering_words, truth_words, unread_words
from anova_report.measures.status import Finding
from anova_report.measures.wording import enumeration

SILENT = (EMPTY, CONSTANT)  # columns that tell nothing, so that nothing is lost without them
LEAST_ROWS = 100  # fewer whole numbers may differ by chance
FILLED = 0.5  # of the range of whole numbers that number rows
LOOKED_AT = 2000  # rows, at equal steps, that tell whether a column is the truth
NEARLY = 0.98  # a correlation that makes a column as good as the prediction
CALIBRATED = 0.25  # how far slope and mean of the truth, given the prediction, may be off, in units of the prediction
DECENT = 0.3  # squared correlation of the truth and predictions that are worth explaining
DECENT_CLASSES = 0.1  # the same where the truth is a class, and predictions are probabilities
TREES, SINGLE = 40, 1e38  # trees read numbers in single precision
OTHERS_TELL = 0.6  # R² at which the other features tell the predictions, so that this one is not needed


@dataclass(frozen=True)
class Unread:
    """Cells of a column that were left out, or not taken as they stand: which share of it, and what became of them."""

    column: str
    share: float
    reason: str


def unread_cells(dec: Decomposition, given: Sequence[Unread]) -> Finding:
    """Find columns that were left out though their values differ, and those of which cells were guessed."""
    code, title, limit = "AR015", "Cells that were not read", status.UNREAD.warn
    left_out = [Unread(column.name, 1.0, column.reason) for column in dec.left_out if column.reason not in SILENT]
    found = sorted([*left_out, *given], key=lambda item: -item.share)
    most, named = found[0].share if found else 0.0, [item for item in found if item.share > limit]
    if not named:
        stated = tuple(Claim("most cells that were not read", {"share": most}) for _ in found[:1])
        return Finding(code, title, "pass", most, limit, unread_words(stated), claims=stated)
    stated = tuple(
        Claim("cells that were not read", {"share": item.share}, places=(item.column, item.reason)) for item in named
    )
    advice = (
        "If the model takes them, write numbers as numbers, leave missing cells empty, and explain again. If not, "
        "leave out these columns by name (--exclude, --id, or drop them)."
    )
    return Finding(code, title, "warn", most, limit, unread_words(stated), advice, stated)


def not_inputs(dec: Decomposition, values: Floats | None, output: int) -> Finding:
    """Find columns that are no inputs, from encoded rows."""
    code, title, limit = "AR014", "Columns that are no inputs", status.NOT_INPUTS.warn
    if values is None:
        return Finding(code, title, "not applicable", None, None, "No rows were given whose columns could be checked.")
    numbering = tuple(at for at, feature in enumerate(dec.features) if numbers_rows(feature, values[:, at]))
    truth = [] if "model" in dec.settings else truth_columns(dec, values, output)  # a model says what it takes
    found, names = len(numbering) + len(truth), Names(dec.feature_titles)
    if not found:
        return Finding(code, title, "pass", 0.0, limit, "No column looks like a row number or like the target.")
    stated, sentences, advice = [], [], []
    if truth:
        features = tuple(at for at, _ in truth)
        stated.append(Claim("truth among the columns", {"correlation": truth[0][1]}, features=features))
        sentences.append(truth_words(stated[-1], names))
        named = enumeration([repr(dec.feature_names[at]) for at in features])
        advice.append(
            f"If {named} is the target, leave it out (--target, target=) and explain again: it takes shares from the "
            "inputs."
        )
    if numbering:
        stated.append(Claim("columns that number rows", {"n_rows": float(len(values))}, features=numbering))
        sentences.append(numbering_words(stated[-1], names))
        advice.append("Leave out what only names rows (--id, or drop the column); a model gains nothing from it.")
    return Finding(code, title, "warn", float(found), limit, " ".join(sentences), " ".join(advice), tuple(stated))


def numbers_rows(feature: Feature, column: Floats) -> bool:
    """Tell whether a column numbers the rows: different whole numbers that follow each other, or fill their range.

    Examples
    --------
    >>> age = Feature("age", "numeric")
    >>> numbers_rows(age, np.arange(500.0)), numbers_rows(age, np.arange(500.0) % 90)
    (True, False)
    """
    if feature.kind != "numeric" or len(column) < LEAST_ROWS or np.isnan(column).any() or (column % 1).any():
        return False
    ordered = np.sort(column)
    steps = np.diff(column)
    if not np.diff(ordered).all():
        return False
    filled = len(column) / (ordered[-1] - ordered[0] + 1) >= FILLED
    return bool(filled or (steps > 0).all() or (steps < 0).all())


def truth_columns(dec: Decomposition, values: Floats, output: int) -> list[tuple[int, float]]:
    """Find columns that go with the predictions as the truth would, and which nobody needs to tell the predictions.

    Given the prediction, the truth is the prediction on average: it has the same unit, slope one and the same mean. And
    predictions are a function of the inputs, so that the other columns tell them without the truth.
    """
    at = np.unique(np.linspace(0, len(values) - 1, min(len(values), LOOKED_AT)).astype(np.intp))
    if len(at) < LEAST_ROWS or len(dec.features) < 2:
        return []
    rows = values[at]
    explained = dec.expansion.predict(rows)[:, output]
    found = []
    for index, feature in enumerate(dec.features):
        readings = _readings(dec, feature, rows[:, index], output)
        correlation = max((_as_truth(column, explained, dec.scale) for column in readings), key=abs, default=0.0)
        if correlation and _tells(np.delete(rows, index, axis=1), explained) >= OTHERS_TELL:
            found.append((index, correlation))
    return found


def _readings(dec: Decomposition, feature: Feature, column: Floats, output: int) -> list[Floats]:
    """Write a column as the truth could be: a number, or whether it is the class that was explained."""
    if np.isnan(column).any():
        return []
    if feature.kind == "nominal":
        name = dec.output_names[output]
        wanted = [feature.levels.index(name)] if name in feature.levels else [0, 1] if len(feature.levels) == 2 else []
        return [(column == level).astype(np.float64) for level in wanted]
    return [column] if feature.kind in ("numeric", "boolean") else []


def _as_truth(column: Floats, explained: Floats, scale: str) -> float:
    """Return the correlation with the predictions of what may be the truth; zero where it cannot be."""
    is_class = bool(np.isin(column, (0, 1)).all())
    predicted = expit(explained) if is_class and scale == "logit" else explained
    (own, both), (_, spread) = np.cov(column, predicted)
    # Of a constant the variance may be rounding; of tiny numbers it may be zero.
    if not (own and spread and np.ptp(column) and np.ptp(predicted)):
        return 0.0
    correlation = both / (np.sqrt(own) * np.sqrt(spread))
    ranks = np.corrcoef(rankdata(column), rankdata(predicted))[0, 1]
    largest = float(max(correlation, ranks, key=abs))
    off = max(abs(both / spread - 1), abs(column.mean() - predicted.mean()) / np.sqrt(spread))
    calibrated = off <= CALIBRATED and correlation**2 >= (DECENT_CLASSES if is_class else DECENT)
    return float(correlation) if calibrated else largest if abs(largest) >= NEARLY else 0.0


def _tells(others: Floats, explained: Floats) -> float:
    """Give the R², on rows it has not seen, of trees that learn the predictions from other features."""
    from sklearn.ensemble import ExtraTreesRegressor  # noqa: PLC0415 slow to import, and hardly ever needed

    others = others.clip(-SINGLE, SINGLE)
    learned: NDArray[np.bool_] = np.arange(len(explained)) % 3 > 0
    model: Any = ExtraTreesRegressor(TREES, random_state=0)
    model.fit(others[learned], explained[learned])
    return float(model.score(others[~learned], explained[~learned]))
