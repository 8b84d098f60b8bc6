"""The default recipe: marginal reference, columns chosen by evidence, a smooth fit, purified interactions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.engines.threads import one_blas_thread
from anova_report.core.fit.clumps import clumped_share, serial_correlation
from anova_report.core.fit.dependence import correlations_of_many, dependence, dependence_of_many, rank_correlations
from anova_report.core.fit.growth import ROUNDS, ColumnSearch, degrees_for
from anova_report.core.fit.joint_support import joint_support
from anova_report.core.fit.partition import find_units
from anova_report.core.fit.row_blocks import GroupedRows, Groups, RowSource, Tally
from anova_report.core.fit.summary import Assembly, summarise_fit, summarise_held_out
from anova_report.core.fit.tuning import FEW_ROWS, FOLDS, tune_and_solve
from anova_report.core.fit.uncertainty import uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Answers
from anova_report.core.input.units import GivenUnits
from anova_report.core.progress import Steps
from anova_report.core.randomness import draw_seed
from anova_report.errors import InputError

MIN_ROWS = 3
STEPS_OF_A_SEARCH = 1 + len(ROUNDS)


def decompose(
    source: RowSource,
    counted: Tally,
    features: Sequence[Feature],
    answers: Answers,
    settings: Mapping[str, Any],
    given: GivenUnits | None = None,
) -> Decomposition:
    """Decompose answers from sums over rows, with the settings of `FunctionalANOVA`.

    `source` is read several times; `counted` is what the first pass over it found. Of `answers` only names, shape and
    scale are used. Rows of one of the units that are `given` are learnt from or held out together.
    """
    _check(counted, settings["max_order"])
    seed = draw_seed(settings["random_state"])
    units = find_units(source, counted, features, given, seed)
    many = counted.n_rows >= FEW_ROWS
    n_steps = (STEPS_OF_A_SEARCH + 4) if many else STEPS_OF_A_SEARCH * (FOLDS**2 + 1) + 2
    spread = np.where(counted.spread > 0, counted.spread, 1.0)

    def rows_in(groups: Groups) -> GroupedRows:
        return GroupedRows(source, families, counted.centre, spread, groups, units.replicates)

    with one_blas_thread(), Steps(n_steps, settings["progress"]) as steps:
        # From counted values to families: functions of each feature that are orthonormal under its own law.
        degrees = degrees_for(counted.n_rows, len(features))
        families = counted.marginals(features, max(degrees.main, degrees.pair))
        # Columns are grown by evidence, strength and size tuned on other rows, and the ridge fit solved.
        search = ColumnSearch(families, degrees, int(settings["max_order"]), steps)
        fit, held_out = tune_and_solve(search, rows_in, counted.n_rows, len(spread), units)
        # What interactions share with their subterms moves there.
        steps.start("orthogonality")
        assembly = Assembly.purified(fit)
        # One more pass over the rows sums up moments and traces every estimate back to replicates.
        steps.start("uncertainty")
        in_sample, sums, scores = summarise_fit(assembly)
        outside, outside_sums = summarise_held_out(held_out, assembly.terms)
        left = float((in_sample.squared_gap / spread**2).mean())
        beyond = search.beyond(fit.rows, fit.groups, fit.columns, fit.coefficients, left)
        key = f"{counted.fingerprint}-{seed}-{units.key}"
        traced = uncertainty(assembly, sums, scores, outside_sums, replicate_key=key)
        clumped = clumped_share(source, counted, features, units.of_rows, seed)
        serial = serial_correlation(source, counted, features) if given is None else None
        expansion = assembly.expansion()
        correlations = correlations_of_many(assembly, search.low) if search.many else rank_correlations(assembly)
        together = joint_support(source, counted.n_rows, families, expansion.components)
    return Decomposition(
        features=tuple(features),
        output_names=answers.names,
        expansion=expansion,
        in_sample=in_sample,
        held_out=outside,
        uncertainty=traced,
        dependence=dependence_of_many(assembly, search.low) if search.many else dependence(assembly),
        beyond=beyond,
        single_output=answers.single,
        scale=answers.scale,
        settings={**settings, "random_state": seed},
        partition=replace(units.partition, clumped=clumped, serial=serial),
        joint_support=together,
        fingerprint=counted.known,
        correlations=correlations,
    )


def _check(counted: Tally, max_order: Any) -> None:
    if max_order not in (1, 2, 3):
        raise InputError(f"max_order must be 1, 2 or 3; got {max_order!r}.")
    if counted.n_rows < MIN_ROWS:
        raise InputError(
            f"The table has {counted.n_rows} row(s). To learn from some rows and hold out others takes at least "
            f"{MIN_ROWS}, better some hundreds."
        )
