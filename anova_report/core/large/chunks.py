"""Rows delivered in chunks: a table larger than memory, or one that is spread over files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.fit.row_blocks import ChunkedRows
from anova_report.core.input.features import Feature, encode
from anova_report.core.input.predictions import Predictions, read_predictions
from anova_report.core.input.table import InputTable, encode_rows, open_table, read_features
from anova_report.core.input.units import GivenUnits, read_units
from anova_report.core.input.weights import RowWeights, kept, read_weights
from anova_report.errors import InputError, InputTypeError

MOST_LEVELS = 50_000  # of a column that comes in chunks: more could not be kept, however many rows there are
UNKNOWN: Any = "unknown"  # the kind of a column of which a chunk holds no value

# Returns, each time, all chunks, each a table and its predictions, and perhaps its weights.
Chunks = Callable[[], Iterable[tuple[Any, Any] | tuple[Any, Any, Any]]]


@dataclass(frozen=True, eq=False)
class ChunkedSample:
    """What the first pass over all chunks finds, and the rows themselves for every further pass."""

    features: tuple[Feature, ...]  # features with the levels of all chunks
    named: bool  # whether the tables had names
    predictions: Predictions  # the predictions of the first chunk, for the names and the number of the outputs
    rows: ChunkedRows  # that count
    n_rows: int  # all rows, also those that count nothing

    @property
    def positions(self) -> NDArray[np.intp]:
        """Which of all rows count."""
        return np.arange(self.n_rows) if self.rows.weights is None else self.rows.weights.positions

    def units(self, groups: Any, time: Any) -> GivenUnits | None:
        """Read which rows belong together, from one value for each of all rows."""
        at = self.positions
        groups, time = (kept(name, each, at, self.n_rows) for name, each in (("groups", groups), ("time", time)))
        return read_units(groups, time, len(at), self.rows.weights)


def read_chunks(chunks: Chunks, sample_weight: Any = None) -> ChunkedSample:
    """Look at all chunks once: kinds and levels of the columns, names of the outputs, and weights."""
    if not callable(chunks):
        raise InputTypeError(
            f"chunks must be a function that returns the chunks anew for every pass; got {type(chunks).__name__}. "
            "For example: lambda: ((part[inputs], part['score']) for part in pandas.read_csv(path, chunksize=10**5))."
        )
    parts = WeightedChunks(chunks, None if sample_weight is None else np.asarray(sample_weight))
    features: tuple[Feature, ...] | None = None
    first: Predictions | None = None
    named = False
    for X, y in parts.counting():
        table = open_table(X)
        found = look_at(table)
        features = found if features is None else merge_features(features, found)
        predictions = _predictions(y, table.shape[0])
        if first is None:
            first, named = predictions, table.names is not None
        elif predictions.values.shape[1] != first.values.shape[1]:
            raise InputError("The chunks have different numbers of outputs.")
    weights = parts.weights()
    if features is None or first is None:
        raise InputError("There are no chunks. The function must return at least one table with its predictions.")
    known = known_kinds(features)

    def encoded() -> Iterator[tuple[Floats, Floats]]:
        for X, y in parts.counting():
            values = encode_rows(X, known)
            yield values, _predictions(y, len(values)).values

    return ChunkedSample(known, named, first, ChunkedRows(encoded, weights), parts.n_rows)


class WeightedChunks:
    """Chunks without the rows that count nothing; their weights come with them or in one array."""

    def __init__(self, chunks: Chunks, given: NDArray[Any] | None) -> None:
        self.n_rows = 0
        self._chunks, self._given = chunks, given
        self._found: list[NDArray[Any]] = []

    def counting(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rows that count of every chunk which has any, and remember all weights."""
        self.n_rows, self._found = 0, []
        for X, y, *own in self._chunks():
            size = open_table(X).shape[0]
            weights = self._of_chunk(own, size)
            self.n_rows += size
            if weights is not None:
                self._found.append(weights)
            at = None if weights is None or weights.shape != (size,) else np.flatnonzero(weights != 0)
            if size if at is None else len(at):
                known = isinstance(y, Predictions)
                values = kept("The predictions", y.values if known else y, at, size)
                yield kept("A table", X, at, size), replace(y, values=values) if known else values

    def weights(self) -> RowWeights | None:
        """Check the weights of all rows, once they have been read."""
        given = self._given if self._given is not None or not self._found else np.concatenate(self._found)
        return read_weights(given, self.n_rows)

    def _of_chunk(self, own: list[Any], size: int) -> NDArray[Any] | None:
        if not own:
            if self._given is None and self._found:
                raise InputError("Some chunks come with weights and others without. Pass weights with each, or none.")
            return None if self._given is None else self._given[self.n_rows : self.n_rows + size]
        if self._given is not None or len(self._found) == 0 < self.n_rows:
            raise InputError(
                "Weights come with some chunks, and not with others or also in sample_weight. Pass them in one way: "
                "with every chunk, or in one array."
            )
        found = np.asarray(own[0])
        if found.shape != (size,):
            raise InputError(f"A chunk of {size} rows has weights of shape {found.shape}. Pass one for every row.")
        return found


def _predictions(given: Any, n_rows: int) -> Predictions:
    return given if isinstance(given, Predictions) else read_predictions(given, n_rows)


def look_at(table: InputTable) -> tuple[Feature, ...]:
    """Recognize the columns of one chunk; what kind a column without a value is, other chunks must say."""
    return tuple(
        replace(feature, kind=UNKNOWN) if np.isnan(encode(feature, table.column(index))).all() else feature
        for index, feature in enumerate(read_features(table))
    )


def known_kinds(features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Take a column without any value for numbers; that it is empty is said elsewhere."""
    return tuple(replace(feature, kind="numeric") if feature.kind == UNKNOWN else feature for feature in features)


def merge_features(known: tuple[Feature, ...], found: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Find what columns are by what they are in some rows and in others."""
    if [feature.name for feature in known] != [feature.name for feature in found]:
        raise InputError("The chunks have different columns. Pass the same columns, in the same order, in each.")
    return tuple(_merge_feature(ours, theirs) for ours, theirs in zip(known, found, strict=True))


def _merge_feature(known: Feature, found: Feature) -> Feature:
    if UNKNOWN in (known.kind, found.kind):
        return found if known.kind == UNKNOWN else known
    if known.kind == found.kind == "nominal":
        levels = tuple(sorted({*known.levels, *found.levels}))
        if len(levels) > MOST_LEVELS:
            raise InputError(
                f"Column {known.name!r} holds more than {MOST_LEVELS:,} different texts, which name rows and seem not "
                "to be levels. Leave it out, or write one word for all that are rare."
            )
        return replace(known, levels=levels)
    if known != found:
        raise InputError(
            f"Column {known.name!r} is {known.kind} in one chunk and {found.kind} in another, or has other levels "
            "there. Convert it to one type."
        )
    return known
