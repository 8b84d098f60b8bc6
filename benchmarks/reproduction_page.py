"""The reproduction as one page and one table; words and numbers are made here, the template arranges them."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from anova_report.io.files import write_text
from anova_report.measures.wording import cosine, counted, enumeration, number, score
from anova_report.report.audit.provenance import versions
from anova_report.report.audit.sentences import duration
from benchmarks.blackboxes import BAGS, KINDS, library_versions, missing, settings_of
from benchmarks.datasets import DATASETS
from benchmarks.differences import Difference, against_paper, against_published, summary
from benchmarks.experiments import Experiment, Figures
from benchmarks.pages import render_page
from benchmarks.paper import CITATION, SHAPES, STEPS, TITLES, Row
from benchmarks.reproduction import Entry, Reproduction
from benchmarks.steps import StepName

PAGE, TABLE = "reproduce.html", "reproduce.csv"
NOTHING = "–"
WHO: dict[StepName, str] = {"published": "Published method, by us", "ours": "Our default"}


@dataclass(frozen=True)
class Line:
    """One line of a model's table: who, six numbers as text, and the difference in words or why there is none."""

    who: str
    kind: str
    cells: tuple[str, ...]
    difference: Difference | None = None
    reason: str = ""


@dataclass(frozen=True)
class Block:
    """One model: its name, how good it is, the settings of the published method, and its lines."""

    title: str
    about: str
    settings: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Chapter:
    """One dataset."""

    anchor: str
    title: str
    about: str
    blocks: tuple[Block, ...]


def write_page(found: Reproduction, folder: Path) -> Path:
    """Write the page into the folder of the results."""
    return write_text(folder / PAGE, render(found))


def render(found: Reproduction) -> str:
    """Write the page as HTML: without scripts, fetching nothing."""
    rows = {entry.experiment.rows for entry in found.entries} - {None}
    contents = {
        "citation": CITATION,
        "table": TABLE,
        "progress": f"{len(found.finished)} of {counted(len(found.entries), 'row', 'rows')} finished",
        "trial": f"Only {max(rows):,} rows of each dataset were used: a trial, no reproduction." if rows else "",
        "summary": summary(found.entries),
        "steps": STEPS,
        "bags": bags_words([entry.experiment for entry in found.entries]),
        "chapters": chapters(found.entries),
        "times": times(found.entries),
        "machines": found.machines,
        "versions": software(),
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }
    return render_page("reproduce", contents)


def chapters(entries: Sequence[Entry]) -> list[Chapter]:
    """Gather the rows of each dataset."""
    groups = groupby(entries, key=lambda entry: entry.experiment.dataset)
    return [
        Chapter(name.replace("_", "-"), TITLES[name], _about_data(name), tuple(map(block, group)))
        for name, group in groups
    ]


def block(entry: Entry) -> Block:
    """Write one row of the paper's tables as lines that can be compared."""
    paper = entry.paper
    return Block(
        title=KINDS[entry.experiment.model].title,
        about=_about_model(entry),
        settings=f"K = {paper.K}, d = {paper.d}, densities of degree {paper.d_density}, floor {paper.density_clip:g}",
        lines=(Line("Paper", "paper", _paper_cells(paper)), *_own_lines(entry)),
    )


def times(entries: Sequence[Entry]) -> list[tuple[str, str, str]]:
    """Add up the seconds of every kind of step: what, how many, how long."""
    models = [entry.training.seconds for entry in entries if entry.training]
    fits = {name: [found.seconds for entry in entries if (found := entry.figures(name))] for name in WHO}
    rows = [("Models trained", models), *((f"{WHO[name]}, fit to all rows", fits[name]) for name in WHO)]
    return [(what, str(len(seconds)), duration(sum(seconds))) for what, seconds in rows]


def bags_words(experiments: Sequence[Experiment]) -> str:
    """Say how many fits the EBMs average, and where there are fewer to save time."""
    bags = {one.dataset: one.settings["outer_bags"] for one in experiments if one.model == "ebm"}
    if set(bags.values()) <= {BAGS}:
        return f"EBMs average {BAGS} fits each, as interpret does by default; the paper names no number."
    fewer: dict[int, list[str]] = {}
    for dataset, number_of_bags in bags.items():
        if number_of_bags != BAGS:
            fewer.setdefault(number_of_bags, []).append(TITLES[dataset])
    listed = "; ".join(f"{count} for {enumeration(tuple(names))}" for count, names in fewer.items())
    return (
        f"EBMs average {BAGS} fits, as interpret does by default (the paper names no number), but {listed}, to save "
        "time."
    )


