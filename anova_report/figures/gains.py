"""What the rows with the largest predictions hold of the observed target, part by part: gains and lift."""

from dataclasses import dataclass, replace

import numpy as np

from anova_report.figures.axes import rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import below, frame_within, legend_height
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Area, Dot, Entry, Legend, Line, Ruler, Scene
from anova_report.measures.judged_claims import lift_claim
from anova_report.measures.observed import gain
from anova_report.measures.sentences.accuracy import lift_words
from anova_report.measures.truths import Truth
from anova_report.measures.wording import number, percent

WIDE, HIGH = 440.0, 320.0
END = 18.0  # pixels for half of the last tick
CLASSES = ("binary", "ranking")


@dataclass(frozen=True)
class Gains:
    """Shares of the rows, those with the largest predictions first, and what these hold of the observed total."""

    x: Axis
    y: Axis
    rows: Numbers
    held: Numbers
    lower: Numbers
    upper: Numbers
    best: Numbers  # what they would hold in the order of the observed target

    def scene(self) -> Scene:
        """Lay the curve out from no row to all, between what any order gives and what the best one gives."""
        entries = (
            Entry("by prediction, 95% interval", "dot", "accent", marks=("held", "line", "intervals")),
            Entry("by observed target: the most", "line", "muted", marks=("best",)),
            Entry("in no order", "line", "axis", "4 3", marks=("equal",)),
        )
        frame = frame_within(self.x, self.y, Frame(0, legend_height(entries, WIDE) + 2, WIDE - END, HIGH))
        panel = Panel.of(frame, self.x, self.y)
        rows, held, best = ((0.0, *column) for column in (self.rows, self.held, self.best))
        tips = tuple(map(self._tip, range(len(self.rows))))
        return Scene(
            "gains",
            (WIDE, HIGH),
            (panel,),
            (
                Ruler(self.y, "left", grid=True, percent=True, room=WIDE - 8),
                replace(below(self.x, frame), percent=True),
                Area("intervals", self.rows, self.lower, self.upper, "band", opacity=0.85),
                Line("equal", ((0.0, 1.0),), ((0.0, 1.0),), "axis", width=1.0, dash="4 3"),
                Line("best", (rows,), (best,), "muted", width=1.25),
                Line("line", (rows,), (held,), "accent", width=2.25),
                Dot("held", self.rows, self.held, "accent", tips=tips),
                Legend(entries, room=WIDE, switches=True),
            ),
            zooms="xy",
        )

    def _tip(self, at: int) -> str:
        rows, held = self.rows[at], self.held[at]
        lines = [
            f"{percent(rows)} of rows",
            f"share {percent(held)}",
            f"95% interval {percent(self.lower[at])} to {percent(self.upper[at])}",
            *([f"lift {number(held / rows)}"] if rows else []),
            f"at most {percent(self.best[at])}",
        ]
        return "\n".join(lines)


def gains_figure(rows: Rows, truth: Truth, output: int) -> Figure | None:
    """Draw what rows hold in the order of their predictions; None where the observed target may be negative."""
    found = gain(truth)
    if found is None:
        return None
    is_class = truth.task in CLASSES and len(rows.dec.output_names) > 1
    held = f"share of the total of {rows.dec.output_names[output] if is_class else truth.target}"
    lower, upper = ([getattr(each, end) for each in found.intervals] for end in ("low", "high"))
    columns = (rounded(np.array(each), 1.0) for each in (found.rows, found.held, lower, upper, found.best))
    data = Gains(Axis("share of rows, largest predictions first", 0.0, 1.0), Axis(held, 0.0, 1.0), *columns)
    claims = (lift_claim(found, output),)
    lines: tuple[Words, ...] = tuple(
        (
            percent(part),
            percent(share),
            f"{percent(ends.low)} to {percent(ends.high)}",
            number(share / part),
            percent(most),
        )
        for part, share, ends, most in zip(found.rows, found.held, found.intervals, found.best, strict=True)
    )
    head = ("Rows with the largest predictions", "Hold of the observed total", "95% interval", "Lift", "At most")
    title = "Lift: what the largest predictions hold"
    return Figure(f"o{output}-gains", title, lift_words(claims[0]), data, Table(head, lines), claims)
