"""Comparisons of two decompositions: two models on the same data, one model at two dates, or a model and the data."""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from anova_report.compare.versions.differences import (
    SMALLEST,
    EffectDifference,
    Family,
    SharedRows,
    effect_differences,
    same_replicates,
)
from anova_report.compare.versions.drift import ShareDrift, feature_drift, term_drift
from anova_report.compare.versions.function import LIMIT, FunctionChange, function_change, mean_interval
from anova_report.compare.versions.known_predictions import known_predictions
from anova_report.compare.versions.moved_inputs import InputShift, input_shifts
from anova_report.compare.versions.points import common_features, points_of
from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, MarginalReference, NumericMarginal
from anova_report.core.estimator import FunctionalANOVA, PublishedANOVA
from anova_report.core.input.predictions import read_predictions, scales_differ
from anova_report.core.input.table import whole_number
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.core.result.terms import sort_terms
from anova_report.errors import InputError, listing
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.intervals import Interval
from anova_report.measures.scale import require_scale
from anova_report.measures.variance import prediction_mean, prediction_variance

WORDS: dict[SharedRows, str] = {
    "same replicates": (
        "Both come from the same rows in the same order, so errors that these rows cause in both cancel; bands show "
        "what is left in the difference."
    ),
    "same": (
        "Both come from the same rows, but not in the same order, so their errors may move together or apart; bands "
        "add the two standard errors, which is never too narrow."
    ),
    "different": (
        "They come from different rows, so bands use the root of the sum of both squared standard errors. Components "
        "are relative to the distribution of the inputs: where features interact, a difference may come from inputs "
        "that moved, so functions are compared by their predictions on inputs that both know."
    ),
}
FUNCTION_ROWS = 4000  # at which functions are compared: what is rough averages out over many
MOST_CHOICE = 2.0  # times what replicates show: components err by what the fit chose no more than its predictions do
NO_BANDS = "One of the estimators does not estimate uncertainty, so there are no bands."


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """What two decompositions say differently.

    Parameters
    ----------
    names : tuple of two str
        What they are called.
    outputs : tuple of two str
    features : tuple of str
        Which both have, by name and kind.
    only_first, only_second : tuple of str
        Features that the other does not have.
    means : tuple of two float
        Mean predictions, of each over the rows of its fit.
    effects : tuple of EffectDifference
        Main effects and pairs over common features that either holds.
    term_shares, feature_shares : tuple of ShareDrift
    fidelities : tuple of two Fidelity
    rows : {"same replicates", "same", "different"}
        Whether both come from the same rows, and if so, in the same order.
    made_up : bool
        Whether they were compared on rows made from the laws of the features, for want of a table.
    function : FunctionChange or None
        How far the predictions lie apart on inputs that both know, and whether that is beyond the limit.
    mean_interval : Interval or None
        95%, of the difference of the mean predictions.
    inputs : tuple of InputShift
        How far the law of each feature moved, and correlations that moved; empty where both come from the same rows.
    """

    names: tuple[str, str]
    outputs: tuple[str, str]
    features: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    means: tuple[float, float]
    effects: tuple[EffectDifference, ...]
    term_shares: tuple[ShareDrift, ...]
    feature_shares: tuple[ShareDrift, ...]
    fidelities: tuple[Fidelity, Fidelity]
    rows: SharedRows
    made_up: bool
    function: FunctionChange | None = None
    inputs: tuple[InputShift, ...] = ()
    mean_interval: Interval | None = None

    @property
    def changed(self) -> bool | None:
        """Whether predictions are further apart than the limit; None where that cannot be determined."""
        return None if self.function is None else self.function.changed

    def moved(self) -> tuple[InputShift, ...]:
        """Features that moved, the largest distance first, then pairs that go together differently."""
        moved = (item for item in self.inputs if item.moved)
        return tuple(sorted(moved, key=lambda item: (len(item.features), -item.distance)))

    @property
    def words(self) -> str:
        """How the bands were made."""
        if any(item.floor is None for item in self.effects):
            return NO_BANDS
        return WORDS[self.rows]

    def differing(self) -> tuple[EffectDifference, ...]:
        """Effects that differ by more than noise, the largest distance first."""
        return tuple(sorted((item for item in self.effects if item.differs), key=lambda item: -item.distance))

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: one line per effect."""
        columns = ("features", "held_by", "distance", "floor", "exceeding", "differs")
        found: dict[str, list[object]] = {"effect": [item.label for item in self.effects]}
        return found | {name: [getattr(item, name) for item in self.effects] for name in columns}

    def share_frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`: one line per feature, then one per term."""
        drifts = [*self.feature_shares, *self.term_shares]
        kinds = ["feature"] * len(self.feature_shares) + ["term"] * len(self.term_shares)
        found: dict[str, list[object]] = {"kind": [*kinds]}
        columns = ("label", "features", "first", "second", "difference")
        found |= {name: [getattr(drift, name) for drift in drifts] for name in columns}
        for bound in ("low", "high"):
            found[bound] = [None if drift.interval is None else getattr(drift.interval, bound) for drift in drifts]
        return found | {"exceeds": [drift.exceeds for drift in drifts]}


