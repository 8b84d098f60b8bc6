"""The recipe for more rows than are read at once: a sample of them chooses, all of them estimate.

Rows are read twice: to survey them, and to write them as codes of two bytes. Then a few passes over the codes make the
sums that estimates, their uncertainty and the facts about the table are made of.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import LOOKED_AT_ROWS, Floats
from anova_report.core.basis.tally import Tally, ValueCounts, hash_rows, tally
from anova_report.core.diagnostics.concurvity import RankProducts, code_ranks
from anova_report.core.diagnostics.held_together import with_sets
from anova_report.core.diagnostics.joint_support import JointSupport, PairCells, cell_axes, unseen_pairs
from anova_report.core.diagnostics.near_duplicates import draw_windows, median_serial, near_duplicates_of
from anova_report.core.fit.asking import Questions
from anova_report.core.fit.partition import Partition, Units, tell_apart
from anova_report.core.fit.recipe import TableFacts, check, choose, conclude, decompose, steps_of, trace
from anova_report.core.fit.row_blocks import ArrayRows, Codebook, CodedRows, RowSource, span_blocks
from anova_report.core.input.predictions import require_spread
from anova_report.core.input.table import require_variation
from anova_report.core.input.units import GivenUnits
from anova_report.core.input.weights import RowWeights
from anova_report.core.large.large_rows import Division, LargeRows, RowTables, SampledUnits, estimate
from anova_report.core.large.spans import LocalSpans, Spans
from anova_report.core.large.survey import (
    SAMPLE_ROWS,
    SLACK,
    CodeCounts,
    Encode,
    SampledRows,
    SamplingPlan,
    Survey,
    different,
)
from anova_report.core.progress import Passes
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.expansion import Component
from anova_report.core.threads import workers


def decompose_rows(
    source: RowSource, table: TableFacts, given: GivenUnits | None = None, questions: Questions | None = None
) -> Decomposition:
    """Decompose rows that are read in this process: few in memory, many through a survey."""
    if isinstance(source, ArrayRows) and len(source.values) <= SAMPLE_ROWS:
        return decompose(source, tally(source, len(table.features)), table, given, questions)
    spans = LocalSpans(partial(span_blocks, source), Passes(table.settings["progress"]))
    return decompose_spans(spans, table, given, source.weights, questions)


def decompose_spans(
    spans: Spans,
    table: TableFacts,
    given: GivenUnits | None = None,
    weights: RowWeights | None = None,
    questions: Questions | None = None,
) -> Decomposition:
    """Survey rows that lie in spans, and decompose them."""
    n_rows = spans.passes.n_rows
    # Where it is known how many rows there are, those that draw large numbers need not travel.
    bound = 1.0 if n_rows is None else min(1.0, SLACK * SAMPLE_ROWS / n_rows)
    with workers():
        known = spans.fold(Survey, SamplingPlan(table.seed, SAMPLE_ROWS, bound), "looking at the rows")
    sample = known.sample
    require_spread(known.n_rows, known.spread)
    if known.n_rows > SAMPLE_ROWS:
        spans.passes.n_rows = known.n_rows
        return decompose_large(spans, known, table, given, None if weights is None else weights.total, questions)
    rows = ArrayRows(np.asfortranarray(sample.values), sample.predictions, weights)
    return decompose(rows, tally(rows, len(table.features)), table, given, questions)


def decompose_large(
    spans: Spans,
    known: Survey,
    table: TableFacts,
    given: GivenUnits | None = None,
    total_weight: float | None = None,
    questions: Questions | None = None,
) -> Decomposition:
    """Decompose predictions from sums over rows that lie in spans; `known` is what the first pass found."""
    check(known.n_rows, table.settings)
    features, sample = table.features, known.sample
    units = _units(known, sample, table, given)
    with workers(), steps_of(units.rounds(known.n_rows), table.settings) as steps:
        steps.start("codes")
        windows = draw_windows(_drawn(known, sample), features, table.seed)
        center, spread = known.moments.mean, np.where(known.spread > 0, known.spread, 1.0)
        hashed = units.partition.unit == "equal rows"
        coded = spans.map(Encode(known.books(features), center, spread, windows, hashed), "writing rows as codes")
        try:
            books, counts = _count_codes(coded, known, table)
            laws = [_law(book) for book in books]
            columns = [ValueCounts(law.nodes, law.counts, int(law.n_missing)) for law in laws]
            counted = _tally(known, len(sample.positions), columns, sample)
            source = ArrayRows(np.asfortranarray(sample.values), sample.predictions, _weights(sample))
            division = Division.of(units)
            hashes = hash_rows(sample.values) if hashed else None
            weights = None if source.weights is None else source.weights.values
            own = SampledUnits.drawn(
                units.partition, division, sample.positions, known.n_rows, hashes=hashes, weights=weights
            )
            if questions is not None:
                questions = replace(questions, at=sample.positions.astype(np.intp))
            chosen = choose(table, counted, CodedRows(source, books, center, spread), laws, own, steps, questions)
            chosen.rows.forget()  # sums over all rows need the room
            steps.start("all rows")
            rows = LargeRows(coded, RowTables(books, chosen.search.marginals, division), center, spread)
            fit, held_out = estimate(rows, chosen.fit, chosen.held_out, chosen.cells)
            chosen = replace(chosen, fit=fit, held_out=held_out)
            fingerprint = known.fingerprint()
            traced, recurring = trace(chosen, steps, f"{fingerprint.inputs}-{table.seed}-{units.key}")
            whole = replace(counted, n_rows=known.n_rows)
            serial = median_serial(known.serial, whole, features) if given is None else None
            partition = with_sets(units.partition, chosen.fit, known.n_rows, serial, recurring)
            facts = {
                "correlations": _correlations(coded, books, table),
                "joint_support": _together(coded, books, rows, traced["expansion"].components, sample.values),
                "fingerprint": fingerprint,
                "asking": chosen.asking,
            }
        finally:
            coded.close()
    clumped = _near_duplicates(counts, whole, windows.columns, units, hashed, table.seed)
    partition = replace(partition, clumped=clumped)
    if total_weight is not None:
        partition = replace(partition, total_weight=total_weight, n_effective=known.moments.weight)
    return conclude(table, chosen, {**traced, **facts, "partition": partition})


def _units(known: Survey, sample: SampledRows, table: TableFacts, given: GivenUnits | None) -> Units:
    """Find out which rows belong together: those that the user named, or copies."""
    if given is not None:
        return Units(Partition(given.kind, given.n_units), known.n_rows, table.seed, given.codes)
    repeated, different_rows = known.hashes.repeated, len(np.unique(hash_rows(sample.values)))
    numbers = [at for at, feature in enumerate(table.features) if not feature.has_levels]
    copies = repeated > 0 and tell_apart([len(different(sample.values[:, at])) for at in numbers], different_rows)
    n_copies = round(repeated * known.n_rows) if copies else 0
    unit = Partition("equal rows" if copies else "row", known.n_rows - n_copies, n_copies)
    return Units(unit, known.n_rows, table.seed)


def _drawn(known: Survey, sample: SampledRows) -> Tally:
    """Count the values of sampled rows, as far as they tell where the rows of all lie."""
    columns = []
    for column in sample.values.T:
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        columns.append(ValueCounts(values, counts, len(column) - int(counts.sum())))
    return _tally(known, known.n_rows, columns, sample)


def _tally(known: Survey, n_rows: int, columns: Sequence[ValueCounts], sample: SampledRows) -> Tally:
    n_distinct, weights = len(np.unique(hash_rows(sample.values))), _weights(sample)
    effective = float(n_rows) if weights is None else weights.effective
    moments = known.moments.mean, known.spread
    return Tally(n_rows, tuple(columns), *moments, n_distinct, known.fingerprint(), effective)


def _weights(sample: SampledRows) -> RowWeights | None:
    if sample.weights is None:
        return None
    return RowWeights.of(sample.weights, sample.positions.astype(np.intp))


def _count_codes(coded: Spans, known: Survey, table: TableFacts) -> tuple[list[Codebook], CodeCounts]:
    """Count how many rows have each code."""
    empty = known.books(table.features)
    found = coded.fold(CodeCounts, [len(book.last) for book in empty], "counting values")
    books = []
    for feature, book, counts in zip(table.features, empty, found.counts, strict=True):
        seen = book.nodes[counts[:-1] > 0]
        n_missing = known.n_rows if not seen.size else int(counts[-1] > 0)
        require_variation(feature, seen, known.n_rows, n_missing)
        books.append(Codebook(book.last, book.nodes, counts[:-1], counts[-1]))
    return books, found


def _law(book: Codebook) -> Codebook:
    """Leave out codes that no row has."""
    used = book.counts > 0
    return Codebook(book.last[used], book.nodes[used], book.counts[used], book.n_missing)


def _correlations(coded: Spans, books: Sequence[Codebook], table: TableFacts) -> Floats | None:
    ranks = code_ranks(books, table.features)
    if not ranks:
        return None if ranks is None else np.eye(len(books))
    return coded.fold(RankProducts, ranks, "correlations").correlations(len(books))


def _together(
    coded: Spans, books: Sequence[Codebook], rows: LargeRows, components: Sequence[Component], values: Floats
) -> JointSupport:
    """Count which values of two features occur together in all rows."""
    n_rows = int(sum(books[0].counts)) + int(books[0].n_missing)
    axes = cell_axes(n_rows, rows.marginals, components)
    of_codes = [axis.cells(np.append(books[feature].nodes, np.nan)) for feature, axis in axes.items()]
    shared = list(axes.values()), of_codes, list(axes)
    counted = coded.fold(lambda known: PairCells(*known), shared, "values of two features")
    step = max(1, len(values) // LOOKED_AT_ROWS)
    cells = [axis.cells(values[::step, feature]).astype(np.uint8) for feature, axis in axes.items()]
    return unseen_pairs(counted, list(axes), np.stack(cells), components)


def _near_duplicates(
    counts: CodeCounts, counted: Tally, columns: Sequence[int], units: Units, hashed: bool, seed: int
) -> float | None:
    if not columns or not counts.windows:
        return None
    places: NDArray[np.intp] = np.concatenate([at for at, _ in counts.windows])
    values = np.concatenate([each for _, each in counts.windows])
    own = places if units.of_rows is None else units.of_rows[places]
    if hashed:
        own = np.unique(hash_rows(values), return_inverse=True)[1]
    found = near_duplicates_of(values, own, counted, columns, seed)
    return None if found is None else found.share
