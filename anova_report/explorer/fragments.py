"""Pieces of HTML around the pictures, and what stays of an explorer where nothing runs.

Pieces are made by templates, so that every name is escaped; in still pictures what could act, or fetch something, is
refused. Exported notebooks, previews and mail show the static twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self
from xml.etree.ElementTree import Element, ParseError, fromstring

from markupsafe import Markup

from anova_report.errors import InputError, listing
from anova_report.explorer import stills
from anova_report.explorer.pointing import Groups
from anova_report.explorer.views import Views, row_words, term_words
from anova_report.figures.figure import Figure
from anova_report.figures.style import DARK, LIGHT, declarations, size
from anova_report.measures.wording import percent
from anova_report.report.audit.verdict import headlines, verdict_words
from anova_report.report.page import assets
from anova_report.report.page.assets import confined_styles
from anova_report.report.page.render import environment

# Plain text and pictures, nothing that runs, fetches, asks for input or leads elsewhere.
BLOCKS = frozenset(
    {"div", "dl", "figcaption", "figure", "footer", "h2", "h3", "h4", "header", "ol", "p", "section", "ul"}
)
INLINE = frozenset({"code", "dd", "dt", "em", "li", "small", "span", "strong", "sub", "sup"})
TABLES = frozenset({"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"})
SHAPES = frozenset({"circle", "ellipse", "g", "image", "line", "path", "polygon", "polyline", "rect", "svg", "text"})
PARTS = frozenset(
    {"clipPath", "defs", "desc", "linearGradient", "marker", "mask", "pattern", "stop", "title", "tspan", "use"}
)
TAGS = BLOCKS | INLINE | TABLES | SHAPES | PARTS
WORDS = frozenset({"aria-label", "title"})  # attributes that are read by people only
FETCHED = frozenset({"action", "background", "data", "src", "srcdoc", "srcset"})
PICTURE = "data:image/png;base64,"


def checked(html: str) -> str:
    """Return HTML as it came, if nothing in it can act or fetch.

    It must be well-formed, so that a reader of XML and a browser see the same elements; comments and the like are read
    differently by the two and are refused.

    Raises
    ------
    InputError
        If it is not what `figures.svg` and plain HTML around it are made of.

    Examples
    --------
    >>> checked('<svg width="10" height="10"><title>a &lt; b</title></svg>')
    '<svg width="10" height="10"><title>a &lt; b</title></svg>'
    """
    wrong = _wrong(html)
    if wrong:
        raise InputError(f"A still picture holds {wrong}. Make it of figures.svg.draw and escaped words only.")
    return html


def _wrong(html: str) -> str:
    if "<!" in html or "<?" in html:
        return "a comment, a declaration or an instruction"
    try:
        root = fromstring(f"<div>{html}</div>")  # noqa: S314 no declaration is let through, so no entity can grow
    except ParseError as error:
        return f"what is not well-formed ({error})"
    found = [words for element in root.iter() for words in _wrong_parts(element)]
    return listing(found) if found else ""


def _wrong_parts(element: Element) -> list[str]:
    tag = _local(element.tag)
    attributes = [(_local(name), value) for name, value in element.items()]
    bad = [f"{name}={value[:40]}" for name, value in attributes if _is_bad(name.lower(), value)]
    return bad if tag in TAGS else [f"<{tag}>", *bad]


def _is_bad(name: str, value: str) -> bool:
    if name in WORDS:
        return False
    if name == "href":
        return not value.startswith(("#", PICTURE))
    # A style sheet would read an escape as the letter it stands for, so that "url" need not be written out.
    fetches = "\\" in value or "url(" in value.lower().replace("url(#", "")
    return fetches or name.startswith("on") or name in FETCHED


def _local(name: str) -> str:
    return name.rpartition("}")[2]


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
    facts = views.findings.items
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


NAMED = 3  # terms that the text names
CHOSEN = ("effect", "surface", "slices")  # pictures of the term itself


@dataclass(frozen=True)
class Picture:
    """A figure as a picture in an address, with its size and its words."""

    figure: Figure
    address: str
    width: int
    height: int

    @classmethod
    def of(cls, figure: Figure) -> Self:
        """Draw a figure."""
        return cls(figure, stills.address(figure), *size(figure.data))


@dataclass(frozen=True)
class Section:
    """One part of the page: a heading, sentences, pictures."""

    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...]


def static_html(views: Views) -> str:
    """Draw the present state as static HTML: verdict, shares, the term and the row."""
    found, output = views.findings, views.state.output
    return (
        environment()
        .get_template("explorer/twin.html")
        .render(
            styles=confined_styles() + Markup(sheet("icons.css")),  # noqa: S704 our own file
            verdict=found.verdict,
            statement=verdict_words(views.rows.dec, found, output),
            headlines=headlines(views.rows.dec, found, output),
            sections=_sections(views),
        )
    )


def static_text(views: Views) -> str:
    """Say the present state in a few lines."""
    state, dec, found = views.state, views.rows.dec, views.findings
    largest = ", ".join(f"{share.label} {percent(share.total)}" for share in state.shares[:NAMED])
    lines = (
        f"Explorer of {_subject(views)}: {found.verdict}. {verdict_words(dec, found, state.output)}",
        f"Largest shares: {largest}.",
        f"Term: {term_words(state)[0]}",
        f"Row {state.row}: {row_words(views)[0]}",
    )
    return "\n".join(lines)


def _subject(views: Views) -> str:
    dec = views.rows.dec
    name = "" if len(dec.output_names) == 1 else f"output {dec.output_names[views.state.output]}, "
    return f"{name}{len(dec.features)} features, {len(views.rows):,} rows"


def _sections(views: Views) -> tuple[Section, ...]:
    label = views.rows.dec.label(views.state.term)
    term, row = views.term(), views.row()
    chosen = [term[name] for name in CHOSEN if name in term] or term.values()
    return (
        _section("What drives the answers", (), (views.overview()["shares"],)),
        _section(f"Term: {label}", term_words(views.state), tuple(chosen)),
        _section(f"Row {views.state.row}", row_words(views), (row["waterfall"],)),
    )


def _section(title: str, sentences: tuple[str, ...], figures: tuple[Figure, ...]) -> Section:
    return Section(title, sentences, tuple(map(Picture.of, figures)))
