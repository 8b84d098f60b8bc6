"""A progress bar for long work, in a module of its own because rooms that do no numerics use it, too."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tqdm.auto import tqdm

Item = TypeVar("Item")

DELAY = 2.0  # seconds: a bar that flashes by tells nothing


class Steps(AbstractContextManager["Steps"]):
    """Shows the progress of a fit of about `total` steps, once it has taken two seconds.

    Examples
    --------
    >>> with Steps(2, show=False) as steps:
    ...     steps.start("main effects")
    ...     steps.start("pairs")
    """

    def __init__(self, total: int, show: bool) -> None:
        self._bar = tqdm(total=total, desc="decomposing", unit="step", delay=DELAY, disable=not show, leave=False)
        self._started = False

    def start(self, name: str) -> None:
        """Name the next step; the step before is done."""
        self._bar.set_postfix_str(name, refresh=False)  # a refresh would not wait for the delay
        if self._started:
            self._bar.update()
        self._started = True

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is None:
            # The total was a guess, and notebooks leave a bar that ends below it red, as if the work had failed.
            self._bar.total = self._bar.n
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
        known: dict[str, Any] = {"total": self.n_rows, "disable": not self.show, "delay": DELAY, "leave": False}
        with tqdm(desc=name, unit=" rows", unit_scale=True, **known) as bar:

            def counted(pieces: Iterable[Item]) -> Iterator[Item]:
                for piece in pieces:
                    yield piece
                    bar.update(size(piece))

            yield counted
