"""Shares of the answers' variance in two decompositions."""

from collections.abc import Sequence

import numpy as np

from anova_report.compare.versions.drift import ShareDrift
from anova_report.figures.columns.axes import rounded
from anova_report.figures.contrasts import Drift, Trace
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Numbers
from anova_report.measures.wording import percent

MOST = 15
UNKNOWN = "–"


def drift_figure(
    drifts: Sequence[ShareDrift], names: tuple[str, str], *, title: str, key: str, top: int = MOST
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
    """
    by_size = sorted(drifts, key=lambda item: (not item.exceeds, -max(abs(item.first), abs(item.second))))
    drawn = sorted(by_size[:top], key=lambda item: -max(abs(item.first), abs(item.second)))
    data = Drift(
        labels=tuple(item.label for item in drawn),
        first=Trace(names[0], _rounded([item.first for item in drawn])),
        second=Trace(names[1], _rounded([item.second for item in drawn]), *_bounds(drawn)),
        beyond=tuple(bool(item.exceeds) for item in drawn),
        n_rest=len(drifts) - len(drawn),
    )
    return Figure(key, title, drift_words(drifts, names), data, drift_table(drawn, names))


def drift_words(drifts: Sequence[ShareDrift], names: tuple[str, str]) -> str:
    """Say which shares have moved by more than chance."""
    if any(item.exceeds is None for item in drifts):
        return "Whether shares have moved by more than chance is not known: an estimator keeps no track of uncertainty."
    moved = sorted((item for item in drifts if item.exceeds), key=lambda item: -abs(item.difference))
    if not moved:
        return f"No share of {names[1]} differs from that of {names[0]} by more than chance."
    told = [f"{item.label} ({percent(item.first)} → {percent(item.second)})" for item in moved[:3]]
    more = f" and {len(moved) - 3} more" if len(moved) > 3 else ""
    return f"{len(moved)} of {len(drifts)} shares differ by more than chance: {', '.join(told)}{more}."


def drift_table(drifts: Sequence[ShareDrift], names: tuple[str, str]) -> Table:
    """List shares in both, their difference with its interval, and whether that is more than chance."""
    head = ("", *names, "difference", "95% interval", "beyond chance")
    return Table(head, tuple(_row(item) for item in drifts))


def _row(item: ShareDrift) -> tuple[str, ...]:
    bounds = item.interval
    interval = UNKNOWN if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
    beyond = UNKNOWN if item.exceeds is None else "yes" if item.exceeds else "no"
    return item.label, percent(item.first), percent(item.second), percent(item.difference), interval, beyond


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
