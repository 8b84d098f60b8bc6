"""Pieces of HTML around the pictures: made by templates, so that every name is escaped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from anova_report.explorer import stills
from anova_report.explorer.colouring import Groups
from anova_report.explorer.views import Views
from anova_report.figures.figure import Figure
from anova_report.figures.style import DARK, LIGHT, declarations
from anova_report.report.audit.verdict import finding_facts, headlines, verdict_words
from anova_report.report.page import assets
from anova_report.report.page.render import environment

FRAME = ".anova-words"
DARK_PAGES = ('body[data-jp-theme-light="false"]', 'body[data-vscode-theme-kind*="dark"]')
PRESSING = ("fail", "warn")


@dataclass(frozen=True)
class Link:
    """A file inside a link: what it is called, its address as a data URI, and words for people."""

    file: str
    address: str
    words: str


@cache
def styles() -> str:
    """Write the styles of all other pieces, and the symbols they refer to; needed once on a page."""
    words, controls, icons = map(sheet, ("explorer.css", "controls.css", "icons.css"))
    dark = declarations(DARK)
    chosen = ", ".join(f"{page} {FRAME}" for page in DARK_PAGES)
    neither = "body:not([data-jp-theme-light], [data-vscode-theme-kind])"
    rules = (
        f"{FRAME} {{ {declarations(LIGHT)}\n{words} }}",
        f"{chosen} {{ {dark} }}",
        f"@media (prefers-color-scheme: dark) {{ {neither} {FRAME} {{ {dark} }} }}",
        controls + icons,
    )
    return _rendered("styles", styles=Markup("\n".join(rules)))  # noqa: S704 our own files


def sheet(name: str) -> str:
    """Read a style sheet."""
    return (assets.folder("templates") / "styles" / name).read_text(encoding="utf-8")


def badge(views: Views) -> str:
    """Show the verdict and its sentence."""
    found, output = views.findings, views.state.output
    return _rendered("badge", verdict=found.verdict, statement=verdict_words(views.rows.dec, found, output))


def numbers(views: Views) -> str:
    """Show the numbers that decide the verdict."""
    return _rendered("headlines", headlines=headlines(views.rows.dec, views.findings, views.state.output))


def findings(views: Views) -> str:
    """Show what was checked; what calls for action comes first."""
    facts = finding_facts(views.findings)
    pressing = [item for item in facts if item.status in PRESSING]
    others = [item for item in facts if item.status not in PRESSING]
    return _rendered("findings", pressing=pressing, others=others)


def sentences(said: Sequence[str], title: str = "", groups: Groups | None = None) -> str:
    """Show sentences and, where points are in groups, what their colours mean."""
    return _rendered("words", title=title, sentences=said, groups=groups)


def notice(words: str) -> str:
    """Show why a choice was refused."""
    return _rendered("notice", words=words)


def pictures(figures: Mapping[str, Figure], groups: Groups | None = None) -> str:
    """Show still pictures side by side."""
    made = [(figure.title, Markup(stills.draw(figure, groups))) for figure in figures.values()]  # noqa: S704 escaped there
    return _rendered("figures", stills=made)


def links(found: Sequence[Link]) -> str:
    """Show links to files."""
    return _rendered("links", links=found)


def _rendered(name: str, **contents: object) -> str:
    return environment().get_template(f"explorer/{name}.html").render(contents)
