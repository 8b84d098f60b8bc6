"""Features that are read together: the joint effect of several, and which ones cannot be read alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.diagnostics.functional_dependence import Relation
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.terms import Term
from anova_report.errors import InputError
from anova_report.measures.claims import Claim
from anova_report.measures.intervals import Interval, interval
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import (
    ALIKE,
    CANCELLATION,
    CONCURVITY,
    EXACT,
    INSEPARABLE,
    OFF_DATA,
    ROUGH_SHARES,
    VAGUE_CURVE,
    worse_when_asked,
)
from anova_report.measures.variance import TermShare, prediction_variance, variance_shares

MOVING = 0.05  # structural share from which on two components that move together change how both are read


@dataclass(frozen=True, repr=False)
class JointEffect(Shown):
    """What several features do together: their main effects and all interactions among them, as one function.

    Parameters
    ----------
    features : tuple of int
        Positions, ascending.
    label : str
    output : int
    parts : tuple of TermShare
        The terms that it is the sum of, in the order of the decomposition.
    structural : float
        Var(Σ ν_S) / Var(ν).
    total : float
        Cov(Σ ν_S, ν) / Var(ν), the sum of the totals of its parts.
    total_interval : Interval or None
        95% interval, where the estimator keeps track of uncertainty; there is none of the structural share, since
        replicates are not traced to covariances.
    """

    features: tuple[int, ...]
    label: str
    output: int
    parts: tuple[TermShare, ...]
    structural: float
    total: float
    total_interval: Interval | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that it is the sum of."""
        return tuple(part.term for part in self.parts)

    @property
    def correlative(self) -> float:
        """What it gains, or loses, because other terms move with it or against it."""
        return self.total - self.structural

    def evaluate(self, dec: Decomposition, X: Any) -> Floats:
        """Sum its components, shape (n_rows,)."""
        values = dec.expansion.evaluate(dec.encode(X), self.terms)
        return np.asarray(values[:, :, self.output].sum(axis=1))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: the joint effect first, then its parts."""
        lines: list[JointEffect | TermShare] = [self, *self.parts]
        bounds = [line.total_interval for line in lines]
        return {
            "effect": [line.label for line in lines],
            "indices": [self.features, *self.terms],
            "structural": [line.structural for line in lines],
            "correlative": [line.correlative for line in lines],
            "total": [line.total for line in lines],
            "low": [None if known is None else known.low for known in bounds],
            "high": [None if known is None else known.high for known in bounds],
        }


@dataclass(frozen=True, repr=False)
class Inseparable(Shown):
    """Features whose separate curves are not to be read alone, because functions of other features explain them.

    Parameters
    ----------
    joint : JointEffect
        Of all of them.
    concurvity : tuple of float
        For each feature, the share of its main effect that functions of other features explain.
    uncertainty : tuple of float or None
        For each feature, the standard error of its curve relative to the curve's own size, both as root mean squares
        over the feature's law; None where there is no curve or no track of uncertainty.
    relations : tuple of Relation
        What determines what among them, value by value or through interactions.
    """

    joint: JointEffect
    concurvity: tuple[float, ...]
    uncertainty: tuple[float | None, ...]
    relations: tuple[Relation, ...] = ()

    @property
    def features(self) -> tuple[int, ...]:
        """Positions of the features, ascending."""
        return self.joint.features

    @property
    def is_open(self) -> bool:
        """Whether data leave the separate curves open; otherwise they rest on the few rows that tell them apart."""
        errors = (error for error in self.uncertainty if error is not None)
        return self.most > EXACT or max(errors, default=0.0) > VAGUE_CURVE

    @property
    def most(self) -> float:
        """Largest share of an effect that others explain."""
        return max((*self.concurvity, *(relation.share for relation in self.relations)))

    @property
    def is_known_jointly(self) -> bool:
        """Whether the share of the joint effect is precise, for its own size, as far as that is known."""
        bounds = self.joint.total_interval
        return bounds is None or (bounds.high - bounds.low) / 2 <= ROUGH_SHARES.warn * abs(self.joint.total)

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per feature."""
        return {
            "feature": list(self.features),
            "concurvity": list(self.concurvity),
            "relative_uncertainty": list(self.uncertainty),
        }


@dataclass(frozen=True)
class Correlated:
    """Two components that move together, or against each other, so strongly that each share misleads.

    Parameters
    ----------
    terms : pair of Term
    correlation : float
        Of the two components on the rows of the fit.
    joint : JointEffect
        Of the features of both, and of those that data cannot tell from them.
    """

    terms: tuple[Term, Term]
    correlation: float
    joint: JointEffect


