"""The paper's analytical case: main effects of every method against the truth, on one page.

Run with `python -m benchmarks.analytical -o analytical.html`; it takes about three minutes.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from anova_report.compare import Attribution
from anova_report.figures.curves import Curve
from anova_report.figures.effects import main_effect
from anova_report.figures.figure import Figure, Table
from anova_report.figures.overlays import Overlay, conditional_means, overlay_line
from anova_report.figures.rows import Rows
from anova_report.io import files
from anova_report.measures.wording import enumeration, number
from benchmarks.fgm import (
    INSIDE,
    METHODS,
    N_ROWS,
    NAMES,
    OURS,
    SEED,
    Outcome,
    function,
    gaps,
    own_effect,
    run,
    size,
    table,
    train,
    truth,
)
from benchmarks.judge import Floats
from benchmarks.pages import render_page
from tests.ground_truth import FGM

TRUTH = "Truth"
FEWEST_ROWS = 200  # fewer tell nothing about a curve
TIE = 1.1  # errors within 10% of the smallest are as small: another sample may turn them round


def figures(outcome: Outcome) -> tuple[Figure, ...]:
    """Draw the main effects of all methods with the truth, one figure for each feature that the model reads."""
    rows = Rows.of(outcome.dec, table(outcome.X))
    return tuple(_effect(rows, index, outcome.others) for index in _read(outcome))


def gap_figures(outcome: Outcome) -> tuple[Figure, ...]:
    """Draw how far the main effects of all methods are from the truth, one figure for each feature that is read."""
    rows = Rows.of(outcome.dec, table(outcome.X))
    return tuple(_gap(rows, index, outcome) for index in _read(outcome))


def error_table(outcome: Outcome) -> Table:
    """List the errors, with the size of the truth in the first line."""
    sizes = (size(truth(outcome.X, index)) for index in range(3))
    lines = [("Size of the true main effect", *map(number, sizes))]
    lines += [(name, *map(number, errors)) for name, errors in outcome.errors.items()]
    return Table(("Root mean square error", *NAMES), tuple(lines))


def notes(outcome: Outcome) -> Table:
    """List what each method was made from."""
    asked = 0 if outcome.dec.asking is None else outcome.dec.asking.n_asked
    ours = (OURS, f"All {len(outcome.X):,} rows and {asked:,} recombined ones.")
    return Table(("Method", "Made from"), (ours, *((other.title, other.note) for other in outcome.others)))


def smallest(outcome: Outcome) -> tuple[tuple[str, ...], ...]:
    """Name, for each feature, the methods whose error is the smallest or as small, closest first."""
    found = []
    for index in range(3):
        errors = {name: each[index] for name, each in outcome.errors.items()}
        most = TIE * min(errors.values())
        found.append(tuple(sorted((name for name in errors if errors[name] <= most), key=errors.__getitem__)))
    return tuple(found)


def verdict(outcome: Outcome) -> str:
    """Say for which features our error is the smallest."""
    best = dict(zip(NAMES, smallest(outcome), strict=True))
    alone = [name for name, who in best.items() if who == (OURS,)]
    if len(alone) == len(NAMES):
        return "Our error is the smallest for every feature."
    if not alone:
        return "Our error is the smallest for no feature."
    others = enumeration(tuple(name for name in NAMES if name not in alone))
    return f"Our error is the smallest for {enumeration(tuple(alone))}, not for {others}."


def standings(outcome: Outcome) -> tuple[str, ...]:
    """Say of each feature who is closest to the truth, and where ours stands if that is somebody else."""
    return tuple(_standing(outcome, index, who) for index, who in enumerate(smallest(outcome)))


def write_page(trained: Outcome, exact: Outcome, path: str | Path) -> Path:
    """Write one page: figures and errors of all methods on a trained model, and their errors on the function itself."""
    readings = [
        {"verdict": verdict(each), "standings": standings(each), "errors": error_table(each), "notes": notes(each)}
        for each in (trained, exact)
    ]
    contents = {
        "pairs": tuple(zip(figures(trained), gap_figures(trained), strict=True)),
        "trained": readings[0],
        "exact": readings[1],
        "n_rows": len(trained.X),
    }
    return files.write_text(path, render_page("analytical", contents))


def _read(outcome: Outcome) -> list[int]:
    return [index for index in range(3) if (index,) in outcome.dec.terms]


def _standing(outcome: Outcome, index: int, who: tuple[str, ...]) -> str:
    errors = {name: each[index] for name, each in outcome.errors.items()}
    start = f"{NAMES[index]}: {enumeration(who)} {'is' if len(who) == 1 else 'are'}"
    if errors[who[0]] == 0:
        return f"{start} exact." if OURS in who else f"{start} exact; our error is {number(errors[OURS])}."
    if len(who) > 1:
        return f"{start} about equally close ({enumeration(tuple(number(errors[name]) for name in who))})."
    if who == (OURS,):
        second = min((name for name in errors if name != OURS), key=errors.__getitem__)
        return f"{start} closest ({number(errors[OURS])}), before {second} ({number(errors[second])})."
    return f"{start} closest ({number(errors[who[0]])}); our error is {number(errors[OURS])}."


def _effect(rows: Rows, index: int, others: Sequence[Attribution]) -> Figure:
    figure, data = _curve(rows, index)
    known = Overlay(TRUTH, data.at, tuple(truth(_grid(data, index), index).tolist()))
    lines = (known, *(overlay_line(data.x, rows.dec.features[index], other) for other in others))
    effects = [value for line in lines for value in line.value]
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    return replace(figure, title=f"Main effect of {NAMES[index]}", data=replace(data, y=y, overlays=lines))


def _gap(rows: Rows, index: int, outcome: Outcome) -> Figure:
    figure, data = _curve(rows, index)
    known = truth(_grid(data, index), index)
    shift = known + float(np.mean(own_effect(outcome.dec, outcome.X, index) - truth(outcome.X, index)))
    own, lower, upper = (
        tuple((np.array(each) - shift).tolist()) if each else () for each in (data.value, data.lower, data.upper)
    )
    # The truth is the zero line here; it keeps its place, so that each method has one color in all figures.
    lines = (Overlay(TRUTH, (), ()), *(_gap_line(other, index) for other in outcome.others))
    shown = [*own, *(value for line in lines for value in line.value)]
    y = replace(data.y, label="gap from the truth", low=min(shown), high=max(shown))
    gaps = replace(data, y=y, value=own, lower=lower, upper=upper, overlays=lines)
    errors = outcome.errors.items()
    alt = f"Root mean square: {', '.join(f'{name} {number(each[index])}' for name, each in errors)}."
    return replace(figure, key=f"gap-{index}", title=f"{NAMES[index]}: gap from the truth", alt=alt, data=gaps)


def _gap_line(other: Attribution, index: int) -> Overlay:
    at, means = conditional_means(other.values[:, index], gaps(other, index))
    return Overlay(other.title, tuple(at.tolist()), tuple(means.tolist()))


def _curve(rows: Rows, index: int) -> tuple[Figure, Curve]:
    figure = main_effect(rows, index, key=f"main-{index}")
    if not isinstance(figure.data, Curve):
        raise TypeError(f"The main effect of {NAMES[index]} is not a curve.")
    return figure, figure.data


def _grid(data: Curve, index: int) -> Floats:
    at = np.zeros((len(data.at), 3))
    at[:, index] = data.at
    return at


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and print the errors; 1 if ours is not the smallest everywhere on the trained model."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.analytical", description=__doc__.splitlines()[0])
    made.add_argument("-o", "--out", default="analytical.html", help="the page (%(default)s)")
    made.add_argument("--rows", type=_rows, default=N_ROWS, help="rows of the sample (%(default)s)")
    options = made.parse_args(arguments)
    X = FGM.draw(options.rows, np.random.default_rng(SEED))
    print(f"{options.rows:,} rows; every method explains an XGBoost model trained on them", flush=True)
    trained = run(train(X), X, progress=True)
    print("The same, asking the function itself", flush=True)
    exact = run(function, X, [name for name in METHODS if name not in INSIDE], progress=True)
    for outcome in (trained, exact):
        for line in (error_table(outcome).head, *error_table(outcome).rows):
            print(f"{line[0]:32}", *(f"{cell:>10}" for cell in line[1:]))
        print(verdict(outcome), *standings(outcome), sep="\n", end="\n\n")
    print("Written:", write_page(trained, exact, options.out))
    return 0 if verdict(trained).endswith("every feature.") else 1


def _rows(text: str) -> int:
    if not text.isdigit() or int(text) < FEWEST_ROWS:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {FEWEST_ROWS}")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
