"""Audits of folders of Parquet files, which may be larger than memory: in this process, or on a Dask cluster."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.input.model_forms import has_log_link
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.scales import Scale
from anova_report.core.large.dask_cluster import local_workers
from anova_report.core.large.part_rows import PartRows, for_model
from anova_report.core.large.parts import TableParts, on_dask, parquet_parts, parts_exposure
from anova_report.core.large.parts_fit import FittedParts, fit_asked
from anova_report.core.libraries import library
from anova_report.errors import InputError, listing
from anova_report.report.jobs.options import Job
from anova_report.report.sources import asking
from anova_report.report.sources.child import ChildModel
from anova_report.report.sources.inputs import require_columns
from anova_report.report.sources.models import names_file

NOT_FOR_FOLDERS = ("sample", "rows", "compare", "split", "protected")
PATIENCE = "20s"  # of the first connection to a scheduler


@dataclass(frozen=True, eq=False)
class FolderQuestion:
    """What is asked about the rows of a folder, and what the page says of it."""

    ask: Callable[[Any], PartRows]  # the rows with predictions on a scale
    model: str
    notes: tuple[str, ...]
    columns: tuple[str, ...]  # of the folder
    multiplies: bool = False  # whether effects of the model are known to multiply


def is_folder(job: Job) -> bool:
    """Whether the data of a job are a folder; options that have no meaning otherwise, or then, are refused."""
    folder = os.path.isdir(job.data)  # noqa: PTH112 pathlib raises for names that no file can have
    if not folder and (job.cluster or job.workers):
        raise InputError(f"cluster and workers are for folders of Parquet files; {job.data} is none. Leave them out.")
    given = [name for name in NOT_FOR_FOLDERS if getattr(job, name)]
    if folder and given:
        raise InputError(
            f"{job.data} is a folder, all rows of which are read; {listing(given)} would need them in memory. Leave "
            "that out, or write the rows into one file."
        )
    return folder


def ask_folder(job: Job) -> FolderQuestion:
    """Choose columns, and say how each part of the folder gets its predictions."""
    parts = parquet_parts([Path(job.data)])
    head = for_model(next(parts.tables()))
    require_columns(head.columns, (*job.left_out, *job.features))
    job.check_labels(parts.names or ())
    if job.exposure is not None:
        parts_exposure(parts, job.exposure)
    free = [name for name in parts.names or () if name not in job.left_out]
    if not job.model:
        several = "Columns" if len(job.prediction) > 1 else "Column"
        words = f"{several} {listing(job.prediction)} of {Path(job.data).name}"
        rows = _rows(
            job,
            parts,
            partial(_in_columns, job.prediction, job.wanted_scale, job.exposure),
            job.features or tuple(free),
        )
        return FolderQuestion(lambda _: rows, words, (), parts.names or ())
    spec = str(job.model)
    # Sent to the workers of a cluster, it is loaded there, by a child of each.
    model = ChildModel(spec, trust=job.trust, allow_pickle=job.allow_pickle, seconds=job.model_timeout)
    if job.exposure is not None:
        asking.refuse_classes(model)
    columns = asking.model_columns(model, head, job.features or free, job.exposure)
    unused = [name for name in free if name not in (*columns.table, *job.features)]
    notes = (f"Left out: {listing(unused, 8)} (not taken by the model).",) if unused else ()
    words = f"{model.name} from {Path(spec).name if names_file(spec) else spec}"

    inputs = job.features or tuple(name for name in columns.table if name != job.exposure)

    def ask(scale: Scale) -> PartRows:
        return _rows(job, parts, partial(_of_model, model, columns, scale, job.output, job.exposure), inputs)

    return FolderQuestion(ask, words, notes, parts.names or (), multiplies=has_log_link(model))


def fit_folder(job: Job, question: FolderQuestion, *, progress: bool) -> tuple[FittedParts, str]:
    """Decompose the predictions for all rows of a folder; a note says what is odd about their scale."""
    settings = FunctionalANOVA(job.max_order, random_state=job.random_state, progress=progress).settings()
    scale: Any = (job.wanted_scale or "auto") if job.model else job.wanted_scale
    with connected(job):
        found, note = fit_asked(
            question.ask, scale, settings, job.group, job.time, job.ask, multiplies=question.multiplies
        )
    if job.model:
        named = {**found.decomposition.settings, "model": question.model}
        found = replace(found, decomposition=replace(found.decomposition, settings=named))
    return found, note


@contextmanager
def connected(job: Job) -> Iterator[None]:
    """Connect to the cluster that is named, or start workers on this machine, while a folder is read."""
    if job.cluster is None and job.workers is None:
        yield
        return
    distributed = library("distributed", "A Dask cluster")
    if job.cluster is None and job.workers is not None:
        with local_workers(job.workers) as cluster, distributed.Client(cluster):
            yield
        return
    try:
        client = distributed.Client(job.cluster, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(f"There is no Dask scheduler at {job.cluster} ({error}). Check the address.") from error
    with client:
        yield


def _rows(job: Job, parts: TableParts, predict: Any, inputs: tuple[str, ...]) -> PartRows:
    asked = on_dask(parts) if job.cluster or job.workers else parts
    return PartRows(asked, predict, inputs, job.counted_by)


def _in_columns(names: tuple[str, ...], scale: str | None, exposure: str | None, table: Any) -> Predictions:
    return asking.predictions_in_columns(for_model(table), names, scale, exposure)


def _of_model(
    model: Any,
    columns: asking.ModelColumns,
    scale: str | None,
    output: str | int | None,
    exposure: str | None,
    table: Any,
) -> Predictions:
    frame = for_model(table)
    if exposure is not None:
        frame = asking.at_exposure_of_1(frame, exposure)
    return asking.predictions_of_model(model, frame, columns, scale=scale, output=output, progress=False)
