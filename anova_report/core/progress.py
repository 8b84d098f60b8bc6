"""A progress bar for long work, in a module of its own because rooms that do no numerics use it, too."""

from contextlib import AbstractContextManager

from tqdm.auto import tqdm

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
