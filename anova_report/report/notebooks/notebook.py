"""Running a notebook with parameters: executed notebook and page, whole or, if a cell fails, as far as it came."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anova_report.errors import InputError, RunError
from anova_report.report.notebooks.execution import FailedCell, as_far_as_it_came, execute
from anova_report.report.notebooks.export import export_notebook
from anova_report.report.notebooks.files import SUFFIX, find_notebook, title, write_notebook
from anova_report.report.notebooks.parameters import check_parameters


@dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Parameters
    ----------
    notebook : Path
        The executed notebook; partial if a cell failed.
    html : Path
        The same as a page.
    seconds : float
    failed : FailedCell or None
    """

    notebook: Path
    html: Path
    seconds: float
    failed: FailedCell | None = None


def run_notebook(
    notebook: str | os.PathLike[str],
    parameters: Mapping[str, Any],
    out: str | os.PathLike[str],
    *,
    html: str | os.PathLike[str] | None = None,
    progress: bool = True,
    timeout: float | None = None,
    cwd: str | os.PathLike[str] | None = None,
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
    progress : bool
    timeout : float, optional
        Seconds that one cell may take; no limit by default.
    cwd : path, optional
        Where relative paths inside the notebook and in its parameters start; the working folder by default.

    Raises
    ------
    InputError
        If there is no such notebook or no such parameter; nothing has been run.
    RunError
        If a cell fails; the partial notebook and its page are written first, and are in its `result`.
    """
    source = find_notebook(notebook)
    values = check_parameters(source, parameters)
    target, page = _places(source, Path(out), html)
    started = time.perf_counter()
    executed, failed = execute(source, values, target, progress=progress, timeout=timeout, cwd=cwd)
    notice = _sentence(source, failed)
    write_notebook(executed, target)
    shown = executed if failed is None else as_far_as_it_came(executed)
    export_notebook(shown, page, title=title(executed, source.stem), notice=notice)
    result = RunResult(target, page, time.perf_counter() - started, failed)
    if notice:
        raise RunError(f"{notice} What was done until then is kept in {target}.", result=result)
    return result


def _places(source: Path, out: Path, html: str | os.PathLike[str] | None) -> tuple[Path, Path]:
    target = out / source.name if out.is_dir() else out
    target = target if target.suffix == SUFFIX else target.with_name(target.name + SUFFIX)
    if target.resolve() == source.resolve():
        raise InputError(f"{target} is the notebook itself. Write the executed notebook somewhere else.")
    page = target.with_suffix(".html") if html is None else Path(html)
    for path in (target, page):
        path.parent.mkdir(parents=True, exist_ok=True)
    return target, page


def _sentence(source: Path, failed: FailedCell | None) -> str | None:
    if failed is None:
        return None
    end = "" if failed.error.endswith(("?", "!", "…")) else "."
    return f"{source.name} stopped in cell {failed.number} ({failed.line}) with {failed.error}{end}"
