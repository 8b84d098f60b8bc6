"""How the answer of one row comes about: step by step, or as forces up and down."""

import math
from itertools import accumulate

import numpy as np

from anova_report.core.terms import Term
from anova_report.figures.columns.axes import answer_label, shown_range, value_axis, value_text
from anova_report.figures.columns.rows import Rows
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Force, Step, Waterfall
from anova_report.measures.local import Explanation
from anova_report.measures.wording import counted, number, signed

MOST_STEPS = 10
NAMED = 3
TAIL = 0.01


def waterfall(rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_STEPS, key: str | None = None) -> Figure:
    """Draw the contributions to the answer of one row, one below the other."""
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    data = _waterfall(rows, row, chosen, found, top)
    return _figure(key or f"o{chosen}-row-{row}-waterfall", f"How the answer of row {row} comes about", data, found)


def force(rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_STEPS, key: str | None = None) -> Figure:
    """Draw the contributions to the answer of one row as forces that push it up and down."""
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    data = _waterfall(rows, row, chosen, found, top)
    forces = Force(data.axis, data.base, data.steps, data.remainder, data.answer)
    return _figure(key or f"o{chosen}-row-{row}-force", f"What pushes the answer of row {row}", forces, found)


def row_values(rows: Rows, row: int, term: Term | None = None) -> tuple[tuple[str, str], ...]:
    """Write the values of a row, of all features or those of a term, as pairs of name and text."""
    at = rows.position(row)
    features = range(len(rows.dec.features)) if term is None else term
    return tuple((rows.dec.features[index].name, _value(rows, at, index)) for index in features)


def _value(rows: Rows, row: int, index: int) -> str:
    column = rows.values[:, index]
    known = column[~np.isnan(column)]
    low, high = shown_range(known, TAIL) if len(known) else (0.0, 0.0)
    return value_text(rows.dec.features[index], float(column[row]), high - low)


def _waterfall(rows: Rows, row: int, output: int, found: Explanation, top: int) -> Waterfall:
    steps = _steps(rows, row, found, top)
    answer = found.explained if found.answer is None else found.answer
    remainder = found.remainder or 0.0
    sums = np.array([*accumulate((step.value for step in steps), initial=found.mean), answer])
    return Waterfall(value_axis(answer_label(rows.dec, output), sums), found.mean, steps, remainder, answer)


def _steps(rows: Rows, row: int, found: Explanation, top: int) -> tuple[Step, ...]:
    """Largest first; small ones are taken together, unless there is only one."""
    ranked = [item for item in found.ranked() if item.value]
    shown = len(ranked) if len(ranked) <= top else top - 1
    steps = [Step(item.label, _detail(rows, row, item.term), item.value) for item in ranked[:shown]]
    if ranked[shown:]:
        rest = math.fsum(item.value for item in ranked[shown:])
        steps.append(Step(f"{len(ranked) - shown} further terms", "", rest))
    return tuple(steps)


def _detail(rows: Rows, row: int, term: Term) -> str:
    return ", ".join(f"{name} = {text}" for name, text in row_values(rows, row, term))


def _figure(key: str, title: str, data: Waterfall, found: Explanation) -> Figure:
    closing = [("explanation", "", number(found.explained))]
    if found.answer is not None:
        closing += [("gap", "", signed(data.remainder)), ("answer", "", number(data.answer))]
    steps = ((step.label, step.detail, signed(step.value)) for step in data.steps)
    table = Table(("term", "values", "contribution"), (("mean", "", number(data.base)), *steps, *closing))
    return Figure(key, title, _alt(data, found), data, table)


def _alt(data: Waterfall, found: Explanation) -> str:
    named = ", ".join(f"{step.label} ({signed(step.value)})" for step in data.steps[:NAMED])
    more = f" and {counted(len(data.steps) - NAMED, 'more step', 'more steps')}" if len(data.steps) > NAMED else ""
    lead = f"From the mean {number(data.base)}, {named}{more} lead to the explanation {number(found.explained)}"
    if not data.steps:
        lead = f"No term moves the answer from the mean {number(data.base)}"
    if found.answer is None:
        return f"{lead}."
    return f"{lead}; the answer is {number(found.answer)}, which leaves a gap of {signed(data.remainder)}."
