"""Standard errors made from replicates: as large as the spread over fresh samples."""

from dataclasses import dataclass

import numpy as np
import pytest

from anova_report.core.fit.fits import HeldOutFit
from anova_report.core.fit.jackknife_groups import REPLICATES, deviations
from anova_report.core.fit.lack_of_fit import LackOfFit
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.summary import Assembly, summarize_fit, summarize_held_out
from anova_report.core.fit.sums import factor
from anova_report.core.fit.uncertainty import Uncertainty, degrees_of_freedom, significant, standard_error, uncertainty
from tests.core.small_fits import columns_of, fit_columns, grouped_rows

MAINS = columns_of(((0,), 3), ((1,), 3))
WITH_PAIR = columns_of(((0,), 3), ((1,), 3), ((0, 1), 2))

WITH_TRIPLE = columns_of(
    *(((feature,), 3) for feature in range(3)), ((0, 1), 2), ((0, 2), 2), ((1, 2), 2), ((0, 1, 2), 1)
)


def test_the_standard_error_of_a_mean_is_the_textbooks():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        values = rng.exponential(size=(REPLICATES, 20))
        moved = deviations(values.sum(axis=1), np.full(REPLICATES, 20.0)) / values.size
        found.append(float(standard_error(moved)))
    assert np.mean(found) == pytest.approx(1 / np.sqrt(REPLICATES * 20), rel=0.02)
    assert np.std(found) / np.mean(found) == pytest.approx(0.09, abs=0.04)


@pytest.mark.parametrize("value", [1.0, -123456789.0, 9.99999e-7, 1e300, -1e-300, 5e-320])
def test_six_digits_are_kept_of_the_largest_number(value):
    kept = significant(np.array([value, value / 3, 0.0]))
    np.testing.assert_allclose(kept, [value, value / 3, 0.0], rtol=2e-5)
    np.testing.assert_array_equal(significant(np.zeros((2, 3))), 0)
    assert significant(np.zeros((0, 4))).shape == (0, 4)


@pytest.mark.parametrize("strength", [1e-3, 0.1, 10.0])
def test_degrees_of_freedom_are_the_trace_of_the_smoother(strength):
    rng = np.random.default_rng(3)
    design = rng.normal(size=(400, 60)) @ (np.eye(60) + 0.05 * rng.normal(size=(60, 60)))
    gram = np.asfortranarray(design.T @ design / 400)
    ridge = strength * np.linspace(0, 2, 60)
    exact = np.trace(gram @ np.linalg.inv(gram + np.diag(ridge)))
    assert degrees_of_freedom(factor(gram, ridge), ridge) == pytest.approx(exact, abs=0.02 * 60)


@dataclass(frozen=True)
class Trial:
    """One sample: what was estimated from it, and how uncertain it says it is."""

    assembly: Assembly
    inside: Moments
    outside: Moments
    traced: Uncertainty
    not_moved: np.ndarray  # variance of pairs that still belongs to main effects, (n_terms,)

    def curve(self, term: tuple[int, ...], points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = self.assembly.expansion().evaluate(points, [term])[:, 0, 0]
        return value, standard_error(self.traced.components[0].evaluate(points, [term])[:, 0], axis=1)

    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        covariance = self.inside.covariance(0)
        values = np.stack([np.diag(covariance), covariance.sum(axis=1)])[:, :-1] / covariance.sum()
        errors = [standard_error(traced[:, :, 0]) for traced in (self.traced.structural, self.traced.total)]
        return values.ravel(), np.ravel(errors)

    def fidelity(self) -> tuple[np.ndarray, np.ndarray]:
        moments = (self.inside, self.outside)
        values = [1 - part.squared_gap[0] / part.covariance(0).sum() for part in moments]
        errors = [standard_error(traced[:, 0]) for traced in (self.traced.in_sample, self.traced.held_out)]
        return np.array(values), np.array(errors)


def trial(seed: int, columns=MAINS, noise: float = 1.0, missed: float = 0.0) -> Trial:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(1800, 2))
    X[:, 1] = 0.8 * X[:, 1] + 0.5 * X[:, 0]
    predictions = X[:, 0] - 0.5 * X[:, 1] + X[:, 0] * X[:, 1] * (columns is WITH_PAIR) + noise * rng.normal(size=1800)
    group = np.r_[np.zeros(1200, dtype=np.intp), np.ones(600, dtype=np.intp)]
    assembly = Assembly.purified(fit_columns(grouped_rows(X, predictions, group, family="polynomials"), columns, 1e-5))
    inside, sums, scores, unmoved = summarize_fit(assembly)
    outside, outside_sums, *_ = summarize_held_out([HeldOutFit(assembly.fit, 1, 600)], assembly.terms)
    return Trial(
        assembly,
        inside,
        outside,
        uncertainty(assembly, sums, scores, outside_sums, of_pairs(assembly, missed), unmoved),
        -unmoved.bias[:, 0],
    )


