"""The benchmark of truth in a small version: closed forms, the error, what is said of a cell, and the contestants."""

from itertools import combinations

import numpy as np
import pytest
from bs4 import BeautifulSoup

from benchmarks import truth, truth_methods
from benchmarks import verdict_laws as of
from benchmarks.spline_gam import Margin, PureGAM
from benchmarks.truth import EXACT, Cell, Score
from benchmarks.truth_cases import BY_NAME, CASES, line_and_product, normal_product, quadratic
from benchmarks.truth_methods import METHODS, NotApplicable, published
from tests.ground_truth import ishigami

FORMULAS = {
    "Ishigami": ishigami,
    "Sobol' g": of.sobol_g,
    "Friedman": of.friedman,
    "Friedman, noise": of.friedman,
    "steps": lambda X: (
        2.0 * (X[:, 0] > 0.3) + (X[:, 0] > 0.7) + (X[:, 1] > 0.5) + 4.0 * (X[:, 2] > 0.6) * (X[:, 3] > 0.25)
    ),
    "50 noise features": lambda X: X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 0] * X[:, 1],
    "triple, order 3": lambda X: X[:, 0] + X.prod(axis=1),
    "quadratic, r = .3": lambda X: X[:, 0] + X[:, 1] + X[:, 0] ** 2 / 2 + X[:, 0] * X[:, 1],
} | {name: lambda X: X.sum(axis=1) for name in BY_NAME if name.startswith("lognormal")}
FORMULAS |= {
    name: lambda X: X[:, 0] + X[:, 3] + X[:, 1] * X[:, 2] for name in BY_NAME if name.startswith("line + product")
}


def cell(**errors: float | None) -> Cell:
    """Make a cell of three samples whose errors spread by a tenth."""
    tried = {
        name: [Score(reason="too many")] * 3
        if error is None
        else [Score(error * spread, 0.9, 1.0) for spread in (0.9, 1, 1.1)]
        for name, error in errors.items()
    }
    return Cell("Ishigami", 1000, tried)


@pytest.mark.parametrize("name", FORMULAS)
def test_known_components_add_up_to_the_model_up_to_its_mean(name):
    X = BY_NAME[name].law(np.random.default_rng(1), 500)
    left = BY_NAME[name].predictions(X) - FORMULAS[name](X)
    np.testing.assert_allclose(left - left.mean(), 0, atol=1e-9)


