"""Simulators at points whose values are known, their laws, and Sobol' indices in closed form."""

from importlib import import_module

import numpy as np
import pytest
from scipy import stats
from scipy.special import sici

from benchmarks.simulators import BY_NAME, CORRELATION, SIMULATORS, Indices, Marginal, quasi_random_indices
from tests.ground_truth import ishigami_indices

N_ROWS = 200_000
# Points chosen so that values can be worked out by hand.
AT = {
    # ln(r / rw) = 1, so the flow is 2π · 10 · 100 / (1 + 2 + 1).
    "borehole": ([1.0, np.e, 10.0, 200.0, 10.0, 100.0, 1.0, 10.0], 500 * np.pi),
    # The square root of the slope is 1/32; Q / (B Ks / 32) = 32, and 32^.6 = 8.
    "flood": ([300.0 * 30.0, 30.0, 50.0, 55.0, 7.0, 55.5, 5 * 1024.0, 300.0], 50 + 8 - 7 - 55.5),
    # All factors are one: .036, and one pound of paint.
    "wing weight": ([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.01, 1.0, 1.0, 1.0], 1.036),
    # Vb1 = 6, gain = 10: (6.74 · 10 + 11.35 · 10 + .74 · 10 · 10 / 2) / 20.
    "OTL circuit": ([1.0, 1.0, 10.0, 2.0, 1.0, 1.0], (67.4 + 113.5 + 37) / 20),
    # A = 19.62 and k P0 V0 Ta / T0 = 1, so V solves V² + 19.62 V = 1.
    "piston": ([1.0] * 7, 2 * np.pi / np.sqrt(1 + 1 / ((np.sqrt(19.62**2 + 4) - 19.62) / 2) ** 2)),
    # All w are 1: 20 · 10, signs that cancel, 15 pairs of −15 and the others, 10 triples of −10, one quadruple of 5.
    "Morris": ([1.0] * 20, 200 - 225 + (-10 + 3) - 100 + 5),
    "Sobol' g": ([0.5] + [0.75] * 7, 0.0),
    "Ishigami": ([np.pi / 2, np.pi / 2, 1.0], 8.1),
    "Friedman": ([0.5, 1.0, 0.5, 1.0, 1.0] + [0.3] * 5, 25.0),
    "Welch": ([0.5] * 20, 5 / 3 + 0.5 + 5 - 2.5 + 0.0625 + 0.5 * (0.22 - 0.28)),
    "robot arm": ([0.0, np.pi / 2, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], np.sqrt(10)),
    # The second spill was at this place, 10.1 before: 1 / √(.1 · 10.1); the first one 40.1 before.
    "environmental": ([1.0, 0.1, 1.0, 30.0], 1 / np.sqrt(1.01) + np.exp(-1 / 16.04) / np.sqrt(4.01)),
    "short column": ([1.0, 1125.0 / 4, 75.0], -1.0),
    # Loads of 3 and 4 in units of the sides make 5.
    "cantilever": ([1e6, 3 * 16.0, 4 * 4.0], 0.5 * 5),
    "Dette–Pepelyshev": ([0.0, 0.5, 0.5] + [0.0] * 5, 1 + 30 * np.log(1.5)),
}
# Means on paper.
MEANS = {
    "Sobol' g": 1.0,
    "Ishigami": 3.5,
    "Friedman": 10 / np.pi * (np.euler_gamma + np.log(np.pi) - sici(np.pi)[1]) + 20 / 12 + 5 + 2.5,
    "Welch": 5 / 6 + 0.25 / 12,
}


def test_there_are_fifteen_and_each_is_known_at_a_point():
    assert len(SIMULATORS) == 15
    assert set(AT) == set(BY_NAME)


