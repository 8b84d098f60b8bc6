"""What the command line says, and where: results to the output, everything else to the error stream."""

import os
import sys


def say(text: str) -> None:
    """Print a result; a reader that has gone away, as `head` does, is no error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(text: str) -> None:
    """Print what is not a result to the error stream."""
    print(text, file=sys.stderr, flush=True)


def complain(sentence: str) -> None:
    """Print what went wrong."""
    tell(f"anova-report: {sentence}")


def shows_progress(quiet: bool) -> bool:
    """Say whether bars make sense: somebody is watching, and wants them."""
    return not quiet and sys.stderr.isatty()
