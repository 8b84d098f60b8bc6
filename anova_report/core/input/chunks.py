"""Rows delivered in chunks: a table larger than memory, or one that is spread over files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.fit.row_blocks import ChunkedRows
from anova_report.core.input.features import Feature, encode
from anova_report.core.input.predictions import Answers, read_answers
from anova_report.core.input.table import encode_rows, open_table, read_features
from anova_report.errors import InputError, InputTypeError

UNKNOWN: Any = "unknown"  # the kind of a column of which a chunk holds no value

Chunks = Callable[[], Iterable[tuple[Any, Any]]]  # returns, each time, all chunks, each a table and its answers


@dataclass(frozen=True, eq=False)
class ChunkedSample:
    """What the first pass over all chunks finds, and the rows themselves for every further pass."""

    features: tuple[Feature, ...]  # features with the levels of all chunks
    named: bool  # whether the tables had names
    answers: Answers  # the answers of the first chunk, for the names and the number of the outputs
    rows: ChunkedRows


def read_chunks(chunks: Chunks) -> ChunkedSample:
    """Look at all chunks once: kinds and levels of the columns, names of the outputs."""
    if not callable(chunks):
        raise InputTypeError(
            f"chunks must be a function that returns the chunks anew for every pass; got {type(chunks).__name__}. "
            "For example: lambda: ((part[inputs], part['answer']) for part in pandas.read_csv(path, chunksize=10**5))."
        )
    features: tuple[Feature, ...] | None = None
    first: Answers | None = None
    named = False
    for X, y in chunks():
        table = open_table(X)
        if not table.shape[0]:
            continue
        found = tuple(
            replace(feature, kind=UNKNOWN) if np.isnan(encode(feature, table.column(index))).all() else feature
            for index, feature in enumerate(read_features(table))
        )
        features = found if features is None else _merge(features, found)
        answers = read_answers(y, table.shape[0])
        if first is None:
            first, named = answers, table.names is not None
        elif answers.values.shape[1] != first.values.shape[1]:
            raise InputError("The chunks have different numbers of outputs.")
    if features is None or first is None:
        raise InputError("There are no chunks. The function must return at least one table with its answers.")
    known = tuple(replace(f, kind="numeric") if f.kind == UNKNOWN else f for f in features)

    def encoded() -> Iterator[tuple[Floats, Floats]]:
        for X, y in chunks():
            if open_table(X).shape[0]:
                values = encode_rows(X, known)
                yield values, read_answers(y, len(values)).values

    return ChunkedSample(known, named, first, ChunkedRows(encoded))


def _merge(known: tuple[Feature, ...], found: tuple[Feature, ...]) -> tuple[Feature, ...]:
    if [feature.name for feature in known] != [feature.name for feature in found]:
        raise InputError("The chunks have different columns. Pass the same columns, in the same order, in each.")
    return tuple(_merge_feature(ours, theirs) for ours, theirs in zip(known, found, strict=True))


def _merge_feature(known: Feature, found: Feature) -> Feature:
    if UNKNOWN in (known.kind, found.kind):
        return found if known.kind == UNKNOWN else known
    if known.kind == found.kind == "nominal":
        return replace(known, levels=tuple(sorted({*known.levels, *found.levels})))
    if known != found:
        raise InputError(
            f"Column {known.name!r} is {known.kind} in one chunk and {found.kind} in another, or has other levels "
            "there. Convert it to one type."
        )
    return known
