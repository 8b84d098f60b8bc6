"""The default recipe: marginal reference, columns chosen by evidence, a smooth fit, purified interactions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.engines.threads import workers
from anova_report.core.fit.cell_fits import solve_or_tune
from anova_report.core.fit.cell_table import all_products
from anova_report.core.fit.clumps import clumped_share, serial_correlation
from anova_report.core.fit.dependence import dependence, dependence_of_many, rank_correlations
from anova_report.core.fit.growth import ROUNDS, ColumnSearch, degrees_for
from anova_report.core.fit.joint_support import joint_support
from anova_report.core.fit.partition import Units, find_units, merge_copies
from anova_report.core.fit.row_blocks import CodedRows, RowSource
from anova_report.core.fit.splines import FAMILIES, FamilyName
from anova_report.core.fit.summary import Assembly, summarise_fit, summarise_held_out
from anova_report.core.fit.tally import Tally, make_marginals
from anova_report.core.fit.tuning import SEARCHES_OF_FEW, Candidate, Fit, are_many, tune_and_solve
from anova_report.core.fit.uncertainty import uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.units import GivenUnits
from anova_report.core.progress import Steps
from anova_report.core.randomness import draw_seed
from anova_report.core.storage import FitPath
from anova_report.errors import InputError, listing

MIN_ROWS = 3
STEPS_OF_A_SEARCH = 1 + len(ROUNDS)


def decompose(
    source: RowSource,
    counted: Tally,
    features: Sequence[Feature],
    predictions: Predictions,
    settings: Mapping[str, Any],
    given: GivenUnits | None = None,
) -> Decomposition:
    """Decompose predictions from sums over rows, with the settings of `FunctionalANOVA`.

    `source` is read several times; `counted` is what the first pass over it found. Of `predictions` only names, shape
    and scale are used. Rows of one of the units that are `given` are learnt from or held out together.
    """
    _check(counted, settings["max_order"], settings["family"])
    seed = draw_seed(settings["random_state"])
    table, weights = counted, source.weights
    serial = serial_correlation(source, counted, features) if given is None else None
    source, counted, given = merge_copies(source, counted, features, given)
    many = are_many(counted.effective, counted.n_rows)
    merged = table.n_rows - table.n_distinct if counted is not table else None
    units = find_units(source, counted, features, given, seed, ranked=not many, copies=merged)
    n_steps = STEPS_OF_A_SEARCH * (len(FAMILIES) + 1) + 4 if many else STEPS_OF_A_SEARCH * SEARCHES_OF_FEW + 2
    spread = np.where(counted.spread > 0, counted.spread, 1.0)
    with workers(None if many else 1), Steps(n_steps, settings["progress"]) as steps:
        # From counted values to families: functions of each feature that are orthonormal under its own law.
        coded = CodedRows(source, counted.books(features), counted.centre, spread)
        candidates = _candidates(features, counted, coded, units, settings, steps)
        # Columns are grown by evidence, family, strength and size tuned on other rows, and the ridge fit solved.
        tuned = partial(tune_and_solve, candidates, many, counted.n_rows, len(spread), units)
        # Where features have few values, all products of their functions may solve the table of cells instead.
        first = next(iter(candidates.values()))
        cells = all_products(first.search.marginals, counted, first.search.max_order)
        fit, held_out = tuned() if cells is None else solve_or_tune(cells, first.rows, many, units, tuned)
        family = next(name for name, tried in candidates.items() if tried.search.marginals is fit.rows.marginals)
        search = candidates[family].search
        # What interactions share with their subterms moves there.
        steps.start("orthogonality")
        assembly = Assembly.purified(fit)
        # One more pass over the rows sums up moments and traces every estimate back to replicates.
        steps.start("uncertainty")
        in_sample, sums, scores = summarise_fit(assembly)
        outside, outside_sums, missed = summarise_held_out(held_out, assembly.terms)
        left = float((in_sample.squared_gap / spread**2).mean())
        beyond = search.beyond(fit.rows, fit.groups, fit.columns, fit.coefficients, left)
        key = f"{counted.fingerprint}-{seed}-{units.key}"
        traced = uncertainty(assembly, sums, scores, outside_sums, missed, replicate_key=key)
        clumped = clumped_share(source, counted, features, units.of_rows, seed)
        correlations = rank_correlations(coded, features)
        expansion = assembly.expansion()
        together = joint_support(source, counted.n_rows, search.marginals, expansion.components)
    partition = replace(units.partition, clumped=clumped, serial=serial)
    if weights is not None:
        partition = replace(partition, total_weight=weights.total, n_effective=counted.effective)
    return Decomposition(
        features=tuple(features),
        output_names=predictions.names,
        expansion=expansion,
        in_sample=in_sample,
        held_out=outside,
        uncertainty=traced,
        dependence=dependence_of_many(assembly, search.low) if search.many else dependence(assembly),
        beyond=beyond,
        single_output=predictions.single,
        scale=predictions.scale,
        settings={**settings, "random_state": seed, "family": family},
        partition=partition,
        joint_support=together,
        fingerprint=counted.known,
        correlations=correlations,
        path=_path(fit),
    )


def _candidates(
    features: Sequence[Feature],
    counted: Tally,
    coded: CodedRows,
    units: Units,
    settings: Mapping[str, Any],
    steps: Steps,
) -> dict[FamilyName, Candidate]:
    """Make the functions of every family that may be chosen, and what looks for columns among their products."""
    degrees, order = degrees_for(counted.effective, len(features)), int(settings["max_order"])
    made = make_marginals(features, coded.books, max(degrees.main, degrees.pair))
    if not any(marginal.roughness.size for marginals in made.values() for marginal in marginals):
        raise InputError(
            f"All levels of {listing([feature.name for feature in features])} are too rare to be told apart. Pass more "
            "rows, or columns with fewer levels."
        )
    return {
        family: Candidate(ColumnSearch(marginals, degrees, order, steps), coded, units.replicates, units.ranks)
        for family, marginals in made.items()
        if settings["family"] in ("auto", family)
    }


def _path(fit: Fit) -> FitPath:
    if fit.solution is None:
        return "penalised"
    return "exact cells" if fit.solution.n_free == 0 else "exact cells, least of several"


def _check(counted: Tally, max_order: Any, family: Any) -> None:
    if max_order not in (1, 2, 3):
        raise InputError(f"max_order must be 1, 2 or 3; got {max_order!r}.")
    if family not in ("auto", *FAMILIES):
        raise InputError(f"family must be one of {listing(['auto', *FAMILIES])}; got {family!r}.")
    if counted.n_rows < MIN_ROWS:
        raise InputError(
            f"The table has {counted.n_rows} row(s). To learn from some rows and hold out others takes at least "
            f"{MIN_ROWS}, better some hundreds."
        )
