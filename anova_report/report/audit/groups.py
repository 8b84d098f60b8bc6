"""Parts of an audit about several features, and about some of the rows: joint effects, groups, reasons, cohorts."""

from dataclasses import dataclass

from anova_report.figures.figure import Table
from anova_report.measures.claims import Claims


@dataclass(frozen=True)
class JointFacts:
    """Features that are read together.

    Parameters
    ----------
    label : str
    share : str
        As text.
    why : str
    shares : str
        Key of the shares within.
    surface : str or None
        Key of the plane of two features.
    along : str or None
        Key of the joint effect of more features along the direction in which they move together.
    members : tuple of str
        Keys of the joint effect by each of more features, the others moving along.
    parts : tuple of str
        Labels of the terms that it is made of; empty in older documents.
    """

    label: str
    share: str
    why: str
    shares: str
    surface: str | None = None
    along: str | None = None
    members: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    claims: Claims = ()

    @property
    def picture(self) -> str | None:
        """Key of the figure that shows most of it."""
        return next(filter(None, (self.surface, self.along, *self.members)), None)


@dataclass(frozen=True)
class GlanceFacts:
    """All rows at a glance: keys of the contributions of features and of terms, and of single features row by row.

    `terms` is None where there are main effects only, which are the contributions of features.
    """

    features: str
    terms: str | None
    effects: tuple[str, ...]


@dataclass(frozen=True)
class GroupFacts:
    """Groups of features, beside the features of no group.

    Parameters
    ----------
    words : str
        Which groups there are, and what they carry.
    totals : str
        Key of the shares by group.
    within : Table
        What each carries by itself: one line per group or feature.
    between : Table or None
        What only several of them do together.
    joints : tuple of JointFacts
        The joint effect of each group.
    """

    words: str
    totals: str
    within: Table
    between: Table | None = None
    joints: tuple[JointFacts, ...] = ()
    claims: Claims = ()


@dataclass(frozen=True)
class ReasonFacts:
    """A reason of a row: a feature or a group of features, what it adds, and in words what of that is certain."""

    name: str
    words: str
    claims: Claims = ()


@dataclass(frozen=True)
class CohortFacts:
    """Rows that were explained under their own distribution.

    Parameters
    ----------
    words : str
        Which rows these are, how many of how many, and how predictions and what is unexplained differ from all rows.
    shares : Table
        Shares in the cohort and in all rows, with intervals: one line per feature or group.
    """

    words: str
    shares: Table
    claims: Claims = ()
