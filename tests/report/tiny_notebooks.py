"""Notebooks of a few lines that start fast, and what a page made of one must never hold."""

import re
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

KERNEL = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}
PARAMETERS = "x = 1  # a number\nword = 'a'  # a text"
OUTSIDE = re.compile(r"\s*(https?:|ftp:|//|javascript:)", re.IGNORECASE)


def tiny_notebook(
    path: Path, *cells: str, parameters: str | None = PARAMETERS, title: str = "# Tiny", after: str = ""
) -> Path:
    """Write a notebook: a heading, a cell of parameters (if there are any), cells of code, and words after them."""
    made = [new_markdown_cell(title)]
    if parameters is not None:
        made.append(new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    made += [new_code_cell(cell) for cell in cells]
    made += [new_markdown_cell(after)] if after else []
    nbformat.write(new_notebook(cells=made, metadata=KERNEL), path)
    return path


def executed_notebook(*outputs: NotebookNode, text: str = "# Tiny") -> NotebookNode:
    """Make a notebook as it looks after a run, without running it."""
    cell = new_code_cell("secret_code()", outputs=list(outputs), execution_count=1)
    return new_notebook(cells=[new_markdown_cell(text), cell], metadata=dict(KERNEL))


def outside_addresses(html: str) -> list[str]:
    """List every address in a page at which something outside of it could be fetched or run."""
    soup = BeautifulSoup(html, "html.parser")
    found = [value for tag in soup.find_all(True) for value in _addresses(tag.attrs)]
    sheets = " ".join([style.get_text() for style in soup.find_all("style")] + [str(tag) for tag in _styled(soup)])
    found += re.findall(r"url\(\s*['\"]?([^)'\"]+)", sheets) + re.findall(r"@import\s+['\"]?([^;'\"]+)", sheets)
    return [address for address in found if OUTSIDE.match(address)]


def _addresses(attributes: dict[str, Any]) -> list[str]:
    names = ("src", "srcset", "href", "xlink:href", "data", "poster", "action", "formaction")
    return [str(value) for name, value in attributes.items() if name in names]


def _styled(soup: BeautifulSoup) -> list[Any]:
    return soup.select("[style]")
