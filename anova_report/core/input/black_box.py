"""Asking the black box: callables and scikit-learn-like models, in batches, in the table's own form."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.model_forms import askable, has_log_link, takes_arrays
from anova_report.core.input.predictions import Predictions, real_numbers
from anova_report.core.input.scales import Scale, asked_again
from anova_report.core.input.table import FrameTable, InputTable, whole_number
from anova_report.core.progress import bar
from anova_report.errors import InputError, InputTypeError, ModelError, listing

ROWS_NAMED = 100  # positions an error carries at most: enough to look them up, and no table of its own
SURE = (
    "Probabilities are explained, not log-odds: the model's probability is exactly 0 or 1 in {counted}, where log-odds "
    "are infinite."
)
NOT_POSITIVE = (
    "Predictions are explained as they are, not as logarithms, although effects of the model multiply: in {counted} "
    "they are not above zero."
)
ONE_EACH = "It must return one prediction, or one row of predictions, per row."


class SureError(ModelError):
    """The model's predictions have no log-odds, or no logarithm, in some rows."""


@dataclass(frozen=True)
class Question:
    """How a model is asked, and what its predictions are called."""

    ask: Callable[[Any], Any]  # takes rows in the table's own form
    scale: str  # a name of `SCALES`, or "auto" where the predictions decide
    classes: tuple[str, ...] = ()  # names of the columns of the predictions, if the model has classes
    keep: tuple[int, ...] | None = None  # which columns of the predictions are wanted; all when None


def ask(
    model: Any,
    table: InputTable,
    *,
    scale: Scale = "auto",
    output: Any = None,
    batch_size: int = 8192,
    progress: bool = True,
) -> Predictions:
    """Ask a model, in the form of the table, for its predictions on every row; the arguments are those of `explain`.

    If the model raises, or its predictions are not numbers, not finite or not one per row, a ModelError carries the
    positions of the rows and what had been predicted until then.
    """
    question = _question(model, table, scale, output)
    values = _predictions_in_batches(question, table, batch_size, progress)
    note, n_sure = "", 0
    if question.scale == "auto":
        n_sure = len(_sure(values, question))
        question = replace(question, scale="probability" if n_sure else "logit")
        note = SURE.format(counted=f"{n_sure:,} of {len(values):,} rows") if n_sure else ""
    if question.scale == "log" and scale == "auto" and (low := _not_positive(values, question)).size:
        question = replace(question, scale="identity")
        note = NOT_POSITIVE.format(counted=f"{low.size:,} of {len(values):,} rows")
    values = _TURNED.get(question.scale, _unchanged)(values, question)
    if question.keep is not None:
        values = values[:, list(question.keep)]
    names = _names(question, values.shape[1], output)
    return Predictions(values, names, values.shape[1] == 1, question.scale, note, n_sure)


def ask_where_possible(
    model: Any, table: InputTable, *, scale: str, output: Any, batch_size: int, progress: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """Ask a model at rows that it may have no finite prediction for.

    Returned are predictions on the scale that is explained, and which rows have one; others are zero.
    """
    question = _question(model, table, asked_again(scale), output)
    values = _predictions_in_batches(question, table, batch_size, progress, finite=False)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(values).all(axis=1))
    without = {"logit": _sure, "log": _not_positive}.get(question.scale)
    if without is not None:
        known[without(values, question)] = False
        values[known] = _TURNED[question.scale](values[known], question)
    if question.keep is not None:
        values = values[:, list(question.keep)]
    return np.where(known[:, None], values, 0.0), known


def _question(model: Any, table: InputTable, scale: Scale, output: Any) -> Question:
    multiplies = scale == "log" or (scale == "auto" and has_log_link(model))
    found = _question_of(askable(model), scale, output, multiplies=multiplies)
    if isinstance(table, FrameTable) and takes_arrays(model):
        return replace(found, ask=lambda rows: found.ask(np.asarray(rows)))
    return found


