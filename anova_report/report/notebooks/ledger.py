"""What has been done in the folder of a batch, in one small file: a run is repeated if anything it rests on changed.

Nothing is taken on trust: a run is marked before it starts, and what it read and what it wrote is known by digests.
"""

import getpass
import hashlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self, TypeAlias

from anova_report import __version__
from anova_report.errors import InputError, StorageError
from anova_report.io import files
from anova_report.io.documents import Stamp, read, read_fields
from anova_report.report.notebooks.notebook_export import read_notebook
from anova_report.report.notebooks.notebook_summary import Summary
from anova_report.report.notebooks.parameters import named_files
from anova_report.report.notebooks.runs import BatchRun
from anova_report.report.sources.models import module_source

LEDGER, LOCK = "batch.json", ".batch.lock"
STAMP = Stamp("anova_report.batch", 2, "the record of a batch", "Delete it, or choose another folder.")

Outcome: TypeAlias = Literal["done", "failed", "running", "waiting"]
Digests: TypeAlias = dict[str, str]


@dataclass(frozen=True)
class LedgerEntry:
    """One run and how it went.

    Parameters
    ----------
    outcome : {"done", "failed", "running", "waiting"}
        "running" is written before a run starts; one that was killed stays so, and is repeated.
    fingerprint : str
        Digest of the notebook, its parameters and the version of this software.
    inputs : dict of str to str
        Digest of each file that the parameters name, and of the source of each Python object, before the run.
    results : dict of str to str
        Digest of each file that is linked, by its path.
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
    inputs: Digests | None = None
    results: Digests | None = None
    seconds: float = 0.0
    message: str = ""
    notebook: str | None = None
    html: str | None = None
    page: str | None = None
    audit: str | None = None
    summary: Summary | None = None

    @property
    def linked(self) -> tuple[str, ...]:
        """The files that the index links to."""
        return tuple(path for path in (self.notebook, self.html, self.page, self.audit) if path)

    @classmethod
    def from_document(cls, written: dict[str, Any]) -> Self:
        """Read an entry; of the first version, which knew files by size and time, nothing counts as done."""
        stamps = written.get("inputs")
        if isinstance(stamps, dict) and any(isinstance(stamp, list) for stamp in stamps.values()):
            written = written | {"inputs": None, "fingerprint": ""}
        found = read_fields(written, cls, "LedgerEntry")
        if any(PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts for path in found.linked):
            raise StorageError(f"The run {found.name!r:.60} links to files outside of the folder of its batch.")
        if found.outcome == "done" and found.message:
            raise StorageError(f"The run {found.name!r:.60} is said to be done and to have failed.")
        return found


def load(folder: Path) -> dict[str, LedgerEntry]:
    """Read what has been done in the folder of a batch, empty if nothing has; refuse a file that is no such record."""
    path = folder / LEDGER
    if not path.is_file():
        return {}
    return read(STAMP.body(path).get("runs", {}), dict[str, LedgerEntry], "runs")


def text(entries: Mapping[str, LedgerEntry]) -> str:
    """Write what has been done as JSON; a killed batch keeps every run that had finished."""
    return STAMP.text({"runs": dict(entries)}, indent=1)


def fingerprint(run: BatchRun) -> str:
    """Digest what a run rests on, its input files aside; outputs saved in the notebook do not count."""
    node = read_notebook(run.notebook)
    cells = [(cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in node.cells]
    parts = [__version__, cells, node.metadata.get("kernelspec", {}), run.parameters]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def digests(run: BatchRun) -> Digests:
    """Digest every file that the parameters name, and the source of every Python object."""
    found = {text: files.digest(run.cwd / text) for text in named_files(run.parameters, run.cwd)}
    for value in run.parameters.values():
        source = module_source(value, run.cwd) if isinstance(value, str) else None
        if source is not None:
            found[str(value)] = files.digest(source)
    return found


def is_current(entry: LedgerEntry | None, run: BatchRun, folder: Path) -> bool:
    """Say whether a run is finished and would give the same again, and its results are those it wrote.

    A file that appeared since was not there to be read, so only the files it found are compared.
    """
    if entry is None or entry.outcome != "done" or entry.fingerprint != fingerprint(run):
        return False
    now = digests(run)
    unchanged = all(now.get(name) == digest for name, digest in (entry.inputs or {}).items())
    return unchanged and entry.results == results(entry, folder)


def results(entry: LedgerEntry, folder: Path) -> Digests:
    """Digest the files that the index links to; one that is missing has none."""
    return {path: files.digest(folder / path) if (folder / path).is_file() else "" for path in entry.linked}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other batches out of a folder; the system ends the lock with the process, however that ends.

    Raises
    ------
    InputError
        If another batch is there: it says whose.
    """
    path, unlinked = folder / LOCK, getattr(os, "O_NOFOLLOW", 0)  # behind a link, another file would be emptied
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | unlinked, 0o666)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror}). Remove it, or choose another folder."
        ) from error
    with os.fdopen(descriptor, "r+", encoding="utf-8") as stream:
        if not _take(stream.fileno()):
            owner = stream.read(200).strip() or "someone"
            raise InputError(f"{folder} is in use by another batch ({owner}). Wait for it, or choose another folder.")
        stream.truncate(0)
        stream.write(f"{getpass.getuser()} on {socket.gethostname()}, process {os.getpid()}")
        stream.flush()
        yield


def _take(descriptor: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 not on Windows
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
