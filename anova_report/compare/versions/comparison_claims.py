"""What a comparison states, as claims; features and terms are positions among the common features.

Facts of one decomposition name it in `places`; its own features are positions in it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anova_report.compare.versions.decompositions import Comparison
from anova_report.compare.versions.differences import EffectDifference
from anova_report.compare.versions.drift import ShareDrift
from anova_report.compare.versions.function import FunctionChange
from anova_report.compare.versions.moved_inputs import InputShift
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import Term
from anova_report.measures.claims import Claim, Claims, Over
from anova_report.measures.fidelity import Fidelity
from anova_report.measures.intervals import Interval
from anova_report.measures.status import UNEXPLAINED

OUTCOMES = {False: "same function", True: "another function", None: "function that may have changed"}


def statement_claims(found: Comparison) -> Claims:
    """State whether the function changed, whether the inputs moved, and which effects and shares differ."""
    return (
        *function_claims(found),
        *mean_claims(found),
        *inputs_claims(found),
        *effects_claims(found),
        *feature_share_claims(found),
    )


def function_claims(found: Comparison) -> Claims:
    """State how far apart the predictions are, in standard deviations, and what is open about that."""
    function = found.function
    if function is None or function.interval is None:
        return (Claim("functions not compared"),)
    spread, bounds = function.spread or 1.0, function.interval
    numbers = {"low": bounds.low / spread, "high": bounds.high / spread, "limit": function.limit}
    if function.n_known:  # explanations bound a distance, and no single number is known
        numbers |= {"distance": function.distance, "relative": function.relative}
    stated = [Claim(OUTCOMES[function.changed], numbers | {"n_known": float(function.n_known)})]
    if function.left_open:
        stated.append(Claim("left open", {"high": function.left_open / spread}))
    return (*stated, *_explanations(found, function))


def _explanations(found: Comparison, function: FunctionChange) -> Claims:
    beyond = (Claim("explanations differ"),) if function.beyond_chance else ()
    along = tuple(map(found.features.index, function.along))
    return (*beyond, Claim("clearest direction", features=along)) if along else beyond


def mean_claims(found: Comparison) -> Claims:
    """State the mean predictions of both, and how far apart they are."""
    first, second = found.means
    numbers = {"first": first, "second": second}
    if found.mean_interval is None or found.function is None:
        return (Claim("mean predictions", numbers),)
    numbers |= {"shift": second - first} | _bounds(found.mean_interval)
    if found.function.spread:
        numbers["relative"] = abs(second - first) / found.function.spread
    return (Claim("mean predictions", numbers),)


def inputs_claims(found: Comparison) -> Claims:
    """State which inputs moved; nothing where both come from the same rows."""
    if not found.inputs:
        return ()
    moved = found.moved()
    names = {name for item in moved for name in item.features}
    asked = sum(len(item.features) == 1 for item in found.inputs)
    counted = Claim("inputs that moved", {"n_moved": float(len(names)), "n_asked": float(asked)})
    return (counted, *(_shift_claim(found, item) for item in moved))


def _shift_claim(found: Comparison, item: InputShift) -> Claim:
    kind = "distribution that moved" if len(item.features) == 1 else "correlation that moved"
    features = tuple(map(found.features.index, item.features))
    return Claim(kind, {"distance": item.distance} | _bounds(item.interval), features=features)


def effects_claims(found: Comparison) -> Claims:
    """State how many effects differ, and how far apart those are."""
    if any(item.differs is None for item in found.effects):
        return (Claim("effects not compared"),)
    differing = found.differing()
    return (
        counted_claim(len(differing), len(found.effects)),
        *(distance_claim(item, _term(found, item.features)) for item in differing),
    )


def counted_claim(n_differing: int, n_effects: int) -> Claim:
    """State how many effects differ, and how many do not."""
    numbers = {"n_differing": n_differing, "n_agreeing": n_effects - n_differing, "n_effects": n_effects}
    return Claim("effects that differ", {name: float(count) for name, count in numbers.items()})


def difference_claims(item: EffectDifference, term: Term, names: tuple[str, str]) -> Claims:
    """State how far two versions of an effect are apart, and which side lacks it."""
    lacking = {"both": (), "first": names[1:], "second": names[:1]}[item.held_by]
    return (distance_claim(item, term), *(lacking_claim(term, name) for name in lacking))


def distance_claim(item: EffectDifference, term: Term) -> Claim:
    """State how far two versions of an effect are apart; `high` is what equal effects stay below."""
    numbers = {"distance": item.distance}
    if item.floor is not None:
        numbers["high"] = max(item.floor, item.smallest)
    if item.differs:
        numbers["most"] = float(item.difference[np.abs(item.difference).argmax()])
    return Claim("distance of an effect", numbers, terms=(term,))


def lacking_claim(term: Term, name: str) -> Claim:
    """State that one of the two does not hold a term."""
    return Claim("effect that is lacking", terms=(term,), places=(name,))


def feature_share_claims(found: Comparison) -> Claims:
    """State which features have another share."""
    moved = [item for item in found.feature_shares if item.exceeds]
    counted = Claim("feature shares that moved", {"n_moved": float(len(moved))})
    return (counted, *(drift_claim(item, found.features, by_term=False) for item in moved))


def drift_claim(item: ShareDrift, features: Sequence[str], *, by_term: bool) -> Claim:
    """State a share in both, of a term or of a feature with its part of every term, and bounds of the difference."""
    numbers = {"first": item.first, "second": item.second} | _bounds(item.interval)
    own = tuple(map(features.index, item.features))
    return Claim("share in both", numbers, terms=(own,) if by_term else (), features=() if by_term else own)


def drift_claims(drifts: Sequence[ShareDrift], features: Sequence[str], *, by_term: bool) -> Claims:
    """State which shares moved by more than chance, the largest difference first; nothing where that is not known."""
    if any(item.exceeds is None for item in drifts):
        return ()
    moved = sorted((item for item in drifts if item.exceeds), key=lambda item: -abs(item.difference))
    counted = Claim("shares that moved", {"n_moved": float(len(moved)), "n_shares": float(len(drifts))})
    return (counted, *(drift_claim(item, features, by_term=by_term) for item in moved))


def fidelity_claims(found: Fidelity, name: str) -> Claims:
    """State how closely an explanation follows its predictions, and where a few rows decide, on how many that rests."""
    inside = found.held_out is None
    where: Over = "rows of the fit" if inside else "held-out rows"
    bounds = found.in_sample_interval if inside else found.held_out_interval
    stated = [Claim("R²", {"r2": found.best}, places=(name,), over=where)]
    if bounds is not None:
        stated.append(Claim("R² on other rows", _bounds(bounds), places=(name,), over=where))
    return (*stated,) if found.estimable else (*stated, replace(found.resting_claim, places=(name,)))


def notes_claims(decs: Sequence[Decomposition], found: Comparison) -> Claims:
    """State what could not be compared: features of one of the two, and what explanations leave unexplained."""
    stated = []
    for name, dec, only in zip(found.names, decs, (found.only_first, found.only_second), strict=True):
        if only:
            features = tuple(map(dec.feature_names.index, only))
            stated.append(Claim("features of one alone", features=features, places=(name,)))
    for name, item in zip(found.names, found.fidelities, strict=True):
        if item.unexplained > UNEXPLAINED.warn:
            stated.append(Claim("part that is not compared", {"share": 1 - item.best}, places=(name,)))
    return tuple(stated)


def _term(found: Comparison, features: Sequence[str]) -> Term:
    return tuple(map(found.features.index, features))


def _bounds(bounds: Interval | None) -> dict[str, float]:
    return {} if bounds is None else {"low": bounds.low, "high": bounds.high}