def of_pairs(assembly: Assembly, variance: float) -> LackOfFit:
    found = np.array([[variance if len(term) == 2 else 0.0] for term in assembly.terms])
    return LackOfFit(found, found / 10)


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return [trial(seed) for seed in range(80)]


@pytest.fixture(scope="module")
def pair_trials() -> list[Trial]:
    return [trial(1000 + seed, WITH_PAIR) for seed in range(80)]


def assert_errors_tell_the_spread(
    found: list[tuple[np.ndarray, np.ndarray]], tolerance: float = 0.25, above: float | None = None
) -> None:
    """Compare standard errors with the spread over samples; `above`: by how much more they may be too large."""
    values, errors = (np.array(kind) for kind in zip(*found, strict=True))
    spread = values.std(axis=0, ddof=1)
    claimed = np.sqrt((errors**2).mean(axis=0))
    assert (claimed / spread > 1 - tolerance).all()
    assert (claimed / spread < 1 + (above or tolerance)).all()


POINTS = np.array([[-0.8, 0.4], [0.0, -0.3], [0.55, 0.7]])
POINTS_OF_THREE = np.array([[-0.8, 0.4, 0.3], [0.3, -0.6, 0.0], [0.7, 0.7, -0.5]])


@pytest.mark.parametrize("term", [(0,), (1,)])
def test_standard_errors_of_curves_are_their_spread_over_fresh_samples(trials, term):
    assert_errors_tell_the_spread([trial.curve(term, POINTS) for trial in trials], tolerance=0.3)


# Errors are by more than a half too large where a pair is small: what chance may hide from purification varies nothing.
@pytest.mark.parametrize(("term", "above"), [((0,), 0.4), ((0, 1), 0.6)])
def test_standard_errors_of_purified_components_are_their_spread_over_fresh_samples(pair_trials, term, above):
    assert_errors_tell_the_spread([trial.curve(term, POINTS) for trial in pair_trials], 0.3, above)


