"""Cosines between a component and its parts: as the paper defines them, with the noise that samples have."""

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.measures.orthogonality import Cosine
from tests.ground_truth import FGM, decomposition_of, signs

FIRST, SECOND, PRODUCT = signs(100)


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return FGM.draw(3000, np.random.default_rng(5))


@pytest.fixture(scope="module")
def predictions(X) -> np.ndarray:
    return FGM.predictions(X) + X[:, 2]


@pytest.fixture(scope="module")
def dec(X, predictions) -> Decomposition:
    return FunctionalANOVA.published(K=2, d=5, d_density=2, scaling=None).fit(X, predictions).decomposition_


def relation(dec: Decomposition, term: tuple[int, ...], part: tuple[int, ...]) -> Cosine:
    (found,) = [each for each in measures.orthogonality(dec).cosines if (each.term, each.part) == (term, part)]
    return found


def test_cosines_are_those_of_the_paper(dec, X):
    components = dict(zip(dec.terms, dec.components(X).T, strict=True))
    components[()] = np.full(len(X), dec.mean)
    found = measures.orthogonality(dec).cosines
    assert {(pair.term, pair.part) for pair in found} >= {((0, 1), (0,)), ((0, 1), (1,)), ((0, 1), ()), ((0,), ())}
    for pair in found:
        s, t = components[pair.term], components[pair.part]
        expected = np.mean(s * t) / np.sqrt(np.mean(s**2) * np.mean(t**2)) if s.any() and t.any() else 0.0
        assert pair.cosine == pytest.approx(expected, abs=1e-9), pair.label


def test_noise_floors_are_exceeded_as_often_as_they_say():
    """The true components are orthogonal, so 997 of 1,000 samples must stay below the floor."""
    rng = np.random.default_rng(0)
    below = []
    for _ in range(400):
        rows = FGM.draw(500, rng)
        s, t = FGM.components[(0, 1)](rows), FGM.components[(0,)](rows)
        cosine = np.mean(s * t) / np.sqrt(np.mean(s**2) * np.mean(t**2))
        floor = 3 * np.sqrt(np.mean(s**2 * t**2) / (len(rows) * np.mean(s**2) * np.mean(t**2)))
        below.append(abs(cosine) <= floor)
    assert np.mean(below) >= 0.99


def test_noise_floors_of_independent_components_hold_in_nearly_all_samples():
    rng = np.random.default_rng(1)
    below = []
    for _ in range(600):
        x, y = rng.exponential(size=(2, 150)) - 1  # skewed, so that fourth moments matter
        pair = relation(decomposition_of({(0,): x, (1,): y, (0, 1): x * y}), (0, 1), (0,))
        below.append(abs(pair.cosine) <= pair.noise_floor)
    # Heavy tails make the floor of a small sample a little low; 99.7% is its limit.
    assert np.mean(below) >= 0.98


@pytest.mark.parametrize("tilt", [0.6, -0.6])
def test_a_tilted_pair_has_the_cosine_it_was_given_with_one_part_and_none_with_the_other(tilt):
    dec = decomposition_of({(0,): 5 * FIRST, (1,): SECOND, (0, 1): 0.1 * (tilt * FIRST + 0.8 * PRODUCT)})
    assert relation(dec, (0, 1), (0,)).cosine == pytest.approx(tilt)
    assert relation(dec, (0, 1), (1,)).cosine == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("mean", [3.0, -3.0])
def test_the_cosine_with_the_mean_is_that_with_a_constant_of_its_sign(mean):
    dec = decomposition_of({(0,): FIRST + 1}, mean=mean)
    # E[f + 1] = 1 and E[(f + 1)²] = 2.
    assert relation(dec, (0,), ()).cosine == pytest.approx(np.sign(mean) / np.sqrt(2))
    assert relation(dec, (0,), ()).label == "x0 | mean"


@pytest.mark.parametrize(("share", "counts"), [(0.0099, False), (0.0101, True)])
def test_max_corr_counts_a_term_from_one_percent_of_the_variance_on(share, counts):
    tilted = np.sqrt(share / (1 - share)) * (0.6 * SECOND + 0.8 * PRODUCT)
    dec = decomposition_of({(0,): FIRST, (1,): 1e-9 * SECOND, (0, 1): tilted})
    assert relation(dec, (0, 1), (1,)).share == pytest.approx(share)
    assert measures.orthogonality(dec).max_corr == pytest.approx(0.6 if counts else 0.0, abs=1e-9)


def test_held_out_cosines_are_those_of_the_held_out_rows():
    first, second, product = signs(9)
    dec = decomposition_of(
        {(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT},
        held_out=({(0,): first, (1,): second, (0, 1): 0.6 * second + 0.8 * product}, 0.0),
        leakages={((0, 1), (0,)): 0.25, ((0, 1), (1,)): 0.5},
    )
    pair = relation(dec, (0, 1), (1,))
    assert (pair.cosine, pair.held_out) == (pytest.approx(0), pytest.approx(0.6))
    assert (pair.noise_floor, pair.held_out_floor) == (pytest.approx(3 / 20), pytest.approx(3 / 6))
    assert (pair.leakage, relation(dec, (0, 1), (0,)).leakage) == (0.5, 0.25)
    assert relation(dec, (0, 1), ()).leakage is None
    assert measures.orthogonality(dec).max_corr == pytest.approx(0)
    assert measures.orthogonality(dec).held_out_max_corr == pytest.approx(0.6)


def test_an_empty_component_is_orthogonal_to_everything():
    dec = decomposition_of({(0,): FIRST, (1,): 0 * SECOND, (0, 1): PRODUCT}, mean=1.0)
    assert relation(dec, (0, 1), (1,)).cosine == 0
    assert relation(dec, (1,), ()).cosine == 0
    assert relation(dec, (0, 1), (1,)).noise_floor == 0


def test_a_triple_is_held_against_its_pairs_too():
    third = np.repeat([1.0, -1.0], 200)
    mains = {(0,): FIRST, (1,): SECOND, (2,): third}
    pairs = {(0, 1): FIRST * SECOND, (0, 2): FIRST * third, (1, 2): SECOND * third}
    triple = {(0, 1, 2): 0.6 * FIRST * third + 0.8 * FIRST * SECOND * third}
    cosines = measures.orthogonality(decomposition_of(mains | pairs | triple)).cosines
    found = {each.part: each.cosine for each in cosines if each.term == (0, 1, 2)}
    expected = dict.fromkeys([(), *mains, *pairs], 0.0) | {(0, 2): 0.6}
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 2, 3])
def test_without_interactions_every_output_has_the_cosines_with_the_mean_alone(n_outputs):
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, X @ np.ones((2, n_outputs))).decomposition_
    for output in range(n_outputs):
        found = measures.orthogonality(dec, output)
        assert [(pair.term, pair.part) for pair in found.cosines] == [((0,), ()), ((1,), ())]
        assert found.leakiest is None
