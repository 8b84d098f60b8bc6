"""Running a notebook with parameters: executed notebook and page, whole or, if a cell fails, up to that cell.

Papermill works in a scratch file, silent about itself; the cell that failed is named exactly.
"""

import copy
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import papermill
from jupyter_client.kernelspec import NoSuchKernel
from nbformat import NotebookNode
from papermill.exceptions import PapermillException, PapermillExecutionError

from anova_report.errors import RunError
from anova_report.io import files, sinks
from anova_report.report.notebooks.notebook_export import (
    SUFFIX,
    find_notebook,
    notebook_page,
    notebook_text,
    read_notebook,
    title,
)
from anova_report.report.notebooks.parameters import RESULTS, check_parameters, literal, named_files

ERROR_BANNER = "papermill-error-cell-tag"  # papermill tags with it the two cells it adds to a failed notebook
FAILURES = (PapermillException, NoSuchKernel, TimeoutError, RuntimeError)
# Else it warns about its own sockets at every start, and imports what lies in the folder of the data.
QUIET_KERNEL = ("--IPKernelApp.log_level=50", "--InteractiveShellApp.ignore_cwd=True")
SAFE_PATH = "PYTHONSAFEPATH"  # keeps the working folder off the path of a Python that is started
LONGEST = 300  # characters of an exception that a sentence still carries


def execute(
    source: Path,
    values: Mapping[str, Any],
    target: Path,
    *,
    progress: bool = False,
    timeout: float | None = None,
    cwd: str | os.PathLike[str] | None = None,
) -> tuple[NotebookNode, str | None]:
    """Execute a notebook, and return as much of it as there is, with a sentence on the cell that failed if one did.

    Where no cell could be begun at all, there is nothing to return, and a `RunError` says why.
    """
    # papermill rewrites its file after every cell: done in place, a killed run would leave half of it.
    with files.scratch_folder(target) as scratch:
        written = scratch / "run.ipynb"
        bar = {"desc": sinks.clean(source.stem), "leave": False} if progress else False
        error = _papermill(source, values, written, progress_bar=bar, execution_timeout=timeout, cwd=cwd)
        executed = read_notebook(written) if written.is_file() else None
    if executed is None or (error and not any(map(_begun, executed.cells))):
        raise RunError(f"{source.name} could not be started: {_one_line(error)}.") from error
    # The banners that papermill adds on failure go, and so does the name of the scratch file.
    executed.cells = [cell for cell in executed.cells if ERROR_BANNER not in cell.metadata.get("tags", [])]
    executed.metadata["papermill"] |= {"input_path": source.name, "output_path": target.name}
    raised = error is not None or any(map(_errors, executed.cells))  # papermill takes sys.exit(0) for a good end
    return executed, _failed(executed, error, source.name) if raised else None


def _papermill(source: Path, values: Mapping[str, Any], written: Path, **options: Any) -> Exception | None:
    python = read_notebook(source).metadata.get("kernelspec", {}).get("language", "python") == "python"
    try:
        with _silent("papermill"), _silent("traitlets"), _safe_path():
            quiet = list(QUIET_KERNEL) if python else []  # nbclient adds to the list it is given
            places = (literal(source.resolve()), literal(written.resolve()))
            papermill.execute_notebook(*places, dict(values), extra_arguments=quiet, **options)
    except FAILURES as error:
        return error
    return None


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Keep back what would repeat, in a stranger's words, the sentence that is raised."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _safe_path() -> Iterator[None]:
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _errors(cell: NotebookNode) -> list[NotebookNode]:
    return [output for output in cell.get("outputs", []) if output.output_type == "error"]