def independent_trial(seed: int, columns=WITH_PAIR) -> Trial:
    """A pure product of independent features: how it is shared out depends on their laws, and on nothing else."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(1200, 3))
    predictions = X[:, 0] * X[:, 1] * (X[:, 2] if columns is WITH_TRIPLE else 1)
    assembly = Assembly.purified(fit_columns(grouped_rows(X, predictions, family="polynomials"), columns, 1e-6))
    inside, sums, scores, unmoved = summarize_fit(assembly)
    traced = uncertainty(assembly, sums, scores, sums, of_pairs(assembly, 0.0), unmoved)
    return Trial(assembly, inside, inside, traced, -unmoved.bias[:, 0])


def test_main_effects_of_features_that_interact_are_as_uncertain_as_the_laws_of_their_partners():
    found = [independent_trial(seed).curve((0,), POINTS_OF_THREE) for seed in range(80)]
    away_from_zero = [(values[[0, 2]], errors[[0, 2]]) for values, errors in found]
    assert_errors_tell_the_spread(away_from_zero, tolerance=0.3)
    assert_errors_tell_the_spread(found, tolerance=0.3, above=1.2)  # at zero the effect hardly varies at all
    # x₀·x₁ leaves to x₀ its product with the average of x₁, which is known up to the root of 1/3 over n.
    _, errors = found[0]
    np.testing.assert_allclose(errors[[0, 2]], np.abs(POINTS_OF_THREE[[0, 2], 0]) * np.sqrt(1 / 3 / 1200), rtol=0.35)


def test_pairs_of_features_that_interact_in_threes_are_as_uncertain_as_the_law_of_the_third():
    found = [independent_trial(seed, WITH_TRIPLE).curve((0, 1), POINTS_OF_THREE) for seed in range(50)]
    assert_errors_tell_the_spread(found, tolerance=0.3, above=0.5)


def test_standard_errors_of_shares_are_their_spread_over_fresh_samples(trials):
    # What the penalty decides comes on top of the spread.
    assert_errors_tell_the_spread([trial.shares() for trial in trials], tolerance=0.35)


def test_standard_errors_of_fidelity_are_its_spread_over_fresh_samples(trials):
    assert_errors_tell_the_spread([trial.fidelity() for trial in trials])


def test_without_noise_only_the_centering_is_uncertain():
    _, errors = trial(5, noise=1e-3).curve((0,), POINTS)
    by_centering = np.sqrt(1 / 3 / 1200)  # of the average of a uniform feature
    np.testing.assert_allclose(errors, by_centering, rtol=0.25)


def test_what_was_missed_of_a_pair_widens_its_bands_everywhere_and_no_others():
    plain, wider = (trial(1000, WITH_PAIR, missed=missed) for missed in (0.0, 0.2))
    (_, before), (_, after) = (each.curve((0, 1), POINTS) for each in (plain, wider))
    # Signs are drawn, so that what they share with other contributions is not quite nought.
    np.testing.assert_allclose(after**2 - before**2, 0.2, rtol=0.5)
    np.testing.assert_array_equal(plain.curve((0,), POINTS)[1], wider.curve((0,), POINTS)[1])


def test_contributions_to_a_share_add_up_to_what_was_missed_of_it():
    found = trial(1000, WITH_PAIR, missed=0.05)
    variance, pairs = found.inside.covariance(0).sum(), [len(term) == 2 for term in found.assembly.terms]
    missing = np.where(pairs, 0.05, 0.0) / variance
    np.testing.assert_allclose(found.traced.total.sum(axis=1)[:, 0], missing, atol=1e-5)
    # Structural shares are known to be off by what was not moved, too, less the noise that was, and by a small penalty.
    by_penalty = found.traced.structural.sum(axis=1)[:, 0] - missing + found.not_moved / variance
    assert ((by_penalty > 0) & (by_penalty < 1e-3)).all()


@pytest.mark.parametrize("strength", [0.01, 0.1])
def test_structural_shares_of_features_that_stand_for_each_other_are_known_to_be_more_than_a_penalty_leaves(strength):
    two_lines, lacking, known = columns_of(((0,), 1), ((1,), 1)), [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=1200)
        X = np.column_stack([x, 0.99 * x + np.sqrt(1 - 0.99**2) * rng.normal(size=1200)])
        slopes = rng.normal(size=2)
        rows = grouped_rows(X, X @ slopes + 0.3 * rng.normal(size=1200), family="polynomials")
        assembly = Assembly.purified(fit_columns(rows, two_lines, strength))
        inside, sums, scores, unmoved = summarize_fit(assembly)
        traced = uncertainty(assembly, sums, scores, sums, of_pairs(assembly, 0.0), unmoved)
        lacking.append(traced.structural.sum(axis=1)[:, 0] * inside.covariance(0).sum())
        known.append(slopes**2 - np.diag(inside.covariance(0))[:2])
    # A penalty that shares an effect out among copies leaves both less than they have; of how much, a part is known.
    ratio = np.mean(lacking) / np.mean(known)
    assert 0.1 < ratio < 1
