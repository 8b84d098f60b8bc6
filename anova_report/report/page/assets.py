"""Files that pages are made of: templates, styles, scripts, and the BokehJS that is installed beside this package.

Pages besides the audit's own, and outputs inside a notebook, have styles that look like the audit.
"""

import base64
import gzip
import hashlib
import importlib.util
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from markupsafe import Markup

from anova_report.errors import StorageError
from anova_report.figures.style import LIGHT, css_variables, declarations

STYLES = ("base.css", "layout.css", "parts.css", "figures.css", "print.css")  # later ones may override earlier ones
BOKEHJS = Path("server", "static", "js", "bokeh.min.js")


def folder(name: str) -> Path:
    """Find "templates" or "notebooks": inside an installed package, or beside it in a checkout.

    Raises
    ------
    StorageError
        If it is in neither place.

    Examples
    --------
    >>> (folder("templates") / "audit.html").is_file()
    True
    """
    # Not asked of the package itself, which would import all its numbers.
    package = Path(__file__).parents[2]
    places = (package / f"_{name}", package.parent / name)
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise StorageError(f"There is no folder {name} in or beside {package}. Install anova_report again.")
    return found


def styles() -> str:
    """Read the style sheets as one, in the order in which they build on each other."""
    return "\n".join((folder("templates") / "styles" / name).read_text(encoding="utf-8") for name in STYLES)


def script(name: str) -> str:
    """Read a script of the page."""
    return (folder("templates") / "scripts" / name).read_text(encoding="utf-8")


def bokeh_version() -> str | None:
    """Say which bokeh is installed, if any."""
    try:
        return version("bokeh")
    except PackageNotFoundError:
        return None


@cache
def bokehjs() -> str | None:
    """Read BokehJS without importing bokeh, which takes a second; None where it is not installed."""
    spec = importlib.util.find_spec("bokeh")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / BOKEHJS
    return path.read_text(encoding="utf-8") if path.is_file() else None


def packed(text: str) -> str:
    """Compress a text for an inert block of the page; the same text gives the same letters.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(packed("a" * 1000))) == b"a" * 1000
    True
    """
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")


def source_hash(text: str) -> str:
    """Write the hash by which a Content-Security-Policy allows one script and no other.

    Examples
    --------
    >>> source_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


CONFINED = ("base.css", "parts.css", "figures.css", "inline.css")
ICONS = ".icon-"


@cache
def page_styles(sheet: str) -> Markup:
    """Read the styles of the audit's page, and one sheet that adds to them: the name of one of ours, or a path."""
    return Markup(f"{css_variables()}{styles()}\n{_read(sheet)}")  # noqa: S704 our own files


@cache
def confined_styles() -> Markup:
    """Confine the styles of our pages to our own outputs, so the notebook around them keeps its looks."""
    sheets = "\n".join(map(_read, CONFINED)).replace(":root", "&")
    # A symbol that is used elsewhere is a tree of its own, in which a rule that asks for our wrapper never matches.
    icons = "\n".join(line for line in sheets.splitlines() if line.startswith(ICONS))
    return Markup(f".anova-report {{\n{declarations(LIGHT)}\n{sheets}\n}}\n{icons}")  # noqa: S704 our own files


def _read(sheet: str) -> str:
    return Path(folder("templates"), "styles", sheet).read_text(encoding="utf-8")
