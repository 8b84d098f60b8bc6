"""Many runs, one index page: goes on after a failure, and takes up an interrupted batch where it stopped."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm.auto import tqdm

from anova_report.errors import AnovaReportError
from anova_report.measures.status import SEVERITY, Status
from anova_report.report.jobs.options import FailOn, exit_code
from anova_report.report.notebooks import ledger
from anova_report.report.notebooks.execution import RunResult, run_notebook
from anova_report.report.notebooks.index import write_index
from anova_report.report.notebooks.ledger import LedgerEntry
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import read_summary
from anova_report.report.notebooks.runs import BatchRun, read_runs

FAILED = 3  # exit code, as of every command


@dataclass(frozen=True)
class BatchResult:
    """How a batch went.

    Parameters
    ----------
    index : Path
        The page with all verdicts.
    entries : tuple of LedgerEntry
        One per run, in the order in which they were asked for.
    executed : tuple of str
        Names of the runs that were carried out now; the others were finished before, or never begun.
    fail_on : {"warn", "fail"} or None
    """

    index: Path
    entries: tuple[LedgerEntry, ...]
    executed: tuple[str, ...]
    fail_on: FailOn | None = None

    @property
    def worst(self) -> Status | None:
        """The worst verdict; None if no run made an audit."""
        verdicts = [entry.summary.verdict for entry in self.entries if entry.summary and entry.outcome == "done"]
        return max(verdicts, key=SEVERITY.__getitem__, default=None)

    @property
    def n_failed(self) -> int:
        """How many runs failed."""
        return sum(entry.outcome == "failed" for entry in self.entries)

    @property
    def exit_code(self) -> int:
        """3 if a run failed, else 1 if a verdict is as bad as `fail_on`, else 0."""
        if self.n_failed:
            return FAILED
        return exit_code(self.worst, self.fail_on)


def run_batch(
    spec_path: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    *,
    progress: bool = True,
    fail_on: FailOn | None = None,
    keep_going: bool = True,
    fresh: bool = False,
) -> BatchResult:
    """Carry out the runs that a file asks for, each in a folder of its own, and write one page with all verdicts.

    Parameters
    ----------
    spec_path : path
        YAML or CSV, as `read_runs` reads it.
    out_dir : path
        Made if needed. What was finished there before, and would give the same again, is not repeated.
    progress : bool
    fail_on : {"warn", "fail"}, optional
        How bad a verdict must be to count in the exit code.
    keep_going : bool
        Whether to go on after a run that failed.
    fresh : bool
        Whether to repeat what was finished, too.

    Raises
    ------
    InputError
        If a run cannot be started as it is asked for; then none is.
    """
    out = Path(out_dir)
    runs = read_runs(Path(spec_path), out)
    out.mkdir(parents=True, exist_ok=True)
    known = ledger.load(out)
    waiting = [run for run in runs if fresh or not ledger.is_current(known.get(run.folder), run, out)]
    entries = known | {run.folder: LedgerEntry(run.name, run.folder) for run in waiting}

    def write() -> Path:
        ledger.save(entries, out)
        return write_index([entries[run.folder] for run in runs], out, title=Path(spec_path).stem)

    executed = []
    before = len(runs) - len(waiting)
    with tqdm(total=len(runs), initial=before, desc="batch", unit="run", disable=not progress, leave=False) as bar:
        for run in waiting:
            bar.set_postfix_str(run.name)
            entries[run.folder] = _attempt(run, out, progress)
            write()  # after each run, so that killing the batch loses none
            executed.append(run.name)
            bar.update()
            if entries[run.folder].outcome == "failed" and not keep_going:
                break
    return BatchResult(write(), tuple(entries[run.folder] for run in runs), tuple(executed), fail_on)


def _attempt(run: BatchRun, out: Path, progress: bool) -> LedgerEntry:
    entry = LedgerEntry(run.name, run.folder, fingerprint=ledger.fingerprint(run))
    before = ledger.stamps(run)
    target = out / run.folder / "notebook.ipynb"
    try:
        result = run_notebook(run.notebook, run.parameters | run.places, target, progress=progress, cwd=run.cwd)
    except (AnovaReportError, OSError) as error:
        partial = getattr(error, "result", None)
        return _with_files(replace(entry, outcome="failed", message=str(error)), partial, out)
    after = ledger.stamps(run)
    # What changed while it ran, it wrote itself.
    inputs = {path: stamp for path, stamp in before.items() if after.get(path) == stamp}
    summary = read_summary(read_notebook(result.notebook))
    written = (summary.page, summary.audit) if summary else (None, None)
    page, audit = (_inside(out, run.cwd / path) if path else None for path in written)
    done = replace(entry, outcome="done", inputs=inputs, summary=summary, page=page, audit=audit)
    return _with_files(done, result, out)


def _with_files(entry: LedgerEntry, result: RunResult | None, out: Path) -> LedgerEntry:
    if result is None:
        return entry
    notebook, html = _inside(out, result.notebook), _inside(out, result.html)
    return replace(entry, notebook=notebook, html=html, seconds=round(result.seconds, 2))


def _inside(out: Path, path: Path) -> str | None:
    """Write a path as the index page links to it; None if there is no such file."""
    return Path(os.path.relpath(path, out)).as_posix() if path.is_file() else None
