"""Notebooks on disk: found by path or by name, read, written whole."""

import os
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from anova_report.core import files
from anova_report.errors import InputError, listing
from anova_report.report.page import assets

SUFFIX = ".ipynb"
UNREADABLE = (nbformat.ValidationError, ValueError, TypeError, KeyError, AttributeError)  # all that nbformat raises


def find_notebook(notebook: str | os.PathLike[str], folder: Path | None = None) -> Path:
    """Find a notebook by its path, which starts in `folder`, or one that comes with this package by its name.

    Raises
    ------
    InputError
        If there is none.

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
    """Read a notebook of any version as one of version 4.

    Raises
    ------
    InputError
        If the file is something else.
    """
    try:
        node: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat is half typed
    except UNREADABLE as error:
        what = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path} is not a notebook that can be read ({what:.80}).") from error
    return node


def write_notebook(node: NotebookNode, path: Path) -> Path:
    """Write a notebook; a reader sees the old file or the new one, never half of it."""
    text: str = nbformat.writes(node)  # type: ignore[no-untyped-call]  # nbformat is half typed
    return files.write_text(path, text + "\n")


def title(node: NotebookNode, otherwise: str) -> str:
    """Take the title of a notebook from its metadata, else its first heading."""
    lines = (line for cell in node.cells if cell.cell_type == "markdown" for line in cell.source.splitlines())
    heading = next((line.removeprefix("# ").strip() for line in lines if line.startswith("# ")), otherwise)
    return str(node.metadata.get("title", heading))
