"""Many runs, one index page: goes on after a failure, and takes up an interrupted batch where it stopped.

What has been done is kept in one small file: a finished run is repeated only if something it rests on changed.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tqdm import tqdm

from anova_report import __version__
from anova_report.errors import AnovaReportError, listing
from anova_report.io import files
from anova_report.io.sinks import clean
from anova_report.measures.status import SEVERITY, Status
from anova_report.measures.wording import counted
from anova_report.report.jobs.options import FailOn, exit_code
from anova_report.report.notebooks.execution import RunResult, run_notebook
from anova_report.report.notebooks.ledger import (
    LEDGER,
    LedgerEntry,
    digests,
    fingerprint,
    is_current,
    load,
    locked,
    results,
    text,
)
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import read_summary
from anova_report.report.notebooks.parameters import named_files
from anova_report.report.notebooks.runs import BatchRun, read_runs
from anova_report.report.page.assets import page_styles
from anova_report.report.page.render import environment, policy

FAILED = 3  # exit code, as of every command
INDEX = "index.html"
LINKS = (("page", "Audit"), ("html", "Notebook"), ("notebook", "ipynb"), ("audit", "JSON"))
OUTCOMES: tuple[tuple[str, Status, str], ...] = (  # verdict or outcome, the status that gives its icon, words
    ("failed", "fail", "did not finish"),
    ("fail", "fail", "fail"),
    ("warn", "warn", "warn"),
    ("pass", "pass", "pass"),
    ("not applicable", "not applicable", "with nothing to check"),
    ("done", "not applicable", "without an audit"),
    ("running", "not applicable", "begun"),
    ("waiting", "not applicable", "not run yet"),
)


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
    def exit_code(self) -> int:
        """3 if a run failed, or has no verdict to hold against `fail_on`; 1 if one is as bad; else 0."""
        unfinished = any(entry.outcome != "done" for entry in self.entries)
        silent = self.fail_on is not None and not all(entry.summary for entry in self.entries)
        return FAILED if unfinished or silent else exit_code(self.worst, self.fail_on)


def run_batch(
    spec_path: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    *,
    progress: bool = True,
    fail_on: FailOn | None = None,
    keep_going: bool = True,
    fresh: bool = False,
    overwrite: bool = False,
    allow_outside: bool = False,
) -> BatchResult:
    """Carry out the runs that a file asks for, each in a folder of its own, and write one page with all verdicts.

    Parameters
    ----------
    spec_path : path
        YAML or CSV, as `read_runs` reads it.
    out_dir : path
        Made if needed. What was finished there before, and would give the same again, is not repeated unless `fresh`.
    fail_on : {"warn", "fail"}, optional
        How bad a verdict must be to count in the exit code.
    keep_going : bool
        Whether to go on after a run that failed.
    overwrite : bool
        Whether to replace files that this package did not write.
    allow_outside : bool
        Whether runs may name results outside of `out_dir`.

    Raises
    ------
    InputError
        If a run cannot be started as it is asked for, a file is in the way, or another batch is at work in the folder;
        then none is.
    """
    out, spec = Path(out_dir), Path(spec_path)
    runs = read_runs(spec, out, allow_outside=allow_outside)
    files.make_folder(out)
    inputs = [run.cwd / text for run in runs for text in named_files(run.parameters, run.cwd)]
    read = [spec, *(run.notebook for run in runs), *inputs]
    claimed = files.claim([out / INDEX, out / LEDGER], read, overwrite=overwrite)
    how = {"progress": progress, "keep_going": keep_going, "fresh": fresh}
    with locked(out):
        entries, executed = _carry_out(runs, out, spec.stem, claimed, **how)
    return BatchResult(out / INDEX, entries, executed, fail_on)


def _carry_out(
    runs: Sequence[BatchRun],
    out: Path,
    title: str,
    claimed: files.ClaimedPlaces,
    *,
    progress: bool,
    keep_going: bool,
    fresh: bool,
) -> tuple[tuple[LedgerEntry, ...], tuple[str, ...]]:
    """Carry out the runs that are not finished; what is returned are all of them, and the names of these."""
    known = load(out)
    waiting = [run for run in runs if fresh or not is_current(known.get(run.folder), run, out)]
    entries = known | {run.folder: LedgerEntry(run.name, run.folder) for run in waiting}

    def write() -> None:
        page = render_index([entries[run.folder] for run in runs], title=title)
        files.write_texts({out / LEDGER: text(entries), out / INDEX: page}, claimed)

    executed = []
    before = len(runs) - len(waiting)
    with tqdm(total=len(runs), initial=before, desc="batch", unit="run", disable=not progress, leave=False) as bar:
        for run in waiting:
            bar.set_postfix_str(clean(run.name))
            begun = LedgerEntry(run.name, run.folder, "running", fingerprint(run), digests(run))
            entries[run.folder] = begun
            write()  # before the run: whatever it leaves when it is killed is not taken for finished
            entries[run.folder] = _attempt(run, begun, out, progress)
            write()  # and after each, so that killing the batch loses none
            executed.append(run.name)
            bar.update()
            if entries[run.folder].outcome == "failed" and not keep_going:
                break
    write()
    return tuple(entries[run.folder] for run in runs), tuple(executed)


def _attempt(run: BatchRun, begun: LedgerEntry, out: Path, progress: bool) -> LedgerEntry:
    target = out / run.folder / "notebook.ipynb"
    result: RunResult | None
    try:
        result = run_notebook(run.notebook, run.parameters | run.places, target, progress=progress, cwd=run.cwd)
    except (AnovaReportError, OSError) as error:
        result = getattr(error, "result", None)
        entry = replace(begun, outcome="failed", message=str(error))
    else:
        summary = read_summary(read_notebook(result.notebook))
        written = (summary.page, summary.audit) if summary else (None, None)
        page, audit = (_inside(out, run.cwd / path) if path else None for path in written)
        entry = replace(begun, outcome="done", summary=summary, page=page, audit=audit)
        now = digests(run)
        changed = [name for name, digest in (begun.inputs or {}).items() if now.get(name) != digest]
        if changed:
            message = f"{listing(changed)} changed while the run was reading it. Run the batch again."
            entry = replace(entry, outcome="failed", message=message)
    if result is not None:
        notebook, html = _inside(out, result.notebook), _inside(out, result.html)
        entry = replace(entry, notebook=notebook, html=html, seconds=round(result.seconds, 2))
    return replace(entry, results=results(entry, out))


def _inside(out: Path, path: Path) -> str | None:
    """Write a path as the index page links to it; None if there is no such file below the folder."""
    inside = path.is_file() and files.is_inside(path, out)
    return path.resolve().relative_to(out.resolve()).as_posix() if inside else None


def render_index(entries: Sequence[LedgerEntry], *, title: str) -> str:
    """Write the index page of a batch as HTML; all its links are relative."""
    headlines = (item for entry in entries if entry.summary for item in entry.summary.headlines)
    labels = tuple(dict.fromkeys(item.label for item in headlines))  # in the order in which they first appear
    contents = {
        "title": title,
        "policy": policy(()),
        "styles": page_styles("batch.css"),
        "n_runs": counted(len(entries), "run", "runs"),
        "seconds": sum(entry.seconds for entry in entries),
        "counts": counts(entries),
        "labels": labels,
        "rows": [_row(entry, labels) for entry in entries],
        "version": __version__,
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }
    return environment().get_template("index.html").render(contents)


def counts(entries: Sequence[LedgerEntry]) -> list[tuple[Status, str]]:
    """Count the runs by how they ended, the worst first: the status that gives the icon, and words.

    Examples
    --------
    >>> counts([LedgerEntry("a", "a", "done"), LedgerEntry("b", "b", "failed")])
    [('fail', '1 did not finish'), ('not applicable', '1 without an audit')]
    """
    found: Counter[str] = Counter(_ended(entry) for entry in entries)
    return [(status, f"{found[key]} {words}") for key, status, words in OUTCOMES if found[key]]


def _ended(entry: LedgerEntry) -> str:
    return entry.summary.verdict if entry.summary and entry.outcome == "done" else entry.outcome


def _row(entry: LedgerEntry, labels: Sequence[str]) -> dict[str, Any]:
    """Collect what the page says of one run; a headline is None where the run has no such number."""
    summary = entry.summary if entry.outcome == "done" else None
    found = {item.label: item for item in summary.headlines} if summary else {}
    return {
        "name": entry.name,
        "about": summary.title if summary and summary.title != entry.name else "",
        "words": summary.words if summary and summary.verdict in ("warn", "fail") else "",
        "outcome": entry.outcome,
        "verdict": summary.verdict if summary else None,
        "headlines": [found.get(label) for label in labels],
        "reason": entry.message,
        "seconds": entry.seconds,
        "links": [(quote(path), words) for kind, words in LINKS if (path := getattr(entry, kind))],
    }