def joint_effect(
    dec: Decomposition, features: Sequence[int | str] | str, output: str | int | None = None
) -> JointEffect:
    """Sum all components of some features: their main effects and the interactions among them.

    Parameters
    ----------
    dec : Decomposition
    features : sequence of int or str, or str
        Two or more, by position or name; or the name of a group of features.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> dec = FunctionalANOVA(random_state=0).fit(X, X[:, 0] + X[:, 0] * X[:, 1]).decomposition_
    >>> joint = joint_effect(dec, ["x0", "x1"])
    >>> joint.label, round(joint.total, 2)
    ('x0 and x1', 1.0)
    """
    if isinstance(features, str) and features in dec.feature_groups:
        features = dec.feature_groups[features]
    known = [dec.feature_index(feature) for feature in features]
    if isinstance(features, str) or len(set(known)) < 2:
        raise InputError(f"A joint effect is that of two or more different features; got {features!r}.")
    chosen = dec.output_index(output)
    return _joint(dec, known, chosen, variance_shares(dec, chosen).terms)


def joint_claim(joint: JointEffect) -> Claim:
    """State the total share of a joint effect."""
    return Claim("joint share", joint_numbers(joint), joint.terms, joint.features, output=joint.output)


def joint_numbers(joint: JointEffect) -> dict[str, float]:
    """Give the total share of a joint effect, with its interval where that is known."""
    bounds = joint.total_interval
    return {"share": joint.total} | ({} if bounds is None else {"low": bounds.low, "high": bounds.high})


def moving_claim(pair: Correlated, n_others: int = 0) -> Claim:
    """State that two effects move together, or against each other, and how large they are."""
    own = {part.term: part.structural for part in pair.joint.parts}
    first, second = (own[term] for term in pair.terms)
    numbers = {"correlation": pair.correlation, "first": first, "second": second, "n_others": float(n_others)}
    return Claim("effects that move together", numbers, pair.terms, output=pair.joint.output)


def inseparable(dec: Decomposition, output: str | int | None = None) -> tuple[Inseparable, ...]:
    """Find the features that cannot be read alone, in groups that are read together, the largest share first.

    Each has a main effect that carries at least 1% of the variance, or may for all the rows can tell, and that
    functions of others explain, wholly or so far that its curve is uncertain. There are none where the estimator does
    not measure concurvity.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.
    """
    return tuple(group for group in _all_groups(dec, output) if not _model_separates(dec, group))


def separated_by_model(dec: Decomposition, output: str | int | None = None) -> tuple[Inseparable, ...]:
    """Find the features that data cannot tell apart, but the model does: it was asked where they vary separately."""
    return tuple(group for group in _all_groups(dec, output) if _model_separates(dec, group))


def _all_groups(dec: Decomposition, output: str | int | None) -> list[Inseparable]:
    """Find the features that data cannot tell apart, the largest joint share first."""
    chosen = dec.output_index(output)
    if dec.dependence is None:
        return []
    concurvity = dec.dependence.imitated[:, chosen].tolist()
    errors = {index: relative_uncertainty(dec, index, chosen) for index in range(len(dec.features))}
    shares = variance_shares(dec, chosen).terms
    by_term = {share.term: share for share in shares}
    partners = [{index, *others} for index, others in enumerate(dec.dependence.imitators[chosen])]
    named = [
        partners[index]
        for (index, *more), share in by_term.items()
        if not more
        and _may_carry(share, errors[index]) >= INSEPARABLE.warn
        and _is_inseparable(concurvity[index], errors[index])
    ]
    relations = [each for each in dec.dependence.relations if each.output == chosen]
    named += [
        {*each.term, *each.others}
        for each in relations
        if len(each.term) > 1
        and each.share >= CONCURVITY.fail
        and _may_carry(by_term[each.term], None) >= INSEPARABLE.warn
    ]
    groups = _merged(named)
    # A feature whose effect seems small may have one that these stand for.
    alike = [partners[index] for index in range(len(concurvity)) if concurvity[index] >= CONCURVITY.fail]
    groups = _merged([*groups, *(each for each in alike if any(each & group for group in groups))])
    found = [
        Inseparable(
            _joint(dec, group, chosen, shares),
            tuple(concurvity[index] for index in sorted(group)),
            tuple(errors[index] for index in sorted(group)),
            tuple(each for each in relations if {*each.term, *each.others} <= group),
        )
        for group in groups
    ]
    return sorted(found, key=lambda item: -abs(item.joint.total))


def _model_separates(dec: Decomposition, group: Inseparable) -> bool:
    """Tell whether the function was approximated where the features of a group vary separately."""
    asking = dec.asking
    if asking is None or not asking.n_asked or not asking.weight:
        return False
    off = asking.off_data
    if off is not None and OFF_DATA.judge(worse_when_asked(off.rows_only, off.asked)) != "pass":
        return False  # off the data the model is another function
    read = set(group.features) - set(asking.unread)
    return all(len(read.intersection(together)) < 2 for together in asking.together)


