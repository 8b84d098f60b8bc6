"""Writing files so that a reader sees the old content or the new, never half of it, and nobody loses what is his.

A module of its own because every room that writes files uses it.
"""

import os
import re
import secrets
import shutil
import socket
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from anova_report.errors import InputError

Place: TypeAlias = str | os.PathLike[str]

MEGABYTE = 1_000_000
LOOKED_AT = 65_536  # bytes at the beginning and at the end of a file in which its maker is looked for
# What pages, documents, executed notebooks, mails and configurations that this package wrote say of themselves.
MARKS = (
    b'<meta name="generator" content="anova_report">',
    b'<meta content="anova_report" name="generator"',  # as it is written again for notebooks
    b'"schema": "anova_report.',
    b'"made_by": "anova_report"',
    b"X-Mailer: anova_report",
    b"# Made by anova_report",
)


def write_text(path: Place, text: str) -> Path:
    """Write a text file under a temporary name beside its place, then move it there.

    A full disk or a killed process leaves the old file as it was; what a killed process left is removed.
    """
    target = Path(path)
    remove_leftovers(target)
    temporary = passing_name(target)
    # The system itself gives a new file the permissions that new files have.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return target


@contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside a file for what is not yet finished, and remove it; also what a killed process left."""
    remove_leftovers(target)
    made = passing_name(target)
    made.mkdir()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def passing_name(target: Path) -> Path:
    """Make up a hidden name beside a file that says which process on which machine it belongs to."""
    return target.with_name(f".{target.name[:40]}.{_machine()}-{os.getpid()}-{secrets.token_hex(4)}")


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
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def claim(results: Iterable[Place | None], sources: Iterable[Place | None], *, overwrite: bool = False) -> None:
    """Refuse places that must not be written to, before time has been spent; every command asks here, and only here.

    Parameters
    ----------
    results : paths
        All files that a command would write; None stands for one that is not wanted.
    sources : paths
        All files that it reads.
    overwrite : bool
        Whether files that this package did not write may be replaced. Sources never are.

    Raises
    ------
    InputError
        If a folder is missing or not writable, a result would replace a source or another result, or there is a file
        that this package did not write.
    """
    places, read = ([Path(place) for place in given if place is not None] for given in (results, sources))
    for at, place in enumerate(places):
        check_place(place)
        if any(same(place, other) for other in (*places[:at], *read)):
            raise InputError(f"{place} is named for two things. Give every result, and every input, a file of its own.")
        if not overwrite and place.exists() and not is_own(place):
            raise InputError(
                f"{place} is there already, and anova_report did not write it. Name another file, or pass --overwrite."
            )


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
        return first.resolve() == second.resolve()
    return first == second


def is_own(path: Path) -> bool:
    """Tell whether this package wrote a file; an empty one is nobody's loss."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        seen = stream.read(LOOKED_AT)
        stream.seek(max(size - LOOKED_AT, 0))
        seen += stream.read(LOOKED_AT)
    return not size or any(mark in seen for mark in MARKS)


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
    """Digest a file, or all files in a folder with their names; links inside a folder are not followed."""
    made = blake2b(digest_size=16)
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
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
