"""Fitting tables in parts: in this process one part after the other, or on a Dask cluster where partitions lie."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import BLOCK_ROWS, Floats
from anova_report.core.fit.asking import Questions, how_many
from anova_report.core.fit.recipe import TableFacts
from anova_report.core.input.black_box import NOT_POSITIVE, SURE, SureError
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.recombination import Recombination
from anova_report.core.input.scales import Scale
from anova_report.core.input.table import encode_rows, open_table
from anova_report.core.large import dask_cluster, spans
from anova_report.core.large.chunks import known_kinds, look_at, merge_features, read_chunks
from anova_report.core.large.dask_cluster import ClusterSpans, RowPiece, cut, hold, on_cluster
from anova_report.core.large.large_recipe import decompose_rows, decompose_spans
from anova_report.core.large.part_rows import AskedOnce, AskModel, PartRows, named_by, rows_at, sampled_positions, take
from anova_report.core.libraries import library
from anova_report.core.progress import Passes
from anova_report.core.randomness import draw_seed
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import AnovaReportError, InputError


@dataclass(frozen=True, eq=False)
class FittedParts:
    """A decomposition of a table in parts, and a sample of its rows for those who look at them."""

    decomposition: Decomposition
    named: bool  # whether the columns have names
    X: Any  # rows that were drawn, as one table
    predictions: Floats  # of these rows, shape (n_rows, n_outputs)
    positions: NDArray[np.intp]  # of these rows
    about: Predictions  # names and scale of the predictions

    @property
    def note(self) -> str:
        """Say what comes from all rows and what from a sample; empty where all rows are shown."""
        n_rows, shown = self.decomposition.in_sample.n_rows, len(self.positions)
        if shown == n_rows:
            return ""
        return (
            f"Single rows, histograms and scatter plots show a sample of {shown:,} of {n_rows:,} rows, drawn with seed "
            f"{self.decomposition.settings['random_state']}; fidelity, shares, effects and bands come from all rows."
        )


def fit_parts(
    rows: PartRows, settings: Mapping[str, Any], groups: str | None = None, time: str | None = None, ask: int | None = 0
) -> FittedParts:
    """Fit a table in parts; `groups` and `time` name columns, `ask` is how often a model is asked beside its rows."""
    client = dask_cluster.current_client() if rows.parts.delayed else None
    if client is not None:
        if groups is not None or time is not None or rows.weight is not None:
            raise InputError(
                "Groups, time and weights of a Dask collection are not read on a cluster. Write it as a folder of "
                "Parquet files, and pass that."
            )
        return _fit_on_cluster(client, rows, settings, ask)
    started = perf_counter()
    with AskedOnce(rows) as chunks:
        sample = read_chunks(chunks)
        seconds = perf_counter() - started  # reading included: rather fewer questions than too many
        units, counting = sample.units(rows.column(groups), rows.column(time)), sample.positions
        table = TableFacts(sample.features, sample.predictions, settings, draw_seed(settings["random_state"]))

        def parents(wanted: NDArray[np.intp]) -> Any:
            return join_tables(rows_at(chunks, counting[wanted])[0])

        questions = _questions(rows, parents, len(sample.features), how_many(ask, len(counting), seconds))
        found = decompose_rows(sample.rows, table, units, questions)
        drawn = counting[sampled_positions(len(counting), table.seed)]
        tables, predictions = rows_at(chunks, drawn)
    return FittedParts(found, sample.named, join_tables(tables), predictions, drawn, sample.predictions)


def fit_asked(
    ask: Callable[[Scale], PartRows],
    scale: Scale,
    settings: Mapping[str, Any],
    groups: str | None = None,
    time: str | None = None,
    n_asked: int | None = 0,
    *,
    multiplies: bool = False,
) -> tuple[FittedParts, str]:
    """Fit what a model predicts; log-odds are tried first, or logarithms if its effects are known to multiply.

    Whether all rows have them shows when all have been asked; if one has not, the model is asked again, and a note says
    why they are not explained.
    """
    tries: tuple[Scale, Scale] = ("log", "identity") if multiplies else ("logit", "probability")
    try:
        return fit_parts(ask(tries[0] if scale == "auto" else scale), settings, groups, time, n_asked), ""
    except SureError:
        if scale != "auto":
            raise
        return fit_parts(ask(tries[1]), settings, groups, time, n_asked), (NOT_POSITIVE if multiplies else SURE).format(
            counted="some rows"
        )


def _questions(
    rows: PartRows, parents: Callable[[NDArray[np.intp]], Any], n_features: int, n_asked: int
) -> Questions | None:
    """Ask the model of a table in parts at recombined rows, given what reads the rows at some positions."""
    predict = rows.predict
    if not isinstance(predict, AskModel) or not n_asked:
        return None

    def ask_at(plan: Recombination) -> tuple[Floats, NDArray[np.bool_]]:
        wanted, local = plan.among()
        return predict.where_possible(local.table(parents(wanted), [[at] for at in range(n_features)]))

    return Questions(ask_at, n_asked)


def join_tables(tables: Sequence[Any]) -> Any:
    """Put rows of several parts, of the same columns, into one table."""
    if isinstance(tables[0], np.ndarray):
        return np.concatenate(tables)
    joined: Any = nw.concat([nw.from_native(table) for table in tables])
    return nw.maybe_reset_index(joined).to_native()


@dataclass(frozen=True, eq=False)
class PartitionFacts:
    """What the client learns of one partition."""

    n_rows: int
    features: tuple[Feature, ...]
    named: bool
    predictions: Predictions  # of no rows: names and scale


def _fit_on_cluster(client: Any, rows: PartRows, settings: Mapping[str, Any], ask: int | None) -> FittedParts:
    """Look at partitions and ask the model where they lie, cut them into spans, and sum over these."""
    delayed = library("dask", "A Dask cluster").delayed
    names, started = [part.name for part in rows.parts.parts], perf_counter()
    with on_cluster(client):
        held = hold(client, replace(rows, parts=replace(rows.parts, parts=(), delayed=())))
        looks = [delayed(_look, pure=False)(held, *each) for each in zip(names, rows.parts.delayed, strict=True)]
        asked = client.compute(looks)
        facts = [_fact(name, each) for name, each in zip(names, client.map(_facts, asked, pure=False), strict=True)]
        seconds = perf_counter() - started
        features, named, first = _merged(names, facts)
        sizes = [0 if each is None else each.n_rows for each in facts]
        pieces = cut(sizes, spans.SPAN_BLOCKS * BLOCK_ROWS)
        known = hold(client, (features, names))
        beside = list(zip(rows.parts.delayed, asked, strict=True))
        made = [
            delayed(_span, pure=False)(number, held, known, span, [beside[piece.partition] for piece in span])
            for number, span in enumerate(pieces)
        ]
        table = TableFacts(features, first, settings, draw_seed(settings["random_state"]))
        lengths, n_rows = [sum(piece.stop - piece.start for piece in span) for span in pieces], sum(sizes)
        cluster = ClusterSpans(client, made, lengths, Passes(settings["progress"], n_rows))
        ends = np.cumsum([0, *sizes])

        def gathered(positions: NDArray[np.intp]) -> tuple[Any, ...]:
            inside = [np.searchsorted(positions, ends[at : at + 2]) for at in range(len(sizes))]
            wanted = [positions[slice(*own)] - ends[at] for at, own in enumerate(inside)]
            taken = [
                delayed(_take, pure=False)(held, rows.parts.delayed[at], asked[at], own)
                for at, own in enumerate(wanted)
                if own.size
            ]
            return tuple(zip(*client.gather(client.compute(taken)), strict=True))

        def ask_at(plan: Recombination) -> tuple[Floats, NDArray[np.bool_]]:
            wanted, local = plan.among()
            made = local.table(join_tables(gathered(wanted)[0]), [[at] for at in range(len(features))])
            future = client.submit(lambda rows, table: rows.predict.where_possible(table), held, made, pure=False)
            predicted: tuple[Floats, NDArray[np.bool_]] = future.result()
            return predicted

        n_asked = how_many(ask, n_rows, seconds) if isinstance(rows.predict, AskModel) else 0
        dec = decompose_spans(cluster, table, questions=Questions(ask_at, n_asked) if n_asked else None)
        drawn = sampled_positions(n_rows, table.seed)
        tables, predictions = gathered(drawn)
    return FittedParts(dec, named, join_tables(tables), np.concatenate(predictions), drawn, first)


def _fact(name: str, future: Any) -> PartitionFacts | None:
    """Wait for what a worker found in one partition; if it cannot be made, say which it is."""
    try:
        found: PartitionFacts | None = future.result()
    except AnovaReportError:
        raise
    except Exception as error:
        if future.status != "error" or type(error).__name__ == "KilledWorker":
            raise  # not the work itself failed, but those who do it
        words = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise InputError(f"{name} cannot be made ({words:.300}). Correct what makes it.") from error
    return found


def _merged(
    names: Sequence[str], facts: Sequence[PartitionFacts | None]
) -> tuple[tuple[Feature, ...], bool, Predictions]:
    """Find what columns and predictions are by what they are in each partition."""
    found = [(name, each) for name, each in zip(names, facts, strict=True) if each is not None]
    if not found:
        raise InputError("The table has no rows: all its partitions are empty.")
    first = found[0][1]
    features = first.features
    for name, each in found:
        features = named_by(name, merge_features, features, each.features)
        if len(each.predictions.names) != len(first.predictions.names):
            raise InputError(
                f"{name} has {len(each.predictions.names):,} predictions for each row and {found[0][0]} has "
                f"{len(first.predictions.names)}. The model must return the same columns for every row."
            )
    return known_kinds(features), first.named, first.predictions


def _look(rows: PartRows, name: str, table: Any) -> tuple[PartitionFacts, Floats] | None:
    """Look at one partition, on its worker, and ask the model about it."""
    if not len(table):
        return None
    X, predictions = named_by(name, rows.of_table, table)
    opened = open_table(X)
    features = named_by(name, look_at, opened)
    about = replace(predictions, values=predictions.values[:0])
    return PartitionFacts(opened.shape[0], features, opened.names is not None, about), predictions.values


def _facts(looked_at: tuple[PartitionFacts, Floats] | None) -> PartitionFacts | None:
    return None if looked_at is None else looked_at[0]


def _span(
    number: int,
    rows: PartRows,
    known: tuple[tuple[Feature, ...], Sequence[str]],
    pieces: Sequence[RowPiece],
    beside: Sequence[tuple[Any, tuple[PartitionFacts, Floats]]],
) -> spans.Span:
    """Write the rows of one span as numbers, and cut them into row blocks."""
    values, predictions, (features, names) = [], [], known
    for piece, (table, (_, predicted)) in zip(pieces, beside, strict=True):
        own = open_table(rows.inputs_of(table)).rows(piece.start, piece.stop)
        values.append(named_by(names[piece.partition], encode_rows, own, features))
        predictions.append(predicted[piece.start : piece.stop])
    return dask_cluster.number_blocks(number, np.concatenate(values), np.concatenate(predictions))


def _take(rows: PartRows, table: Any, asked: tuple[PartitionFacts, Floats], at: Any) -> tuple[Any, Floats]:
    return take(rows.inputs_of(table), at), asked[1][at]
