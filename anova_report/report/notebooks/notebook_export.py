"""Notebooks on disk, and an executed one as one HTML file: code hidden, nothing fetched; what-if panels alone run.

A notebook is found by path or by name, read, and written whole.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from anova_report import __version__
from anova_report.errors import InputError, listing
from anova_report.io import sinks
from anova_report.report.audit.sentences import duration
from anova_report.report.page import assets
from anova_report.report.page.render import environment, policy
from anova_report.report.page.what_if_panel import saved_code, saved_loader

SUFFIX = ".ipynb"
UNREADABLE = (nbformat.ValidationError, ValueError, TypeError, KeyError, AttributeError)  # all that nbformat raises


def find_notebook(notebook: str | os.PathLike[str], folder: Path | None = None) -> Path:
    """Find a notebook by its path, which starts in `folder`, or one that comes with this package by its name.

    Examples
    --------
    >>> find_notebook("audit").name
    'audit.ipynb'
    """
    shipped = {path.stem: path for path in sorted(assets.folder("notebooks").glob(f"*{SUFFIX}"))}
    path = shipped.get(str(notebook), (folder or Path()) / notebook)
    if path.is_file():
        return path
    raise InputError(
        f"There is no notebook {str(notebook)!r}. Pass the path of one, or the name of one that comes with "
        f"anova_report: {listing(list(shipped))}."
    )


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook of any version as one of version 4, and refuse any other file."""
    try:
        node: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat is half typed
    except UNREADABLE as error:
        what = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path} is not a notebook that can be read ({what:.80}).") from error
    return node


def notebook_text(node: NotebookNode) -> str:
    """Write a notebook as JSON that says who made it."""
    node.metadata["anova_report"] = {"made_by": "anova_report"}
    text: str = nbformat.writes(node)  # type: ignore[no-untyped-call]  # nbformat is half typed
    return text + "\n"


def title(node: NotebookNode, otherwise: str) -> str:
    """Take the title of a notebook from its metadata, else its first heading."""
    lines = (line for cell in node.cells if cell.cell_type == "markdown" for line in cell.source.splitlines())
    heading = next((line.removeprefix("# ").strip() for line in lines if line.startswith("# ")), otherwise)
    return str(node.metadata.get("title", heading))


TEMPLATE = "anova_report"
STATIC = ("text/html", "image/svg+xml", "image/png", "image/jpeg", "text/markdown", "text/latex", "text/plain")
ICONS = '{% import "macros/parts.html" as parts %}{{ parts.icons() }}'
WIDGET = "application/vnd.jupyter.widget-view+json"
ACTIVE = ("script", "iframe", "frame", "object", "embed", "link", "base", "meta", "form", "applet")
FETCHING = ("src", "srcset", "poster", "background", "data", "action", "formaction")


class StaticOutputs(Preprocessor):
    """Keeps of every output the one form that a page without a kernel can show; a bare widget has none."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Any:  # noqa: ARG002 nbconvert's signature
        """Reduce the outputs of a cell."""
        if cell.cell_type == "code":
            cell.outputs = [output for output in map(_static, cell.outputs) if output is not None]
        return cell, resources


def notebook_page(notebook: NotebookNode, title: str, notice: str | None = None) -> str:
    """Write an executed notebook, which is not changed, as one HTML page that can be forwarded.

    The notice is a sentence at the top of the page: what went wrong.
    """
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]  # traits are its arguments
        template_name=TEMPLATE,
        extra_template_basedirs=[str(assets.folder("templates") / "nbconvert")],
        exclude_anchor_links=True,
        exclude_input=True,
        preprocessors=[StaticOutputs],
        filters={"inert": inert},
    )
    exporter.environment.finalize = partial(sinks.html, whole=True)
    about = notebook.metadata.get("papermill", {})
    resources = {
        "title": title,
        "notice": notice,
        "policy": policy([assets.source_hash(code) for code in (saved_loader(), saved_code())]),
        "styles": assets.page_styles("run.css"),
        "icons": environment().from_string(ICONS).render(),
        "parameters": about.get("parameters", {}),
        "made": _made(about),
    }
    page, _ = exporter.from_notebook_node(notebook, resources)
    return str(page) + "\n"


def inert(html: str) -> str:
    """Take out of a piece of HTML whatever would run or fetch; the page's policy would stop it, other readers may not.

    The styles that our own outputs bring along go, too: the page has them. What stays is the script that brings a saved
    explorer to life; the policy knows the hashes of that script and of the code that it may run.

    Examples
    --------
    >>> inert('<p onclick="f()">a<script src="b.js"></script><img src="https://c.org/d.png" alt="e"></p>')
    '<p>a<img alt="e"/></p>'
    """
    soup = BeautifulSoup(sinks.in_full(str(html)), "html.parser")
    for tag in [*soup.find_all(ACTIVE), *soup.select(".anova-report > .needs")]:
        if not _is_ours(tag):
            tag.decompose()
    for tag in soup.find_all(True):
        for name, value in list(tag.attrs.items()):
            fetches = name in FETCHING or (name in ("href", "xlink:href") and tag.name != "a")
            address = str(value).strip().lower()
            outside = fetches and not address.startswith(("data:", "#"))
            if name.startswith("on") or outside or address.startswith("javascript:"):
                del tag.attrs[name]
    return str(soup)


def _is_ours(tag: Tag) -> bool:
    """Tell whether an element is a block of text of a saved explorer, or the script that reads it."""
    if tag.name != "script" or not tag.find_parent(class_="anova-living"):
        return False
    kind = set(tag.attrs)
    return (kind == {"type", "data-part"} and tag["type"] == "text/plain") or (
        not kind and tag.string == saved_loader()
    )


def _made(about: Mapping[str, Any]) -> str:
    """Say when a notebook was run, and how long that took, from what papermill wrote into it."""
    if not about.get("start_time") or not about.get("duration"):
        return f"Made by anova_report {__version__}."
    when = datetime.fromisoformat(about["start_time"]).astimezone(UTC)
    run = f"Run on {when:%Y-%m-%d %H:%M} UTC in {duration(about['duration'])}"
    return f"{run}, and made into this page by anova_report {__version__}."


def _static(output: NotebookNode) -> NotebookNode | None:
    if "data" not in output:
        return output
    best = next((mime for mime in STATIC if mime in output.data), None)
    if best is None or (best == "text/plain" and WIDGET in output.data):
        return None
    output.data = {best: output.data[best]}
    return output
