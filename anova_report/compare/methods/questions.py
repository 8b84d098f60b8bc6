"""Which question each method answers: what it holds fixed, over what it averages, where it is farthest from ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from anova_report.compare.methods.agreement import Agreement
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import CARRIES
from anova_report.measures.fidelity import fidelity
from anova_report.measures.variance import variance_shares

Ground: TypeAlias = Literal["dependence", "interactions", "residual"]

GO_TOGETHER = 0.3  # rank correlation from which a distribution with and one without dependence differ visibly


@dataclass(frozen=True)
class Question:
    """What a method asks.

    Parameters
    ----------
    fixed : str
        What it holds fixed.
    law : str
        Over which distribution it averages the rest.
    answers : str
        The question that its numbers answer.
    recombines : bool
        Whether it asks the model at values that may never occur together.
    """

    fixed: str
    law: str
    answers: str
    recombines: bool = False


OURS = Question(
    "the values of the features of one term",
    "the joint distribution of these rows",
    "What do one feature, or some together, add that no fewer of them explain?",
)
_SHARE = "How is the difference between this prediction and the mean divided among the features?"
_CURVE = "What would the average prediction be if the feature had this value in every row?"

QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "treeshap": Question(
            "the values of some features of a row, for every set of them",
            "paths of the trees, weighted by how many training rows took them",
            _SHARE,
        ),
        "treeshap-interventional": Question(
            "the values of some features of a row, for every set of them",
            "the others as in background rows, whatever the fixed values are",
            _SHARE,
            recombines=True,
        ),
        "kernelshap": Question(
            "the values of some features of a row, for sampled sets of them",
            "the others as in a few background rows, whatever the fixed values are",
            _SHARE,
            recombines=True,
        ),
        "deepshap": Question(
            "the values of a row, against those of background rows, layer by layer",
            "background rows, whatever the row is",
            _SHARE,
            recombines=True,
        ),
        "treehfd": Question(
            "the values of the features of one term",
            "the cells of each tree",
            OURS.answers,
        ),
        "ebm": Question(
            "the value of the feature",
            "the joint distribution of these rows, for what interactions hold of it",
            "Which function of the feature alone does an additive model with pairs give it?",
        ),
        "nam": Question(
            "the value of the feature",
            "none: its functions are the model",
            "Which function of the feature alone does an additive model give it?",
        ),
        "pdp": Question(
            "the value of the feature, in every row",
            "the other features as in all rows, whatever the fixed value is",
            _CURVE,
            recombines=True,
        ),
        "ale": Question(
            "the value of the feature, moved by a small step",
            "the other features as in rows with about that value",
            "How does the prediction change on average as the feature grows step by step?",
        ),
    }
)


@dataclass(frozen=True)
class Farthest:
    """Where a method lies farthest from ours.

    Parameters
    ----------
    feature : int
    distance, size : float
        Root mean square difference, and the size of our counterpart.
    ground : {"dependence", "interactions", "residual"}
        What these data say about why: another feature goes with it, it interacts, or neither.
    other : int or None
        The feature that goes with it most closely.
    measured : float
        The rank correlation with the other, the structural share of interactions with it, or the unexplained share.
    """

    feature: int
    distance: float
    size: float
    ground: Ground
    other: int | None
    measured: float


def farthest(dec: Decomposition, found: Agreement, output: int) -> Farthest | None:
    """Find the feature for which a method differs most from ours; None where it says nothing of any.

    Examples
    --------
    >>> from anova_report import explain
    >>> from anova_report.compare import agreement, attribute
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    >>> def model(rows):
    ...     return rows[:, 0] * rows[:, 1]
    >>> dec = explain(model, X, progress=False)
    >>> most = farthest(dec, agreement(dec, X, attribute("pdp", model, X, progress=False)), 0)
    >>> most.ground, round(most.measured, 1)
    ('dependence', 0.8)
    """
    known = [item for item in found.features if item.distance is not None]
    if not known:
        return None
    item = max(known, key=lambda each: each.distance or 0.0)
    index = dec.feature_index(item.feature)
    distance, size = float(item.distance or 0.0), item.ours
    other, correlation = _closest(dec, index)
    shares = [share for share in variance_shares(dec, output).terms if index in share.term and len(share.term) > 1]
    interacting = float(sum(share.structural for share in shares))
    goes_with = other is not None and abs(correlation) >= GO_TOGETHER
    if goes_with and (QUESTIONS[found.method].recombines or interacting < CARRIES):
        return Farthest(index, distance, size, "dependence", other, correlation)
    if interacting >= CARRIES:
        return Farthest(index, distance, size, "interactions", None, interacting)
    return Farthest(index, distance, size, "residual", None, fidelity(dec, output).unexplained)


def _closest(dec: Decomposition, index: int) -> tuple[int | None, float]:
    """Find the feature whose ranks correlate most with those of another."""
    if dec.correlations is None:
        return None, 0.0
    own = np.nan_to_num(np.array(dec.correlations[index]))
    own[index] = 0.0
    other = int(np.abs(own).argmax())
    return (other, float(own[other])) if own[other] else (None, 0.0)
