"""A progress bar for long work, in a module of its own because rooms that do no numerics use it, too."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")

DELAY = 2.0  # seconds: a bar that flashes by tells nothing


class NotebookLine:
    """A line of the output of a cell that is written over, and is blank in the end.

    Widgets would stay: a notebook that is opened without a kernel shows where they were, and an exported one how far
    they had come when it was saved.
    """

    def __init__(self) -> None:
        self._handle: Any = None

    def write(self, text: str) -> None:
        """Show a text instead of the one before."""
        line = {"text/plain": text.strip()}
        if self._handle is not None:
            self._handle.update(line, raw=True)
        elif line["text/plain"]:
            self._handle = sys.modules["IPython"].display.display(line, raw=True, display_id=True)

    def flush(self) -> None:
        """Do nothing: what is written is shown at once."""


def bar(show: bool, **options: Any) -> Any:
    """Make a bar that appears after two seconds and leaves nothing behind, in a terminal or in a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and getattr(shell, "kernel", None) is not None:
        options["file"] = NotebookLine()
    return tqdm(disable=not show, leave=False, delay=DELAY, **options)


class Steps(AbstractContextManager["Steps"]):
    """Shows the progress of a fit of about `total` steps, once it has taken two seconds.

    Examples
    --------
    >>> with Steps(2, show=False) as steps:
    ...     steps.start("main effects")
    ...     steps.start("pairs")
    """

    def __init__(self, total: int, show: bool) -> None:
        self._bar = bar(show, total=total, desc="decomposing", unit="step")
        self._started = False

    def start(self, name: str) -> None:
        """Name the next step; the step before is done."""
        self._bar.set_postfix_str(name, refresh=False)  # a refresh would not wait for the delay
        if self._started:
            self._bar.update()
        self._started = True

    def __exit__(self, *_error: object) -> None:
        self._bar.close()


@dataclass(eq=False)
class Passes:
    """Shows how far each pass over many rows is: rows done, rows per second and time left.

    Examples
    --------
    >>> passes = Passes(show=False, n_rows=5)
    >>> with passes.start("counting values", len) as counted:
    ...     [len(piece) for piece in counted(["abc", "de"])]
    [3, 2]
    """

    show: bool
    n_rows: int | None = None  # None as long as nobody knows

    @contextmanager
    def start(self, name: str, size: Callable[[Any], int]) -> Iterator[Callable[[Iterable[Item]], Iterator[Item]]]:
        """Begin a pass; what is yielded passes pieces on and counts their rows, of which `size` tells the number."""
        with bar(self.show, total=self.n_rows, desc=name, unit=" rows", unit_scale=True) as shown:

            def counted(pieces: Iterable[Item]) -> Iterator[Item]:
                for piece in pieces:
                    yield piece
                    shown.update(size(piece))

            yield counted
