"""What is stated of the accuracy of a model, and of protected columns, as claims."""

from collections.abc import Iterable

import numpy as np

from anova_report.measures.accuracy import Accuracy, Candidate, Score
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.intervals import Interval
from anova_report.measures.observed import CELL_ROWS, Cell, Cells, Gain
from anova_report.measures.protected import Entry, GroupMeans, Ledger, Protected
from anova_report.measures.truths import Truth

TENTH = 0.1  # of the rows, of which a sentence speaks


def _ends(bounds: Interval | None) -> dict[str, float]:
    return {} if bounds is None else {"low": bounds.low, "high": bounds.high}


def judged_claim(truth: Truth) -> Claim:
    """State which rows decide, and how many do not."""
    where, side = next(iter(truth.sides.items()))
    numbers = {"n_rows": float(side.sum()), "n_others": float((~side).sum())}
    return Claim("rows judged", numbers, places=(truth.target, where))


def score_claims(scores: Iterable[Score], output: int, of: str = "") -> Claims:
    """State metrics that can be determined; `of` says of what where that is not the output alone."""
    return tuple(
        Claim("score", {"value": each.value} | _ends(each.interval), output=output, places=(each.metric, each.rows, of))
        for each in scores
        if np.isfinite(each.value)
    )


def function_claims(found: Accuracy, output: int) -> Claims:
    """State what the model and simpler functions reach, and what these keep."""
    return tuple(_function(each, output) for each in found.candidates)


def _function(each: Candidate, output: int) -> Claim:
    kept = {} if each.kept is None else {"kept": each.kept}
    numbers = {"value": each.value, "difference": each.difference} | _ends(each.interval) | kept
    return Claim("accuracy of a function", numbers, output=output, places=(each.name, each.metric))


def cells_claims(cells: Cells, names: tuple[str, ...], output: int, feature: int | None = None) -> Claims:
    """State in how many cells truth and prediction differ, and where they are furthest apart."""
    features = () if feature is None else (feature,)
    counts = {"n_cells": float(len(cells.shown)), "n_differing": float(cells.n_differing), "least": float(CELL_ROWS)}
    left = {"n_left_out": float(cells.n_left_out)} if cells.n_left_out else {}
    stated = [Claim("cells compared", counts | left, features=features, output=output)]
    if cells.n_differing:
        far = [at for at, cell in enumerate(cells.shown) if cell.differs]
        stated.append(_departure(cells.shown, max(far, key=lambda at: _far(cells.shown[at])), names, features, output))
    return tuple(stated)


def _far(cell: Cell) -> float:
    return abs(cell.difference)


def _departure(
    cells: tuple[Cell, ...], at: int, names: tuple[str, ...], features: tuple[int, ...], output: int
) -> Claim:
    cell = cells[at]
    numbers = {"predicted": cell.predicted, "observed": cell.observed, "difference": cell.difference}
    numbers |= _ends(cell.difference_interval) | {"n_rows": float(cell.n_rows)}
    return Claim("largest departure", numbers, features=features, output=output, places=(names[at],))


def lift_claim(found: Gain, output: int) -> Claim:
    """State what the rows with the largest predictions hold."""
    at = found.rows.index(TENTH)
    numbers = {"share": found.held[at], "lift": found.held[at] / TENTH, "part": TENTH} | _ends(found.intervals[at])
    return Claim("lift", numbers, output=output)


def column_claim(found: Protected, n_rows: int) -> Claim:
    """State what a protected column is to the model, and how many of its rows are not counted."""
    left = {"n_missing": found.n_missing, "n_small": found.n_small}
    numbers = {"n_rows": float(n_rows)} | {name: float(count) for name, count in left.items() if count}
    return Claim("protected column", numbers, output=found.output, places=(found.column, found.standing))


def group_claims(found: Protected, group: GroupMeans) -> Claims:
    """State the mean prediction of a group, and its mean truth where that is known."""
    places = (found.column, group.level)
    numbers = {"predicted": group.predicted, "n_rows": float(group.n_rows)} | _ends(group.predicted_interval)
    stated = [Claim("mean of a group", numbers, output=found.output, places=places)]
    if group.observed is not None and group.difference is not None:
        numbers = {"observed": group.observed, "difference": group.difference} | _ends(group.difference_interval)
        stated.append(Claim("truth of a group", numbers, output=found.output, places=places))
    return tuple(stated)


def ledger_claims(ledger: Ledger, own: int | None) -> Claims:
    """State an association and what it adds up from; `own` is the column among the features, if it is one."""
    lines: tuple[tuple[str, Entry], ...] = (
        ("association", ledger.whole),
        ("association directly", ledger.direct),
        ("association through others", ledger.proxies),
        ("association of the residual", ledger.residual),
        *(("association through a term", entry) for entry in ledger.entries),
    )
    return tuple(
        Claim(
            kind,
            {"value": entry.value} | _ends(entry.interval),
            (entry.term,) if kind == "association through a term" else (),
            () if own is None or kind != "association directly" else (own,),
            output=ledger.output,
            places=(ledger.column, ledger.level),
        )
        for kind, entry in lines
    )
