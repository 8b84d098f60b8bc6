"""`anova-report compare`: two decompositions, or a model and the data, on one page."""

import shlex
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from anova_report.cli.commands import RUN_FAILED, as_json, complain, shows_progress, written
from anova_report.compare import phenomenon
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.storage import CURE
from anova_report.errors import InputError
from anova_report.io import files
from anova_report.io.sinks import clean
from anova_report.io.terminal import say
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import render_comparison
from anova_report.report.sources.inputs import require_columns
from anova_report.report.sources.tables import read_table

MODEL_AND_DATA = ("Model", "Data")
OBSERVED = (
    "“{name}” is the observed column {target}, decomposed with the settings of the model's explanation, noise and all: "
    "noise lowers its fidelity and widens its bands, which is no fault."
)


def compare_decompositions(options: Namespace) -> int:
    """Write the page of the comparison, and say what differs."""
    claimed = _check(options)
    first = _load(options.first)
    X = None if options.data is None else read_table(options.data, encoding=options.encoding)
    second = _observed(options, first, X) if options.target else _load(options.second)
    names = _names(options)
    notes = (OBSERVED.format(name=names[1], target=options.target),) if options.target else ()
    page = build_comparison(
        first, second, X, names=names, output=options.output, title=options.title, notes=notes, command=_again(options)
    )
    texts = {options.out: render_comparison(page)} | ({options.save: page.text()} if options.save else {})
    files.write_texts(texts, claimed)
    place = Path(options.out)
    if options.json:
        say(as_json(page, place, "changed", "words", "inputs_moved", "different", "moved"))
    elif not options.quiet:
        places = [place, *([Path(options.save)] if options.save else [])]
        lines = [clean(f"{output.name}: {output.words}") for output in page.outputs]
        say("\n".join([*lines, "", *(f"Written: {written(path)}" for path in places)]))
    if any(output.changed is None for output in page.outputs) and options.fail_on:
        complain("--fail-on cannot be decided: whether the function changed is not known.")
        return int(page.changed) or RUN_FAILED
    return int(options.fail_on == "change" and page.changed)


def _check(options: Namespace) -> files.Claim:
    if bool(options.second) == bool(options.target):
        given = "both" if options.target else "neither"
        raise InputError(f"Compare with a second decomposition, or with the observed column --target; got {given}.")
    if options.target and options.data is None:
        raise InputError("--target names a column of a table. Name the table, too: --data rows.csv.")
    sources = (options.first, options.second, options.data)
    return files.claim((options.out, options.save), sources, overwrite=options.overwrite)


def _load(path: str) -> Decomposition:
    if not Path(path).is_file():
        raise InputError(f"There is no file {path}. {CURE}")
    return Decomposition.load(path)


def _observed(options: Namespace, first: Decomposition, table: Any) -> Decomposition:
    """Decompose the observed target as the model was."""
    require_columns(table.columns, (*first.feature_names, options.target))
    target = table[options.target]
    absent = int(target.isna().sum())
    if absent:
        raise InputError(
            f"The column {options.target!r} is empty in {absent:,} of {len(table):,} rows. Drop these rows first."
        )
    quiet = replace(first, settings={**first.settings, "progress": shows_progress(options.quiet)})
    return phenomenon(table[list(first.feature_names)], target.to_numpy(), quiet)


def _names(options: Namespace) -> tuple[str, str]:
    if options.names:
        return options.names[0], options.names[1]
    if options.target:
        return MODEL_AND_DATA
    stems = Path(options.first).stem, Path(options.second).stem
    return stems if stems[0] != stems[1] else ("A", "B")


def _again(options: Namespace) -> str:
    words = ["anova-report", "compare", options.first, *([options.second] if options.second else [])]
    for name in ("data", "encoding", "target", "output", "title"):
        value = getattr(options, name)
        if value is not None and (name, value) != ("encoding", "utf-8"):
            words += [f"--{name}", value]
    if options.names:
        words += ["--names", *options.names]
    return shlex.join([*words, "-o", options.out])
