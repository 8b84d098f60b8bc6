"""An executed notebook as one HTML file: code hidden, nothing fetched, nothing that runs."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from anova_report import __version__
from anova_report.core import files
from anova_report.report.audit.words import duration
from anova_report.report.page import assets
from anova_report.report.page.render import environment, policy
from anova_report.report.page.sheets import page_styles

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


def export_notebook(
    notebook: NotebookNode, html: str | os.PathLike[str], *, title: str, notice: str | None = None
) -> Path:
    """Write an executed notebook as one HTML file that can be forwarded.

    Parameters
    ----------
    notebook : NotebookNode
        As nbformat reads it; it is not changed.
    html : path
    title : str
    notice : str, optional
        A sentence at the top of the page: what went wrong.
    """
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]  # traits are its arguments
        template_name=TEMPLATE,
        extra_template_basedirs=[str(assets.folder("templates") / "nbconvert")],
        exclude_anchor_links=True,
        exclude_input=True,
        preprocessors=[StaticOutputs],
        filters={"inert": inert},
    )
    resources = {
        "title": title,
        "notice": notice,
        "policy": policy("'none'"),
        "styles": page_styles("run.css"),
        "icons": icons(),
        "parameters": notebook.metadata.get("papermill", {}).get("parameters", {}),
        "made": _made(notebook.metadata.get("papermill", {})),
    }
    page, _ = exporter.from_notebook_node(notebook, resources)
    return files.write_text(html, page + "\n")


def inert(html: str) -> str:
    """Take out of a piece of HTML whatever would run or fetch; the page's policy would stop it, other readers may not.

    The styles that our own outputs bring along go, too: the page has them.

    Examples
    --------
    >>> inert('<p onclick="f()">a<script src="b.js"></script><img src="https://c.org/d.png" alt="e"></p>')
    '<p>a<img alt="e"/></p>'
    """
    soup = BeautifulSoup(html, "html.parser")
    for tag in [*soup.find_all(ACTIVE), *soup.select(".anova-report > .needs")]:
        tag.decompose()
    for tag in soup.find_all(True):
        _disarm(tag)
    return str(soup)


def icons() -> str:
    """Write the symbols that outputs of ours refer to."""
    return str(environment().from_string(ICONS).render())


def _made(about: Mapping[str, Any]) -> str:
    """Say when a notebook was run, and how long that took, from what papermill wrote into it."""
    if not about.get("start_time") or not about.get("duration"):
        return f"Made by anova_report {__version__}."
    when = datetime.fromisoformat(about["start_time"]).astimezone(UTC)
    took = duration(about["duration"])
    return f"Run on {when:%Y-%m-%d %H:%M} UTC in {took}, and made into this page by anova_report {__version__}."


def _disarm(tag: Tag) -> None:
    for name, value in list(tag.attrs.items()):
        fetches = name in FETCHING or (name in ("href", "xlink:href") and tag.name != "a")
        address = str(value).strip().lower()
        outside = fetches and not address.startswith(("data:", "#"))
        if name.startswith("on") or outside or address.startswith("javascript:"):
            del tag.attrs[name]


def _static(output: NotebookNode) -> NotebookNode | None:
    if "data" not in output:
        return output
    best = next((mime for mime in STATIC if mime in output.data), None)
    if best is None or (best == "text/plain" and WIDGET in output.data):
        return None
    output.data = {best: output.data[best]}
    return output
