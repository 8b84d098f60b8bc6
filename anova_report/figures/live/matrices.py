"""Orthogonality of pairs and main effects, feature by feature, live; twin of `svg.matrices`."""

import math
from typing import Any

from bokeh.models import Plot
from bokeh.transform import transform

from anova_report.figures.kinds import Cell, Matrix
from anova_report.figures.live import marks
from anova_report.figures.live.colours import by_name, repaint, scale
from anova_report.figures.live.frame import Frame, Side, listed, named, rounded
from anova_report.figures.live.stage import Columns, Sources, Table, hide_grid, hover, note_below
from anova_report.figures.live.words import brief, lines
from anova_report.figures.style import MATRIX_LABELS, SEQUENTIAL_DARK, SEQUENTIAL_LIGHT, TEXT, matrix_cell, size
from anova_report.figures.svg import heat
from anova_report.figures.svg.matrices import NAMES, NUMBERED, SLANT
from anova_report.figures.svg.text import clean, width
from anova_report.measures.wording import cosine, number, percent

CHANCE = -1.0  # below the scale of colours, so it has a colour of its own
FAINT = 0.3
INKS = ("on-pale", "on-strong", "fg")
WORDS = {
    "fine": "within what chance gives",
    "slight": "more than chance gives, within the limit",
    "beyond": "beyond the limit",
    "small": "of a term too small to count",
}
NOTE = (
    "cosine of the pair with the main effect of its row; diagonal: of the main effect with the mean",
    "ringed: beyond the limit; grey: within what chance gives; pale: term too small to count",
)


def columns(data: Matrix) -> Columns:
    """Return the columns of a matrix: one row for each cosine."""
    shown = [cell for cell in data.cells if max(cell.row, cell.column) < len(data.features)]
    ringed = [cell for cell in shown if cell.status == "beyond"]
    return {
        "cells": _boxes(shown, 0.5)
        | {
            "cosine": rounded([CHANCE if cell.status == "fine" else abs(cell.value) for cell in shown], data.limit),
            "strength": [FAINT if cell.status == "small" else 1.0 for cell in shown],
            "tip": [_tip(cell) for cell in shown],
        },
        "rings": _boxes(ringed, 0.46),
        "numbers": _numbers(data, shown if len(data.features) <= NUMBERED else []),
    }


def frame(data: Matrix) -> Frame:
    """Return what stands around a matrix: features at the left and above."""
    wide, high = size(data)
    cell = matrix_cell(len(data.features))
    every = max(1, -(-13 // cell))
    span = cell * len(data.features)
    longest = max((width(clean(name), TEXT) for name in data.features), default=0.0)
    top = 16 + min(NAMES, longest) * math.sin(math.radians(SLANT))
    end = len(data.features) - 0.5
    rows = listed(data.features, MATRIX_LABELS - 10)
    across = Side("", -0.5, end, -0.5, end, named(data.features, NAMES)[::every], slanted=True)
    return Frame(
        x=across,
        y=Side(rows.label, rows.low, rows.high, rows.start, rows.end, (rows.names or ())[::every]),
        size=(wide, high),
        borders=(MATRIX_LABELS, top, max(0, wide - MATRIX_LABELS - span), high - top - span),
        limits=(0.0, data.limit or 1.0),
        note="\n".join((f"colours: 0 to {number(data.limit)}", *NOTE)),
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a matrix."""
    shades = scale(SEQUENTIAL_LIGHT, SEQUENTIAL_DARK)
    repaint(shades, low_color="grid")
    hide_grid(plot)
    looks: dict[str, Any] = {"fill_alpha": "strength", "line_color": "surface", "line_width": 1.5}
    cells = marks.boxes(plot, sources["cells"], fill_color=transform("cosine", shades), **looks)
    marks.boxes(plot, sources["rings"], fill_color=None, line_color="fail", line_width=2)
    marks.texts(plot, sources["numbers"], text_color=by_name("ink", INKS), text_align="center")
    note_below(plot)
    hover(plot, cells)


def _boxes(cells: list[Cell], half: float) -> Table:
    return {
        "left": [cell.column - half for cell in cells],
        "right": [cell.column + half for cell in cells],
        "bottom": [cell.row + half for cell in cells],
        "top": [cell.row - half for cell in cells],
    }


def _tip(cell: Cell) -> str:
    floor = f"noise floor {cosine(cell.floor)}, {percent(cell.share)} of the variance"
    return lines(brief(cell.label), f"cosine {cosine(cell.value)}: {WORDS[cell.status]}", floor)


def _numbers(data: Matrix, cells: list[Cell]) -> Table:
    return {
        "x": [float(cell.column) for cell in cells],
        "y": [float(cell.row) for cell in cells],
        "text": [cosine(abs(cell.value)) if abs(cell.value) >= 0.0005 else "0" for cell in cells],
        "ink": [_ink(cell, data.limit) for cell in cells],
    }


def _ink(cell: Cell, limit: float) -> str:
    return "fg" if cell.status in ("small", "fine") else heat.ink(heat.signed_position(cell.value, limit))
