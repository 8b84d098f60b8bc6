"""Rows delivered in chunks: a table larger than memory, or one that is spread over files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.row_blocks import ChunkedRows
from anova_report.core.input.features import Feature, encode
from anova_report.core.input.predictions import Answers, read_answers
from anova_report.core.input.table import encode_rows, open_table, read_features
from anova_report.core.input.weights import RowWeights, kept, read_weights
from anova_report.errors import InputError, InputTypeError

UNKNOWN: Any = "unknown"  # the kind of a column of which a chunk holds no value

# Returns, each time, all chunks, each a table and its answers, and perhaps its weights.
Chunks = Callable[[], Iterable[tuple[Any, Any] | tuple[Any, Any, Any]]]
Pairs = Callable[[], Iterable[tuple[Any, Any]]]


@dataclass(frozen=True, eq=False)
class ChunkedSample:
    """What the first pass over all chunks finds, and the rows themselves for every further pass."""

    features: tuple[Feature, ...]  # features with the levels of all chunks
    named: bool  # whether the tables had names
    answers: Answers  # the answers of the first chunk, for the names and the number of the outputs
    rows: ChunkedRows


def read_chunks(chunks: Chunks, sample_weight: Any = None, **others: Any) -> tuple[ChunkedSample, list[Any]]:
    """Look at all chunks once: kinds and levels of the columns, names of the outputs.

    Rows that count nothing are left out, also of others, by name, that go with the rows of all chunks.
    """
    if not callable(chunks):
        raise InputTypeError(
            f"chunks must be a function that returns the chunks anew for every pass; got {type(chunks).__name__}. "
            "For example: lambda: ((part[inputs], part['answer']) for part in pandas.read_csv(path, chunksize=10**5))."
        )
    pairs, weights, n_rows = _weighted(chunks, sample_weight)
    features: tuple[Feature, ...] | None = None
    first: Answers | None = None
    named = False
    for X, y in pairs():
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
        for X, y in pairs():
            if open_table(X).shape[0]:
                values = encode_rows(X, known)
                yield values, read_answers(y, len(values)).values

    left = [kept(name, each, weights, n_rows) for name, each in others.items()]
    return ChunkedSample(known, named, first, ChunkedRows(encoded, weights)), left


def _weighted(chunks: Chunks, sample_weight: Any) -> tuple[Pairs, RowWeights | None, int]:
    """Take the weights of all rows out of chunks, or of one array; also tells how many rows there are in all."""
    triples = any(len(chunk) > 2 for chunk in islice(chunks(), 1))
    sizes, found = [], []
    for X, _, *own in chunks() if triples or sample_weight is not None else ():
        sizes.append(open_table(X).shape[0])
        if sample_weight is not None and own:
            raise InputError("Weights come with the chunks and in sample_weight. Pass them in one of the two ways.")
        found += [_checked(own[0], sizes[-1])] if own else []
    n_rows = sum(sizes)
    weights = read_weights(np.concatenate(found) if found else sample_weight, n_rows)

    def pairs() -> Iterator[tuple[Any, Any]]:
        start = 0
        for X, y, *own in chunks():
            if bool(own) != triples:
                raise InputError("Some chunks come with weights and others without. Pass weights with each, or none.")
            size = open_table(X).shape[0]
            here = None if weights is None else weights.within(start, start + size)
            yield kept("A table", X, here, size), kept("The answers", y, here, size)
            start += size

    return pairs, weights, n_rows


def _checked(weights: Any, n_rows: int) -> NDArray[Any]:
    found = np.asarray(weights)
    if found.shape != (n_rows,):
        raise InputError(f"A chunk of {n_rows} rows has weights of shape {found.shape}. Pass one for every row.")
    return found


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
