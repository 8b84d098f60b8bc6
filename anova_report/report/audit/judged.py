"""Parts of an audit about the model itself: how accurate it is, and how protected columns go with its predictions."""

from dataclasses import dataclass

from anova_report.figures.figure import Table
from anova_report.measures.claims import Claims


@dataclass(frozen=True)
class AccuracyFacts:
    """How close predictions come to the observed target.

    Parameters
    ----------
    words, line : str
        On which rows; and the line to which the section is folded.
    scores : Table
        Metrics with intervals, of rows that decide and of training rows where these are known.
    functions : Table or None
        What the model and simpler functions reach, where there is more than one output only in the first.
    functions_words, linear_words : str
        How much of the accuracy of the model simpler functions keep, and how the linear one was made.
    calibration : str
        Key of observed against predicted means.
    along : pairs of str
        Names of the main features with the keys of observed and predicted means along them.
    gains : str
        Key of what the rows with the largest predictions hold; empty where the target may be negative.
    """

    words: str
    line: str
    scores: Table
    functions: Table | None
    functions_words: str
    linear_words: str
    calibration: str
    along: tuple[tuple[str, str], ...]
    gains: str = ""
    claims: Claims = ()


@dataclass(frozen=True)
class LedgerFacts:
    """What an association adds up from: of which level, in words, and the key of its figure, whose table is exact."""

    level: str
    words: str
    figure: str
    claims: Claims = ()


@dataclass(frozen=True)
class ProtectedFacts:
    """How a protected column goes with the predictions of one output.

    Parameters
    ----------
    title : str
    words : str
        What the column is to the model.
    means : Table or None
        Predicted means, and observed ones where these are known, by group; None of a number.
    ledgers : tuple of LedgerFacts
        The largest association first.
    """

    title: str
    words: str
    means: Table | None
    ledgers: tuple[LedgerFacts, ...]
    claims: Claims = ()
