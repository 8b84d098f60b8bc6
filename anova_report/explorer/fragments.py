"""HTML of the explorer: pieces around its pictures, and a static page for places where nothing runs.

Pieces are made by templates, so that every name is escaped; still pictures with anything that could act, or fetch
something, are refused. Exported notebooks, previews and mail show the static page.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from xml.etree.ElementTree import Element, ParseError, fromstring, register_namespace, tostring

from markupsafe import Markup

from anova_report.errors import InputError, listing
from anova_report.explorer.living import living_part
from anova_report.explorer.state import State
from anova_report.explorer.views import Views, row_words, term_words
from anova_report.figures import svg
from anova_report.figures.figure import Figure
from anova_report.figures.layout import squeezed
from anova_report.figures.scene import Scene
from anova_report.figures.style import DARK, LIGHT, declarations
from anova_report.measures.sentences.sections import carried_words
from anova_report.measures.status import limits_set, pressing, sign_of
from anova_report.report.audit.build_audit import carried_claim
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
    """Return HTML unchanged, if nothing in it can act or fetch.

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
    found = []
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        attributes = [(name.rpartition("}")[2], value) for name, value in element.items()]
        found += [] if tag in TAGS else [f"<{tag}>"]
        found += [f"{name}={value[:40]}" for name, value in attributes if _is_bad(name.lower(), value)]
    return listing(found) if found else ""


def _is_bad(name: str, value: str) -> bool:
    if name in WORDS:
        return False
    if name == "href":
        return not value.startswith(("#", PICTURE))
    # A style sheet would read an escape as the letter it stands for, so that "url" need not be written out.
    fetches = "\\" in value or "url(" in value.lower().replace("url(#", "")
    return fetches or name.startswith("on") or name in FETCHED


SPACE = "http://www.w3.org/2000/svg"
FRAME = ".anova-words"
DARK_PAGES = ('body[data-jp-theme-light="false"]', 'body[data-vscode-theme-kind*="dark"]')
NAMED = 3  # terms that the text names
HIGH = 224.0  # pixels of a picture that can be zoomed
WIDE = 440.0  # pixels of a picture that takes one of two columns
CHOSEN = ("along", "by 1", "by 2", "by 3", "effect", "surface", "slices")  # pictures of the term itself


@dataclass(frozen=True)
class FileLink:
    """A file inside a link: its name, its address as a data URI, and words for people."""

    file: str
    address: str
    words: str


def data_uri(kind: str, text: str) -> str:
    """Write a file as an address that holds it.

    Examples
    --------
    >>> data_uri("text/csv", "a,b")
    'data:text/csv;charset=utf-8;base64,YSxi'
    """
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode()).decode('ascii')}"


def draw(figure: Figure, scene: Scene | None = None) -> str:
    """Draw a figure as SVG, if need be laid out in another way."""
    return svg.draw(scene or figure.scene, key=f"{figure.key}-svg", title=figure.title, alt=figure.alt)


@cache
def themes() -> str:
    """Write the colors of all other pieces, those of the theme around them."""
    dark = f"{declarations(DARK)} color-scheme: dark"
    chosen = ", ".join(f"{page} {FRAME}" for page in DARK_PAGES)
    neither = "body:not([data-jp-theme-light], [data-vscode-theme-kind])"
    rules = (
        f"{FRAME} {{ {declarations(LIGHT)} color-scheme: light }}",
        f"{chosen} {{ {dark} }}",
        f"@media (prefers-color-scheme: dark) {{ {neither} {FRAME} {{ {dark} }} }}",
    )
    return "\n".join(rules)


@cache
def styles() -> str:
    """Write the styles of all other pieces, and the symbols they refer to; needed once on a page."""
    words, controls, icons = map(_sheet, ("explorer.css", "controls.css", "icons.css"))
    rules = (themes(), f"{FRAME} {{ {words} }}", controls + icons)
    return _rendered("styles", styles=Markup("\n".join(rules)))  # noqa: S704 our own files


def badge(views: Views) -> str:
    """Show the verdict and its sentence, and which rows it is about where these are a cohort."""
    statement = verdict_words(views.rows.dec, views.findings, views.state.output)
    sign = sign_of(views.findings.items)
    return _rendered("badge", verdict=views.findings.verdict, sign=sign, statement=statement, cohort=views.cohort_words)


def numbers(views: Views) -> str:
    """Show the numbers that decide the verdict."""
    with limits_set(views.policy.limits):
        return _rendered("headlines", headlines=headlines(views.rows.dec, views.findings, views.state.output))