def _question_of(model: Any, scale: Scale, output: Any, *, multiplies: bool) -> Question:
    if scale not in get_args(Scale):
        raise InputError(f"scale must be one of {listing(get_args(Scale))}; got {scale!r}.")
    classes = [name for name in ("predict_proba", "decision_function") if callable(getattr(model, name, None))]
    if classes and scale in ("identity", "log"):
        raise InputError(
            f"scale={scale!r} is for models that predict numbers, and {type(model).__name__} has {classes[0]}. Leave "
            "scale out, or choose 'logit' or 'probability'."
        )
    if classes[:1] == ["predict_proba"]:
        return _class_question(model.predict_proba, model, scale, output)
    if classes:
        if scale == "probability":
            raise InputError(
                f"{type(model).__name__} has no predict_proba, so there are no probabilities to explain. Leave out "
                "scale='probability' to explain its decision_function."
            )
        return _class_question(model.decision_function, model, "margin", output)
    for predict in (getattr(model, "predict", None), model):
        if callable(predict):
            return Question(predict, "log" if multiplies else "identity", keep=_position(output))
    raise InputTypeError(
        f"The model is of type {type(model).__name__}, which is neither callable nor has predict, predict_proba or "
        "decision_function. Pass a function that takes rows and returns numbers."
    )


def _class_question(ask: Callable[[Any], Any], model: Any, scale: str, output: Any) -> Question:
    labels = _labels(model)
    classes = tuple(str(label) for label in labels)
    if output is None:
        # One of two classes is enough; the second is the "positive" one by scikit-learn's convention.
        return Question(ask, scale, classes, keep=(1,) if len(classes) == 2 else None)
    wanted = [position for position, label in enumerate(labels) if output in (label, str(label))]
    if wanted:
        return Question(ask, scale, classes, keep=(wanted[0],))
    if labels:
        raise InputError(f"The model has no class {output!r}; its classes are {listing(labels, limit=20)}.")
    return Question(ask, scale, classes, keep=_position(output))


def _labels(model: Any) -> list[Any]:
    labels = getattr(model, "classes_", [])
    if isinstance(labels, list | tuple) and any(np.ndim(label) for label in labels):
        raise InputError(
            f"{type(model).__name__} has {len(labels)} outputs with classes of their own. Pass a function that returns "
            "one of them: lambda rows: model.predict_proba(rows)[0][:, 1]."
        )
    return list(np.asarray(labels).tolist())


def _position(output: Any) -> tuple[int, ...] | None:
    if output is None:
        return None
    if isinstance(output, int | np.integer):
        return (int(output),)
    raise InputError(f"The model names no classes, so output must be the position of a column; got {output!r}.")


def _predictions_in_batches(
    question: Question, table: InputTable, batch_size: int, progress: bool, finite: bool = True
) -> Floats:
    done: list[Floats] = []
    n_rows, batch_size = table.shape[0], whole_number("batch_size", batch_size)
    with bar(progress, total=n_rows, desc="asking the model", unit="row") as shown:
        for start in range(0, n_rows, batch_size):
            stop = min(start + batch_size, n_rows)
            try:
                done.append(_one_batch(question, table, start, stop, done[0].shape[1] if done else None, finite))
            except ModelError as error:
                error.predictions = np.concatenate(done) if done else None
                raise
            shown.update(stop - start)
    return np.concatenate(done)


def _one_batch(question: Question, table: InputTable, start: int, stop: int, width: int | None, finite: bool) -> Floats:
    """Ask about some rows; `width` is the number of columns of the predictions before, if any."""
    rows = range(start, min(stop, start + ROWS_NAMED))
    where = f"rows {start} to {stop - 1}"
    try:
        # A copy: a model that writes into its rows must not write into the caller's table.
        raw = question.ask(copy.deepcopy(table.rows(start, stop)))
    except (Exception, SystemExit) as error:
        raise ModelError(f"The model failed on {where}: {type(error).__name__}: {error}", rows=rows) from error
    values = _numbers(raw, where, rows)
    if question.scale == "margin" and len(question.classes) == 2 and values.shape[1] == 1:
        # A decision_function of two classes is one column, the margin of the second class.
        values = np.hstack([-values, values])
    if len(values) != stop - start:
        raise ModelError(
            f"The model was asked about {stop - start:,} rows ({where}) and gave {len(values):,} prediction(s). "
            f"{ONE_EACH}",
            rows=rows,
        )
    bad = start + np.flatnonzero(~np.isfinite(values).all(axis=1))
    if bad.size and finite:
        raise ModelError(
            f"The model returned NaN or infinity in {bad.size:,} row(s), first at position {listing(bad.tolist())}.",
            rows=bad[:ROWS_NAMED].tolist(),
        )
    _check_columns(question, values.shape[1], rows)
    if width not in (None, values.shape[1]):
        raise ModelError(
            f"For {where} the model returned {values.shape[1]:,} column(s), for the rows before {width}. It must "
            "return the same columns for every row.",
            rows=rows,
        )
    return values


