"""Still pictures are put into a page as HTML: what could act there, or fetch something, is refused."""

from xml.etree.ElementTree import Element, ParseError, fromstring

from anova_report.errors import InputError, listing

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
