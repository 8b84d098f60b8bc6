"""How one answer comes about, live, one bar below the other; twin of `svg.waterfalls`."""

from dataclasses import dataclass, replace

from bokeh.models import Plot

from anova_report.figures.kinds import Waterfall
from anova_report.figures.live import marks
from anova_report.figures.live.frame import Frame, along, listed, side, widened
from anova_report.figures.live.stage import Columns, Sources, Table, hover
from anova_report.figures.live.words import brief, lines
from anova_report.figures.style import SIZES, TEXT, size
from anova_report.figures.svg.axes import BELOW
from anova_report.figures.svg.text import clean, shorten
from anova_report.figures.svg.waterfalls import TOP, VALUES, WORDS, values
from anova_report.measures.wording import number, signed

HALF = 7 / SIZES["waterfall"].row  # of the height of a bar
RIGHT = 4.0


@dataclass(frozen=True)
class Bar:
    """One contribution: its words, from where to where it reaches, its colour; what is not explained is hatched."""

    label: str
    detail: str
    start: float
    end: float
    colour: str

    @property
    def hatch(self) -> str:
        """How it is hatched: not at all, or slanted."""
        return "/" if self.colour == "rest" else " "

    @property
    def tip(self) -> str:
        """What is said of it."""
        return lines(brief(self.label), brief(self.detail), signed(self.end - self.start))


def columns(data: Waterfall) -> Columns:
    """Return the columns of a waterfall."""
    steps = bars(data)
    ends = (data.base, data.answer)
    last = float(len(steps) + 1)
    return {
        "rules": marks.rules(data.axis, marks.ROWS, *_links(data, steps)),
        "bars": _boxes(data, steps),
        "dots": {
            "x": along(data.axis, [_held(data, end) for end in ends]),
            "y": [0.0, last],
            "colour": ["fg", "fg"],
            "tip": [f"mean {number(data.base)}", f"answer {number(data.answer)}"],
        },
        "numbers": _numbers(data, steps),
    }


def bars(data: Waterfall) -> list[Bar]:
    """Return the contributions of an answer in drawing order, each from where the one before ends."""
    found: list[Bar] = []
    total = data.base
    for step in data.steps:
        colour = "negative" if step.value < 0 else "positive"
        found.append(Bar(step.label, values(step), total, total + step.value, colour))
        total += step.value
    return [*found, Bar("gap", "not explained", total, total + data.remainder, "rest")]


def frame(data: Waterfall) -> Frame:
    """Return what stands around a waterfall: labels and values of the row at the left."""
    wide, high = size(data)
    room = VALUES / (wide - WORDS - RIGHT - 2 * VALUES)
    names = ("mean", *(_name(bar) for bar in bars(data)), "answer")
    return Frame(
        x=widened(replace(side(data.axis)), before=room, after=room),
        y=listed(names, WORDS - 14),
        size=(wide, high),
        borders=(WORDS, TOP, RIGHT, BELOW + 6),
    )


def draw(plot: Plot, sources: Sources) -> None:
    """Draw the marks of a waterfall."""
    marks.draw_rules(plot, sources["rules"])
    steps = marks.signed_boxes(plot, sources["bars"])
    dots = marks.draw_dots(plot, sources["dots"], ("fg",))
    words = {"text_color": "fg", "text_font_size": f"{TEXT}px", "text_align": "align", "x_offset": "aside"}
    marks.texts(plot, sources["numbers"], **words)
    hover(plot, steps, dots)


def _name(bar: Bar) -> str:
    """Write a label and, as far as there is room, the row's values."""
    room = WORDS - 14
    label = shorten(clean(bar.label), room * (0.62 if bar.detail else 1.0), TEXT)
    return f"{label} · {clean(bar.detail)}" if bar.detail else label


def _held(data: Waterfall, value: float) -> float:
    return min(max(value, data.axis.low), data.axis.high)


def _links(data: Waterfall, steps: list[Bar]) -> list[marks.Rule]:
    """Return lines from the end of each bar to the start of the next."""
    sums = [_held(data, total) for total in (data.base, *(bar.end for bar in steps))]
    return [(total, float(position), total, position + 1.0, "axis", "solid") for position, total in enumerate(sums)]


def _boxes(data: Waterfall, steps: list[Bar]) -> Table:
    spans = [sorted((_held(data, bar.start), _held(data, bar.end))) for bar in steps]
    return {
        "left": along(data.axis, [span[0] for span in spans]),
        "right": along(data.axis, [span[1] for span in spans]),
        "bottom": [round(position + HALF, 4) for position in range(1, len(steps) + 1)],
        "top": [round(position - HALF, 4) for position in range(1, len(steps) + 1)],
        "colour": [bar.colour for bar in steps],
        "hatch": [bar.hatch for bar in steps],
        "tip": [bar.tip for bar in steps],
    }


def _numbers(data: Waterfall, steps: list[Bar]) -> Table:
    """Return the numbers beside the ends of bars, and those of the mean and the answer."""
    rising = [bar.end >= bar.start for bar in steps]
    spots = [data.base, *(bar.end for bar in steps), data.answer]
    return {
        "x": along(data.axis, [_held(data, spot) for spot in spots]),
        "y": [float(position) for position in range(len(spots))],
        "text": [number(data.base), *(signed(bar.end - bar.start) for bar in steps), number(data.answer)],
        "align": ["left", *("left" if up else "right" for up in rising), "left"],
        "aside": [10, *(6 if up else -6 for up in rising), 10],
    }
