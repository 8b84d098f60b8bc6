"""Running an audit from a table to its page: read, ask, decompose, draw, write."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from anova_report.compare.methods.attribution import Attribution
from anova_report.core import files
from anova_report.core.decomposition import Decomposition
from anova_report.core.estimator import FunctionalANOVA
from anova_report.errors import InputError
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.jobs.options import Job
from anova_report.report.jobs.question import ask_columns, ask_model, choose_rows, explain_otherwise
from anova_report.report.page.render import render
from anova_report.report.sources.inputs import require_columns
from anova_report.report.sources.tables import read_table

__all__ = ["Job", "check_places", "run"]


def run(
    job: Job,
    *,
    command: str | None = None,
    progress: bool = True,
    tell: Callable[[str], object] | None = None,
    warn: Callable[[str], object] | None = None,
) -> Audit:
    """Make an audit and write its page; nothing is written before all of it is there.

    Parameters
    ----------
    command : str, optional
        What makes the audit again, where that is not `anova-report audit` with these options.
    progress : bool
        Show bars for what takes more than two seconds.
    tell : callable, optional
        Told the name of each stage as it begins.
    warn : callable, optional
        Told that a pickle runs code; by default that goes to the error stream.

    Raises
    ------
    InputError
        If the table, the model or a place to write to is not as it should be.
    ModelError
        If the model fails.
    """
    check_places((job.out, job.save, job.decomposition), (job.data,))
    seconds: list[tuple[str, float]] = []

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        if tell is not None:
            tell(name)
        started = time.perf_counter()
        yield
        seconds.append((name, round(time.perf_counter() - started, 3)))

    with stage("Reading the table"):
        table = read_table(job.data, encoding=job.encoding)
        require_columns(table, (*job.prediction, *job.target, *job.id, *job.exclude, *job.features))
        rows = choose_rows(job, table)
    with stage("Answers"):
        question = ask_model(job, rows, progress=progress, warn=warn) if job.model else ask_columns(job, rows)
    others: tuple[Attribution, ...] = ()
    if job.compare:  # before the decomposition, so that a library that is missing is missed early
        with stage("Other explanations"):
            others = explain_otherwise(job, rows, question, progress=progress, tell=tell)
    with stage("Decomposition"):
        estimator = FunctionalANOVA(job.max_order, random_state=job.random_state, progress=progress)
        # Not `fit`, which refuses answers that never change: of those the page has a finding.
        dec: Decomposition = estimator.fit_sample(question.sample, question.answers).decomposition_
    with stage("Audit and figures"):
        values = question.answers.values
        audit = build_audit(
            dec,
            question.inputs,
            values[:, 0] if question.answers.single else values,
            others=others,
            title=job.title,
            model=question.model,
            rows=rows.cases or None,
            row_names=rows.names,
            notes=(*job.note, *rows.notes, *question.notes),
            command=command or job.command(),
            seconds=tuple(seconds),
            random_state=job.random_state,
            top_mains=job.top_mains,
            top_pairs=job.top_pairs,
            progress=progress,
        )
    with stage("Writing"):
        page = render(audit)  # before the first file: what cannot be drawn leaves none
        if job.decomposition is not None:
            dec.save(job.decomposition)
        if job.save is not None:
            audit.save(job.save)
        files.write_text(job.out, page)
    return audit


def check_places(results: Sequence[str | None], sources: Sequence[str | None]) -> None:
    """Refuse places that cannot be written to, before time has been spent.

    Raises
    ------
    InputError
        If a folder is missing or not writable, or one file is named for two things.
    """
    places, read = ([Path(place) for place in given if place is not None] for given in (results, sources))
    for place in places:
        files.check_place(place)
    used = [place.resolve() for place in (*places, *read)]
    twice = next((place for place in places if used.count(place.resolve()) > 1), None)
    if twice is not None:
        raise InputError(f"{twice} is named for two things. Give every result, and the data, a file of its own.")
