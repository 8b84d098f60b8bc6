"""The default recipe: marginal reference, columns chosen by evidence, a smooth fit, purified interactions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from anova_report.core.basis.design import Columns
from anova_report.core.basis.marginals import Marginal
from anova_report.core.basis.splines import FAMILIES, POWERS, FamilyName
from anova_report.core.basis.tally import Tally, make_marginals
from anova_report.core.diagnostics.concurvity import dependence, dependence_of_many, rank_correlations
from anova_report.core.diagnostics.functional_dependence import Recurring, compare_effects
from anova_report.core.diagnostics.held_together import with_sets
from anova_report.core.diagnostics.joint_support import joint_support
from anova_report.core.diagnostics.near_duplicates import find_near_duplicates, serial_correlation
from anova_report.core.fit.asking import AS_ONE_ROW, Asking, Questions, ask_recombined
from anova_report.core.fit.cell_fits import solve_or_tune
from anova_report.core.fit.cell_table import all_products
from anova_report.core.fit.fits import Candidate, Fit, HeldOutFit
from anova_report.core.fit.forward_selection import LOW_ORDER_COLUMNS, ROUNDS, ColumnSearch, degrees_for
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.partition import FEWEST_ROWS, RANKED_ROWS, Round, Units, find_units, merge_copies
from anova_report.core.fit.row_blocks import SCREENED_ROWS, Codebook, CodedRows, GroupedRows, RowSource
from anova_report.core.fit.summary import Assembly, ReplicateSums, ScoreSums, summarize_fit, summarize_held_out
from anova_report.core.fit.tuning import tune
from anova_report.core.fit.uncertainty import uncertainty
from anova_report.core.fit.unmoved import Unmoved
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.units import GivenUnits
from anova_report.core.progress import Steps
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.storage import FitPath
from anova_report.core.result.terms import sort_terms
from anova_report.core.threads import workers
from anova_report.errors import InputError, listing

STEPS_OF_A_SEARCH = len(ROUNDS) + 1  # of a progress bar: main effects, and each round of pairs


@dataclass(frozen=True, eq=False)
class TableFacts:
    """What a decomposition says of the table it was made from, beside the fit."""

    features: tuple[Feature, ...]
    predictions: Predictions  # of which only names, shape and scale are used
    settings: Mapping[str, Any]  # of `FunctionalANOVA`
    seed: int


@dataclass(frozen=True, eq=False)
class ChosenFit:
    """What was chosen: a fit of all rows that were looked at, fits without each held-out group, and how."""

    fit: Fit
    held_out: Sequence[HeldOutFit]
    search: ColumnSearch
    family: FamilyName
    rows: GroupedRows  # on which it was chosen
    cells: Columns | None  # of the table of few-valued features, if it may be solved
    asking: Asking | None = None  # how often the model was asked, where it could be


def decompose(
    source: RowSource,
    counted: Tally,
    table: TableFacts,
    given: GivenUnits | None = None,
    questions: Questions | None = None,
) -> Decomposition:
    """Decompose predictions from sums over rows that are in memory, or few enough to be.

    `counted` is what the first pass over the rows found. Rows of one of the units that are `given` are learned from or
    held out together. Where a model can be asked `questions`, the function is approximated at recombined rows as well.
    """
    check(counted.n_rows, table.settings)
    whole, weights, features = counted, source.weights, table.features
    serial = serial_correlation(source, counted, features) if given is None else None
    read = source
    source, counted, given = merge_copies(source, counted, features, given)
    if questions is not None and source is not read and source.weights is not None:
        at = source.weights.positions
        at = at if read.weights is None else np.searchsorted(read.weights.positions, at)
        questions = replace(questions, at=at)
    n_asked = 0 if questions is None else questions.n_asked
    merged = whole.n_rows - whole.n_distinct if counted is not whole else None
    units = find_units(
        source, counted, features, given, table.seed, ranked=counted.n_rows <= RANKED_ROWS, copies=merged
    )
    with workers(), steps_of(units.rounds(counted.effective, n_asked), table.settings) as steps:
        # From counted values to families: functions of each feature that are orthonormal under its own law.
        spread = np.where(counted.spread > 0, counted.spread, 1.0)
        coded = CodedRows(source, counted.books(features), counted.center, spread)
        alone = find_near_duplicates(source, counted, features, None, table.seed)
        near = (
            alone
            if units.of_rows is None
            else find_near_duplicates(source, counted, features, units.of_rows, table.seed)
        )
        # However many rows a cluster has, they show little more of a function than one.
        distinct = 1.0 if alone is None else alone.distinct
        chosen = choose(table, counted, coded, coded.books, units, steps, questions, distinct)
        traced, recurring = trace(chosen, steps, f"{counted.fingerprint}-{table.seed}-{units.key}")
        facts = {
            "correlations": rank_correlations(coded, features),
            "joint_support": joint_support(
                source, counted.n_rows, chosen.search.marginals, traced["expansion"].components
            ),
            "fingerprint": counted.known,
            "asking": chosen.asking,
        }
        partition = with_sets(units.partition, chosen.fit, whole.n_rows, serial, recurring)
    partition = replace(partition, clumped=None if near is None else near.share)
    if weights is not None:
        partition = replace(partition, total_weight=weights.total, n_effective=counted.effective)
    return conclude(table, chosen, {**traced, **facts, "partition": partition})


def choose(
    table: TableFacts,
    counted: Tally,
    coded: CodedRows,
    laws: Sequence[Codebook],
    units: Units,
    steps: Steps,
    questions: Questions | None = None,
    distinct: float = 1.0,
) -> ChosenFit:
    """Choose families, columns, penalties; `laws` are what functions of each feature are orthonormal under.

    `distinct` says how many rows there are for each row if those of a cluster count as one.
    """
    rounds, asked, asking = units.rounds(counted.effective), None, None
    if questions is not None:
        steps.start("asking the model")
        rounds = units.rounds(counted.effective, questions.n_asked)
        asked, asking = ask_recombined(questions, coded, table.features, rounds, table.seed)
    n_learned = distinct * counted.effective + (0 if asking is None else asking.n_asked / AS_ONE_ROW)
    candidates = _candidates(table, counted, n_learned, coded, laws, units, steps)
    if asking is not None:
        unread = frozenset(asking.unread)

        def asking_of(own: Candidate) -> Candidate:
            # Where pairs outnumber low-order products, room for these would be room for few pairs.
            every_pair = not own.search.many and own.search.n_pairs <= own.search.n_low_order
            reserved = own.search.n_low_order if every_pair else 0
            return replace(own, search=replace(own.search, unread=unread, reserved=reserved), asked=asked)

        candidates = {family: asking_of(own) for family, own in candidates.items()}
    # Columns are selected, family, size and smoothing parameter tuned on other rows, and the ridge fit solved.
    tuned = partial(tune, candidates, rounds, len(coded.spread))
    # Where features have few values, all products of their functions may solve the table of cells instead.
    first = next(iter(candidates.values()))
    cells = all_products(first.search.marginals, counted, first.search.max_order)
    cells = None if asking is not None and asking.unread else cells
    fit, held_out = tuned() if cells is None else solve_or_tune(cells, first.rows, len(rounds), units, tuned)
    family = next(name for name, tried in candidates.items() if tried.search.marginals is fit.rows.marginals)
    if asking is not None:
        asking = replace(asking, off_data=fit.off_data, weight=asking.weight if fit.asked is not None else 0.0)
    return ChosenFit(fit, held_out, candidates[family].search, family, cast(GroupedRows, fit.rows), cells, asking)


def trace(chosen: ChosenFit, steps: Steps, key: str) -> tuple[dict[str, Any], Recurring | None]:
    """Purify a fit, and trace every estimate back to rows; diagnostics of choices read the rows that they were made on.

    Also returns the features whose values recur as those of groups do.
    """
    fit, rows, search = chosen.fit, chosen.rows, chosen.search
    # What interactions share with their subterms moves there.
    steps.start("orthogonality")

    def seen() -> tuple[Assembly, Moments, ReplicateSums, ScoreSums, Unmoved]:
        assembly = Assembly.purified(fit)
        # One more pass over the rows sums up moments and traces every estimate back to replicates.
        return assembly, *summarize_fit(assembly)

    terms = sort_terms(fit.columns.positions)
    found = fit.rows.together([seen, partial(summarize_held_out, chosen.held_out, terms)])
    (assembly, in_sample, sums, scores, unmoved), (outside, outside_sums, lack, by_row) = found
    steps.start("uncertainty")
    left = float((in_sample.squared_gap / fit.rows.spread**2).mean())
    alone = dependence_of_many(assembly, search.low, rows) if search.many else dependence(assembly)
    related, recurring = compare_effects(assembly, rows)
    facts = {
        "expansion": assembly.expansion(),
        "in_sample": in_sample,
        "held_out": outside,
        "row_residuals": by_row,
        "uncertainty": uncertainty(assembly, sums, scores, outside_sums, lack, unmoved, replicate_key=key),
        "beyond": search.beyond(rows, fit.groups, fit.columns, fit.coefficients, left),
        "dependence": alone.with_relations(related),
    }
    return facts, recurring


def conclude(table: TableFacts, chosen: ChosenFit, facts: Mapping[str, Any]) -> Decomposition:
    """Put a decomposition together."""
    solution = chosen.fit.solution
    path: FitPath = "penalised"
    if solution is not None:
        path = "exact cells" if solution.n_free == 0 else "exact cells, least of several"
    return Decomposition(
        features=table.features,
        output_names=table.predictions.names,
        single_output=table.predictions.single,
        scale=table.predictions.scale,
        settings={**table.settings, "random_state": table.seed, "family": chosen.family},
        path=path,
        **facts,
    )


def steps_of(rounds: Sequence[Round], settings: Mapping[str, Any]) -> Steps:
    """Count the steps of a fit."""
    return Steps(STEPS_OF_A_SEARCH * (len(FAMILIES) * len(rounds) + 1) + 3, settings["progress"])


def _candidates(
    table: TableFacts,
    counted: Tally,
    n_learned: float,
    coded: CodedRows,
    laws: Sequence[Codebook],
    units: Units,
    steps: Steps,
) -> dict[FamilyName, Candidate]:
    """Make the functions of every family that may be chosen, and what looks for columns among their products."""
    features, settings = table.features, table.settings
    degrees, order = degrees_for(n_learned, len(features)), int(settings["max_order"])
    made = make_marginals(features, laws, max(degrees.main, degrees.pair))
    if not any(marginal.roughness.size for marginals in made.values() for marginal in marginals):
        raise InputError(
            f"All levels of {listing([feature.name for feature in features])} are too rare to be distinguished. "
            "Pass more rows, or columns with fewer levels."
        )
    # More rows speak for all that is worth a column.
    n_low_order = LOW_ORDER_COLUMNS if counted.n_rows <= SCREENED_ROWS else 0

    def search(family: FamilyName, marginals: Sequence[Marginal]) -> ColumnSearch:
        return ColumnSearch(marginals, degrees, order, steps, power=POWERS[family], n_low_order=n_low_order)

    return {
        family: Candidate(search(family, marginals), coded, units.replicates, units.ranks)
        for family, marginals in made.items()
        if settings["family"] in ("auto", family)
    }


def check(n_rows: int, settings: Mapping[str, Any]) -> None:
    """Refuse settings that have no meaning, and too few rows."""
    max_order, family = settings["max_order"], settings["family"]
    if max_order not in (1, 2, 3):
        raise InputError(f"max_order must be 1, 2 or 3; got {max_order!r}.")
    if family not in ("auto", *FAMILIES):
        raise InputError(f"family must be one of {listing(['auto', *FAMILIES])}; got {family!r}.")
    if n_rows < FEWEST_ROWS:
        raise InputError(
            f"The table has {n_rows:,} row(s). To learn from some rows and hold out others takes at least "
            f"{FEWEST_ROWS}, better some hundreds."
        )
