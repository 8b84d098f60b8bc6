"""Writing files so that a reader sees the old content or the new, never half of it, and nobody loses what is his.

A module of its own because every room that writes files uses it.
"""

import os
import re
import shutil
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from anova_report.errors import InputError

Place: TypeAlias = str | os.PathLike[str]

MEGABYTE = 1_000_000
LOOKED_AT = 65_536  # bytes at the beginning and at the end of a file in which its maker is looked for
READ_IN_FOLDERS = (".parquet", ".py")  # what is read of a folder of data, and of the source of a model
# What this package writes says of itself that it did, where no text of somebody else can stand: in the head of a page,
# first in a document and in a configuration, among the headers of a mail, in the outermost metadata of a notebook.
PAGE_MARKS = (
    b'<meta name="generator" content="anova_report">',
    b'<meta content="anova_report" name="generator"',  # as it is written again for notebooks
)
SQL_MARK = "-- Made by anova_report"
OPENINGS = re.compile(
    rb'\{\s*"schema": "anova_report\.|(#|--) Made by anova_report|'
    rb'(<\?xml version="1\.0" encoding="UTF-8"\?>\n)?<!-- Made by anova_report -->\n|'
    rb"(output,)?row,place,reason,value,low,high,direction,rank\n"
)
MAIL_MARK = re.compile(rb"[\w-]+: (?:.*\n)*?X-Mailer: anova_report\r?$", re.MULTILINE)
PDF_MARK = b"\n% Made by anova_report\n"  # behind the end of a PDF, where readers skip it
NOTEBOOK_MARK = re.compile(
    rb'^ "metadata": \{\n(?:  .*\n)*?  "anova_report": \{\n   "made_by": "anova_report"', re.MULTILINE
)


def write_text(path: Place, text: str) -> Path:
    """Write a text file under a temporary name beside its place, then move it there.

    A full disk or a killed process leaves the old file as it was; what a killed process left is removed. A file that is
    replaced hands on its permissions.
    """
    write_texts({path: text})
    return Path(path)


def write_texts(texts: Mapping[Any, str | bytes], claimed: "ClaimedPlaces | None" = None) -> None:
    """Write texts, or bytes, to their places as `write_text` writes one: none is moved before all of them are written.

    Places that were claimed are looked at once more before anything is moved: other files may have come there since.
    """
    targets = {Path(path): text for path, text in texts.items()}
    written: dict[Path, Path] = {}
    try:
        for target, text in targets.items():
            remove_leftovers(target)
            written[target] = passing_name(target)
            # The system itself gives a new file the permissions that new files have.
            descriptor = os.open(written[target], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            mode, encoding = ("wb", None) if isinstance(text, bytes) else ("w", "utf-8")
            with os.fdopen(descriptor, mode, encoding=encoding) as stream:
                stream.write(text)
            with suppress(FileNotFoundError):
                written[target].chmod(stat.S_IMODE(target.stat().st_mode))
        if claimed is not None:
            claimed.check()
        for target, temporary in written.items():
            temporary.replace(target)
    except BaseException:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)
        raise


