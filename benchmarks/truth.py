"""Components against the truth on fresh rows: ours beside the published method, a spline GAM and an EBM.

Run with `python -m benchmarks.truth [--samples 3] [--only NAME …] [--rows N …] [--html FILE] [--workers 2]`; about
fifteen minutes. The exit code is 1 where a promise is broken.

The error of an explanation is the distance of its components from the true ones, all of them together, over the
standard deviation of the model: a component that does not exist counts in full, one that is left out as well. Each
component is compared up to a constant, for which every method takes the mean of the same sample.
"""

import argparse
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report.io import files
from benchmarks.judge import Floats, Term, r_squared
from benchmarks.pages import render_page
from benchmarks.truth_cases import BY_NAME, CASES, TruthCase
from benchmarks.truth_methods import METHODS, NotApplicable

OURS = "ours"
FRESH = 10_000
EXACT = 0.01  # of the standard deviation, R² .9999: nobody sees a difference below, and a ratio would mean nothing
MORE_SAMPLES = 3  # times as many where components have no variance: one row of a sample decides there
BEST_IN = 0.80
WORST_RATIO = 1.5


@dataclass(frozen=True)
class Score:
    """How well one method did on one sample, or why it did not try.

    Parameters
    ----------
    error : float
        Of all components together, over the standard deviation of the model.
    r2 : float
        Of the sum of the components, on the same fresh rows.
    seconds : float
        Of processor time for fit and evaluation.
    reason : str
        Why there is no score.
    """

    error: float = np.nan
    r2: float = np.nan
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Cell:
    """The scores of all methods on the samples of one case and one number of rows."""

    case: str
    n_rows: int
    scores: Mapping[str, Sequence[Score]]

    @property
    def errors(self) -> dict[str, Floats]:
        """The errors of each method that has any; what is as good as exact counts as equal."""
        found = {name: np.array([score.error for score in scores]) for name, scores in self.scores.items()}
        return {name: np.maximum(errors, EXACT) for name, errors in found.items() if not np.isnan(errors).any()}

    @property
    def best(self) -> str:
        """The method with the smallest mean error; of equals the first."""
        return min(self.errors, key=lambda name: float(self.errors[name].mean()))

    @property
    def margin(self) -> float:
        """The standard error of the best method's mean error."""
        errors = self.errors[self.best]
        return float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else 0.0

    @property
    def ratio(self) -> float:
        """Our mean error over the best one."""
        return float(self.errors[OURS].mean() / self.errors[self.best].mean())

    @property
    def standing(self) -> str:
        """Whether ours is best, within the sampling error of the best, or behind."""
        if self.best == OURS:
            return "best"
        gap = float(self.errors[OURS].mean() - self.errors[self.best].mean())
        return "within" if gap <= self.margin else "behind"

    def mean(self, method: str) -> Score:
        """Average the scores of a method."""
        scores = self.scores[method]
        means = [float(np.mean([getattr(score, what) for score in scores])) for what in ("error", "r2", "seconds")]
        return Score(*means, reason=scores[0].reason)


def component_error(truth: Mapping[Term, Floats], estimate: Mapping[Term, Floats], model: Floats) -> float:
    """Root of the summed squared distances of all components, known or claimed, over the model's deviation.

    Examples
    --------
    >>> line = np.array([-1.0, 1.0])
    >>> component_error({(0,): line}, {(0,): line + 3, (1,): line / 2}, line)
    0.5
    """
    squares = [np.var(estimate.get(term, 0.0) - truth.get(term, 0.0)) for term in {*truth, *estimate}]
    return float(np.sqrt(np.sum(squares) / np.var(model)))


def try_once(name: str, n_rows: int, sample: int, methods: Sequence[str] = tuple(METHODS)) -> dict[str, Score]:
    """Draw one sample of a case, and let every method explain it."""
    case = BY_NAME[name]
    rng = case.generator(n_rows, sample)
    X, fresh = case.law(rng, n_rows), case.law(rng, FRESH)
    predictions = case.predictions(X) + case.noise * rng.normal(size=n_rows)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples make every library complain
        return {method: _score(case, method, (X, predictions, sample), fresh) for method in methods}


def _score(case: TruthCase, method: str, given: tuple[Floats, Floats, int], fresh: Floats) -> Score:
    start = process_time()
    try:
        explained = METHODS[method](case, *given)
    except NotApplicable as error:
        return Score(reason=str(error))
    estimate = explained.components(fresh)
    seconds = process_time() - start
    model = case.predictions(fresh)
    predicted = explained.constant + np.sum(list(estimate.values()), axis=0)
    return Score(component_error(case.truth(fresh), estimate, model), r_squared(model, predicted), seconds)


