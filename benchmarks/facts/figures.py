"""Every kind of figure, and what holds it against the rows."""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.facts.checks import Check
from benchmarks.facts.drawn_effects import curve, levels, slices, surface
from benchmarks.facts.drawn_glance import row_effects, swarm
from benchmarks.facts.drawn_judged import gains, ledger, observed
from benchmarks.facts.drawn_rows import histogram, regions, scatter
from benchmarks.facts.drawn_shares import matrix, network, shares, totals, waterfall
from benchmarks.facts.page import Page, Subject

FIGURES: dict[str, Callable[[Page, dict[str, Any], Subject], Iterator[Check]]] = {
    "histogram": histogram,
    "scatter": scatter,
    "swarm": swarm,
    "roweffects": row_effects,
    "regions": regions,
    "curve": curve,
    "levels": levels,
    "surface": surface,
    "slices": slices,
    "shares": shares,
    "totals": totals,
    "network": network,
    "waterfall": waterfall,
    "force": waterfall,
    "matrix": matrix,
    "observed": observed,
    "ledger": ledger,
    "gains": gains,
}
