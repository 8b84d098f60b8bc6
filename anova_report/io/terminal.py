"""Printing: results to the output, everything else to the error stream; nothing that a terminal or a service obeys.

A module of its own because commands print, and so does what hands on the words of a model in another process.
"""

import os
import sys
from contextlib import suppress
from typing import TextIO

from anova_report.io import sinks


def open_streams() -> None:
    """Lead standard streams that are closed to nowhere: else the next file that is opened would take their place.

    Libraries that are imported later may take them for granted, as numpy 2.0 does.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 a descriptor, for as long as the program runs


def say(text: str) -> None:
    """Print a result; a reader that has gone away, as `head` does, is no error."""
    try:
        _print(text, sys.stdout)
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError:
        _silence(sys.stdout)
        raise


def tell(text: str, end: str = "\n") -> None:
    """Print what is not a result to the error stream; where nobody can read it, nothing is lost by not printing it."""
    try:
        _print(text, sys.stderr, end)
    except (OSError, ValueError):  # ValueError: the stream is closed
        _silence(sys.stderr)


def is_watched() -> bool:
    """Say whether somebody watches the error stream."""
    with suppress(OSError, ValueError):
        return sys.stderr is not None and sys.stderr.isatty()
    return False


def _print(text: str, stream: TextIO | None, end: str = "\n") -> None:
    if stream is None:  # Python has none where its descriptor was closed before it began
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    plain = sinks.terminal(text).encode(encoding, errors="replace").decode(encoding)
    print(plain, file=stream, end=end, flush=True)


def _silence(stream: TextIO | None) -> None:
    """Lead a stream to nowhere: Python would flush it at its end, and leave with a code of its own if it cannot."""
    with suppress(OSError, ValueError, AttributeError):  # of streams that have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr]  # None is suppressed
