"""`anova-report compare`: two decompositions, or a model and the data, on one page."""

import shlex
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types

from anova_report.cli.commands import as_json, complain, shows_progress, written
from anova_report.compare import LIMIT, phenomenon
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.storage import CURE
from anova_report.errors import InputError
from anova_report.io import files
from anova_report.io.sinks import clean
from anova_report.io.terminal import say
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import render_comparison
from anova_report.report.sources.asking import predictions_in_columns
from anova_report.report.sources.inputs import require_columns
from anova_report.report.sources.tables import read_table

MODEL_AND_DATA = ("Model", "Data")
FAILING = {"change": ("different",), "unsure": ("different", "undetermined")}  # outcomes that --fail-on calls failed
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
        first,
        second,
        X,
        names=names,
        output=options.output,
        title=options.title,
        predictions=_predictions(options, X, (first, second)),
        limit=LIMIT if options.limit is None else options.limit,
        notes=notes,
        command=_again(options),
    )
    texts = {options.out: render_comparison(page)} | ({options.save: page.text()} if options.save else {})
    files.write_texts(texts, claimed)
    place = Path(options.out)
    if options.json:
        say(as_json(page, place, "changed", "outcome", "words", "inputs_moved", "different", "moved"))
    elif not options.quiet:
        places = [place, *([Path(options.save)] if options.save else [])]
        lines = [clean(f"{output.name}: {output.words}") for output in page.outputs]
        say("\n".join([*lines, "", *(f"Written: {written(path)}" for path in places)]))
    if page.changed is None and options.fail_on == "change":
        complain("Whether the function changed cannot be determined; --fail-on unsure fails then, too.")
    return int(options.fail_on is not None and page.outcome in FAILING[options.fail_on])


def _check(options: Namespace) -> files.ClaimedPlaces:
    if bool(options.second) == bool(options.target):
        given = "both" if options.target else "neither"
        raise InputError(f"Compare with a second decomposition, or with the observed column --target; got {given}.")
    if options.target and options.data is None:
        raise InputError("--target names a column of a table. Name the table, too: --data rows.csv.")
    if options.predictions and (options.target or options.data is None):
        raise InputError("--predictions names columns of --data for two decompositions, A.json and B.json. Pass these.")
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


def _predictions(options: Namespace, table: Any, decs: tuple[Decomposition, Decomposition]) -> Any:
    """Read the predictions of both: probabilities become log-odds where these were decomposed, amounts logarithms."""
    if not options.predictions:
        return None
    require_columns(table.columns, options.predictions)
    return tuple(
        predictions_in_columns(table, [name], _scale_to_take(table[name], dec)).values[:, 0]
        for name, dec in zip(options.predictions, decs, strict=True)
    )


def _scale_to_take(column: Any, dec: Decomposition) -> str | None:
    """Tell whether a column holds predictions as the model makes them, where another scale was decomposed."""
    if not pd.api.types.is_numeric_dtype(column) or column.isna().any():
        return None
    if dec.scale == "logit":
        return "logit" if column.between(0, 1).all() else None
    if dec.scale != "log" or not (column > 0).all():
        return None
    # Logarithms may all be positive, too: what lies closer to the mean of the fit is meant.
    mean = float(dec.expansion.mean.mean())
    return "log" if abs(float(np.log(column).mean()) - mean) < abs(float(column.mean()) - mean) else None


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
    if options.limit is not None:
        words += ["--limit", f"{options.limit:g}"]
    for name in ("names", "predictions"):
        words += [f"--{name}", *given] if (given := getattr(options, name)) else []
    return shlex.join([*words, "-o", options.out])
