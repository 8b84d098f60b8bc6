"""What asking a model at recombined rows buys: fidelity on fresh rows, agreement of two samples, columns left alone.

Run with `python -m benchmarks.ask [--cases NAME …] [--rows N …] [--ask N] [--planted] [--json PATH]`; each option runs
a part. Every model is explained from two disjoint samples, rows only and asked, and judged on fresh rows of the data.
Planted cases: columns that the model never reads, and models that behave otherwise off the data, which finding AR016
has to tell from honest ones. The exit code is 1 where a mark is not reached.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from anova_report import Decomposition, explain, measures
from anova_report.io.files import write_text
from benchmarks.ask_cases import CASES, AskCase, Counted, Trained
from benchmarks.ask_planted import UNREAD, Suspect, UnreadCase, suspects
from benchmarks.judge import Floats, Term, r_squared
from benchmarks.results import Mark, Verdict, verdict_lines
from benchmarks.results_store import machine

ROWS_ONLY, ASKED = "rows only", "asked"
N_SHARES = 3  # the largest ones are shown
FIRST_SPLIT = 100  # constants were chosen on divisions of the rows with smaller numbers
OFF_THE_DATA = "AR016"
NO_SHARE = 0.0005  # reads as 0.0%
FIDELITY, AGREEMENT, UNREAD_SHARE, FOUND = "fresh R², asked", "apart, asked / rows only", "share", "AR016 found, share"
MARKS = (
    Mark("California XGB, 2,000 rows", FIDELITY, ">=", 0.925),
    Mark("Bike XGB, 600 rows", FIDELITY, ">=", 0.94),
    Mark("Diabetes XGB, 614 rows", FIDELITY, ">=", 0.88),
    Mark("median over cells", AGREEMENT, "<=", 0.7),
    *(Mark(f"unread: {case.name}", UNREAD_SHARE, "<=", NO_SHARE) for case in UNREAD),
    Mark("fooling models", FOUND, ">=", 0.9),  # 18 of 20
    Mark("honest models", FOUND, "<=", 0.05),  # 1 of 20
)


def decompose(model: Any, X: Any, ask: int | None = None) -> Decomposition:
    """Explain a model and ask it at so many recombined rows; by default as many as `explain` chooses."""
    asked = {} if ask is None else {"ask": ask}
    return explain(model, X, random_state=0, progress=False, **asked)


@dataclass(frozen=True)
class Share:
    """The structural share of a term in each sample."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class AskResult:
    """What came of explaining a model from its samples one way.

    Parameters
    ----------
    case : str
    n_rows : int
        Of each sample.
    way : {"rows only", "asked"}
    r2 : tuple of float
        Of each sample's explanation, on fresh rows; sample by sample, division by division of the rows.
    apart : float or None
        How far the components of two samples are from each other; None where there is only one.
    shares : tuple of Share
        The largest ones, of the first division.
    calls : int
        Rows at which the model was asked, for each sample.
    seconds : float
        Of each sample.
    reason : str or None
        Why there are no figures.
    """

    case: str
    n_rows: int
    way: str
    r2: tuple[float, ...] = ()
    apart: float | None = None
    shares: tuple[Share, ...] = ()
    calls: int = 0
    seconds: float = 0.0
    reason: str | None = None

    @property
    def cell(self) -> str:
        """The model and the number of rows, as marks name them."""
        return f"{self.case}, {self.n_rows:,} rows"


def distance(one: Mapping[Term, Floats], other: Mapping[Term, Floats], predictions: Floats) -> float:
    """Root mean square difference of all components, over the standard deviation of the predictions.

    A term that one of the two lacks counts as zero there.

    Examples
    --------
    >>> line = np.array([-1.0, 1.0])
    >>> distance({(0,): line}, {(0,): 0.2 * line, (1,): 0.6 * line}, line)
    1.0
    """
    squares = [np.mean((one.get(term, 0.0) - other.get(term, 0.0)) ** 2) for term in {*one, *other}]
    return float(np.sqrt(np.sum(squares)) / np.std(predictions))


