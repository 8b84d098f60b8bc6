"""What a method is: a function from a request to contributions, and what is said about it."""

from collections.abc import Callable
from dataclasses import dataclass

from anova_report.compare.attribution import Counterpart
from anova_report.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class Found:
    """Contributions on the rows of a request, shape (n_rows, n_features), and a note on how they were made."""

    contributions: Floats
    note: str = ""


@dataclass(frozen=True)
class Method:
    """A way to explain rows.

    Parameters
    ----------
    name : str
    title : str
        For readers.
    explain : callable
        Takes a Request, and settings of its own by name.
    counterpart : {"main effect", "ANOVA-Shapley value"}
        Which of our quantities it should be held against.
    why : str
        In words.
    max_rows : int
        Rows that are explained unless others are asked for, so that it takes about a minute at most.
    """

    name: str
    title: str
    explain: Callable[..., Found]
    counterpart: Counterpart
    why: str
    max_rows: int