def findings(views: Views) -> str:
    """Show all findings, those that call for action first."""
    urgent = pressing(views.findings.items)
    others = [item for item in views.findings if item not in urgent]
    return _rendered("findings", pressing=urgent, others=others)


def sentences(words: Sequence[str], title: str = "") -> str:
    """Show sentences below a title."""
    return _rendered("words", title=title, sentences=words)


def row_title(state: State) -> str:
    """Say which row it is, as its figures do."""
    name = state.rows.name(state.row)
    return name[:1].upper() + name[1:]


def notice(words: str) -> str:
    """Show why a choice was refused."""
    return _rendered("notice", words=words)


def compact(figure: Figure) -> Scene:
    """Lay a figure out for the explorer, where two rows of pictures share a screen."""
    return squeezed(figure.scene, HIGH)


def pictures(figures: Mapping[str, Figure]) -> str:
    """Show still pictures in a grid."""
    stills = [(figure.title, Markup(draw(figure, compact(figure))), _is_wide(figure)) for figure in figures.values()]  # noqa: S704 escaped there
    return _rendered("figures", stills=stills)


def _is_wide(figure: Figure) -> bool:
    return not figure.scene.zooms and figure.scene.size[0] > WIDE


def bars(mark: str, shares: Sequence[float], largest: float) -> str:
    """Draw small bars below the options of the list that has this class, as parts of the largest share."""
    return _rendered("bars", mark=mark, widths=[round(100 * abs(share) / (largest or 1.0), 1) for share in shares])


def links(found: Sequence[FileLink]) -> str:
    """Show links to files."""
    return _rendered("links", links=found)


def static_html(views: Views) -> str:
    """Draw the present state as static HTML: verdict, shares, the term and the row."""
    dec, found, state, term = views.rows.dec, views.findings, views.state, views.term()
    chosen = [term[name] for name in CHOSEN if name in term] or term.values()
    subject = f"Term: {dec.label(state.term)}" if state.group is None else f"Group: {state.group}"
    sections = (
        ("What drives the predictions", (), _files([views.overview()["shares"]])),
        (subject, term_words(state), _files(chosen)),
        (row_title(state), row_words(views), _files([views.row()["waterfall"]])),
    )
    return _rendered(
        "static",
        styles=confined_styles() + Markup(_sheet("icons.css") + _sheet("still.css")),  # noqa: S704 our own files
        verdict=found.verdict,
        sign=sign_of(found.items),
        statement=verdict_words(dec, found, state.output),
        cohort=views.cohort_words,
        headlines=headlines(dec, found, state.output),
        sections=sections,
        living=living_part(state),
    )


def static_text(views: Views) -> str:
    """Say the present state in a few lines."""
    state, dec, found = views.state, views.rows.dec, views.findings
    largest = ", ".join(
        f"{share.label} ({carried_words(carried_claim(share, state.output))})" for share in state.shares[:NAMED]
    )
    output = "" if len(dec.output_names) == 1 else f"output {dec.output_names[state.output]}, "
    subject = f"{output}{len(dec.features)} features, {len(views.rows):,} rows"
    lines = (
        f"Explorer of {subject}: {found.verdict}. {verdict_words(dec, found, state.output)}",
        *((f"Cohort: {views.cohort_words}",) if views.cohort_words else ()),
        f"Largest terms: {largest}.",
        f"{'Term' if state.group is None else 'Group'}: {term_words(state)[0]}",
        f"{row_title(state)}: {row_words(views)[0]}",
    )
    return "\n".join(lines)


def _files(figures: Iterable[Figure]) -> list[tuple[Figure, str, int, int]]:
    """Draw figures on a light ground, each as an address that holds it, with its size.

    Readers of other people's notebooks remove SVG that stands in the page, and leave pictures.
    """
    register_namespace("", SPACE)
    found = []
    for figure in figures:
        root = fromstring(draw(figure))  # noqa: S314 drawn by ourselves
        root.insert(0, Element(f"{{{SPACE}}}rect", {"width": "100%", "height": "100%", "fill": LIGHT["surface"]}))
        wide, high = map(round, figure.scene.size)
        found.append((figure, data_uri("image/svg+xml", tostring(root, encoding="unicode")), wide, high))
    return found


def _sheet(name: str) -> str:
    return (assets.folder("templates") / "styles" / name).read_text(encoding="utf-8")


def _rendered(name: str, **contents: object) -> str:
    return environment().get_template(f"explorer/{name}.html").render(contents)
