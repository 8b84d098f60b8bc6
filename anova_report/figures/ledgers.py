"""What the association of a protected column with predictions adds up from, as a list of amounts with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.axes import rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import legend_height, longest
from anova_report.figures.scene import Box, Entry, Legend, Rule, Ruler, Scene, Text
from anova_report.figures.style import NOTE, TEXT
from anova_report.figures.ticks import effect_text
from anova_report.measures.claims import Claims
from anova_report.measures.protected import Ledger as Added
from anova_report.measures.sentences.names import Names, prediction_name

MOST_DIRECT, MOST_OTHERS = 6, 8  # components that are drawn; the table has all
WIDE, ROW, BAR = 640.0, 23.0, 11.0  # pixels of the picture, of a row, and of the bar in it
NAMES, NUMBERS = 270.0, 150.0  # pixels of the longest name, and of the longest number
WHOLE, DIRECT, OTHERS, RESIDUAL = "in all", "directly", "through other columns", "residual"
BOLD = 1.08  # how much wider bold words are
COLORS = {WHOLE: "unexplained", DIRECT: "correlative", OTHERS: "structural", RESIDUAL: "rest"}


@dataclass(frozen=True)
class Ledger:
    """Amounts that add up, in drawing order; `of` says of what each is, and sums are those with that very name."""

    x: Axis
    labels: Words
    of: Words
    value: Numbers
    lower: Numbers
    upper: Numbers
    n_rest: int = 0  # further components that are not drawn

    def scene(self) -> Scene:
        """Lay bars out from zero, each with the whiskers of its interval."""
        entries = self._entries()
        count = max(len(self.labels), 1)
        names = tuple(name if self._is_sum(at) else f"   {name}" for at, name in enumerate(self.labels))
        left, top = longest(names, TEXT * BOLD, NAMES) + 18, legend_height(entries, WIDE) + 8
        numbers = tuple(effect_text(self.x, value) for value in self.value)
        aside = longest(numbers, TEXT * BOLD, NUMBERS) + 8
        panel = Panel.of_rows(Frame(left, top, WIDE - aside, top + ROW * count), self.x.span, count)
        at, zero = tuple(map(float, range(len(names)))), panel.held_x(0.0)
        bold = tuple(map(self._is_sum, range(len(names))))
        rest = (f"{self.n_rest} smaller not drawn",) if self.n_rest else ()
        look: dict[str, Any] = {"dx": (aside,) * len(numbers), "anchor": "end", "bold": bold}
        lower, upper = (tuple(map(panel.held_x, ends)) for ends in (self.lower, self.upper))
        return Scene(
            "ledger",
            (WIDE, panel.frame.bottom + 42 + (18 if rest else 0)),
            (panel,),
            (
                Ruler(self.x, "below", grid=True, room=panel.frame.width + 60),
                Rule("zero", zero, panel.y[0], zero, panel.y[1]),
                Text("names", panel.x[0], at, names, dx=-8.0, anchor="end", bold=bold, room=left - 10),
                self._bars(panel, zero),
                Rule("whiskers", lower, at, upper, at, "fg", width=1.25, rimmed=True),
                Text("numbers", panel.x[1], at, numbers, **look),
                Text("rest", panel.x[0], panel.y[0], rest, dx=(-left,) * len(rest), dy=50.0, **NOTE),
                Legend(entries, room=WIDE),
            ),
        )

    def _is_sum(self, at: int) -> bool:
        return at < len(self.of) and self.labels[at] == self.of[at]

    def _entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(name, "bar", COLORS[name], marks=("bars",)) for name in (DIRECT, OTHERS) if name in self.of)

    def _bars(self, panel: Panel, zero: float) -> Box:
        """Draw sums as broad bars and what they are made of as narrow ones."""
        places = range(len(self.value))
        ends = [sorted((zero, panel.held_x(value))) for value in self.value]
        half = [BAR / ROW / 2 * (1.0 if self._is_sum(at) else 0.55) for at in places]
        return Box(
            "bars",
            tuple(low for low, _ in ends),
            tuple(high for _, high in ends),
            tuple(at + part for at, part in enumerate(half)),
            tuple(at - part for at, part in enumerate(half)),
            tuple(COLORS.get(name, "rest") for name in self.of[: len(places)]),
            least=0.75,
            tips=tuple(map(self._tip, places)),
        )

    def _tip(self, at: int) -> str:
        ends = f"{effect_text(self.x, self.lower[at])} to {effect_text(self.x, self.upper[at])}"
        return f"{self.labels[at]}\n{effect_text(self.x, self.value[at])}\n95% interval {ends}"


def ledger_figure(dec: Decomposition, found: Added, title: str, claims: Claims, words: str, key: str) -> Figure:
    """Draw what an association adds up from: sums, and below each the largest of its components."""
    direct = [entry for entry in found.entries if entry.direct]
    others = [entry for entry in found.entries if not entry.direct]
    n_rest = max(len(direct) - MOST_DIRECT, 0) + max(len(others) - MOST_OTHERS, 0)
    lines = [(WHOLE, WHOLE, found.whole)]
    if direct:
        lines += [(DIRECT, DIRECT, found.direct)]
        lines += [(entry.label, DIRECT, entry) for entry in direct[:MOST_DIRECT]]
    lines += [(OTHERS, OTHERS, found.proxies), *((entry.label, OTHERS, entry) for entry in others[:MOST_OTHERS])]
    lines += [(RESIDUAL, RESIDUAL, found.residual)]
    ends = [end for _, _, line in lines for end in (0.0, line.value, line.interval.low, line.interval.high)]
    drawn = [line for _, _, line in lines]
    data = Ledger(
        _axis(dec, found, title, ends),
        tuple(label for label, _, _ in lines),
        tuple(of for _, of, _ in lines),
        _rounded([line.value for line in drawn]),
        _rounded([line.interval.low for line in drawn]),
        _rounded([line.interval.high for line in drawn]),
        n_rest,
    )
    level = f": {found.level}" if found.level else ""
    return Figure(key, f"What goes with {title}{level}", words, data, _table(dec, found), claims)


def _rounded(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values))


def _axis(dec: Decomposition, found: Added, title: str, ends: Sequence[float]) -> Axis:
    """Make the axis of differences of means, or of slopes."""
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low) or 1.0
    name = prediction_name(dec, found.output)
    factors = scale_of(dec.scale).factors
    difference = f"{'ratio' if factors else 'difference'} of means: {name}"
    label = difference if found.level else f"{name} per standard deviation of {title}"
    return Axis(label, low - room, high + room, log="factors" if factors else "")


def _table(dec: Decomposition, found: Added) -> Table:
    """List every component; the lines above the last add up to it."""
    names = Names.of(dec, found.output)
    lines = [
        *((entry.label, "directly" if entry.direct else "", entry) for entry in found.entries),
        ("residual", "", found.residual),
        ("in all", "", found.whole),
    ]
    head = ("Through", "Of the column itself", "Amount", "95% interval")
    return Table(
        head,
        tuple(
            (
                label,
                direct,
                names.brief(line.value),
                f"{names.brief(line.interval.low)} to {names.brief(line.interval.high)}",
            )
            for label, direct, line in lines
        ),
    )
