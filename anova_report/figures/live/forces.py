"""One answer on one line, live: what pushes it up meets what pushes it down; twin of `svg.forces`."""

from dataclasses import dataclass, replace

from bokeh.models import Plot

from anova_report.figures.kinds import Axis, Force, Step
from anova_report.figures.live import marks
from anova_report.figures.live.frame import Frame, Side, along, side
from anova_report.figures.live.stage import Columns, Sources, Table, hide_grid, hover
from anova_report.figures.live.words import brief, lines, plain
from anova_report.figures.style import SMALL, TEXT, size
from anova_report.figures.svg.forces import BAR, EDGE, GAP, LINE, NAMES
from anova_report.figures.svg.scales import Scale, scale
from anova_report.figures.svg.text import clean, shorten, width
from anova_report.measures.wording import number, signed

HEIGHTS = Axis("", 0.0, LINE)  # pixels from the top


@dataclass(frozen=True)
class _Push:
    """One contribution: its words, what it adds, between which values it lies, its colour."""

    label: str
    detail: str
    value: float
    low: float
    high: float
    colour: str


def columns(data: Force) -> Columns:
    """Return the columns of a force plot; heights are pixels from the top."""
    pushes, axis = _pushes(data), _axis(data)
    return {
        "pushes": _boxes(axis, pushes),
        "rules": marks.rules(axis, HEIGHTS, *_ends(data)),
        "words": _words(data, axis),
        "names": _names(axis, pushes, size(data)[0]),
    }


def frame(data: Force) -> Frame:
    """Return what stands around a force plot."""
    wide, high = size(data)
    heights = Side("", 0.0, LINE, LINE, 0.0, ())
    return Frame(side(_axis(data)), heights, (wide, high), borders=(EDGE, 0.0, EDGE, high - LINE))


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a force plot."""
    hide_grid(plot)
    pushes = marks.signed_boxes(plot, sources["pushes"], line_color="surface", line_width=1.5)
    marks.draw_rules(plot, sources["rules"])
    words = {"text_color": "fg", "text_font_size": f"{TEXT}px"}
    marks.texts(plot, sources["words"], text_align="align", text_font_style="style", **words)
    marks.texts(plot, sources["names"], text_align="center", y_offset=14, **words)
    marks.texts(plot, sources["names"], text="number", text_align="center", y_offset=28)
    hover(plot, pushes)


def _pushes(data: Force) -> list[_Push]:
    """Lay pushes end to end, away from the answer, the largest next to it and the gap outermost."""
    steps = sorted(data.steps, key=lambda step: -abs(step.value))
    found: list[_Push] = []
    left = right = data.answer
    for step in (*steps, Step(GAP, "not explained", data.remainder)):
        colour = "rest" if len(found) == len(steps) else "positive" if step.value > 0 else "negative"
        if step.value > 0:
            found.append(_Push(step.label, step.detail, step.value, left - step.value, left, colour))
            left -= step.value
        elif step.value < 0:
            found.append(_Push(step.label, step.detail, step.value, right, right - step.value, colour))
            right -= step.value
    return found


def _axis(data: Force) -> Axis:
    """Return the axis, which holds all pushes."""
    ends = [data.axis.low, data.axis.high]
    ends += [end for push in _pushes(data) for end in (push.low, push.high)]
    return replace(data.axis, low=min(ends), high=max(ends))


def _boxes(axis: Axis, pushes: list[_Push]) -> Table:
    return {
        "left": along(axis, [push.low for push in pushes]),
        "right": along(axis, [push.high for push in pushes]),
        "bottom": [BAR[1]] * len(pushes),
        "top": [BAR[0]] * len(pushes),
        "colour": [push.colour for push in pushes],
        "hatch": ["/" if push.colour == "rest" else " " for push in pushes],
        "tip": [lines(brief(push.label), brief(push.detail), signed(push.value)) for push in pushes],
    }


def _ends(data: Force) -> list[marks.Rule]:
    top = BAR[0] - 8
    return [
        (data.base, top, data.base, BAR[1], "fg", "dotted"),
        (data.answer, top, data.answer, BAR[1] + 3, "fg", "solid"),
    ]


def _words(data: Force, axis: Axis) -> Table:
    """Return the words for the mean and the answer, on different sides where both are near."""
    across = _across(axis, size(data)[0])
    ends = (data.base, data.answer)
    texts = (f"mean {number(data.base)}", f"answer {number(data.answer)}")
    return {
        "x": along(axis, ends),
        "y": [10.0, 10.0],
        "text": list(texts),
        "align": [
            _align(across(end), across(other), text, size(data)[0])
            for end, other, text in zip(ends, reversed(ends), texts, strict=True)
        ],
        "style": ["normal", "bold"],
    }


def _across(axis: Axis, wide: float) -> Scale:
    return scale(axis.low, axis.high, EDGE, wide - EDGE)


def _align(spot: float, other: float, text: str, wide: float) -> str:
    room = width(text, TEXT) * 1.06
    if spot < room or spot > wide - room:
        return "left" if spot < room else "right"
    if abs(spot - other) > 130:
        return "center"
    return "right" if spot <= other else "left"


def _names(axis: Axis, pushes: list[_Push], wide: float) -> Table:
    """Return names below the largest pushes, as many as do not touch."""
    across = _across(axis, wide)
    chosen: list[tuple[float, str, str]] = []
    taken: list[tuple[float, float]] = []
    for push in sorted(pushes, key=lambda push: -abs(push.value)):
        name = shorten(clean(push.label), NAMES, TEXT)
        half = max(width(name, TEXT), width(signed(push.value), SMALL)) / 2
        spot = min(max((across(push.low) + across(push.high)) / 2, half + 2), wide - half - 2)
        if all(spot + half + 8 < low or spot - half - 8 > high for low, high in taken):
            taken.append((spot - half, spot + half))
            chosen.append((spot, plain(name), signed(push.value)))
    back = (axis.high - axis.low) / (wide - 2 * EDGE)
    return {
        "x": along(axis, [axis.low + (spot - EDGE) * back for spot, _, _ in chosen]),
        "y": [BAR[1]] * len(chosen),
        "text": [name for _, name, _ in chosen],
        "number": [value for _, _, value in chosen],
    }
