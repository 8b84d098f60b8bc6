"""From a document to one HTML file; nothing else is asked, so an old audit can be rendered again at any time."""

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError
from markupsafe import Markup

from anova_report.errors import StorageError
from anova_report.figures import svg
from anova_report.figures.curves import Curve
from anova_report.figures.figure import Figure
from anova_report.figures.levels import Levels
from anova_report.figures.pairs import Surface
from anova_report.figures.spread import Histogram
from anova_report.io import files, sinks
from anova_report.io.documents import plain
from anova_report.measures import status, wording
from anova_report.report.audit import sentences
from anova_report.report.audit.audit import Audit
from anova_report.report.page import assets
from anova_report.report.page.page_facts import PageFacts, page_facts
from anova_report.report.page.page_one import page_one, page_sections, searchable
from anova_report.report.page.what_if_panel import GLANCE, SHEET, what_if_panel

INSIDE = re.compile(r"(?<=×) (?=\d)|(?<=\d) (?=\d{3}(?!\d))")  # of "× 1.32" and "10 000"


@dataclass(frozen=True)
class Live:
    """What makes figures live: inert blocks of compressed text, the loader, and the hashes that let these run."""

    hashes: tuple[str, ...] = ()
    loader: Markup = field(default_factory=Markup)
    bokehjs: str = ""
    plots: str = ""


def render(audit: Audit) -> str:
    """Write the page of an audit: complete without scripts, fetching nothing; the same audit gives the same text.

    Raises
    ------
    StorageError
        If the audit refers to a figure that it does not hold.
    """
    small = {feature.figure for feature in audit.features}  # drawn in a line of a table, and never live
    panel = what_if_panel(audit)
    first = {
        "panel": panel,
        "sections": page_sections(audit),
        "firsts": [page_one(audit, output) for output in audit.outputs],
        "entries": searchable(audit),
    }
    hashes = () if panel is None else (panel.hash,)
    return fill_page("audit", audit, page_facts(audit), sheet=SHEET, still=small, more=first, hashes=hashes)


def write_report(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page of an audit to a file; a reader sees the old file or the new one, never half of it."""
    return files.write_text(path, render(audit))


def fill_page(
    kind: str,
    document: Any,
    facts: PageFacts,
    *,
    sheet: str = "",
    still: Collection[str] = (),
    more: Mapping[str, Any] | None = None,
    hashes: Sequence[str] = (),
) -> str:
    """Fill the template of a kind of document, an audit or a comparison, which is called like its kind inside it.

    A style sheet adds to those of the audit; figures whose keys are in `still` have no live form on the page; `more` is
    what only this kind of page shows, and `hashes` are those of scripts that only it runs.
    """
    moving = live({key: figure for key, figure in document.figures.items() if key not in still})
    contents = {
        kind: document,
        "document": document,
        "live": moving,
        "policy": policy((*moving.hashes, *hashes)),
        "made": document.run.created,
        "styles": assets.page_styles(sheet),
        "facts": plain(sinks.cleaned(facts)),
        "several": len(document.outputs) > 1,
    } | dict(more or {})
    try:
        return environment().get_template(f"{kind}.html").render(contents)
    except UndefinedError as error:
        raise StorageError(f"The {kind} is not complete: {error}. Make it again from the data.") from error


@cache
def environment() -> Environment:
    """Make the only Jinja2 environment: everything is escaped, and a misspelled name is an error."""
    made = Environment(
        loader=FileSystemLoader(assets.folder("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: sinks.html(unbroken(value)),
    )
    made.filters |= {
        "percent": wording.percent,
        "number": wording.number,
        "signed": wording.signed,
        "seconds": sentences.duration,
        "whole": "{:,}".format,
        "in_full": lambda name: Markup.escape(sinks.in_full(str(name))),  # what is stated once, however long
    }
    made.filters |= {"outcome": status.OUTCOMES.__getitem__, "verdict": status.VERDICTS.__getitem__}
    made.filters |= {"expected": status.is_expected}
    made.globals |= {"draw": draw, "measured": sentences.measured, "counted": wording.counted}
    return made


def unbroken(value: Any) -> Any:
    """Keep a factor, "× 1.32", and a unit such as "10 000 $" on one line."""
    plain = isinstance(value, str) and not hasattr(value, "__html__")
    return INSIDE.sub("\u00a0", value) if plain else value


def draw(figure: Figure, small: bool = False) -> Markup:
    """Draw a figure as static SVG; small, as a table or the first page shows it, if its kind has such a form."""
    key = f"{figure.key}-svg"
    if small and isinstance(figure.data, Histogram):
        scene = figure.data.small_scene()
    elif small and isinstance(figure.data, Curve | Levels | Surface):
        scene, key = figure.data.scene(*GLANCE), f"{figure.key}-glance"
    else:
        scene = figure.scene
    # ElementTree has built this markup and escaped every text in it; this is the only user-supplied text that
    # reaches a page without Jinja2's own escaping.
    return Markup(svg.draw(scene, key=key, title=figure.title, alt=figure.alt))  # noqa: S704


def live(figures: Mapping[str, Figure]) -> Live:
    """Draw figures live, and pack what the page needs to show them."""
    from anova_report.figures.live import PlotWriter, bokehjs  # noqa: PLC0415 bokeh takes a second; audits need none

    writer, loader = PlotWriter(), assets.script("loader.js")
    plots = {key: writer.write(figure.scene, figure.title) for key, figure in figures.items()}
    if not plots:
        return Live()
    text = json.dumps(plots, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    hashes = (assets.source_hash(loader), assets.source_hash(bokehjs()))
    # Our own files, and letters that mean nothing in HTML.
    return Live(hashes, *map(Markup, (loader, assets.packed(bokehjs()), assets.packed(text))))


def policy(hashes: Sequence[str]) -> str:
    """Write a Content-Security-Policy that allows some scripts by their hashes, and no request at all."""
    allowed = " ".join(hashes) or "'none'"
    rules = (
        "default-src 'none'",
        f"script-src {allowed}",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
