"""Many runs, one index page: goes on after a failure, and takes up an interrupted batch where it stopped.

What has been done is kept in one small file: a finished run is repeated only if something it rests on changed.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from tqdm.auto import tqdm

from anova_report import __version__
from anova_report.core import files
from anova_report.core.documents import Stamp, read
from anova_report.errors import AnovaReportError
from anova_report.measures.status import SEVERITY, Status
from anova_report.measures.wording import counted
from anova_report.report.jobs.options import FailOn, exit_code
from anova_report.report.notebooks.execution import RunResult, run_notebook
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import Summary, read_summary
from anova_report.report.notebooks.runs import BatchRun, read_runs
from anova_report.report.page.assets import page_styles
from anova_report.report.page.render import environment, policy

FAILED = 3  # exit code, as of every command
LEDGER, INDEX = "batch.json", "index.html"
STAMP = Stamp("anova_report.batch", 1, "the record of a batch", "Delete it, or choose another folder.")
LINKS = (("page", "Audit"), ("html", "Notebook"), ("notebook", "ipynb"), ("audit", "JSON"))
OUTCOMES: tuple[tuple[str, Status, str], ...] = (  # verdict or outcome, the status that gives its icon, words
    ("failed", "fail", "did not finish"),
    ("fail", "fail", "fail"),
    ("warn", "warn", "warn"),
    ("pass", "pass", "pass"),
    ("not applicable", "not applicable", "with nothing to check"),
    ("done", "not applicable", "without an audit"),
    ("waiting", "not applicable", "not run yet"),
)

Outcome: TypeAlias = Literal["done", "failed", "waiting"]
Stamps: TypeAlias = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class LedgerEntry:
    """One run and how it went.

    Parameters
    ----------
    fingerprint : str
        Digest of the notebook, its parameters and the version of this software.
    inputs : dict of str to (int, int)
        Size and time of change of each file that the parameters name and the run did not write itself.
    message : str
        Why it failed; else empty.
    notebook, html, page, audit : str or None
        Paths of the executed notebook, of its page, and of the audit's page and JSON, from the folder of the batch.
    summary : Summary or None
        None where the notebook makes no audit.
    """

    name: str
    folder: str
    outcome: Outcome = "waiting"
    fingerprint: str = ""
    inputs: Stamps | None = None
    seconds: float = 0.0
    message: str = ""
    notebook: str | None = None
    html: str | None = None
    page: str | None = None
    audit: str | None = None
    summary: Summary | None = None


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
        """3 if a run failed, else 1 if a verdict is as bad as `fail_on`, else 0."""
        failed = any(entry.outcome == "failed" for entry in self.entries)
        return FAILED if failed else exit_code(self.worst, self.fail_on)


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
        Made if needed. What was finished there before, and would give the same again, is not repeated unless `fresh`.
    fail_on : {"warn", "fail"}, optional
        How bad a verdict must be to count in the exit code.
    keep_going : bool
        Whether to go on after a run that failed.

    Raises
    ------
    InputError
        If a run cannot be started as it is asked for; then none is.
    """
    out = Path(out_dir)
    runs = read_runs(Path(spec_path), out)
    out.mkdir(parents=True, exist_ok=True)
    known = load(out)
    waiting = [run for run in runs if fresh or not is_current(known.get(run.folder), run, out)]
    entries = known | {run.folder: LedgerEntry(run.name, run.folder) for run in waiting}

    def write() -> Path:
        save(entries, out)
        page = render_index([entries[run.folder] for run in runs], title=Path(spec_path).stem)
        return files.write_text(out / INDEX, page)

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
    entry = LedgerEntry(run.name, run.folder, fingerprint=fingerprint(run))
    before = stamps(run)
    target = out / run.folder / "notebook.ipynb"
    result: RunResult | None
    try:
        result = run_notebook(run.notebook, run.parameters | run.places, target, progress=progress, cwd=run.cwd)
    except (AnovaReportError, OSError) as error:
        result = getattr(error, "result", None)
        entry = replace(entry, outcome="failed", message=str(error))
    else:
        after = stamps(run)
        # What changed while it ran, it wrote itself.
        inputs = {path: stamp for path, stamp in before.items() if after.get(path) == stamp}
        summary = read_summary(read_notebook(result.notebook))
        written = (summary.page, summary.audit) if summary else (None, None)
        page, audit = (_inside(out, run.cwd / path) if path else None for path in written)
        entry = replace(entry, outcome="done", inputs=inputs, summary=summary, page=page, audit=audit)
    if result is None:
        return entry
    notebook, html = _inside(out, result.notebook), _inside(out, result.html)
    return replace(entry, notebook=notebook, html=html, seconds=round(result.seconds, 2))


def _inside(out: Path, path: Path) -> str | None:
    """Write a path as the index page links to it; None if there is no such file."""
    return Path(os.path.relpath(path, out)).as_posix() if path.is_file() else None


def load(folder: Path) -> dict[str, LedgerEntry]:
    """Read what has been done in the folder of a batch, empty if nothing has; refuse a file that is no such record."""
    path = folder / LEDGER
    if not path.is_file():
        return {}
    return {name: read(entry, LedgerEntry) for name, entry in STAMP.body(path).get("runs", {}).items()}


def save(entries: Mapping[str, LedgerEntry], folder: Path) -> None:
    """Write what has been done; a killed batch keeps every run that had finished."""
    STAMP.save({"runs": dict(entries)}, folder / LEDGER, indent=1)


def fingerprint(run: BatchRun) -> str:
    """Digest what a run rests on, its input files aside; outputs saved in the notebook do not count."""
    node = read_notebook(run.notebook)
    cells = [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in node.cells]
    parts = [__version__, cells, node.metadata.get("kernelspec", {}), run.parameters]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def stamps(run: BatchRun) -> Stamps:
    """Note size and time of change of every file that the parameters name."""
    found = {}
    for text in _texts(run.parameters):
        try:
            path = run.cwd / text
            if path.is_file():
                found[text] = (path.stat().st_size, path.stat().st_mtime_ns)
        except (OSError, ValueError):
            continue  # a long text or one with a null character is no path
    return found


def is_current(entry: LedgerEntry | None, run: BatchRun, folder: Path) -> bool:
    """Say whether a run is finished and would give the same again.

    A file that appeared since was not there to be read, so only the files it found are compared.
    """
    if entry is None or entry.outcome != "done" or entry.fingerprint != fingerprint(run):
        return False
    now, left = stamps(run), (entry.page, entry.html, entry.notebook, entry.audit)
    unchanged = all(now.get(path) == stamp for path, stamp in (entry.inputs or {}).items())
    return unchanged and all((folder / path).is_file() for path in left if path)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def render_index(entries: Sequence[LedgerEntry], *, title: str) -> str:
    """Write the index page of a batch as HTML; all its links are relative."""
    headlines = (item for entry in entries if entry.summary for item in entry.summary.headlines)
    labels = tuple(dict.fromkeys(item.label for item in headlines))  # in the order in which they first appear
    contents = {
        "title": title,
        "policy": policy("'none'"),
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
    found: Counter[str] = Counter(entry.summary.verdict if entry.summary else entry.outcome for entry in entries)
    return [(status, f"{found[key]} {words}") for key, status, words in OUTCOMES if found[key]]


def _row(entry: LedgerEntry, labels: Sequence[str]) -> dict[str, Any]:
    """Collect what the page says of one run; a headline is None where the run has no such number."""
    summary = entry.summary
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
