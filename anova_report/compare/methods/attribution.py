"""What a method is, a function from a request to contributions, and what it says about rows, as plain columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, read_only
from anova_report.core.input.features import Feature
from anova_report.core.input.one_hot import fold_values
from anova_report.core.result.display import Shown
from anova_report.errors import UnknownTermError, listing

COLUMN_BY_COLUMN = ("pdp", "ale")  # methods that change one column of a row and leave the others
Counterpart: TypeAlias = Literal["main effect", "ANOVA-Shapley value"]


@dataclass(frozen=True, eq=False, repr=False)
class Attribution(Shown):
    """Contributions of features to the predictions on some rows, as one method sees them.

    Parameters
    ----------
    method : str
        Its name in the registry, "treeshap".
    title : str
        Its name for readers.
    features : tuple of Feature
    rows : array of int, shape (n_rows,)
        Positions, in the table that was passed, of the rows that were explained; ascending.
    values : array of shape (n_rows, n_features)
        The features there: numbers, or codes of levels; NaN where missing.
    contributions : array of shape (n_rows, n_features)
        In units of the predictions, each column with mean zero; NaN where the method has nothing to say.
    output : str
        Which prediction is explained.
    scale : str
        What one unit of it means: "identity", "logit", "probability" or "margin".
    counterpart : {"main effect", "ANOVA-Shapley value"}
        Which of our quantities it is compared with.
    note : str
        What a reader must know about how it was made; may be empty.
    """

    method: str
    title: str
    features: tuple[Feature, ...]
    rows: NDArray[np.intp]
    values: Floats
    contributions: Floats
    output: str
    scale: str
    counterpart: Counterpart
    note: str = ""

    def __post_init__(self) -> None:
        read_only(self.rows, self.values, self.contributions)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in column order."""
        return tuple(feature.name for feature in self.features)

    def folded(self, features: Sequence[Feature]) -> Self:
        """Add up columns of zeros and ones that a decomposition reads as levels of one of these features.

        What each column does alone, at rows that are of no level or of two, does not add up: of such methods the
        feature has no contributions.
        """
        own, names = (
            [each for each in features if each.columns and each.name not in self.feature_names],
            self.feature_names,
        )
        own = [each for each in own if set(each.columns) <= set(names)]
        if not own:
            return self
        gone = {name for each in own for name in each.columns}
        kept = [at for at, name in enumerate(names) if name not in gone]
        values, added = [self.values[:, kept]], [self.contributions[:, kept]]
        for each in own:
            at = [names.index(name) for name in each.columns]
            total = self.contributions[:, at].sum(axis=1)
            values.append(fold_values(each, self.values[:, at])[:, None])
            added.append((np.full_like(total, np.nan) if self.method in COLUMN_BY_COLUMN else total)[:, None])
        kinds = (*(self.features[at] for at in kept), *own)
        return replace(self, features=kinds, values=np.hstack(values), contributions=np.hstack(added))

    def column(self, feature: str) -> tuple[Floats, Floats]:
        """Return values and contributions of one feature."""
        if feature not in self.feature_names:
            known = listing(self.feature_names, limit=12)
            raise UnknownTermError(f"There is no feature {feature!r}. There are: {known}.")
        index = self.feature_names.index(feature)
        return self.values[:, index], self.contributions[:, index]

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: one line per feature and row."""
        n_rows, n_features = self.values.shape
        return {
            "feature": [name for name in self.feature_names for _ in range(n_rows)],
            "row": self.rows.tolist() * n_features,
            "value": self.values.T.ravel().tolist(),
            "contribution": self.contributions.T.ravel().tolist(),
        }


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
        Which of our quantities it is compared with.
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