def software() -> list[tuple[str, str]]:
    """List the versions of all that is involved; of a library that is not there, that it is not."""
    libraries: dict[str, str] = {}
    for model in KINDS:
        libraries |= library_versions(model) if missing(model) is None else dict.fromkeys(library_versions(model), "–")
    return [*versions(), *libraries.items()]


def write_table(found: Reproduction, folder: Path) -> Path:
    """Write the table into the folder of the results, one line per row of the paper's tables."""
    stream = io.StringIO()
    rows = [record(entry) for entry in found.entries]
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return write_text(folder / TABLE, stream.getvalue())


def record(entry: Entry) -> dict[str, Any]:
    """Write an entry as the cells of one line; what is not known is empty."""
    one = entry.experiment
    cells: dict[str, Any] = {"dataset": one.dataset, "model": one.model, "rows_limit": one.rows}
    cells |= {"performance": None, "training_seconds": None, "n_rows": None, "n_features": None}
    if entry.training is not None:
        known = asdict(entry.training)
        cells |= {"training_seconds" if name == "seconds" else name: value for name, value in known.items()}
    cells |= {"performance_is": performance_is(one.dataset), "model_missing_because": entry.reasons.get("model")}
    cells |= {f"paper_{name}": value for name, value in asdict(entry.paper).items()}
    return cells | dict(_step_cells(entry))


def performance_is(dataset: str) -> str:
    """Name what the performance of a model is."""
    return "R²" if DATASETS[dataset].positive is None else "accuracy"


def _step_cells(entry: Entry) -> Iterator[tuple[str, Any]]:
    for name in WHO:
        figures = entry.figures(name)
        for field in Figures.__dataclass_fields__:
            yield f"{name}_{field}", None if figures is None else getattr(figures, field)
        yield f"{name}_missing_because", entry.reasons.get(name)


def _about_data(name: str) -> str:
    n_rows, n_features = SHAPES[name]
    what = "a number" if DATASETS[name].positive is None else "a class, explained by its logit"
    return f"{n_rows:,} rows, {n_features} features; the target is {what}."


def _about_model(entry: Entry) -> str:
    if entry.training is None:
        return ""
    what = performance_is(entry.experiment.dataset)
    bags = settings_of("ebm", entry.experiment.dataset, entry.experiment.bags)["outer_bags"]
    averaged = f", {counted(bags, 'fit', 'fits')} averaged" if entry.experiment.model == "ebm" else ""
    trained = duration(entry.training.seconds)
    return f"Perf ({what} on test rows) {score(entry.training.performance)}, trained in {trained}{averaged}."


def _paper_cells(paper: Row) -> tuple[str, ...]:
    return f"{paper.r2:.2f}", NOTHING, number(paper.max_corr), NOTHING, duration(paper.seconds), NOTHING


def _own_lines(entry: Entry) -> tuple[Line, ...]:
    if entry.training is None:
        return (Line("By us", "absent", (), reason=entry.reasons["model"]),)
    published = None if entry.published is None else against_paper(entry.paper, entry.published)
    ours = None if entry.ours is None else against_published(entry.published, entry.ours)
    return _line(entry, "published", published), _line(entry, "ours", ours)


def _line(entry: Entry, name: StepName, difference: Difference | None) -> Line:
    figures = entry.figures(name)
    if figures is None:
        return Line(WHO[name], name, (), reason=entry.reasons[name])
    spread = f" ± {figures.held_out_sd:.2f}" if figures.held_out_sd else ""
    cells = (
        score(figures.r2),
        score(figures.held_out_r2),
        cosine(figures.max_corr),
        f"{cosine(figures.held_out_max_corr)}{spread}",
        duration(figures.seconds),
        f"{figures.n_columns:,}",
    )
    return Line(WHO[name], name, cells, difference)