def compare_decompositions(  # noqa: PLR0913 all but three by name
    a: Decomposition,
    b: Decomposition,
    X: Any = None,
    *,
    output: Any = None,
    names: tuple[str, str] = ("A", "B"),
    same_rows: bool | None = None,
    predictions: Any = None,
    limit: float = LIMIT,
    max_rows: int = 1000,
    random_state: int = 0,
) -> Comparison:
    """Compare two decompositions: their predictions first, then component by component and share by share.

    Whether the function changed has three answers (`Comparison.changed`): no, if the predictions are surely less than
    the limit apart; yes, if they are surely further apart; None, if these rows cannot tell. Predictions are compared
    where they are known for the same rows: those that are given, those that both decompositions hold for the same rows,
    or answers of the models of two explanations. Elsewhere explanations are compared, and what they leave unexplained
    is in the bounds.

    Components are recentered over the points at which they are compared, so inputs that moved between two dates are
    not taken for a change of the function.

    Parameters
    ----------
    a, b : Decomposition
        Of two models on the same data, of one model at two dates, or of a model and a `phenomenon`.
    X : table, optional
        Rows at which components are compared; it may hold columns that only one of them knows. By default rows are made
        from the laws of the features in both, as if features were independent.
    output : str or int, or a pair of them, optional
        Which output, where there are several; a pair where the two call it differently.
    names : tuple of two str
        What to call them.
    same_rows : bool, optional
        Whether both were fitted to the same rows. By default they are taken to be where they are recognized, in the
        same order, or where number of rows and laws of the features are the same.
    max_rows : int
        Rows at which components are compared, at most.
    random_state : int
        Decides about all that is drawn.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> before, after = (
    ...     FunctionalANOVA(random_state=0).fit(X, X[:, 0] + slope * X[:, 1]).decomposition_ for slope in (1, 1.5)
    ... )
    >>> [effect.label for effect in compare_decompositions(before, after, X).differing()]
    ['x1']
    """
    chosen = output if isinstance(output, tuple) else (output, output)
    if not 0 <= limit < inf:
        raise InputError(f"limit must be a share of the standard deviation, as 0.05; got {limit!r}.")
    decs, outputs = (a, b), (a.output_index(chosen[0]), b.output_index(chosen[1]))
    shared = common_features(a, b)
    _check_comparable(a, b, shared)
    rows = _rows(a, b, same_rows)
    terms = _terms(a, b, shared)
    points = points_of(a, b, X, whole_number("max_rows", max_rows), random_state)
    inputs = input_shifts(a, b, shared) if rows == "different" else ()
    moved = any(item.moved for item in inputs)
    variances = [prediction_variance(dec, dec.in_sample, at) for dec, at in zip(decs, outputs, strict=True)]
    drawable = [term for term in terms if len(term) <= 2]
    spread = float(np.sqrt(max(variances)))
    everywhere = points_of(a, b, X, max(max_rows, FUNCTION_ROWS), random_state)
    known = known_predictions(decs, outputs, X, predictions, random_state)
    function = function_change(decs, outputs, everywhere, terms, rows, spread, moved).judged(limit, known)
    family = Family(
        rows=rows,
        size=len(drawable) + len(terms) + len(shared),
        # Components also err by the laws of the features, in which nothing was chosen.
        choices=(min(function.choices[0], MOST_CHOICE), min(function.choices[1], MOST_CHOICE)),
        asked=moved or function.beyond_chance is not False or function.changed is True,
    )
    return Comparison(
        names=names,
        outputs=(a.output_names[outputs[0]], b.output_names[outputs[1]]),
        features=shared,
        only_first=tuple(name for name in a.feature_names if name not in shared),
        only_second=tuple(name for name in b.feature_names if name not in shared),
        means=(prediction_mean(a, outputs[0]), prediction_mean(b, outputs[1])),
        effects=effect_differences(decs, outputs, points, drawable, family, SMALLEST * spread),
        term_shares=term_drift(decs, outputs, terms, family),
        feature_shares=feature_drift(decs, outputs, shared, family),
        fidelities=(fidelity(a, outputs[0]), fidelity(b, outputs[1])),
        rows=rows,
        made_up=points.made_up,
        function=function,
        inputs=inputs,
        mean_interval=mean_interval(decs, outputs, rows, function),
    )