def correlated(dec: Decomposition, output: str | int | None = None) -> tuple[Correlated, ...]:
    """Find components of 5% or more that move together beyond a correlation of 0.7, the strongest covariance first.

    Where structural shares sum to more than 150% although no two components do, the two that undo each other most.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.
    """
    chosen = dec.output_index(output)
    variance = prediction_variance(dec, dec.in_sample, chosen)
    if not variance:
        return ()
    shared = dec.in_sample.covariance(chosen)[:-1, :-1] / variance
    size = np.sqrt(np.diag(shared).clip(0.0))
    moving = np.flatnonzero(size**2 >= MOVING).tolist()
    pairs = [(first, second) for first in moving for second in moving if first < second]
    strong = [pair for pair in pairs if abs(shared[pair]) > ALIKE.warn * size[pair[0]] * size[pair[1]]]
    against = np.triu(shared, 1)
    if not strong and float(np.diag(shared).sum()) > CANCELLATION and against.min() < 0:
        strong = [divmod(int(against.argmin()), len(against))]
    if not strong:
        return ()
    found, shares = [], variance_shares(dec, chosen).terms
    alike = [set(group.features) for group in inseparable(dec, chosen)]
    for first, second in sorted(strong, key=lambda pair: -abs(shared[pair])):
        terms, correlation = (dec.terms[first], dec.terms[second]), shared[first, second] / size[first] / size[second]
        both = {*terms[0], *terms[1]}
        # Without what stands for one of them, their joint effect is no better known than that one.
        whole = both.union(*(group for group in alike if group & both))
        found.append(Correlated(terms, float(correlation), _joint(dec, whole, chosen, shares)))
    return tuple(found)


def relative_uncertainty(dec: Decomposition, feature: int, output: int) -> float | None:
    """Compare the standard error of a main effect with its own size; None where either is not known."""
    traced, at = dec.uncertainty, dec.expansion.position.get((feature,))
    if traced is None or not traced.components or at is None:
        return None
    size = _variance(dec, [at], output) ** 0.5
    moved = traced.components[output].components[at]
    # The functions of a feature are orthonormal under its law, so squares of coefficients add up to a mean square.
    squares = (moved.coefficients**2).sum(axis=0) + moved.offset**2
    return float(standard_error(np.sqrt(squares))) / size if size else None


def _joint(dec: Decomposition, features: Iterable[int], output: int, shares: Sequence[TermShare]) -> JointEffect:
    """Make a joint effect of the shares of all terms."""
    chosen = tuple(sorted(set(features)))
    inside = [at for at, term in enumerate(dec.terms) if set(term) <= set(chosen)]
    label = next((name for name, own in dec.feature_groups.items() if own == chosen), None)
    return summed_effect(dec, inside, chosen, label or Names(dec.feature_titles).several(chosen), output, shares)


def summed_effect(
    dec: Decomposition,
    inside: list[int],
    features: tuple[int, ...],
    label: str,
    output: int,
    shares: Sequence[TermShare],
) -> JointEffect:
    """Add terms up, given by their positions, to one effect with one share."""
    parts = tuple(shares[at] for at in inside)
    variance, total = prediction_variance(dec, dec.in_sample, output), float(sum(part.total for part in parts))
    bounds = None
    if dec.uncertainty is not None:
        # Contributions are summed before they are squared: what two parts take from each other cancels.
        bounds = interval(total, dec.uncertainty.total[inside, :, output].sum(axis=0))
    structural = _variance(dec, inside, output) / variance if variance else 0.0
    return JointEffect(features, label, output, parts, structural, total, bounds)


def _variance(dec: Decomposition, components: list[int], output: int) -> float:
    """Variance of the sum of some components on the rows of the fit."""
    seconds, firsts = dec.in_sample.seconds[:, :, output], dec.in_sample.firsts[:, output]
    return max(float(seconds[np.ix_(components, components)].sum() - firsts[components].sum() ** 2), 0.0)


def _may_carry(share: TermShare, error: float | None) -> float:
    """Largest share that a main effect has, or that its standard error would have."""
    return max(share.structural * max(1.0, error or 0.0) ** 2, abs(share.total))


def _is_inseparable(concurvity: float, error: float | None) -> bool:
    vague = error is not None and error > VAGUE_CURVE
    return concurvity >= (CONCURVITY.warn if vague else CONCURVITY.fail)


def _merged(groups: Iterable[set[int]]) -> list[set[int]]:
    """Join sets that have a member in common."""
    found: list[set[int]] = []
    for group in groups:
        apart = [other for other in found if not other & group]
        found = [*apart, group.union(*(other for other in found if other & group))]
    return found