def measure(case: AskCase, trained: Trained, n_rows: int, ask: int | None) -> AskResult:
    """Explain a model from its samples, and judge the explanations on fresh rows."""
    way = ROWS_ONLY if ask == 0 else ASKED
    seeds = range(FIRST_SPLIT, FIRST_SPLIT + case.n_splits)
    try:
        splits = [_measure_split(trained, n_rows, ask, seed) for seed in seeds]
    except Exception as error:  # the others are still worth their while
        return AskResult(case.name, n_rows, way, reason=f"{type(error).__name__}: {error}")
    apart = [split.apart for split in splits if split.apart is not None]
    return AskResult(
        case.name,
        n_rows,
        way,
        r2=tuple(value for split in splits for value in split.r2),
        apart=float(np.mean(apart)) if apart else None,
        shares=splits[0].shares,
        calls=splits[0].calls,
        seconds=float(np.mean([split.seconds for split in splits])),
    )


def _measure_split(trained: Trained, n_rows: int, ask: int | None, seed: int) -> AskResult:
    """Measure one division of the rows into samples and fresh rows; the result has no name yet."""
    samples, fresh_rows = trained.draw(n_rows, seed)
    model = Counted(trained.function)
    start = time.perf_counter()
    decs = [decompose(model, trained.X.iloc[rows], ask) for rows in samples]
    seconds = (time.perf_counter() - start) / len(samples)
    fresh, predictions = trained.X.iloc[fresh_rows], trained.predictions[fresh_rows]
    found = [dict(zip(dec.terms, dec.components(fresh).T, strict=True)) for dec in decs]
    return AskResult(
        *("", n_rows, ""),
        r2=tuple(r_squared(predictions, dec.predict(fresh)) for dec in decs),
        apart=distance(*found, predictions) if len(found) == 2 else None,
        shares=largest_shares(decs),
        calls=model.calls // len(samples),
        seconds=seconds,
    )


def largest_shares(decs: Sequence[Decomposition]) -> tuple[Share, ...]:
    """List the structural shares of the terms that are largest on average over the samples."""
    found = [{share.label: share.structural for share in measures.variance_shares(dec).terms} for dec in decs]
    labels = {label: None for each in found for label in each}
    shares = [Share(label, tuple(each.get(label, 0.0) for each in found)) for label in labels]
    return tuple(sorted(shares, key=lambda share: -sum(share.values))[:N_SHARES])


def run(cases: Sequence[AskCase], rows: Sequence[int] | None, ask: int | None) -> Iterator[AskResult]:
    """Explain every model from samples of every size both ways, one after the other."""
    for case in cases:
        sizes = [n_rows for n_rows in case.rows if not rows or n_rows in rows]
        if not sizes:
            continue
        try:
            trained = case.prepare()
        except (ImportError, OSError) as error:  # no table, or no library: the others can still be measured
            print(f"{case.name:24}{error}", flush=True)
            continue
        for n_rows, way in product(sizes, (0, ask)):
            yield measure(case, trained, n_rows, way)


def unread_share(case: UnreadCase, ask: int | None) -> float:
    """Add up the structural shares of all terms with a column that the model never reads."""
    dec = decompose(case.function, case.draw(), ask)
    shares = measures.variance_shares(dec).terms
    return float(sum(share.structural for share in shares if set(share.term) & set(case.unread)))


def behaves_otherwise(suspect: Suspect, seed: int, ask: int | None) -> bool:
    """Whether a model is said to behave otherwise off the data than on it."""
    dec = decompose(suspect.function, suspect.draw(seed), ask)
    return any(item.code == OFF_THE_DATA and item.status in ("warn", "fail") for item in measures.findings(dec))


def run_planted(ask: int | None) -> Iterator[tuple[str, float]]:
    """Try the planted cases, print what came of them, and yield it under the name of its mark."""
    for case in UNREAD:
        rows_only, asked = unread_share(case, 0), unread_share(case, ask)
        print(f"unread: {case.name}: share {asked:.3%} asked, {rows_only:.3%} rows only", flush=True)
        yield f"unread: {case.name}", asked
    tried = [(suspect, behaves_otherwise(suspect, seed, ask)) for seed, suspect in enumerate(suspects())]
    for words, fooling in (("fooling models", True), ("honest models", False)):
        own = {suspect.name: found for suspect, found in tried if suspect.fooling is fooling}
        wrong = [name for name, found in own.items() if found is not fooling]
        print(f"{words}: {OFF_THE_DATA} in {sum(own.values())} of {len(own)}", flush=True)
        print(*(f"  wrong: {name}" for name in wrong), sep="\n", end="\n" if wrong else "", flush=True)
        yield words, sum(own.values()) / len(own)


