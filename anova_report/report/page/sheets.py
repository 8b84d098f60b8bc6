"""Styles of pages besides the audit's own, and of outputs inside a notebook; all look like the audit."""

from functools import cache
from pathlib import Path

from markupsafe import Markup

from anova_report.figures.style import LIGHT, css_variables, declarations
from anova_report.report.page import assets

CONFINED = ("base.css", "parts.css", "figures.css", "inline.css")
ICONS = ".icon-"


@cache
def page_styles(sheet: str) -> Markup:
    """Read the styles of the audit's page, and one sheet that adds to them."""
    return Markup(f"{css_variables()}{assets.styles()}\n{_read(sheet)}")  # noqa: S704 our own files


@cache
def confined_styles() -> Markup:
    """Confine the styles of our pages to our own outputs, so the notebook around them keeps its looks."""
    sheets = "\n".join(map(_read, CONFINED)).replace(":root", "&")
    # A symbol that is used elsewhere is a tree of its own, in which a rule that asks for our wrapper never matches.
    icons = "\n".join(line for line in sheets.splitlines() if line.startswith(ICONS))
    return Markup(f".anova-report {{\n{declarations(LIGHT)}\n{sheets}\n}}\n{icons}")  # noqa: S704 our own files


def _read(sheet: str) -> str:
    return Path(assets.folder("templates"), "styles", sheet).read_text(encoding="utf-8")
