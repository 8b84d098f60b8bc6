"""Writing files so that a reader sees the old content or the new, never half of it.

A module of its own because every room that writes files uses it.
"""

import os
import tempfile
from pathlib import Path

from anova_report.errors import InputError

MEGABYTE = 1_000_000


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file under a temporary name beside its place, then move it there.

    A full disk or a killed process leaves the old file as it was.
    """
    target = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        # mkstemp keeps others out; a result should have the permissions any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def check_place(place: Path) -> None:
    """Refuse a file that cannot be written: its folder is missing or not writable, or it is a folder itself."""
    folder = place.parent
    if place.is_dir():
        raise InputError(f"{place} is a folder. Name a file in it: {place / 'audit.html'}.")
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} to write {place.name} to. Make it, or name another.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"Nothing can be written to the folder {folder}. Change its permissions, or name another.")


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
