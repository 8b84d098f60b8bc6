"""Every error this package raises on purpose: what is wrong, what it got, what to do."""

from collections.abc import Sequence
from typing import Any


class AnovaReportError(Exception):
    """The base of all errors raised on purpose; catch it to catch them all."""


class InputError(AnovaReportError, ValueError):
    """The table or the predictions cannot be decomposed as they are."""


class InputTypeError(AnovaReportError, TypeError):
    """An argument is of a kind that cannot be read."""


class UnknownNameError(AnovaReportError, KeyError):
    """Something was asked for by a name or a position that is not there."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put quotes around the sentence.
        return str(self.args[0])


class UnknownTermError(UnknownNameError):
    """A term was asked for that the decomposition does not hold."""


class UnknownFindingError(UnknownNameError):
    """A finding was asked for by a code that was not checked."""


class StorageError(AnovaReportError, ValueError):
    """A file does not hold a decomposition that this version can read."""


class ModelError(AnovaReportError, RuntimeError):
    """The black box failed, or returned something that is not a prediction.

    Attributes
    ----------
    rows : tuple of int
        Positions of the rows concerned, at most the first hundred.
    predictions : array of shape (n_predicted, n_outputs) or None
        What the model had predicted before it failed, so a long run is not lost.
    """

    def __init__(self, message: str, *, rows: Sequence[int] = (), predictions: Any = None) -> None:
        super().__init__(message)
        self.rows = tuple(rows)
        self.predictions = predictions


class RunError(AnovaReportError, RuntimeError):
    """The run itself failed: a cell of a notebook raised, took too long, or its kernel died.

    Attributes
    ----------
    result : RunResult or None
        What there is of the run: the partial notebook, its page and the cell that failed.
    """

    def __init__(self, message: str, *, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ExtrapolationWarning(UserWarning):
    """Rows lie beyond what the fit has seen, so what is said about them is extrapolated."""


def listing(items: Sequence[object], limit: int = 5) -> str:
    """Write a sequence for a message, cut after `limit` items.

    Examples
    --------
    >>> listing(["age", "hours", "sex"])
    "'age', 'hours', 'sex'"
    >>> listing(range(8), limit=3)
    '0, 1, 2 and 5 more'
    """
    shown = ", ".join(repr(item) for item in items[:limit])
    more = len(items) - limit
    return f"{shown} and {more} more" if more > 0 else shown
