"""Running an audit from a table to its page: read, ask, decompose, ask other methods, draw, write."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray

from anova_report.compare import Attribution, attribute
from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.fit.asking import Questions, how_many
from anova_report.core.input.exposure import exposure_words, read_exposure
from anova_report.core.input.feature_groups import read_groups
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.scales import asked_again
from anova_report.core.input.table import LeftOut, Sample, left_out_words, read_sample
from anova_report.core.input.units import GivenUnits, read_units
from anova_report.core.input.weights import RowWeights, read_weights
from anova_report.core.libraries import library
from anova_report.core.result.cohorts import cohort_rows
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.storage import dumps
from anova_report.errors import InputError, listing
from anova_report.io import files
from anova_report.measures.column_roles import Unread
from anova_report.measures.expectations import check_columns
from anova_report.measures.policy import Policy
from anova_report.measures.wording import counted
from anova_report.report.audit.about import read_about
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.audit.provenance import library_versions
from anova_report.report.jobs.columns_beside import of_job
from anova_report.report.jobs.decomposed import Decomposed, as_cohort, reasons_csv
from anova_report.report.jobs.folders import ask_folder, fit_folder, is_folder
from anova_report.report.jobs.options import Job
from anova_report.report.page.gate_files import junit, summary
from anova_report.report.page.paper import find_browser, print_page
from anova_report.report.page.render import render
from anova_report.report.sources import asking
from anova_report.report.sources.boosters import Booster, BoosterClassifier
from anova_report.report.sources.child import ChildModel
from anova_report.report.sources.inputs import NUMBERS, choose_inputs, require_columns, sample_rows
from anova_report.report.sources.models import module_source, names_file
from anova_report.report.sources.tables import read_table

__all__ = ["Job", "run"]

UNJUDGED = "Left out: {names}. Accuracy is measured on tables in memory, not on folders."
JUDGED_BY = ("expectations", "tier", "limits", "waivers", "as_of")  # options of `Policy.read`


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """The rows of a table that are used.

    Parameters
    ----------
    frame : DataFrame
        All columns; the index is the position of a row in the file.
    cases : tuple of int
        Positions in `frame` of the rows that are explained one by one.
    names : tuple of str
        What each row is called on the page.
    units : GivenUnits or None
        Which rows are held out together.
    weights : RowWeights or None
        How much each row counts.
    """

    frame: pd.DataFrame
    cases: tuple[int, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    units: GivenUnits | None = None
    weights: RowWeights | None = None


@dataclass(frozen=True, eq=False)
class JobQuestion:
    """Inputs and predictions that are to be decomposed.

    Parameters
    ----------
    sample : Sample
        The inputs, read and checked.
    model : str
        What made the predictions, in words.
    notes : tuple of str
        Sentences on what was left out.
    asked, columns : object and ModelColumns, or None
        The model that was asked and the columns it was given; None where the predictions are columns.
    seconds : float
        How long the model took for all rows.
    """

    inputs: pd.DataFrame
    sample: Sample
    predictions: Predictions
    model: str
    notes: tuple[str, ...]
    asked: Any = None
    columns: asking.ModelColumns | None = None
    unread: tuple[Unread, ...] = ()
    seconds: float = 0.0


Stage: TypeAlias = Callable[[str], AbstractContextManager[None]]


def run(
    job: Job,
    *,
    command: str | None = None,
    progress: bool = True,
    tell: Callable[[str], object] | None = None,
    sources: Sequence[str | None] = (),
    overwrite: bool = False,
) -> Audit:
    """Make an audit and write its page; nothing is written before all of it is there.

    Parameters
    ----------
    command : str, optional
        What makes the audit again, where that is not `anova-report audit` with these options.
    progress : bool
        Show bars for what takes more than two seconds.
    tell : callable, optional
        Called with the name of each stage as it begins.
    sources : sequence of path
        Files beside the data and the model that must not be replaced: the configuration.
    overwrite : bool
        Whether to replace files that this package did not write.

    Raises
    ------
    InputError
        If the table, the model or a place to write to is not as it should be.
    ModelError
        If the model fails.
    """
    model = job.model and (job.model if names_file(job.model) else module_source(job.model, Path.cwd()))
    read = (job.data, model, job.population, *sources)
    claimed = files.claim(job.results, read, overwrite=overwrite)
    # What can be refused is refused before the model is asked, which may take long.
    policy = _signed_off(job)
    if job.waivers and job.as_of is None:
        job = replace(job, as_of=policy.as_of)  # on another day other waivers may have expired
    seconds: list[tuple[str, float]] = []

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        if tell is not None:
            tell(name)
        started = time.perf_counter()
        yield
        seconds.append((name, round(time.perf_counter() - started, 3)))

    population = None if job.population is None else read_table(job.population, encoding=job.encoding)
    if is_folder(job):
        found = _in_parts(job, stage, progress=progress)
    else:
        found = _in_memory(job, policy, stage, progress=progress, tell=tell)
    dec = found.dec
    if population is not None:
        with stage("Population"):
            dec = _under_population(job, dec, population)
    with stage("Audit and figures"):
        values = found.predictions.values
        audit = build_audit(
            dec,
            found.inputs,
            values[:, 0] if found.predictions.single else values,
            others=found.others,
            whole=found.whole,
            title=job.title,
            model=found.model,
            rows=found.cases or None,
            row_names=found.names,
            notes=(*job.note, *found.notes),
            unread=found.unread,
            command=command or job.command(),
            seconds=tuple(seconds),
            random_state=job.random_state,
            top_mains=job.top_mains,
            top_pairs=job.top_pairs,
            progress=progress,
            **{name: getattr(job, name) for name in JUDGED_BY},
            about=job.about,
            model_file=model if model and Path(model).is_file() else None,
            model_versions=found.versions,
            aside=found.aside,
            what_if=job.what_if,
        )
    with stage("Writing"):
        files.write_texts(_texts(job, dec, found, audit), claimed)
    return audit


def _texts(job: Job, dec: Decomposition, found: Decomposed, audit: Audit) -> dict[str, str | bytes]:
    """Make what is written to each place that was named."""
    makers: dict[str, Callable[[], str | bytes]] = {
        "out": partial(render, audit),
        "pdf": lambda: print_page(render(audit), Path(str(job.pdf))),
        "decomposition": partial(dumps, dec),
        "save": audit.text,
        "reasons": partial(reasons_csv, dec, found.inputs, found.names),
        "junit": partial(junit, audit, job.fail_on),
        "summary": partial(summary, audit),
    }
    places = ((getattr(job, name), make) for name, make in makers.items())
    return {place: make() for place, make in places if place is not None}


def _signed_off(job: Job) -> Policy:
    """Check what an audit is judged by, what is said about the model, and whether a PDF can be printed."""
    read_about(job.about)
    if job.pdf is not None:
        find_browser()
    return Policy.read(**{name: getattr(job, name) for name in JUDGED_BY})


def _in_memory(
    job: Job,
    policy: Policy,
    stage: Stage,
    *,
    progress: bool,
    tell: Callable[[str], object] | None,
) -> Decomposed:
    """Read the table whole, ask, and decompose."""
    with stage("Reading the table"):
        read = partial(read_table, job.data, encoding=job.encoding)
        if job.sample is None:
            rows = choose_rows(job, read())
        else:  # what tells which rows are drawn, then these: no more is held in memory
            deciding = dict.fromkeys([*job.id[:1], *filter(None, [job.counted_by])])
            rows = choose_rows(job, read(columns=tuple(deciding)), lambda kept: read(rows=kept))
        chosen = None if job.where is None else cohort_rows(job.where, rows.frame)
    check_columns(policy.expectations, [str(name) for name in rows.frame.columns])
    aside = of_job(job, rows.frame, rows.weights, rows.units, chosen)
    if job.model and job.exposure is not None:
        rows = replace(rows, frame=asking.at_exposure_of_1(rows.frame, job.exposure))
    with stage("Predictions"):
        question = ask_model(job, rows, progress=progress) if job.model else ask_columns(job, rows)
    others: tuple[Attribution, ...] = ()
    if job.compare:  # before the decomposition, so that a missing library is noticed early
        with stage("Other explanations"):
            others = explain_otherwise(job, rows, question, progress=progress, tell=tell)
    with stage("Decomposition"):
        estimator = FunctionalANOVA(
            job.max_order, fold_one_hot=job.fold_one_hot, random_state=job.random_state, progress=progress
        )
        # Not `fit`, which refuses predictions that never change: of those the page has a finding.
        groups = read_groups(dict(job.feature_groups), question.sample.features, _names(question.sample.left_out))
        questions = _questions(job, rows, question, progress=progress)
        questions = questions and replace(questions, together=tuple(groups.values()))
        estimator.fit_sample(question.sample, question.predictions, rows.units, rows.weights, questions)
        dec: Decomposition = replace(estimator.decomposition_, feature_groups=groups)
        if question.asked is not None:
            dec = replace(dec, settings={**dec.settings, "model": question.model})
        dec = job.labelled(dec, rows.frame.columns)
    rate = [] if job.exposure is None else [exposure_words(job.exposure, divided=bool(job.prediction))]
    notes = (*rows.notes, *question.notes, *rate)
    shown = question.inputs, question.predictions, question.model
    explained = {*question.inputs.columns, *(item.column for item in question.unread)}
    unread = (*question.unread, *(item for item in rows.frame.attrs.get("unread", ()) if item.column in explained))
    versions = () if question.asked is None else question.asked.do(library_versions)
    found = Decomposed(dec, *shown, rows.names, notes, rows.cases, others, unread, versions=versions, aside=aside)
    return found if chosen is None else as_cohort(job, found, chosen, rows.weights)


def _in_parts(job: Job, stage: Stage, *, progress: bool) -> Decomposed:
    """Read a folder part by part: to look at it and ask the model, to survey rows, and to write them as codes."""
    with stage("Looking at the folder"):
        question = ask_folder(job)
    with stage("Predictions and decomposition"):
        fitted, note = fit_folder(job, question, progress=progress)
    names = tuple(f"row {at + 1:,}" for at in fitted.positions.tolist())
    rate = None if job.exposure is None else exposure_words(job.exposure, divided=bool(job.prediction))
    unjudged = UNJUDGED.format(names=listing(job.target)) if job.target else None
    notes = (*question.notes, *filter(None, [note, rate, fitted.note, unjudged]))
    predictions = replace(fitted.about, values=fitted.predictions)
    dec = job.labelled(fitted.decomposition.grouped(dict(job.feature_groups)), question.columns)
    found = Decomposed(dec, fitted.X, predictions, question.model, names, notes)
    return found if job.where is None else as_cohort(job, found, cohort_rows(job.where, fitted.X), None)


def _under_population(job: Job, dec: Decomposition, frame: pd.DataFrame) -> Decomposition:
    """Decompose under the rows of another table, which may have further columns."""
    names = [name for feature in dec.features for name in feature.sources]
    require_columns(frame.columns, names)
    return dec.under(frame[names], frame[job.counted_by] if job.counted_by in frame.columns else None)


def choose_rows(
    job: Job, table: pd.DataFrame, read: Callable[[NDArray[np.intp]], pd.DataFrame] | None = None
) -> ChosenRows:
    """Draw the sample, if one is asked for, and find the rows that are explained one by one.

    Where `read` reads rows of the file, the table needs no more columns than those that name and weight its rows.
    """
    wanted = (*job.left_out, *job.features, *job.protected)
    require_columns(table.columns, wanted if read is None else ())
    if read is None:
        job.check_labels(table.columns)
    if job.exposure is not None:
        read_exposure(table[job.exposure], len(table), f"Column {job.exposure!r}")
    cases, counting = [_find_row(job, table, row) for row in job.rows], np.arange(len(table))
    if job.weight is not None:
        counting = _counting(job, table, cases)
    places = np.searchsorted(counting, cases).tolist()
    kept = counting[sample_rows(len(counting), job.sample, seed=job.random_state, keep=places)]
    frame = table.iloc[kept] if read is None else read(kept)
    require_columns(frame.columns, wanted)
    drawn = f"A sample of {len(kept):,} of the table's {len(counting):,} rows, drawn with seed {job.random_state}."
    named = [f"{job.id[0]} {value}" for value in frame[job.id[0]]] if job.id else [f"row {at + 1:,}" for at in kept]
    left_out = f"Left out: {counted(len(table) - len(counting), 'row', 'rows')} whose {job.weight} is zero."
    said = ((drawn, len(kept) < len(counting)), (left_out, len(counting) < len(table)))
    notes = (*frame.attrs.get("notes", ()), *(words for words, so in said if so))
    weights = None if job.counted_by is None else read_weights(frame[job.counted_by], len(frame))
    group, time = (None if name is None else frame[name] for name in (job.group, job.time))
    units = read_units(group, time, len(frame), weights)
    return ChosenRows(frame, tuple(np.searchsorted(kept, cases).tolist()), tuple(named), notes, units, weights)


def _counting(job: Job, table: pd.DataFrame, cases: Sequence[int]) -> NDArray[np.intp]:
    """Find the positions of the rows that count."""
    weights = read_weights(table[job.weight], len(table), f"Column {job.weight!r}")
    found = np.arange(len(table)) if weights is None else weights.positions
    without = next((row for row, at in zip(job.rows, cases, strict=True) if at not in found), None)
    if without is not None:
        raise InputError(
            f"The row {without!r} has a weight of zero in {job.weight!r}, so it is left out. Name rows that count."
        )
    return found


def _find_row(job: Job, table: pd.DataFrame, row: str) -> int:
    if job.id:
        found = np.flatnonzero(table[job.id[0]].astype(str) == row)
        if len(found) == 1:
            return int(found[0])
        how_many = f"{len(found):,} rows" if len(found) else "no row"
        raise InputError(f"There is {how_many} with {job.id[0]} = {row}. Name a row by an identifier of its own.")
    if row.isdecimal() and 1 <= int(row) <= len(table):
        return int(row) - 1
    raise InputError(
        f"There is no row {row!r}; rows are numbered from 1 to {len(table):,}. To name them otherwise, say which "
        "column identifies them: --id."
    )


def ask_columns(job: Job, rows: ChosenRows) -> JobQuestion:
    """Take the predictions from the prediction column(s)."""
    predictions = asking.predictions_in_columns(rows.frame, job.prediction, job.wanted_scale, job.exposure)
    inputs, left_out = choose_inputs(rows.frame, left_out=job.left_out, features=job.features)
    several = "Columns" if len(job.prediction) > 1 else "Column"
    words = f"{several} {listing(job.prediction)} of {Path(job.data).name}"
    sample, notes = read_sample(inputs, job.features, fold_one_hot=job.fold_one_hot), left_out_words(left_out)
    return JobQuestion(inputs, sample, predictions, words, notes, unread=_unread(left_out))


def _names(left_out: Sequence[LeftOut]) -> list[str]:
    return [column.name for column in left_out]


def _unread(left_out: Sequence[LeftOut]) -> tuple[Unread, ...]:
    return tuple(Unread(column.name, 1.0, column.reason) for column in left_out if column.reason != NUMBERS)


def ask_model(job: Job, rows: ChosenRows, *, progress: bool) -> JobQuestion:
    """Load the model and ask it about every row."""
    frame, spec = rows.frame, str(job.model)
    model = ChildModel(spec, trust=job.trust, allow_pickle=job.allow_pickle, seconds=job.model_timeout)
    free = [str(name) for name in frame.columns if name not in job.left_out]
    if job.exposure is not None:
        asking.refuse_classes(model)
    columns = asking.model_columns(model, frame, job.features or free, job.exposure)
    unused = [name for name in free if name not in (*columns.table, *job.features)]
    inputs, left_out = choose_inputs(frame, left_out=(*job.left_out, *unused), features=job.features)
    # Before the model is asked, which may take long.
    sample = read_sample(inputs, job.features, fold_one_hot=job.fold_one_hot)
    explained = [name for feature in sample.features for name in feature.sources]
    hidden = [name for name in columns.table if name not in explained and frame[name].astype(str).nunique() > 1]
    notes = [f"Left out: {listing(unused, 8)} (not taken by the model)."] if unused else []
    notes += left_out_words(left_out)
    if hidden:
        notes += [
            f"The model also takes {listing(hidden, 8)}, not explained here: what they do is part of the residual."
        ]
    started = time.perf_counter()
    predictions = asking.predictions_of_model(
        model, frame, columns, scale=job.wanted_scale, output=job.output, progress=progress
    )
    seconds = time.perf_counter() - started
    words = f"{model.name} from {Path(spec).name if names_file(spec) else spec}"
    remarks = (*notes, *filter(None, [predictions.note]))
    return JobQuestion(inputs, sample, predictions, words, remarks, model, columns, _unread(left_out), seconds)


def _questions(job: Job, rows: ChosenRows, question: JobQuestion, *, progress: bool) -> Questions | None:
    """Say how the model of a job is asked at recombined rows; None where predictions are columns."""
    if question.columns is None:
        return None
    return asking.questions_to_model(
        question.asked,
        rows.frame,
        question.columns,
        question.sample.features,
        how_many(job.ask, len(rows.frame), question.seconds),
        scale=question.predictions.scale,
        output=job.output,
        progress=progress,
    )


def explain_otherwise(
    job: Job, rows: ChosenRows, question: JobQuestion, *, progress: bool, tell: Callable[[str], object] | None = None
) -> tuple[Attribution, ...]:
    """Explain the rows of an audit by every method that was asked for, one output at a time.

    The question holds the model which predicted it; `tell` is called with the name of each method as it begins.
    """
    if question.columns is None:
        return ()
    found = []
    for method in job.compare:
        if tell is not None:
            tell(f"  {method}")
        for output in _outputs(job, question, question.asked):
            made = question.asked.do(
                explain_by,
                str(job.model),
                rows.frame,
                question.columns,
                method,
                scale=asked_again(question.predictions.scale),
                output=output,
                max_rows=job.compare_rows,
                random_state=job.random_state,
                progress=progress,
            )
            explained = [name for feature in question.sample.features for name in feature.sources]
            found.append(_as_explained(made, question.columns.table, explained))
    return tuple(found)


def explain_by(
    model: Any, spec: str, frame: pd.DataFrame, columns: asking.ModelColumns, method: str, **options: Any
) -> Attribution:
    """Explain rows by one method, in the process that holds the model."""
    inside = readable(model, spec)
    return attribute(method, inside, asking.model_rows(inside, frame, columns), **options)


def readable(model: Any, spec: str) -> Any:
    """Turn a loaded XGBoost file into a model that all methods can look into; return other models as they are."""
    if not isinstance(model, Booster) or model.categories or Path(spec).suffix not in (".json", ".ubj"):
        return model
    xgboost = library("xgboost", "TreeHFD")
    made = xgboost.XGBClassifier() if isinstance(model, BoosterClassifier) else xgboost.XGBRegressor()
    made.load_model(bytearray(model.inside.save_raw("ubj")))
    # The audit asks all trees that are inside, so all of them are explained.
    made.get_booster().set_attr(best_iteration=None)
    return made


def _outputs(job: Job, question: JobQuestion, model: Any) -> list[str | int | None]:
    """List what each explanation is asked for: a class by its name, one of several outputs by its position."""
    classes = [str(label) for label in np.asarray(getattr(model, "classes_", ())).tolist()]
    if all(name in classes for name in question.predictions.names):
        return list(question.predictions.names)
    return [job.output] if question.predictions.single else list(range(len(question.predictions.names)))


def _as_explained(made: Attribution, columns: tuple[str, ...], explained: list[str]) -> Attribution:
    """Name features as the table does, and keep those that the audit explains."""
    kept = [columns.index(name) for name in explained if name in columns]
    return replace(
        made,
        features=tuple(replace(made.features[at], name=columns[at]) for at in kept),
        values=made.values[:, kept],
        contributions=made.contributions[:, kept],
    )
