"""Laws of the fit, on models of six kinds: which family it takes, what it says it leaves, what one more row changes.

All 24 models are explained where ANOVA_REPORT_LAWS is set (`make laws`); otherwise six, one of each kind.
"""

import os
import time
import warnings
from functools import cache

import numpy as np
import pytest

from anova_report import FunctionalANOVA, measures
from tests.fit_laws import KINDS, draw, model_of

ALL = bool(os.environ.get("ANOVA_REPORT_LAWS"))
SEEDS = range(10, 14) if ALL else range(10, 11)
SIZES = (700, 2500, 8000) if ALL else (700, 2500)
SMALL = 1e-5  # shares of the variance that are the rounding of predictions, or near it
PLACES = (1000, 4000, 50_000, 262_144) if ALL else (1000, 4000)


@cache
def unexplained(kind: str, seed: int, n_rows: int, family: str, max_order: int = 2) -> tuple[float, float]:
    """Explain a model: the share of the variance that is left on fresh rows, and the share that is reported."""
    model, at = model_of(kind, seed), SIZES.index(n_rows) if n_rows in SIZES else n_rows % 700
    X, fresh = draw(n_rows, 1000 * seed + at), draw(20_000, 1000 * seed + 998)
    fitted = FunctionalANOVA(max_order=max_order, family=family, random_state=0, progress=False).fit(X, model(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fresh rows a few lie outside
        left = np.mean((model(fresh) - fitted.predict(fresh)) ** 2) / model(fresh).var()
    return float(left), 1 - measures.fidelity(fitted.decomposition_).held_out


def cases():
    return [(kind, seed, n_rows) for kind in KINDS for seed in SEEDS for n_rows in SIZES]


def test_the_family_that_is_taken_leaves_at_most_a_twentieth_more_than_the_better_one():
    ratios = []
    for case in cases():
        best = min(unexplained(*case, family)[0] for family in ("polynomials", "waves"))
        ratios.append((unexplained(*case, "auto")[0] + SMALL) / (best + SMALL))
    assert np.mean(np.array(ratios) <= 1.05) >= 0.9
    assert max(ratios) < 1.5


def test_what_is_left_on_fresh_rows_is_about_what_is_reported():
    """With 700 rows rather more is reported: the fits that are judged have seen four fifths of them."""
    pairs = [unexplained(*case, "auto") for case in cases()]
    ratios = np.array([(reported + SMALL) / (left + SMALL) for left, reported in pairs])
    many = np.array([n_rows > SIZES[0] for _, _, n_rows in cases()])
    assert np.mean((ratios[many] > 0.8) & (ratios[many] < 1.25)) >= 0.9
    assert np.mean((ratios > 0.8) & (ratios < 1.6)) >= 0.9


def test_triples_never_take_the_place_of_pairs():
    """Order 3 starts from the fit of order 2, and adds what other rows gain from."""
    few = [case for case in cases() if case[2] <= 2500]
    left = np.array([[unexplained(*case, "auto", order)[0] + SMALL for order in (2, 3)] for case in few])
    ratios = left[:, 1] / left[:, 0]
    assert np.mean(ratios <= 1.05) >= 0.9
    assert ratios.max() < 1.2


@pytest.mark.parametrize("n_rows", PLACES)
@pytest.mark.parametrize("kind", ["boosting", "network"])
def test_one_more_row_changes_next_to_nothing(kind, n_rows):
    model, fresh = model_of(kind, 20), draw(20_000, 20_998)
    X, left, seconds = draw(n_rows + 1, 20_000), [], []
    for rows in (X[:-1], X):
        start = time.process_time()
        fitted = FunctionalANOVA(random_state=0, progress=False).fit(rows, model(rows))
        seconds.append(time.process_time() - start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fresh rows a few lie outside
            left.append(np.mean((model(fresh) - fitted.predict(fresh)) ** 2) / model(fresh).var())
    assert abs(np.log(left[1] / left[0])) < np.log(1.1)
    if ALL:  # time is no matter of a test beside others
        assert max(seconds) < 1.5 * min(seconds)