def _numbers(raw: Any, where: str, rows: range) -> Floats:
    try:
        array: NDArray[Any] = np.asarray(raw)
    except ValueError as error:
        raise ModelError(f"For {where} the model returned rows of unequal length. {ONE_EACH}", rows=rows) from error
    try:
        values = real_numbers(array)
    except (TypeError, ValueError) as error:
        shown = listing(array.ravel()[:3].tolist())
        raise ModelError(
            f"For {where} the model returned {shown}, which are not real numbers. A model that names classes needs "
            "predict_proba or decision_function; or pass a function that returns numbers.",
            rows=rows,
        ) from error
    if values.ndim not in (1, 2) or values.shape[1:] == (0,):
        raise ModelError(f"For {where} the model returned an array of shape {values.shape}. {ONE_EACH}", rows=rows)
    return values[:, None] if values.ndim == 1 else values


def _check_columns(question: Question, n_columns: int, rows: range) -> None:
    if question.classes and n_columns != len(question.classes):
        raise ModelError(
            f"The model has {len(question.classes)} classes and returns {n_columns:,} column(s). Pass a "
            "function that returns the column(s) to explain.",
            rows=rows,
        )
    if question.keep is not None and not -n_columns <= question.keep[0] < n_columns:
        raise InputError(f"There is no output {question.keep[0]}: the model returns {n_columns:,} column(s).")


def _sure(probabilities: Floats, question: Question) -> NDArray[np.intp]:
    """Find the rows that have no logit."""
    if probabilities.shape[1] == 2:
        # A p rounded to 1 still has a logit where the other column holds what rounding left out of it.
        impossible = probabilities <= 0
    else:
        wanted = probabilities if question.keep is None else probabilities[:, list(question.keep)]
        impossible = (wanted <= 0) | (wanted >= 1)
    return np.flatnonzero(impossible.any(axis=1))


def _logits(probabilities: Floats, question: Question) -> Floats:
    sure = _sure(probabilities, question)
    if sure.size:
        raise SureError(
            f"The model's probability is exactly 0 or 1 in {sure.size:,} row(s), first at position "
            f"{listing(sure.tolist())}, so its logit is infinite there. Explain it with scale='probability'.",
            rows=sure[:ROWS_NAMED].tolist(),
            predictions=probabilities,
        )
    if probabilities.shape[1] == 2:
        # Both columns as the model gave them: 1 - p would lose the digits of a p close to 1.
        difference = np.log(probabilities[:, 1]) - np.log(probabilities[:, 0])
        return np.column_stack([-difference, difference])
    with np.errstate(divide="ignore"):  # only columns that are not wanted can still hold 0 or 1
        return np.asarray(np.log(probabilities) - np.log1p(-probabilities))


def _not_positive(values: Floats, question: Question) -> NDArray[np.intp]:
    """Find the rows that have no logarithm."""
    wanted = values if question.keep is None else values[:, list(question.keep)]
    return np.flatnonzero(~(wanted > 0).all(axis=1))


def _logarithms(values: Floats, question: Question) -> Floats:
    bad = _not_positive(values, question)
    if bad.size:
        raise SureError(
            f"The prediction is zero or negative in {bad.size:,} row(s), first at position {listing(bad.tolist())}, "
            "and has no logarithm there. Explain the predictions as they are: scale='identity'.",
            rows=bad[:ROWS_NAMED].tolist(),
            predictions=values,
        )
    with np.errstate(divide="ignore", invalid="ignore"):  # columns that are not wanted may hold anything
        return np.asarray(np.log(values))


def _unchanged(values: Floats, _: Question) -> Floats:
    return values


_TURNED: dict[str, Callable[[Floats, Question], Floats]] = {"logit": _logits, "log": _logarithms}


def _names(question: Question, n_outputs: int, output: Any) -> tuple[str, ...]:
    if question.classes:
        kept = range(len(question.classes)) if question.keep is None else question.keep
        return tuple(question.classes[position] for position in kept)
    if n_outputs == 1:
        return ("prediction" if output is None else f"prediction {output}",)
    return tuple(f"prediction {index}" for index in range(n_outputs))