def run(cells: Sequence[tuple[str, int]], n_samples: int, n_workers: int) -> Iterator[Cell]:
    """Try every cell, several samples at a time; each comes when all its samples are there."""
    jobs = [
        (name, n_rows, sample)
        for name, n_rows in cells
        for sample in range(n_samples if BY_NAME[name].finite else MORE_SAMPLES * n_samples)
    ]
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        tried = zip(jobs, pool.map(try_once, *zip(*jobs, strict=True)), strict=True)
        for (name, n_rows), found in groupby(tried, key=lambda pair: pair[0][:2]):
            scores = [each for _, each in found]
            yield Cell(name, n_rows, {method: [each[method] for each in scores] for method in scores[0]})


HEAD = (
    f"{'case':26}{'rows':>7}"
    + "".join(f"{method:>20}" for method in METHODS)
    + f"  {'ours is':8}{'ours/best':>10}   seconds of each"
)


def cell_line(cell: Cell) -> str:
    """Write the errors of all methods with R², the smallest error starred, and where ours stands."""
    words = f"{cell.case:26}{cell.n_rows:7,}" + "".join(f"{_entry(cell, method):>20}" for method in cell.scores)
    seconds = " / ".join(f"{cell.mean(method).seconds:.1f}" for method in cell.scores)
    return f"{words}  {cell.standing:8}{cell.ratio:10.2f}   {seconds}"


def _entry(cell: Cell, method: str) -> str:
    mean = cell.mean(method)
    if mean.reason:
        return "–"
    return f"{mean.error:.4f}{'*' if method == cell.best else ' '} ({mean.r2:.4f})"


def skipped(cells: Sequence[Cell]) -> list[str]:
    """Say which method did not try which case, and why."""
    found = {
        f"{method}, {cell.case}: {scores[0].reason}"
        for cell in cells
        for method, scores in cell.scores.items()
        if scores[0].reason
    }
    return sorted(found)


def summary(cells: Sequence[Cell]) -> tuple[str, bool]:
    """Write in how many cells ours is best or as good, and the worst ratio; say whether that is as promised."""
    good = sum(cell.standing != "behind" for cell in cells)
    worst = max(cells, key=lambda cell: cell.ratio)
    words = f"ours is best or within sampling error in {good} of {len(cells)} cells; worst ratio {worst.ratio:.2f}"
    where = f" ({worst.case}, {worst.n_rows:,} rows)"
    return words + where, good >= BEST_IN * len(cells) and worst.ratio <= WORST_RATIO


def write_page(cells: Sequence[Cell], n_samples: int, path: str | Path) -> Path:
    """Write the table as a page."""
    words, kept = summary(cells)
    lines = [
        {
            "case": cell.case,
            "n_rows": cell.n_rows,
            "standing": cell.standing,
            "ratio": f"{cell.ratio:.2f}",
            "entries": [_page_entry(cell, method) for method in METHODS],
        }
        for cell in cells
    ]
    contents = {
        "methods": list(METHODS),
        "lines": lines,
        "summary": words[0].upper() + words[1:],
        "kept": kept,
        "skipped": skipped(cells),
        "n_samples": n_samples,
        "n_fresh": FRESH,
        "promise": {"best_in": f"{BEST_IN:.0%}", "worst_ratio": f"{WORST_RATIO:g}", "exact": f"{EXACT:g}"},
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return files.write_text(path, render_page("truth", contents))


def _page_entry(cell: Cell, method: str) -> dict[str, str | bool]:
    mean = cell.mean(method)
    if mean.reason:
        return {"error": "–", "r2": "", "best": False}
    return {"error": f"{mean.error:.4f}", "r2": f"{mean.r2:.4f}", "best": method == cell.best}


def main(arguments: list[str] | None = None) -> int:
    """Try the cells, print the table, and write it as a page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases whose names contain one of these")
    parser.add_argument("--rows", nargs="+", type=int, metavar="N", help="only cells with so many rows")
    parser.add_argument("--html", metavar="FILE", help="write the table as a page, too")
    options = parser.parse_args(arguments)
    cases = [case for case in CASES if not options.only or any(part in case.name for part in options.only)]
    wanted = [(case.name, n) for case in cases for n in case.rows if not options.rows or n in options.rows]
    if not wanted:
        parser.error("no case has such a name and so many rows")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    print(HEAD, flush=True)
    cells = []
    for cell in run(wanted, options.samples, options.workers):
        cells.append(cell)
        print(cell_line(cell), flush=True)
    words, kept = summary(cells)
    print("", *skipped(cells), f"{words}: {'kept' if kept else 'BROKEN'}", sep="\n")
    if options.html:
        print(write_page(cells, options.samples, options.html))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
