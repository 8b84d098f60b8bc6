"""From an audit to one HTML file; nothing else is asked, so an old audit can be rendered again at any time."""

import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError
from markupsafe import Markup

from anova_report.core import files
from anova_report.errors import StorageError
from anova_report.figures import svg
from anova_report.figures.figure import Figure
from anova_report.figures.style import css_variables
from anova_report.measures import wording
from anova_report.report.audit import sentences
from anova_report.report.audit.audit import Audit
from anova_report.report.page import assets
from anova_report.report.page.page_facts import facts_json, page_facts

PAGE = "audit.html"


@dataclass(frozen=True)
class Live:
    """What makes figures live: inert blocks of compressed text, the loader, and the policy that lets only these run."""

    policy: str
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
    moving = live(audit)
    contents = {
        "audit": audit,
        "live": moving,
        "policy": moving.policy,
        "made": audit.run.created,
        "styles": Markup(css_variables() + assets.styles()),  # noqa: S704 our own files
        "facts": facts_json(page_facts(audit)),
        "several": len(audit.outputs) > 1,
    }
    try:
        return environment().get_template(PAGE).render(contents)
    except UndefinedError as error:
        raise StorageError(f"The audit is not complete: {error}. Make it again from the data.") from error


def write_report(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page of an audit to a file; a reader sees the old file or the new one, never half of it."""
    return files.write_text(path, render(audit))


@cache
def environment() -> Environment:
    """Make the only Jinja2 environment: everything is escaped, and a misspelt name is an error."""
    made = Environment(
        loader=FileSystemLoader(assets.folder("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "percent": wording.percent,
        "number": wording.number,
        "signed": wording.signed,
        "seconds": sentences.duration,
        "whole": sentences.whole,
    }
    made.globals |= {"draw": draw, "measured": sentences.measured, "counted": wording.counted}
    return made


def draw(figure: Figure, small: bool = False) -> Markup:
    """Draw a figure as static SVG."""
    # ElementTree has built this markup and escaped every text in it; this is the only user-supplied text that
    # reaches a page without Jinja2's own escaping.
    return Markup(svg.draw(figure, small=small))  # noqa: S704


def live(audit: Audit) -> Live:
    """Pack what bokeh needs, if the BokehJS at hand is the one for which the plots were made."""
    bokehjs = assets.bokehjs() if audit.plots and _made_for(audit) == assets.bokeh_version() else None
    if bokehjs is None:
        return Live(policy("'none'"))
    loader = assets.script("loader.js")
    plots = json.dumps(audit.plots, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    allowed = f"{assets.source_hash(loader)} {assets.source_hash(bokehjs)}"
    return Live(policy(allowed), Markup(loader), assets.packed(bokehjs), assets.packed(plots))  # noqa: S704 our own file


def policy(scripts: str) -> str:
    """Write a Content-Security-Policy that allows some scripts by their hashes, and no request at all."""
    rules = (
        "default-src 'none'",
        f"script-src {scripts}",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _made_for(audit: Audit) -> Any:
    return dict(audit.provenance.versions).get("bokeh")
