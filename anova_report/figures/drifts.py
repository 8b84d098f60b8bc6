"""Shares of variance in two decompositions: where each was, where it is, and whether that is chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.compare.versions.comparison_claims import drift_claims
from anova_report.compare.versions.drift import ShareDrift
from anova_report.core.result.terms import Term, label
from anova_report.figures.axes import rounded
from anova_report.figures.contrasts import BEYOND, Trace, row_margin, row_names
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis, Frame, Numbers, Panel, Words
from anova_report.figures.layout import legend_height, longest
from anova_report.figures.scene import Box, Dot, Entry, Legend, Rule, Ruler, Scene, Text
from anova_report.figures.style import FIRST, NOTE, SECOND, TEXT
from anova_report.measures.sentences.comparison import shares_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import percent

MOST = 15
UNKNOWN = "–"
WIDE, ROW = 560.0, 24.0  # pixels of the picture, and of a row
NAMES = 160.0
NUMBERS = 108.0  # "12.3% → 15.0%"


@dataclass(frozen=True)
class Drift:
    """Shares of the predictions' variance in two decompositions, in drawing order."""

    labels: Words
    # total shares. The bounds of the second hold the interval of the difference: where they leave out the share of
    # the first, it has moved
    first: Trace
    second: Trace
    beyond: tuple[bool, ...]  # which shares have moved by more than chance
    n_rest: int = 0  # further shares that are not drawn
    terms: tuple[Term, ...] = ()  # what the shares belong to; empty in files that do not have it

    def scene(self) -> Scene:
        """Lay out two dots on a line for each share, with the interval of their difference."""
        entries = self._entries()
        left, count = longest(self.labels, TEXT, NAMES) + 24, len(self.labels)
        top = legend_height(entries, WIDE) + 8
        frame = Frame(left, top, WIDE - NUMBERS, top + ROW * max(count, 1))
        axis, rows = self._axis(), tuple(range(count))
        panel = Panel.of_rows(frame, axis.span, count)
        rest = (f"{self.n_rest} smaller not drawn",) if self.n_rest else ()
        both = list(zip(self.first.value, self.second.value, strict=True))
        numbers = tuple(f"{percent(first)} → {percent(second)}" for first, second in both)
        aside: dict[str, Any] = {"dx": NUMBERS, "anchor": "end", "bold": self.beyond}
        return Scene(
            "drift",
            (WIDE, 82 + ROW * max(count, 1)),
            (panel, row_margin(panel)),
            (
                Ruler(axis, "below", grid=True, percent=True),
                Rule("zero", 0.0, panel.y[0], 0.0, panel.y[1]),
                *row_names(self.labels, self.beyond, left, 9 / ROW),
                Text("numbers", panel.x[1], rows, numbers, **aside),
                Rule("links", self.first.value, rows, self.second.value, rows, "rest", width=4.0),
                *self._intervals(rows),
                Dot("first", self.first.value, rows, FIRST, radius=5.0),
                Dot("second", self.second.value, rows, SECOND, radius=5.0),
                self._rows(panel),
                Text("rest", panel.x[0], panel.y[0], rest, dx=(-left,) * len(rest), dy=48.0, **NOTE),
                Legend(entries, room=WIDE),
            ),
        )

    def _entries(self) -> tuple[Entry, ...]:
        marked = (Entry(BEYOND, "thin", "fg", marks=("beyond",)),) if any(self.beyond) else ()
        known = (Entry("95% of the difference", "tick", "muted", marks=("intervals",)),) if self.second.lower else ()
        return (
            Entry(self.first.name, "dot", FIRST, marks=("first",)),
            Entry(self.second.name, "dot", SECOND, marks=("second",)),
            *known,
            *marked,
        )

    def _axis(self) -> Axis:
        ends = (0.0, *self.first.value, *self.second.value, *self.second.lower, *self.second.upper)
        low, high = min(ends), max(ends)
        room = 0.03 * (high - low)
        return Axis("share of the variance", low - room if low < 0 else 0.0, high + room)

    def _intervals(self, rows: tuple[int, ...]) -> tuple[Rule, Rule]:
        """Draw the interval of the difference, laid out from the first share: a bracket around the second."""
        low, high = self.second.lower, self.second.upper
        rows, ends = rows[: len(low)], (*low, *high)
        up, down = (tuple(row + reach / ROW for row in (*rows, *rows)) for reach in (-4, 4))
        looks: dict[str, Any] = {"color": "muted", "width": 1.25}
        return Rule("intervals", low, rows, high, rows, **looks), Rule("interval-ends", ends, down, ends, up, **looks)

    def _rows(self, panel: Panel) -> Box:
        """Say everything on a share anywhere in its row."""
        rows = range(len(self.labels))
        bottom, top = tuple(row + 0.5 for row in rows), tuple(row - 0.5 for row in rows)
        left, right = ((end,) * len(rows) for end in panel.x)
        return Box("rows", left, right, bottom, top, None, tips=tuple(map(self._tip, rows)), keys=self.terms)

    def _tip(self, row: int) -> str:
        first, second = self.first.value[row], self.second.value[row]
        words = f"difference {percent(second - first)}"
        if self.second.lower and self.second.upper:
            low, high = (bound[row] - first for bound in (self.second.lower, self.second.upper))
            words += f", 95% interval {percent(low)} to {percent(high)}"
        shares = f"{self.first.name} {percent(first)}\n{self.second.name} {percent(second)}"
        return f"{self.labels[row]}\n{shares}\n{words}\n{BEYOND if self.beyond[row] else ''}"


