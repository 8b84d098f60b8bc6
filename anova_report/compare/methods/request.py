"""What every method is given: a model, a table, rows to explain, and ways to ask; as plain numbers where it must be."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anova_report.compare.methods.cells import Cells, Positions, pick
from anova_report.core.arrays import Floats
from anova_report.core.input.black_box import ask
from anova_report.core.input.features import Feature, encode
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.scales import Scale, asked_again
from anova_report.core.input.table import UNNAMED, InputTable, encode_rows, open_table, read_features, whole_number
from anova_report.core.progress import bar
from anova_report.core.randomness import stream
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError, listing

NUMBERS = ("numeric", "boolean")  # kinds of columns that are numbers as they are


def numbers_of(table: InputTable, columns: Sequence[Feature], user: str) -> Floats:
    """Write a table as an array of numbers, columns in its own order; columns of other kinds are refused."""
    others = [column.name for column in columns if column.kind not in NUMBERS]
    if others:
        raise InputError(
            f"{user} takes columns of numbers only, and these hold other things: {listing(others)}. Use pdp or "
            "kernelshap, which ask the model in the table's own form."
        )
    return np.column_stack([encode(column, table.column(index)) for index, column in enumerate(columns)])


def require_complete(numbers: Floats, user: str) -> None:
    """Refuse rows that lack a value."""
    absent = int(np.isnan(numbers).any(axis=1).sum())
    if absent:
        raise InputError(
            f"{user} takes complete rows only, and {absent} of {len(numbers)} lack a value. Fill them, or drop these "
            "rows."
        )


SUM_TOLERANCE = 0.01  # of the predictions' standard deviation: far above rounding, far below another scale


@dataclass(frozen=True, eq=False)
class Request:
    """A model, a table, and which of its rows are to be explained."""

    model: Any  # as `explain` takes it, or a torch module
    table: InputTable  # in the form in which it was passed; the model is asked in that form
    features: tuple[Feature, ...]
    rows: Positions  # shape (n_rows,): positions of the rows to explain
    scale: Scale = "logit"  # for models with classes
    output: Any = None  # which class or column; None where there is but one
    seed: int = 0
    progress: bool = True

    @cached_property
    def values(self) -> Floats:
        """The rows to explain as floats, shape (n_rows, n_features)."""
        return encode_rows(self.own_form(self.rows), self.features, "the comparison")

    @cached_property
    def predictions(self) -> Predictions:
        """What the model predicts to the rows to explain."""
        return self._ask(pick(self.table, self.rows))

    @cached_property
    def cells(self) -> Cells:
        """The distinct values of the table, to make new rows of."""
        return Cells.of(self.table)

    @cached_property
    def columns(self) -> tuple[Feature, ...]:
        """What the columns of the table are, whatever a decomposition calls them."""
        return read_features(self.table)

    @property
    def sign(self) -> float:
        """Minus one where the first of two classes is explained: what models hold is the logit of the second."""
        labels = class_names(self.model)
        return -1.0 if len(labels) == 2 and self.predictions.names[0] == labels[0] else 1.0

    def background(self, most: int) -> Positions:
        """Draw the rows that values are taken from where a method leaves a feature out."""
        return draw(self.table.shape[0], whole_number("background", most), stream(self.seed, "background rows"))

    def asked(self, codes: Positions) -> Floats:
        """Ask the model about rows made of distinct values of the table, shape (n_rows, n_features)."""
        return self._ask(self.cells.mixed(codes)).values[:, 0]

    def own_form(self, positions: Positions) -> Any:
        """Return some rows as the model takes them."""
        return pick(self.table, positions).rows(0, len(positions))

    def numbers(self, positions: Positions, user: str) -> Floats:
        """Return some rows as an array of numbers, for methods that look into the model."""
        return numbers_of(pick(self.table, positions), self.columns, user)

    def bar(self, items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
        """Go through items with a bar that appears once they have taken two seconds."""
        return iter(bar(self.progress, iterable=items, desc=what, total=total))

    def require_sum(self, total: Floats, title: str) -> None:
        """Refuse contributions that do not add up to the predictions, base included: they explain something else."""
        predictions = self.predictions.values[:, 0]
        apart = float(np.sqrt(np.mean((total - predictions) ** 2)))
        if apart <= SUM_TOLERANCE * float(predictions.std()) + 1e-6 * float(np.abs(predictions).max()):
            return
        other = "probability" if self.predictions.scale == "logit" else "logit"
        cure = f" Try scale={other!r}" if self.predictions.scale in ("logit", "probability") else " Explain one output"
        raise InputError(
            f"{title} explains what is inside the model, and that is not its prediction on the scale "
            f"{self.predictions.scale!r}: their sums differ by {apart:.3g} on average.{cure}, or use kernelshap, which "
            "asks the model for its predictions."
        )

    def _ask(self, table: InputTable) -> Predictions:
        predictions = ask(self.model, table, scale=self.scale, output=self.output, progress=False)
        if predictions.values.shape[1] != 1:
            raise InputError(
                f"The model returns {predictions.values.shape[1]} outputs, {listing(predictions.names)}, and they are "
                "compared one at a time. Choose one with output=."
            )
        return predictions


def make_request(
    model: Any,
    X: Any,
    like: Decomposition | None = None,
    *,
    scale: Scale | None = None,
    output: Any = None,
    max_rows: int = 1000,
    random_state: int = 0,
    progress: bool = True,
) -> Request:
    """Read a table and draw the rows to explain, always the same for the same seed."""
    table = open_table(X)
    if not table.shape[0]:
        raise InputError("The table has no rows, so there is nothing to explain. Pass at least one.")
    if output is None and like is not None and len(like.output_names) == 1:
        (explained,) = like.output_names
        output = explained if explained in class_names(model) else None
    return Request(
        model=model,
        table=table,
        features=read_features(table) if like is None else _matched(like, table),
        rows=draw(table.shape[0], whole_number("max_rows", max_rows), stream(random_state, "explained rows")),
        scale=scale or asked_again("identity" if like is None else like.scale),
        output=output,
        seed=random_state,
        progress=progress,
    )


def draw(n_rows: int, most: int, rng: np.random.Generator) -> Positions:
    """Draw at most so many positions, ascending.

    Examples
    --------
    >>> rng = stream(0, "rows")
    >>> draw(3, 5, rng).tolist(), len(draw(100, 5, rng))
    ([0, 1, 2], 5)
    """
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, size=most, replace=False))


def class_names(model: Any) -> list[str]:
    """Write the classes of a model as text, as its predictions are called; none if it has no classes."""
    return [str(label) for label in np.asarray(getattr(model, "classes_", [])).tolist()]


def _matched(like: Decomposition, table: InputTable) -> tuple[Feature, ...]:
    """Order the features of a decomposition as the columns of a table; those that it left out are read anew."""
    known = {name: feature for feature in like.features for name in feature.sources}
    left_out = {column.name for column in like.left_out}
    names = table.names or [f"{UNNAMED}{index}" for index in range(table.shape[1])]
    if not set(known) <= set(names) <= {*known, *left_out}:
        return like.features  # the message about names that do not match is made where rows are encoded
    # Columns that were read as levels of one feature are explained one by one, and added up later.
    single = {name: feature for name, feature in known.items() if not feature.columns}
    return tuple(single.get(feature.name, feature) for feature in read_features(table))