def agreement(results: Sequence[AskResult]) -> float | None:
    """Median over cells of the distance of two samples asked, over that with rows only."""
    apart = {(result.cell, result.way): result.apart for result in results if result.apart is not None}
    cells = [cell for cell, way in apart if way == ASKED and (cell, ROWS_ONLY) in apart]
    ratios = [apart[cell, ASKED] / apart[cell, ROWS_ONLY] for cell in cells]
    return float(np.median(ratios)) if ratios else None


def verdicts(results: Sequence[AskResult], planted: Mapping[str, float]) -> list[Verdict]:
    """Compare what was measured with the marks; the rest counts as not measured."""
    values: dict[str, float | None] = {
        result.cell: float(np.mean(result.r2)) for result in results if result.way == ASKED and result.r2
    }
    values |= {**planted, "median over cells": agreement(results)}
    return [Verdict(mark, values.get(mark.dataset)) for mark in MARKS]


HEAD = f"{'model':24}{'rows':>7}  {'way':10}{'fresh R²':>14}{'apart':>7}{'calls':>9}{'seconds':>9}  largest shares"


def line(result: AskResult) -> str:
    """Write a result in one line."""
    start = f"{result.case:24}{result.n_rows:7,}  {result.way:10}"
    if result.reason is not None:
        return start + result.reason
    # Of several divisions the mean of first and of second samples; of single samples the mean of all.
    step = 1 if result.apart is None else 2
    r2 = " ".join(f"{np.mean(result.r2[at::step]):.4f}" for at in range(step))
    apart = "–" if result.apart is None else f"{result.apart:.3f}"
    shares = "; ".join(f"{share.label} {' '.join(f'{value:.1%}' for value in share.values)}" for share in result.shares)
    return f"{start}{r2:>14}{apart:>7}{result.calls:9,}{result.seconds:9.1f}  {shares}"


def write(path: str, ask: int | None, results: Sequence[AskResult], planted: Mapping[str, float]) -> None:
    """Write all results, and the marks."""
    document = {
        "ask": ask,
        "machine": machine(),
        "results": [asdict(result) for result in results],
        "planted": dict(planted),
        "marks": [asdict(verdict) | {"reached": verdict.reached} for verdict in verdicts(results, planted)],
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Explain the models, try the planted cases, and print which marks are reached; 1 if one is not."""
    options = _parser().parse_args(arguments)
    only_cells = options.cases or options.rows
    wanted = [case for case in CASES if not options.cases or any(part in case.name for part in options.cases)]
    results: list[AskResult] = []
    planted: dict[str, float] = {}
    if only_cells or not options.planted:
        print(HEAD, flush=True)
        for result in run(wanted, options.rows, options.ask):
            results.append(result)
            print(line(result), flush=True)
            if options.json:
                write(options.json, options.ask, results, planted)
    if options.planted or not only_cells:
        planted |= run_planted(options.ask)
    if options.json:
        write(options.json, options.ask, results, planted)
    found = verdicts(results, planted)
    print(*verdict_lines(found, width=27), sep="\n")
    return int(any(verdict.reached is False for verdict in found))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ask", description=str(__doc__).splitlines()[0])
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("--cases", nargs="+", metavar="NAME", help=f"those whose names hold one of these: {names}")
    parser.add_argument("--rows", nargs="+", type=int, metavar="N", help="only samples of so many rows")
    parser.add_argument("--ask", type=int, metavar="N", help="recombined rows; by default as many as explain chooses")
    parser.add_argument("--planted", action="store_true", help="the planted cases, alone or beside --cases and --rows")
    parser.add_argument("--json", metavar="PATH", help="write the results there, too")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