def drift_figure(
    drifts: Sequence[ShareDrift],
    names: tuple[str, str],
    *,
    title: str,
    key: str,
    top: int = MOST,
    terms: Sequence[Term] = (),
    features: Mapping[str, str] | None = None,
    by_term: bool = True,
) -> Figure:
    """Draw the shares that are largest in either decomposition, and how they moved.

    Parameters
    ----------
    drifts : sequence of ShareDrift
    names : tuple of two str
        What the decompositions are called.
    title, key : str
    top : int
        How many are drawn; what has moved comes before what is large.
    terms : sequence of Term
        What each share belongs to, for clicks.
    features : mapping of str to str
        The common features, by which claims name them, and what readers see for each; by default those of the shares.
    by_term : bool
        Whether shares are those of terms, or of features with a part of every term.
    """
    shown = features or {name: name for item in drifts for name in item.features}
    common = tuple(shown)

    def called(item: ShareDrift) -> str:
        return label(tuple(range(len(item.features))), tuple(shown[name] for name in item.features))

    def size(at: int) -> float:
        return max(abs(drifts[at].first), abs(drifts[at].second))

    by_size = sorted(range(len(drifts)), key=lambda at: (not drifts[at].exceeds, -size(at)))
    chosen = sorted(by_size[:top], key=lambda at: -size(at))
    drawn = [drifts[at] for at in chosen]
    data = Drift(
        labels=tuple(map(called, drawn)),
        first=Trace(names[0], _rounded([item.first for item in drawn])),
        second=Trace(names[1], _rounded([item.second for item in drawn]), *_bounds(drawn)),
        beyond=tuple(bool(item.exceeds) for item in drawn),
        n_rest=len(drifts) - len(drawn),
        terms=tuple(terms[at] for at in chosen) if terms else (),
    )
    claims = drift_claims(drifts, common, by_term=by_term)
    return Figure(
        key,
        title,
        shares_words(claims, Names(tuple(shown.values()), sides=names)),
        data,
        drift_table(drawn, names, called),
        claims,
    )


def drift_table(
    drifts: Sequence[ShareDrift], names: tuple[str, str], called: Callable[[ShareDrift], str] = lambda item: item.label
) -> Table:
    """List shares in both, their difference with its interval, and whether that is more than chance."""
    head = ("", *names, "difference", "95% interval", "beyond chance")
    return Table(head, tuple((called(item), *_row(item)) for item in drifts))


def _row(item: ShareDrift) -> tuple[str, ...]:
    bounds = item.interval
    interval = UNKNOWN if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
    beyond = UNKNOWN if item.exceeds is None else "yes" if item.exceeds else "no"
    return percent(item.first), percent(item.second), percent(item.difference), interval, beyond


def _bounds(drawn: Sequence[ShareDrift]) -> tuple[Numbers, Numbers]:
    """Lay the intervals of the differences out from the first share, around the second."""
    known = [(item.first, item.interval) for item in drawn if item.interval is not None]
    if len(known) < len(drawn):
        return (), ()
    return (
        _rounded([first + bounds.low for first, bounds in known]),
        _rounded([first + bounds.high for first, bounds in known]),
    )


def _rounded(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values), 0.1)
