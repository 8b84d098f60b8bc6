"""Whether a model does what is expected of it: judged with bands that hold at all places at once, only where rows are.

Each expectation becomes a statement about departures: how far an effect falls where it should rise, say. It holds where
no departure that matters is compatible with the bands, it is violated where one lies beyond them, and otherwise these
rows cannot tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, isinf
from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import norm

from anova_report.core.arrays import Floats
from anova_report.core.fit.uncertainty import standard_error
from anova_report.core.input.features import Feature
from anova_report.core.input.scales import scale_of
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import CARRIES, Term
from anova_report.errors import InputError, listing
from anova_report.measures.claims import Claim
from anova_report.measures.expectation_rows import N_PLACES, Subject, looked_at, places, unseen_share
from anova_report.measures.expectations import SHAPES, Expectation
from anova_report.measures.intervals import LEVEL, Interval, certain_quantile, share_interval
from anova_report.measures.sentences import expectations as words
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import FIRST_EXPECTATION, Finding, Status
from anova_report.measures.values import value_text
from anova_report.measures.variance import feature_totals, variance_shares

Outcome: TypeAlias = Literal["holds", "violated", "open"]

STATUSES: dict[Outcome, Status] = {"holds": "pass", "violated": "fail", "open": "not tested"}
# Statistics (`python -m benchmarks.expectations`).
SLACK = 0.05  # of the range of an effect: a curve that falls by less, on its way up, still rises for every purpose
DRAWS = 2000  # of the largest error over all places
ADVICE = {
    "violated": "Ask why the model does so. If it is right, change the expectation; if it is accepted, waive it.",
    "open": "Pass more rows, or let the model be asked at more recombined rows (ask=, --ask).",
}


@dataclass(frozen=True, eq=False)
class Judged:
    """An expectation that was judged, and what that rests on."""

    outcome: Outcome
    claims: tuple[Claim, ...]
    value: float
    limit: float


def check_expectations(
    dec: Decomposition,
    values: Floats | None,
    predictions: Floats | None,
    expectations: Sequence[Expectation],
    output: int,
    names: Names,
) -> tuple[Finding, ...]:
    """Judge each expectation; the first is AR101.

    Parameters
    ----------
    dec : Decomposition
    values : array of shape (n_rows, n_features), optional
        Encoded rows; where there are none, nothing is judged.
    predictions : array of shape (n_rows,), optional
        For these rows: without, interactions that the fit has left out are looked for in the unexplained share alone.
    expectations : sequence of Expectation
    output : int
    names : Names
    """
    found = []
    for at, expected in enumerate(expectations):
        features, code = expected.features(dec.feature_names), f"AR{FIRST_EXPECTATION + at}"
        title = expected.titled(dec.feature_names, dec.feature_titles)
        _check_form(dec, expected, features)
        if values is None or dec.uncertainty is None:
            why = words.NO_ROWS if values is None else words.NO_BANDS
            found.append(Finding(code, title, "not tested", None, None, why))
            continue
        judged = judge(Subject(dec, values, predictions, output), expected, features)
        sentence = words.expectation_words(judged.claims, judged.outcome, names) if judged else words.FEW_PLACES
        outcome: Outcome = judged.outcome if judged else "open"
        value, limit, claims = (judged.value, judged.limit, judged.claims) if judged else (None, None, ())
        advice = ADVICE.get(outcome, "")
        found.append(Finding(code, title, STATUSES[outcome], value, limit, sentence, advice, claims))
    return tuple(found)


def judge(subject: Subject, expected: Expectation, features: Term) -> Judged | None:
    """Judge one expectation; None where too few places have rows."""
    if expected.form in SHAPES:
        return _shape(subject, expected, features[0])
    if expected.form == "between":
        return _between(subject, expected, features[0])
    if expected.form == "share":
        return _share(subject, expected, features)
    if expected.of_variance or isinf(expected.high):
        return _part(subject, expected, features)
    return _largest_difference(subject, expected, features)


def _check_form(dec: Decomposition, expected: Expectation, features: Term) -> None:
    """Refuse shapes of what has no order, factors of what adds up, and values that a feature does not have."""
    if expected.of_factors and not scale_of(dec.scale).factors:
        raise InputError(
            f"The expectation {expected.text!r} speaks of factors, and effects are explained as they add up. Explain "
            "logarithms (scale='log', --scale log), or write the bounds without ×."
        )
    feature = dec.features[features[0]]
    if expected.form in SHAPES and feature.kind == "nominal":
        raise InputError(
            f"The expectation {expected.text!r}: {feature.name!r} has levels without an order, so it cannot be "
            f"{expected.form}. Expect 'no effect above …' or 'between … and …'."
        )
    if expected.span is not None:
        _edges(feature, expected)


def _edges(feature: Feature, expected: Expectation) -> tuple[float, float]:
    """Read the first and the last value of a feature that are looked at."""
    if expected.span is None:
        return -inf, inf
    if feature.has_levels:
        unknown = next((level for level in expected.span if level not in feature.levels), None)
        if unknown is not None:
            raise InputError(
                f"The expectation {expected.text!r}: {feature.name!r} has no level {unknown!r}. There are "
                f"{listing(feature.levels, limit=12)}."
            )
        low, high = sorted(map(feature.levels.index, expected.span))
        return float(low), float(high)
    try:
        if feature.kind == "datetime":
            first, last = (float(np.datetime64(text, "s").astype(int)) for text in expected.span)
        else:
            first, last = (float(text.replace("−", "-")) for text in expected.span)
    except ValueError:
        wanted = "dates such as 2020-01-01..2021-12-31" if feature.kind == "datetime" else "numbers such as 20..40"
        raise InputError(f"The expectation {expected.text!r}: values of {feature.name!r} are {wanted}.") from None
    if not first < last:
        raise InputError(f"The expectation {expected.text!r}: the first value must lie below the second.")
    return first, last


def simultaneous(value: Floats, contributions: Floats) -> tuple[Floats, Floats]:
    """Bound several estimates so that all bounds hold at once in 95% of samples.

    The largest error over all of them, in units of their standard errors, is drawn from what replicates contribute,
    each with a random sign and size (a multiplier bootstrap); where few of them contribute most, bounds are wider.

    Examples
    --------
    >>> contributions = np.random.default_rng(0).normal(size=(20, 64))  # standard errors of about 8
    >>> low, high = simultaneous(np.zeros(20), contributions)
    >>> np.allclose(low, -high), bool(np.median(high) > 2.5 * 8)
    (True, True)
    """
    error = standard_error(contributions, axis=1)
    if not error.any():
        return value, value
    scaled = (contributions / np.where(error > 0, error, inf)[:, None]).astype(np.float32)
    draws = stream(0, "simultaneous bounds").standard_normal((contributions.shape[1], DRAWS), dtype=np.float32)
    largest = float(np.quantile(np.abs(scaled @ draws).max(axis=0), LEVEL))
    wider = certain_quantile(LEVEL, contributions) / norm.ppf((1 + LEVEL) / 2)
    reach = largest * wider * error
    return value - reach, value + reach


def _outcome(low: Floats, high: Floats, allowed: float) -> tuple[Outcome, int]:
    """Judge departures by what is allowed, and find the one that decides."""
    if (low > allowed).any():
        return "violated", int(low.argmax())
    return ("holds" if (high <= allowed).all() else "open"), int(high.argmax())


def _shape(subject: Subject, expected: Expectation, feature: int) -> Judged | None:
    """Judge a direction or a curvature: by all falls between two places, or all bulges above chords of two others."""
    about = subject.dec.features[feature]
    at = places(subject, feature, _edges(about, expected))
    bends = expected.form in ("convex", "concave")
    if len(at) < (3 if bends else 2):
        return None
    value, traced = subject.main(feature, at)
    chosen = np.array(list(combinations(range(len(at)), 3 if bends else 2)))
    weights = np.zeros((len(chosen), len(at)))
    rows, first, last = np.arange(len(chosen)), chosen[:, 0], chosen[:, -1]
    if bends:  # how far the place in the middle lies above the chord
        part = (at[chosen[:, 1]] - at[first]) / (at[last] - at[first])
        weights[rows, chosen[:, 1]], weights[rows, first], weights[rows, last] = 1, part - 1, -part
    else:
        weights[rows, first], weights[rows, last] = 1, -1
    weights *= -1 if expected.form in ("decreasing", "concave") else 1
    departures = weights @ value
    low, high = simultaneous(departures, weights @ traced)
    span = float(np.ptp(value))
    allowed = SLACK * span
    outcome, worst = _outcome(low, high, allowed)
    ends = at[first[worst]], at[last[worst]]
    column = subject.values[:, feature]
    numbers = {
        "departure": float(departures[worst]),
        "low": float(low[worst]),
        "high": float(high[worst]),
        "allowed": allowed,
        "part": SLACK,
        "range": span,
        "n_places": float(len(at)),
        "n_between": float(((column >= ends[0]) & (column <= ends[1])).sum()),
        "first_at": float(ends[0]),
        "last_at": float(ends[1]),
    } | ({"middle_at": float(at[chosen[worst, 1]])} if bends else {})
    texts = [value_text(about, float(at[place]), float(np.ptp(at))) for place in chosen[worst]]
    claim = Claim("shape expected", numbers, features=(feature,), places=(expected.form, *texts), output=subject.output)
    return Judged(outcome, (claim,), numbers["departure"], allowed)


def _between(subject: Subject, expected: Expectation, feature: int) -> Judged | None:
    """Judge the range of a main effect over places."""
    about = subject.dec.features[feature]
    edges = _edges(about, expected)
    at = places(subject, feature, edges)
    if not len(at):
        return None
    value, traced = subject.main(feature, at)
    low, high = simultaneous(value, traced)
    outcome, worst = _outcome(
        np.r_[expected.low - high, low - expected.high], np.r_[expected.low - low, high - expected.high], 0.0
    )
    bound, place = (expected.low, worst) if worst < len(at) else (expected.high, worst - len(at))
    column = subject.values[:, feature]
    inside = column[(column >= edges[0]) & (column <= edges[1])]
    every = subject.main(feature, inside)[0]
    numbers = {
        "value": float(value[place]),
        "low": float(low[place]),
        "high": float(high[place]),
        "bound": bound,
        "least": expected.low,
        "most": expected.high,
        "n_places": float(len(at)),
        "n_beyond": float(((every < expected.low) | (every > expected.high)).sum()),
        "at": float(at[place]),
    } | ({} if expected.span is None else {"first_at": edges[0], "last_at": edges[1]})
    text = value_text(about, float(at[place]), float(np.ptp(at)))
    claim = Claim("values expected", numbers, features=(feature,), places=(text,), output=subject.output)
    return Judged(outcome, (claim,), numbers["value"], bound)


def _share(subject: Subject, expected: Expectation, features: Term) -> Judged:
    """Judge the total share of a feature, or of a term."""
    if len(features) == 1:
        total = feature_totals(subject.dec, subject.output).features[features[0]]
        share, bounds = total.share, total.interval
    elif features in subject.dec.terms:
        term = next(one for one in variance_shares(subject.dec, subject.output).terms if one.term == features)
        share, bounds = term.total, term.total_interval
    else:
        share, bounds = 0.0, Interval(0.0, unseen_share(subject, [features]))
    return _judged_share(subject, "total share expected", features, (share, bounds or Interval(-inf, inf)), expected)


def _part(subject: Subject, expected: Expectation, features: Term) -> Judged:
    """Judge what the terms of some features carry together, or the interactions among them."""
    least = 1 if expected.form == "no effect" else 2
    terms = [term for term in subject.dec.terms if set(features) <= set(term) and len(term) >= least]
    traced, shares = subject.dec.uncertainty, variance_shares(subject.dec, subject.output).terms
    at = [subject.dec.terms.index(term) for term in terms]
    share, bounds = sum(shares[index].structural for index in at), Interval(0.0, 0.0)
    if traced is not None and at:
        bounds = share_interval(share, traced.structural[at, :, subject.output].sum(axis=0))
    others = range(len(subject.dec.features)) if len(features) == 1 else ()
    pairs = [features] if len(features) == 2 else [tuple(sorted((features[0], one))) for one in others]
    absent = [pair for pair in pairs if len(set(pair)) == 2 and pair not in subject.dec.terms]
    whole = Interval(bounds.low, bounds.high + (unseen_share(subject, absent) if absent else 0.0))
    kind = "effect expected" if expected.form == "no effect" else "interaction expected"
    return _judged_share(subject, kind, features, (share, whole), expected, tuple(terms))


def _judged_share(
    subject: Subject,
    kind: str,
    features: Term,
    known: tuple[float, Interval],
    expected: Expectation,
    terms: tuple[Term, ...] = (),
) -> Judged:
    """Compare a share and its interval with what is expected."""
    share, bounds = known
    high = CARRIES if isinf(expected.high) and isinf(expected.low) else expected.high
    outcome: Outcome = "open"
    if bounds.low > high or bounds.high < expected.low:
        outcome = "violated"
    elif bounds.high <= high and bounds.low >= expected.low:
        outcome = "holds"
    limit = high if isinf(expected.low) else expected.low
    numbers = {"share": share, "low": bounds.low, "high": bounds.high, "limit": limit}
    side = "below" if isinf(expected.low) else "above"
    claim = Claim(kind, numbers, terms, features, output=subject.output, over="rows of the fit", places=(side,))
    return Judged(outcome, (claim,), share, limit)


def _largest_difference(subject: Subject, expected: Expectation, features: Term) -> Judged | None:
    """Judge by how much what some features contribute, or their interactions, differs between two rows."""
    least = 1 if expected.form == "no effect" else 2
    terms = [term for term in subject.dec.terms if set(features) <= set(term) and len(term) >= least]
    rows = looked_at(subject, features, terms)
    if len(rows) < 2:
        return None
    value, traced = subject.traced(subject.values[rows], terms)
    order = np.argsort(value, kind="stable")
    chosen = order[np.unique(np.linspace(0, len(order) - 1, 2 * N_PLACES).round().astype(int))]
    pairs = np.array(list(combinations(chosen, 2)))
    differences = value[pairs[:, 1]] - value[pairs[:, 0]]
    low, high = simultaneous(differences, traced[pairs[:, 1]] - traced[pairs[:, 0]])
    outcome, worst = _outcome(low, high, expected.high)
    first, second = pairs[worst]
    every = subject.dec.expansion.evaluate(subject.values, terms)[:, :, subject.output].sum(axis=1)
    numbers = {
        "difference": float(differences[worst]),
        "low": float(low[worst]),
        "high": float(high[worst]),
        "limit": expected.high,
        "n_rows": float(len(every)),
        "n_beyond": float((every - every[rows[first]] > expected.high).sum()),
    }
    kind = "difference expected" if expected.form == "no effect" else "difference of interactions expected"
    at = (int(rows[first]), int(rows[second]))
    claim = Claim(kind, numbers, tuple(terms), features, rows=at, output=subject.output)
    return Judged(outcome, (claim,), numbers["difference"], expected.high)