def phenomenon(X: Any, target: Any, like: Decomposition) -> Decomposition:
    """Decompose what was observed, noise and all, with the settings of a model's decomposition.

    Compared with that decomposition by `compare_decompositions`, it shows which effects the model has learned as they
    are in the data, and which it exaggerates, flattens or has missed.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
    target : array-like of shape (n_rows,)
        What was observed: numbers, or classes where `like` explains probabilities.
    like : Decomposition
        Of the model's predictions.
    """
    if like.scale in ("logit", "margin"):
        raise InputError(
            f"The model was explained on the scale {like.scale!r}, and a single observed class has no such number. "
            "Explain the model with scale='probability': what was observed is then 0 or 1."
        )
    settings = {key: value for key, value in like.settings.items() if key != "model"}
    name = settings.pop("estimator", None)
    estimators = {kind.__name__: kind for kind in (FunctionalANOVA, PublishedANOVA)}
    if name not in estimators:
        raise InputError(
            f"The decomposition was made by {name!r}; known are {listing(list(estimators))}. Fit one of them."
        )
    if name == PublishedANOVA.__name__:
        settings = {"standardise": True, "max_steps": 500} | settings  # what files from before these settings rest on
    observed = _indicators(target, like) if like.scale == "probability" else np.asarray(target)
    found = estimators[name](**settings).fit(X, observed).decomposition_
    if like.scale == "identity" and like.feature_names == found.feature_names:
        require_scale(like, like.encode(X), read_predictions(observed, len(observed)).values)
    same = len(like.output_names) == len(found.output_names)
    names = like.output_names if same else found.output_names
    # Observations hold noise, so that row by row they are no predictions to compare with.
    return replace(found, output_names=names, scale=like.scale, fingerprint=None)


def _check_comparable(a: Decomposition, b: Decomposition, shared: tuple[str, ...]) -> None:
    if not shared:
        raise InputError(
            f"The decompositions have no feature in common: {listing(a.feature_names)} and {listing(b.feature_names)}. "
            "Compare explanations of the same features."
        )
    if scales_differ(a.scale, b.scale):
        raise InputError(
            f"The first decomposition is on the scale {a.scale!r} and the second on {b.scale!r}, so their components "
            "are in different units. Explain both with the same scale."
        )


def _terms(a: Decomposition, b: Decomposition, shared: tuple[str, ...]) -> list[tuple[str, ...]]:
    """List the terms over common features that either holds, by order, then in the order of the features."""
    held = [[dec.feature_names[index] for index in term] for dec in (a, b) for term in dec.terms]
    found = {tuple(sorted(map(shared.index, names))) for names in held if set(names) <= set(shared)}
    return [tuple(shared[index] for index in term) for term in sort_terms(found)]


def _rows(a: Decomposition, b: Decomposition, said: bool | None) -> SharedRows:
    """Find out how the rows of both go together, unless it was said that they have nothing to do with each other."""
    if said is False:
        return "different"
    if same_replicates(a, b):
        return "same replicates"
    return "same" if said or _same_laws(a, b) else "different"


def _same_laws(a: Decomposition, b: Decomposition) -> bool:
    first, second = a.expansion.reference, b.expansion.reference
    if a.in_sample.n_rows != b.in_sample.n_rows or a.feature_names != b.feature_names:
        return False
    if not isinstance(first, MarginalReference) or not isinstance(second, MarginalReference):
        return type(first) is type(second)

    def law(marginal: Marginal) -> Floats:
        if isinstance(marginal, NumericMarginal):
            return np.stack([marginal.knots, marginal.ranks])
        return marginal.table

    pairs = zip(first.marginals, second.marginals, strict=True)
    return all(type(x) is type(y) and np.array_equal(law(x), law(y)) for x, y in pairs)


def _indicators(target: Any, like: Decomposition) -> Any:
    """Write classes as columns of 0 and 1, one for each class that the decomposition explains."""
    column = np.asarray(target, dtype=object)
    texts = np.array([str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in column.tolist()])
    found = np.column_stack([texts == name for name in like.output_names]).astype(np.float64)
    absent = [name for name, hits in zip(like.output_names, found.T, strict=True) if not hits.any()]
    if absent:
        raise InputError(
            f"The class(es) {listing(absent)} that the decomposition explains do not occur in the target, which holds "
            f"{listing(sorted(set(texts.tolist())), limit=10)}."
        )
    return found[:, 0] if like.single_output else found
