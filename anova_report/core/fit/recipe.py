"""The default recipe: marginal reference, columns grown by evidence, a smooth fit, purified interactions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anova_report.core.engines.threads import one_blas_thread
from anova_report.core.expansion import Expansion
from anova_report.core.fit.growth import ROUNDS, Grower, degrees_for
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.rows import GroupedRows, Groups, RowSource, Tally, random_groups
from anova_report.core.fit.summary import Assembly, summarise_fit, summarise_held_out
from anova_report.core.fit.tuning import FEW_ROWS, FOLDS, SHARES, fit_few, fit_many
from anova_report.core.fit.uncertainty import Uncertainty, uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.progress import Steps

STEPS_OF_A_GROWTH = 1 + len(ROUNDS)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What the default recipe learns from rows and answers."""

    expansion: Expansion
    in_sample: Moments
    held_out: Moments
    uncertainty: Uncertainty


@dataclass(frozen=True)
class Recipe:
    """What a caller may choose.

    Parameters
    ----------
    max_order : int
    seed : int
        Of the split into rows that are learnt from and rows that are held out.
    progress : bool
        Show a bar once the fit has taken two seconds.
    """

    max_order: int
    seed: int
    progress: bool


def estimate(source: RowSource, counted: Tally, features: Sequence[Feature], recipe: Recipe) -> Estimate:
    """Decompose answers from sums over rows.

    Parameters
    ----------
    source : RowSource
        Visited several times.
    counted : Tally
        What the first visit told.
    features : sequence of Feature
    recipe : Recipe
    """
    many = counted.n_rows >= FEW_ROWS
    n_steps = (STEPS_OF_A_GROWTH + 4) if many else STEPS_OF_A_GROWTH * (FOLDS**2 + 1) + 2
    with one_blas_thread(), Steps(n_steps, recipe.progress) as steps:
        return _estimate(source, counted, features, recipe, steps)


def _estimate(source: RowSource, counted: Tally, features: Sequence[Feature], recipe: Recipe, steps: Steps) -> Estimate:
    degrees = degrees_for(counted.n_rows, len(features))
    marginals = counted.marginals(features, max(degrees.main, degrees.pair))
    grower = Grower(marginals, degrees, recipe.max_order, steps)
    n_outputs = len(counted.centre)
    spread = np.where(counted.spread > 0, counted.spread, 1.0)

    def rows_in(groups: Groups) -> GroupedRows:
        return GroupedRows(source, marginals, counted.centre, spread, groups, recipe.seed)

    if counted.n_rows >= FEW_ROWS:
        fit, held_out = fit_many(grower, rows_in(random_groups(SHARES, recipe.seed)), n_outputs)
    else:
        folds = np.random.default_rng(recipe.seed).permutation(counted.n_rows) % min(FOLDS, counted.n_rows)
        fit, held_out = fit_few(grower, rows_in, folds, n_outputs)
    steps.start("orthogonality")
    assembly = Assembly.of(fit)
    unseen = ((Assembly.of(item.fit), (item.group,)) for item in held_out)
    steps.start("uncertainty")
    in_sample, sums, scores = summarise_fit(assembly)
    n_unseen = sum(item.n_rows for item in held_out)
    outside, outside_sums = summarise_held_out(unseen, assembly.terms, n_unseen)
    traced = uncertainty(assembly, sums, scores, outside_sums, dealt=f"{counted.fingerprint}-{recipe.seed}")
    return Estimate(assembly.expansion(), in_sample, outside, traced)