def test_components_without_a_formula_are_those_of_the_paper():
    # There the components are the definition of the model, and their densities are tested on their own.
    assert {name.split(",")[0] for name in set(BY_NAME) - set(FORMULAS)} == {"FGM", "Gaussian"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_known_components_are_orthogonal_to_functions_of_fewer_features(case):
    X = case.law(np.random.default_rng(2), 50_000)
    waves = {(): [np.ones(len(X))]}
    for feature in range(min(X.shape[1], 5)):
        rank = np.argsort(np.argsort(X[:, feature])) / len(X)
        waves[feature,] = [np.cos(np.pi * rank), np.cos(2 * np.pi * rank)]
    for one, other in combinations(range(len(waves) - 1), 2):
        waves[one, other] = [first * second for first in waves[one,] for second in waves[other,]]
    for term, component in case.components.items():
        values = component(X)
        for part in (part for part in waves if set(part) < set(term)):
            for wave in waves[part]:
                products = values * wave
                assert abs(products.mean()) < 5 * products.std() / np.sqrt(len(products))


@pytest.mark.parametrize("correlation", [0.3, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("make", [line_and_product, quadratic, lambda r: normal_product(1, 0, r)])
def test_products_of_normals_have_no_mean_given_one_of_them_by_quadrature(make, correlation):
    ((one, other), pair) = next((term, function) for term, function in make(correlation).items() if len(term) == 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    for given, left in ((one, other), (other, one)):
        for value in (-2.0, 0.3, 1.7):
            X = np.zeros((len(nodes), 5))
            X[:, given] = value
            X[:, left] = correlation * value + np.sqrt(1 - correlation**2) * nodes
            assert weights @ pair(X) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("name", ["Friedman", "FGM, ρ = .8", "triple, order 3"])
def test_the_truth_has_no_error_and_every_other_explanation_has(name):
    case = BY_NAME[name]
    X = case.law(np.random.default_rng(3), 2000)
    exact, model = case.truth(X), case.predictions(X)
    assert truth.component_error(exact, exact, model) == 0
    assert truth.component_error(exact, {term: values + 1 for term, values in exact.items()}, model) < 1e-12
    first = next(iter(exact))
    without = {term: values for term, values in exact.items() if term != first}
    left_out = np.std(exact[first]) / np.std(model)
    assert truth.component_error(exact, without, model) == pytest.approx(left_out)
    assert truth.component_error(without, exact, model) == pytest.approx(left_out)


def test_a_cell_tells_the_best_and_what_cannot_be_told_from_it():
    assert cell(ours=0.1, EBM=0.2).standing == "best"
    assert cell(ours=0.104, EBM=0.1).standing == "within"  # the standard error is .1 · .1 / √3
    behind = cell(ours=0.12, EBM=0.1, published=None)
    assert (behind.standing, behind.best, round(behind.ratio, 6)) == ("behind", "EBM", 1.2)
    assert "–" in truth.cell_line(behind)
    assert cell(ours=EXACT / 2, EBM=EXACT / 100).standing == "best"


def test_the_promise_is_about_the_share_of_cells_and_about_the_worst():
    good, behind, bad = cell(ours=0.1, EBM=0.2), cell(ours=0.14, EBM=0.1), cell(ours=0.16, EBM=0.1)
    assert truth.summary([good] * 4 + [behind])[1]
    assert not truth.summary([good] * 3 + [behind])[1]
    words, kept = truth.summary([good] * 9 + [bad])
    assert not kept
    assert words.startswith("ours is best or within sampling error in 9 of 10 cells; worst ratio 1.60")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_a_parabola_and_a_product(method, monkeypatch):
    monkeypatch.setitem(truth_methods.EBM, "max_rounds", 50)
    assert truth.try_once("quadratic, r = .3", 300, 0, [method])[method].error < 0.5


def test_the_published_method_leaves_out_what_has_too_many_columns():
    case = BY_NAME["50 noise features"]
    X = case.law(np.random.default_rng(0), 1000)
    with pytest.raises(NotApplicable, match="52 features make 5,408 columns even at degree 2"):
        published(case, X, X[:, 0], 0)


def test_splines_hold_lines_and_go_on_straight_beyond_the_sample():
    x = np.random.default_rng(4).lognormal(size=300)
    margin = Margin(x, 12)
    values = margin.evaluate(x)
    np.testing.assert_allclose(values.T @ values / len(x), np.eye(values.shape[1]), atol=1e-7)
    assert abs(np.corrcoef(values[:, 0], x)[0, 1]) == pytest.approx(1)
    assert (margin.roughness[:2] == [0, 1]).all()
    beyond = margin.evaluate(x.max() + np.array([0.0, 1.0, 2.0]))
    np.testing.assert_allclose(np.diff(beyond, n=2, axis=0), 0, atol=1e-7)


def test_the_gam_is_exact_on_lines_and_moves_main_effects_out_of_pairs():
    case = BY_NAME["lognormal lines, σ = 1.5"]
    X, fresh = (case.law(np.random.default_rng(seed), 500) for seed in (0, 1))
    found = PureGAM(X, case.predictions(X), 2).components(fresh)
    assert truth.component_error(case.truth(fresh), found, case.predictions(fresh)) < 1e-3
    case = BY_NAME["quadratic, r = .3"]
    X = case.law(np.random.default_rng(2), 1000)
    pair = PureGAM(X, case.predictions(X), 2).components(X)[0, 1]
    assert np.abs(np.corrcoef(pair, X.T**2)[0, 1:]).max() < 0.05


def test_the_page_is_one_file_without_scripts_that_holds_the_table(tmp_path):
    entries = {name: [Score(0.1, 0.99, 1.0)] for name in METHODS}
    cells = [Cell("Ishigami", 5000, entries | {"published": [Score(reason="too many columns")]})]
    text = truth.write_page(cells, 1, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text
    words = BeautifulSoup(text, "html.parser").get_text(" ", strip=True)
    for part in (
        "Ishigami 5,000 0.1000 0.9900",
        "published, Ishigami: too many columns",
        "worst ratio 1.00 (Ishigami,",
    ):
        assert part in words
