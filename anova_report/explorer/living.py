"""The what-if panel outside of a page: what its scripts are given of an explorer, and what brings it to life.

The same scripts as on a page answer in the browser, as a part of the explorer and, without a kernel, in its still twin.
"""

import json
from functools import cache
from typing import Any

from markupsafe import Markup

from anova_report.explorer.state import State
from anova_report.figures.effects import main_effect
from anova_report.figures.figure import Figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.shares import largest_features
from anova_report.figures.spread import histogram_figure
from anova_report.io import sinks
from anova_report.report.audit.row_facts import ChosenRow, chosen_rows
from anova_report.report.audit.start_rows import shown_spans, start_rows
from anova_report.report.audit.what_if_numbers import evaluated
from anova_report.report.page import assets
from anova_report.report.page.render import environment
from anova_report.report.page.what_if_panel import (
    SHEET,
    feature_given,
    island,
    joint_given,
    marks_on,
    output_given,
    saved,
    saved_code,
    saved_loader,
)

SHEETS = ("base.css", "parts.css", "figures.css", SHEET, "living.css")
MOST_MAINS, MOST_PAIRS = 4, 2  # effects that show the row as a point


def panel_document(state: State, *, alone: bool) -> dict[str, Any]:
    """Write markup of the panel, and what its scripts are given: the present row comes first, then notable ones.

    Where it stands alone, rows are chosen in it, and figures of the largest terms below show the row as a point.
    """
    rows, output = state.rows, state.output
    figures = effects_of(state) if alone else {}
    numbers = evaluated(rows.dec, start_rows(rows, starts_of(state)), shown_spans(rows))
    outputs = []
    for position in range(len(rows.dec.output_names)):
        shown = figures if position == output else {}
        marks = [mark for term, figure in shown.items() for mark in marks_on(figure, term, numbers)]
        joints = [joint_given(item.joint.label, item.joint.features, item.why) for item in state.together]
        outputs.append(output_given(numbers, position, joints if position == output else [], marks))
    features = [feature_given(own, histogram_figure(rows, at)) for at, own in enumerate(rows.dec.features)]
    order = largest_features(rows.dec, output)
    markup = environment().get_template("explorer/panel.html")
    names = list(map(sinks.clean, rows.dec.output_names))
    return {
        "markup": markup.render(
            styles=panel_styles(), output_names=names, figures=list(figures.values()), with_starts=alone
        ),
        "given": island(numbers, features, order, outputs),
    }


def starts_of(state: State) -> tuple[ChosenRow, ...]:
    """List the rows from which a reader may start."""
    notable = chosen_rows(state.rows, state.table, state.output, None)
    own = chosen_rows(state.rows, state.table, state.output, [state.row])
    first = [row for row in notable if row.row == state.row] or own
    return (*first, *(row for row in notable if row.row != state.row))


def effects_of(state: State) -> dict[Any, Figure]:
    """Draw the largest main effects and pairs, by their terms."""
    rows, output = state.rows, state.output
    ranked = [share.term for share in state.shares]
    mains = [term for term in ranked if len(term) == 1][:MOST_MAINS]
    pairs = [term for term in ranked if len(term) == 2][:MOST_PAIRS]
    return {term: main_effect(rows, term, output, key=f"living-{_name(term)}") for term in mains} | {
        term: pair_surface(rows, term, output, key=f"living-{_name(term)}") for term in pairs
    }


def _name(term: tuple[int, ...]) -> str:
    return "-".join(map(str, term))


@cache
def panel_styles() -> Markup:
    """Read the styles of the panel; its colors are those of the element around."""
    sheets = "\n".join((assets.folder("templates") / "styles" / name).read_text("utf-8") for name in SHEETS)
    confined = sheets.replace(":root", ":host").replace("color-scheme: light dark;", "")
    return Markup(confined)  # noqa: S704 our own files


def living_part(state: State) -> dict[str, Markup]:
    """Write what makes a saved explorer live: its island, the scripts, and the loader."""
    text = json.dumps(panel_document(state, alone=True), ensure_ascii=False, allow_nan=False)
    # Our own files, and letters that mean nothing in HTML.
    return {"island": Markup(saved(text)), "code": Markup(saved(saved_code())), "loader": Markup(saved_loader())}  # noqa: S704