def read_bytes(path: Place, most: int) -> bytes:
    """Read an ordinary file whole; devices and pipes, which may have no end, and larger files are refused.

    Raises
    ------
    InputError
        If it is no ordinary file, or too large.
    """
    waiting = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would be waited for
    with os.fdopen(os.open(path, os.O_RDONLY | waiting | getattr(os, "O_BINARY", 0)), "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise InputError(f"{os.fspath(path)} is no ordinary file.")
        if about.st_size > most:
            raise InputError(
                f"{os.fspath(path)} has {size_in_words(about.st_size)}; at most {size_in_words(most)} are read."
            )
        return stream.read(most)


@contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside a file for what is not yet finished, and remove it; also what a killed process left."""
    remove_leftovers(target)
    made = passing_name(target)
    made.mkdir(0o700)  # the file that it will replace may be nobody else's business
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def passing_name(target: Path) -> Path:
    """Make up a hidden name beside a file that says which process on which machine it belongs to."""
    return target.with_name(f".{target.name[:40]}.{_machine()}-{os.getpid()}-{os.urandom(4).hex()}")


def remove_leftovers(target: Path) -> None:
    """Remove what processes of this machine that are no more left beside a file."""
    pattern = re.compile(rf"\.{re.escape(target.name[:40])}\.{_machine()}-(\d+)-[0-9a-f]{{8}}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found and not is_alive(int(found[1])):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink(missing_ok=True)


def is_alive(process: int) -> bool:
    """Tell whether there is a process of this number on this machine; where that cannot be asked, there may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _machine() -> str:
    import socket  # noqa: PLC0415 --help needs none

    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


@dataclass(frozen=True)
class ClaimedPlaces:
    """Places that a command will write to, and what it reads."""

    places: tuple[Path, ...]
    read: tuple[Path, ...]
    overwrite: bool

    def check(self) -> None:
        """Refuse places that must not be written to, as they are now."""
        read = [file for source in self.read for file in _files_of(source)]
        for at, place in enumerate(self.places):
            check_place(place)
            if any(same(place, other) for other in (*self.places[:at], *read)):
                raise InputError(
                    f"{place} is named for two things. Give every result, and every input, a file of its own."
                )
            if not self.overwrite and place.exists() and not is_own(place):
                raise InputError(
                    f"{place} is there already, and anova_report did not write it. Name another file, or pass "
                    "--overwrite."
                )


def claim(
    results: Iterable[Place | None], sources: Iterable[Place | None], *, overwrite: bool = False
) -> ClaimedPlaces:
    """Refuse places that must not be written to, before time has been spent; every command asks here, and only here.

    Parameters
    ----------
    results : paths
        All files that a command would write; None stands for one that is not wanted.
    sources : paths
        All files that it reads, and folders of them.
    overwrite : bool
        Whether files that this package did not write may be replaced. Sources never are.

    Returns
    -------
    ClaimedPlaces
        To `check` again, or hand to `write_texts`, when the results are there.

    Raises
    ------
    InputError
        If a folder is missing or not writable, a result would replace a source or another result, or there is a file
        that this package did not write.
    """
    places, read = (tuple(Path(place) for place in given if place is not None) for given in (results, sources))
    made = ClaimedPlaces(places, read, overwrite)
    made.check()
    return made


def _files_of(source: Path) -> list[Path]:
    with suppress(OSError, ValueError):  # names that no file can have are of no file
        if source.is_dir():
            return [file for file in source.rglob("*") if file.suffix.lower() in READ_IN_FOLDERS]
    return [source]


def write_example(path: Place, text: str, *, overwrite: bool = False) -> Path:
    """Write a table of an example, which says nothing about its maker; the very same one may be there already."""
    target = Path(path)
    if not (target.is_file() and target.read_bytes() == text.encode()):
        claim([target], [], overwrite=overwrite)
    return write_text(target, text)


def same(first: Path, second: Path) -> bool:
    """Tell whether two paths lead to one file, also by links, or would."""
    with suppress(OSError, ValueError):  # names that no file can have are of no file
        return first.samefile(second)
    with suppress(ValueError):
        return os.path.realpath(first) == os.path.realpath(second)  # pathlib refuses links that lead to themselves
    return first == second


def is_own(path: Path) -> bool:
    """Tell whether this package wrote a file; an empty one is nobody's loss."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        start = stream.read(LOOKED_AT)
        stream.seek(max(size - LOOKED_AT, 0))
        end = stream.read(LOOKED_AT)
    if not size or OPENINGS.match(start):
        return True
    if start.startswith(b"%PDF-"):
        return end.endswith(PDF_MARK)
    if start[:100].lstrip().lower().startswith(b"<!doctype html"):
        head = re.split(b"<title|<body", start, maxsplit=1)[0]
        return any(mark in head for mark in PAGE_MARKS)
    if start.startswith(b"{"):
        return bool(NOTEBOOK_MARK.search(end))
    return bool(MAIL_MARK.match(re.split(b"\r?\n\r?\n", start, maxsplit=1)[0]))


def make_folder(place: Path) -> Path:
    """Make a folder and those that it lies in, where they are missing."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"The folder {str(place)!r:.200} cannot be made ({error}). Name another.") from error
    return place


def is_inside(place: Path, folder: Path) -> bool:
    """Tell whether a path leads to a place below a folder, once links have been followed."""
    try:
        return Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder))
    except ValueError as error:
        raise InputError(f"{str(place)!r:.200} cannot be the name of a file ({error}).") from error


def check_place(place: Path) -> None:
    """Refuse a file that cannot be written: its folder is missing or not writable, or it is a folder itself."""
    folder = place.parent
    try:
        with suppress(FileNotFoundError):
            place.lstat()
        if place.is_dir():
            raise InputError(f"{place} is a folder. Name a file in it: {place / 'audit.html'}.")
        if place.exists() and not place.is_file():
            raise InputError(f"{place} is no ordinary file. Name another.")
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder} to write {place.name} to. Make it, or name another.")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"Nothing can be written to the folder {folder}. Change its permissions, or name another.")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(place)!r:.200} cannot be the name of a file ({error}).") from error


def digest(path: Path) -> str:
    """Digest a file, or all files in a folder with their names; links inside a folder are not followed.

    What Python keeps there of modules that it has read does not count.
    """
    made = blake2b(digest_size=16)
    inside = (file for file in path.rglob("*") if "__pycache__" not in file.parts) if path.is_dir() else [path]
    for file in sorted(inside):
        if path.is_dir():
            made.update(f"{file.relative_to(path).as_posix()}\0".encode(errors="surrogateescape"))
        if file.is_file() and not (path.is_dir() and file.is_symlink()):
            with file.open("rb") as stream:
                while piece := stream.read(MEGABYTE):
                    made.update(piece)
    return made.hexdigest()


def size_in_words(n_bytes: int) -> str:
    """Write how large a file is.

    Examples
    --------
    >>> size_in_words(812), size_in_words(81_234), size_in_words(1_250_000)
    ('812 bytes', '81 KB', '1.2 MB')
    """
    if n_bytes < MEGABYTE / 1000:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1000:.0f} KB" if n_bytes < MEGABYTE else f"{n_bytes / MEGABYTE:.1f} MB"