def _failed(executed: NotebookNode, error: Exception | None, name: str) -> str:
    """Name the cell that failed: the one that raised, else (timeout, dead kernel) the last that was begun.

    Its number is that of `In [4]`; its first line of code and the exception follow.
    """
    cells = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source.strip()]
    raised = [at for at, cell in enumerate(cells) if _errors(cell)]
    position = (raised or [at for at, cell in enumerate(cells) if _begun(cell)])[-1]
    lines = [line.strip() for line in cells[position].source.splitlines() if line.strip()]
    code = next((line for line in lines if not line.startswith("#")), lines[0])
    words = _one_line(error if error is not None else _errors(cells[position])[0])
    end = "" if words.endswith(("?", "!", "…")) else "."
    return f"{name} stopped in cell {position + 1} ({code}) with {words}{end}"


def _begun(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("papermill", {}).get("start_time"))


def _one_line(error: Exception | NotebookNode | None) -> str:
    if isinstance(error, PapermillExecutionError | NotebookNode):
        name, words = str(error.ename), str(error.evalue)
    else:
        name, words = type(error).__name__, next(iter(str(error).splitlines()), "")
    line = " ".join(f"{name}: {words}".split()).rstrip(".:")
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


@dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Parameters
    ----------
    notebook : Path
        The executed notebook; partial if a cell failed.
    html : Path
        The same as a page.
    failed : str or None
        What stopped it, in a sentence.
    """

    notebook: Path
    html: Path
    seconds: float
    failed: str | None = None


def run_notebook(  # noqa: PLR0913 all that a run is given
    notebook: str | os.PathLike[str],
    parameters: Mapping[str, Any],
    out: str | os.PathLike[str],
    *,
    html: str | os.PathLike[str] | None = None,
    progress: bool = True,
    timeout: float | None = None,
    cwd: str | os.PathLike[str] | None = None,
    sources: Sequence[str | os.PathLike[str] | None] = (),
    overwrite: bool = False,
) -> RunResult:
    """Run a notebook with parameters by papermill and write it, executed, as a notebook and as a page.

    Parameters
    ----------
    notebook : path, or name of a notebook that comes with this package ("audit")
    parameters : mapping
        Only names that the cell tagged `parameters` has; values are JSON, or become JSON as in `json_value`.
    out : path
        Where the executed notebook goes; a folder keeps the notebook's own name. Folders are made as needed.
    html : path, optional
        Where the page goes; beside `out` by default.
    timeout : float, optional
        Seconds that one cell may take; no limit by default.
    cwd : path, optional
        Where relative paths inside the notebook and in its parameters start; the working folder by default. What lies
        there is not imported.
    sources : sequence of path
        Files beside the notebook and those its parameters name that must not be replaced.
    overwrite : bool
        Whether to replace files that this package did not write.

    Raises
    ------
    InputError
        If there is no such notebook or no such parameter, or a file is in the way; nothing has been run.
    RunError
        If a cell fails; the partial notebook and its page are written first, and are in its `result`.
    """
    source = find_notebook(notebook)
    values = check_parameters(source, parameters)
    target = Path(out) / source.name if Path(out).is_dir() else Path(out)
    target = target if target.suffix == SUFFIX else target.with_name(target.name + SUFFIX)
    page = target.with_suffix(".html") if html is None else Path(html)
    for path in (target, page):
        files.make_folder(path.parent)
    start = Path() if cwd is None else Path(cwd)
    read = [start / text for text in named_files(values, start)]
    made = [start / str(values[name]) for name in RESULTS if values.get(name)]
    claimed = files.claim((target, page, *made), (source, *read, *sources), overwrite=overwrite)
    started = time.perf_counter()
    executed, failed = execute(source, values, target, progress=progress, timeout=timeout, cwd=cwd)
    shown = copy.copy(executed)
    if failed is not None:
        # Cells that were never reached are left out: without outputs, their texts would announce what is not there.
        shown.cells = [cell for cell in executed.cells if _begun(cell)]
    texts = {target: notebook_text(executed), page: notebook_page(shown, title(executed, source.stem), failed)}
    # The audit that the notebook made is there by now, so only these two are looked at again.
    files.write_texts(texts, replace(claimed, places=(target, page)))
    result = RunResult(target, page, time.perf_counter() - started, failed)
    if failed is not None:
        raise RunError(f"{failed} What was done until then is kept in {target}.", result=result)
    return result
