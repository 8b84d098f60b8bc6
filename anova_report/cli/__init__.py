"""The command line: parses, calls, prints; what a command needs is imported when it is called."""

import errno
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from anova_report.cli.commands import COMMANDS, RUN_FAILED, complain
from anova_report.cli.parser import parser
from anova_report.errors import AnovaReportError
from anova_report.io.terminal import open_streams, tell

INPUT_ERROR = 2
INTERRUPTED = 130  # 128 and the number of the signal, as shells have it
TERMINATED = 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: it ran. 1: the verdict reached `--fail-on`. 2: the options or the input are at fault. 3: the run itself failed.
    """
    open_streams()
    options = parser().parse_args(arguments)
    try:
        with _clean_termination(), warnings.catch_warnings():
            warnings.showwarning = _tell_warning
            return COMMANDS[options.command](options)
    except _Terminated:
        complain("Terminated before the end.")
        return TERMINATED
    except KeyboardInterrupt:
        complain("Interrupted before the end.")
        return INTERRUPTED
    except SystemExit as error:
        # Only code of others, a model or a plugin, leaves this way; an audit that was not finished passed no gate.
        complain(f"The run ended before it was finished: something in it left the program with {error.code!r:.60}.")
        return RUN_FAILED
    except Exception as error:  # whatever happens, the user reads a sentence
        if _was_interrupted(error):
            complain("Interrupted before the end.")
            return INTERRUPTED
        if options.traceback:
            tell(traceback.format_exc().rstrip())
        complain(_sentence(error))
        # The caller's mistakes are kept apart from what happened to the run: that is also a RuntimeError or OSError.
        happened = isinstance(error, RuntimeError | OSError) or not isinstance(error, AnovaReportError)
        return INPUT_ERROR if not happened or _no_name(error) else RUN_FAILED


class _Terminated(KeyboardInterrupt):
    """A request to terminate, which unwinds the stack like one to interrupt."""


@contextmanager
def _clean_termination() -> Iterator[None]:
    """Let a request to terminate unwind the stack, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 the signature of a signal handler
    raise _Terminated


def _tell_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    complain(f"{category.__name__}: {message}")


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether an interruption is behind an error: libraries that are being imported then fail in their own ways."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _no_name(error: Exception) -> bool:
    """Whether a text was taken for the name of a file that no file can have."""
    return isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG


def _sentence(error: Exception) -> str:
    if isinstance(error, AnovaReportError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "There is not enough memory. Draw fewer rows (--sample), or name fewer columns (--features)."
    if _no_name(error):
        return f"{str(error.filename)[:200]!r}… cannot be the name of a file: it is too long. Name another."  # type: ignore[attr-defined]  # an OSError
    if isinstance(error, OSError) and error.strerror:
        where = f" ({os.fsdecode(error.filename)})" if isinstance(error.filename, str | bytes) else ""
        return f"The run failed: {error.strerror}{where}."
    hint = "" if "--traceback" in sys.argv else " Run it again with --traceback to see where."
    return f"The run failed unexpectedly: {type(error).__name__}: {' '.join(str(error).split())}.{hint}"
