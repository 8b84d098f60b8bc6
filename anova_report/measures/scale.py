"""Whether predictions belong to a decomposition: on its scale and, for rows of the fit, those of the fit."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anova_report.core.arrays import Floats
from anova_report.core.input.fingerprint import Fingerprint
from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError
from anova_report.measures.fidelity import fidelity
from anova_report.measures.support import outside_rows, unseen_pairs
from anova_report.measures.variance import fitted_variance
from anova_report.measures.wording import number

LOOKED_AT = 2000  # rows at equal steps: a wrong scale shows in far fewer
FEWEST = 20  # rows that the fit has seen the like of; of fewer nothing is said
# A mean squared residual, as a share of the variance, beyond FAR and FACTOR times what held-out rows leave open is more
# than another law of the rows can do, as long as each lies where the fit has seen rows.
FAR, FACTOR = 0.1, 4.0
# Another scale is only named if it leaves little open: twice what held-out rows do, but at least SMALL, at most LARGE.
SMALL, LARGE = 0.05, 0.5
# Standard deviations by which predictions for the rows of the fit may be off: up to ROUNDED nothing is said, typically
# up to SAME they are taken for the same.
ROUNDED, SAME = 1e-6, 0.03


def predictions_note(dec: Decomposition, values: Floats, predictions: Floats) -> str:
    """Refuse predictions that cannot be those of what was decomposed, and say in a sentence what is odd about others.

    Parameters
    ----------
    dec : Decomposition
    values : array of shape (n_rows, n_features)
        Encoded rows.
    predictions : array of shape (n_rows, n_outputs)

    Raises
    ------
    InputError
        If they are on another scale, or if the rows are those of the fit and the predictions are not.
    """
    known = dec.fingerprint
    if known is not None and known.is_of_rows(values):
        return "" if known.is_of_predictions(predictions) else _note_on_fitted(dec, known, values, predictions)
    return _note_on_others(dec, values, predictions)


def require_scale(dec: Decomposition, values: Floats, observed: Floats) -> None:
    """Refuse observations, noise and all, that are on another scale than the predictions that were decomposed."""
    rows = _even(np.arange(len(values)))
    explained = dec.expansion.predict(values[rows])
    for output, (given, wanted) in enumerate(zip(observed[rows].T, explained.T, strict=False)):
        # Farther off than the mean would be. Two values may be an event and its absence, to compare with probabilities.
        if _squared_residual(dec, given, wanted, output) > 1 and len(np.unique(given)) > 2:
            _refuse_scale(dec, given, wanted, output, LARGE)


def _note_on_fitted(dec: Decomposition, known: Fingerprint, values: Floats, predictions: Floats) -> str:
    """Judge predictions for the very rows of the fit, some of whose predictions are known."""
    some, rows = predictions[:: known.step], _even(np.arange(len(values)))
    explained, notes = dec.expansion.predict(values[rows]), []
    for output, (given, wanted) in enumerate(zip(some.T, known.kept.T, strict=True)):
        spread = fitted_variance(dec, output) ** 0.5 or 1.0
        apart = np.abs(given - wanted)
        largest, typical = float(apart.max()), float(np.sqrt((apart**2).mean()))
        differ = (
            f"differ by up to {number(largest)}, {number(largest / spread)} standard deviations, from {len(wanted):,} "
            "predictions of the fit that are known"
        )
        residual = _squared_residual(dec, predictions[rows, output], explained[:, output], output)
        if typical > SAME * spread or residual > FACTOR * _left_open(dec, output) + SAME**2:
            _refuse_scale(dec, given, wanted, output, SMALL)
            raise InputError(
                f"These are the rows of the fit, but {_whose(dec, output)} {differ}. Pass the predictions that were "
                "decomposed, in the order of the rows, or decompose these."
            )
        if largest > ROUNDED * spread:
            notes.append(f"{_whose(dec, output, 'T')} {differ}.")
    return " ".join(notes)


def _note_on_others(dec: Decomposition, values: Floats, predictions: Floats) -> str:
    """Judge predictions for other rows by those of them that lie where the fit has seen rows."""
    familiar = ~(outside_rows(dec, values).any(axis=1) | unseen_pairs(dec, values)[1].any(axis=1))
    rows = _even(np.flatnonzero(familiar))
    if len(rows) < FEWEST:
        return ""
    notes = []
    for output, (given, wanted) in enumerate(
        zip(predictions[rows].T, dec.expansion.predict(values[rows]).T, strict=True)
    ):
        if _is_impossible(dec.scale, given, wanted):
            _refuse_scale(dec, given, wanted, output, LARGE)
        residual, left_open = _squared_residual(dec, given, wanted, output), _left_open(dec, output)
        if residual > FAR + FACTOR * left_open:
            _refuse_scale(dec, given, wanted, output, float(np.clip(2 * left_open, SMALL, LARGE)))
            notes.append(
                f"{_whose(dec, output, 'T')} lie {number(residual**0.5)} standard deviations from the explanation, and "
                f"rows of the fit at most {number(left_open**0.5)}: they may be predictions of another model, or "
                "for rows of another kind."
            )
    return " ".join(notes)


def _is_impossible(scale: str, given: Floats, wanted: Floats) -> bool:
    """Tell whether predictions cannot be on a scale, whatever the explanation is worth."""
    if scale in ("logit", "margin"):
        return bool(given.min() >= 0 and given.max() <= 1 and np.mean((wanted < 0) | (wanted > 1)) > FAR)
    return scale == "probability" and bool(given.min() < -FAR or given.max() > 1 + FAR)


def _refuse_scale(dec: Decomposition, given: Floats, wanted: Floats, output: int, most: float) -> None:
    """Raise an error if another scale, leaving at most so much open, brings predictions close to what is wanted."""
    means = dec.expansion.mean if dec.population is None else dec.population.fit_means
    mean, spread = float(means[output]), fitted_variance(dec, output) ** 0.5
    tried = [*_guesses(given, wanted)]
    # On rows of another kind, what an explanation lacks may look like a slope and a shift.
    if abs(wanted.mean() - mean) < spread:
        tried.append(_affine_guess(given, wanted, mean, spread))
    guesses = [(words, left_open) for words, left_open in tried if left_open <= most]
    best = min((left_open for _, left_open in guesses), default=np.inf)
    if not guesses or best > _unexplained(given, wanted) / FACTOR:
        return
    # The first that fits not much worse than the best: they are tried in the order of how often they are mistaken, and
    # the last, which has a slope and a shift to choose, fits better than it should.
    seems = next(words for words, left_open in guesses if left_open <= FACTOR * best)
    if _is_impossible(dec.scale, given, wanted) and dec.scale != "probability":
        seems = tried[0][0]  # labels or probabilities, since nothing else lies between 0 and 1
    scale = scale_of(dec.scale)
    what = f"predictions with mean {number(mean)} and standard deviation {number(spread)}"
    what = what if scale.name == "identity" else scale.several
    raise InputError(f"{_whose(dec, output, 'T')} {seems}, but {what} were decomposed. {scale.cure}")


def _guesses(given: Floats, wanted: Floats) -> Iterator[tuple[str, float]]:
    """Yield what predictions look like, and how much of them that leaves open."""
    values = np.unique(given)
    low, high = float(values[0]), float(values[-1])
    if len(values) == 2:
        yield f"take only the values {number(low)} and {number(high)} and look like labels of classes", 0.0
    if low >= 0 and high <= 1:
        yield "lie between 0 and 1 and look like probabilities", _unexplained(given, expit(wanted))
    if np.mean((wanted < -FAR) | (wanted > 1 + FAR)) < FAR:
        yield "look like log-odds", _unexplained(expit(given), wanted)
    with np.errstate(over="ignore", invalid="ignore"):
        yield "look like logarithms", _unexplained(np.exp(given), wanted)
        yield "look like logarithms, of 1 more,", _unexplained(np.expm1(given), wanted)
        yield "look like logarithms to base 10", _unexplained(10**given, wanted)
        if low > 0:
            yield "look like exponentials", _unexplained(np.log(given), wanted)


def _affine_guess(given: Floats, wanted: Floats, mean: float, spread: float) -> tuple[str, float]:
    """Try shift + slope × wanted, for predictions of the fit with that mean and standard deviation."""
    slope = float(np.cov(given, wanted)[0, 1] / (wanted.var(ddof=1) or np.inf))
    shift = float(given.mean() - slope * wanted.mean())
    if abs(slope / 100 - 1) < FAR:
        words = "look like percent"
    elif abs(shift + slope * mean) < 2 * FAR and abs(slope * spread - 1) < 2 * FAR:
        words = "have a mean of about 0 and a standard deviation of about 1, as standardized predictions do"
    elif abs(slope - 1) < FAR:
        words = f"look as if {number(float(given.mean() - wanted.mean()))} had been added"
    else:
        words = f"look as if multiplied by {number(slope)}, with {number(shift)} added"
    return words, _unexplained(given, shift + slope * wanted)


def _unexplained(given: Floats, wanted: Floats) -> float:
    variance = float(np.var(given))
    left_open = float(np.mean((given - wanted) ** 2)) / variance if variance else np.inf
    return left_open if np.isfinite(left_open) else np.inf


def _squared_residual(dec: Decomposition, given: Floats, explained: Floats, output: int) -> float:
    """Return the mean squared residual, in units of the variance of the predictions of the fit."""
    variance = fitted_variance(dec, output)
    return float(np.mean((given - explained) ** 2)) / variance if variance else 0.0


def _left_open(dec: Decomposition, output: int) -> float:
    """Return the most that the explanation may leave open, by what is known of its fidelity."""
    found = fidelity(dec, output)
    bounds = found.held_out_interval
    # Where rows unlike those of the fit can decide, the interval has room for them, and they are not judged here.
    known = found.best if bounds is None or found.few_decide else bounds.low
    return 1 - min(found.in_sample, known)


def _even(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[:: max(-(-len(rows) // LOOKED_AT), 1)]


def _whose(dec: Decomposition, output: int, first: str = "t") -> str:
    return (
        f"{first}he predictions"
        if len(dec.output_names) == 1
        else f"{first}he predictions of {dec.output_names[output]}"
    )