@pytest.mark.parametrize("name", AT)
def test_values_are_those_worked_out_by_hand(name):
    point, value = AT[name]
    assert len(point) == len(BY_NAME[name].inputs)
    assert BY_NAME[name].function(np.array([point, point])) == pytest.approx([value, value], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", MEANS)
def test_means_are_those_on_paper(name):
    values = BY_NAME[name].function(BY_NAME[name].draw(np.random.default_rng(0), N_ROWS))
    assert values.mean() == pytest.approx(
        MEANS[name], abs=5 * values.std() / np.sqrt(N_ROWS) + 0.002 * abs(MEANS[name])
    )


@pytest.mark.parametrize(
    ("module", "model", "name", "columns", "output"),
    [
        ("wingweight_function", "WingWeightModel", "wing weight", range(10), 0),
        ("ishigami_function", "IshigamiModel", "Ishigami", range(3), 0),
        ("flood_model", "FloodModel", "flood", (0, 1, 2, 3, 7, 6, 5, 4), 1),
    ],
)
def test_functions_are_those_of_openturns(module, model, name, columns, output):
    pytest.importorskip("openturns")
    theirs = getattr(import_module(f"openturns.usecases.{module}"), model)().model
    X = BY_NAME[name].draw(np.random.default_rng(1), 20)
    found = np.array(theirs(X[:, list(columns)]))[:, output]
    np.testing.assert_allclose(found, BY_NAME[name].function(X), rtol=1e-9)


@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda each: each.name)
def test_a_copula_ties_neighbors_and_leaves_margins_and_values_alone(simulator):
    free, tied = (simulator.draw(np.random.default_rng(2), 4000, correlation) for correlation in (0, CORRELATION))
    assert np.isfinite(simulator.function(free)).all()
    assert np.isfinite(simulator.function(tied)).all()
    first, second = (stats.rankdata(tied[:, at]) for at in (0, 1))
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(6 / np.pi * np.arcsin(CORRELATION / 2), abs=0.05)
    assert abs(np.corrcoef(free[:, :2].T)[0, 1]) < 0.06
    for own, other in zip(free.T, tied.T, strict=True):
        assert stats.ks_2samp(own, other).pvalue > 1e-4


def test_margins_are_cut_off_where_they_say():
    levels = np.array([0.0, 0.5, 1.0])
    assert Marginal("normal", (0, 1), -1, 1).quantile(levels) == pytest.approx([-1, 0, 1])
    assert Marginal("triangular", (49, 51)).quantile(levels) == pytest.approx([49, 50, 51])
    assert Marginal("lognormal", (0, 1), np.exp(-1), np.e).quantile(levels) == pytest.approx([np.exp(-1), 1, np.e])
    assert Marginal("gumbel", (0, 1)).quantile(np.exp([-1.0])) == pytest.approx([0], abs=1e-12)
    assert Marginal("gumbel", (1013, 558), 500, 3000).quantile(levels[::2]) == pytest.approx([500, 3000])


@pytest.mark.parametrize("name", ["Ishigami", "Sobol' g"])
def test_quasi_random_indices_are_those_of_closed_forms(name):
    found, known = quasi_random_indices(name), BY_NAME[name].indices()
    np.testing.assert_allclose(found.first, known.first, atol=0.003)
    np.testing.assert_allclose(found.total, known.total, atol=0.003)


def test_closed_forms_agree_with_those_of_the_components():
    parts = ishigami_indices()
    found = BY_NAME["Ishigami"].indices()
    assert found.first == pytest.approx([parts[0,], parts[1,], 0])
    assert found.total == pytest.approx([parts[0,] + parts[0, 2], parts[1,], parts[0, 2]])


@pytest.mark.parametrize("name", ["Welch", "cantilever"])
def test_total_indices_are_no_smaller_than_first_order_ones(name):
    found: Indices = quasi_random_indices(name, 12)
    assert (found.total > found.first - 0.02).all()
    assert 0.5 < found.first.sum() < 1.05


def test_inputs_that_do_nothing_have_no_index():
    found = quasi_random_indices("Welch", 10)
    assert found.total[[7, 15]] == pytest.approx([0, 0], abs=1e-12)
