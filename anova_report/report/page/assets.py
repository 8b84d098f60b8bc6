"""Files that pages are made of: templates, styles and scripts, and how scripts are packed and allowed.

Pages besides the audit's own, and outputs inside a notebook, have styles that look like the audit.
"""

import base64
import gzip
import hashlib
from functools import cache, lru_cache
from pathlib import Path

from markupsafe import Markup

from anova_report.errors import StorageError
from anova_report.figures.style import LIGHT, css_variables, declarations

STYLES = ("base.css", "layout.css", "parts.css", "figures.css", "print.css")  # later ones may override earlier ones
CONFINED = ("base.css", "parts.css", "figures.css", "inline.css")
ICONS = ".icon-"
SAFE = str.maketrans("<>&", ",./")


def folder(name: str) -> Path:
    """Find "templates" or "notebooks": inside an installed package, or beside it in a checkout.

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


def script(name: str) -> str:
    """Read a script of the page."""
    return (folder("templates") / "scripts" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=4)  # scripts, plots and numbers of the last page: those of all pages would add up
def packed(text: str) -> str:
    """Compress a text for an inert block of the page; the same text gives the same letters.

    They are those of base 85, a sixteenth less than of base 64, without the three that mean something in HTML.
    """
    letters = base64.b85encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")
    return letters.translate(SAFE)


def source_hash(text: str) -> str:
    """Write the hash by which a Content-Security-Policy allows one script and no other.

    Examples
    --------
    >>> source_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


@cache
def page_styles(sheet: str = "") -> Markup:
    """Read the styles of a page, in the order in which they build on each other, and a sheet that adds to them."""
    return Markup(css_variables() + "\n".join(map(_read, (*STYLES, *filter(None, [sheet])))))  # noqa: S704 our own files


@cache
def confined_styles() -> Markup:
    """Confine the styles of our pages to our own outputs, so the notebook around them keeps its looks."""
    sheets = "\n".join(map(_read, CONFINED)).replace(":root", "&")
    # A symbol that is used elsewhere is a tree of its own, in which a rule that asks for our wrapper never matches.
    icons = "\n".join(line for line in sheets.splitlines() if line.startswith(ICONS))
    return Markup(f".anova-report {{\n{declarations(LIGHT)}\n{sheets}\n}}\n{icons}")  # noqa: S704 our own files


def _read(sheet: str) -> str:
    return (folder("templates") / "styles" / sheet).read_text(encoding="utf-8")
