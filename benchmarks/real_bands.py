"""How often 95% bands and intervals of shares contain the truth on inputs of real tables.

Run with `python -m benchmarks.real_bands [--samples 5] [--functions 2] [--first 100] [--only NAME …] [--rows 500 2000]
[--workers 2]`. Every table gets several functions, drawn by seeds from `--first` on (constants were tuned on seeds from
0 on), and is explained from samples of its rows, from predictions alone and by asking the function. Only components
with at least a hundredth of the variance are asked for; one that a fit leaves out is outside its band. The exit code is
1 where a promise is broken.
"""

import argparse
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.errors import ExtrapolationWarning
from benchmarks.bands import CARRIES
from benchmarks.judge import Term
from benchmarks.real_inputs import TABLES, RealCase, draw_case

ROWS = (500, 2000, 10_000)
LEAST_MAINS, LEAST_PAIRS, LEAST_SHARES = 0.93, 0.92, 0.92  # of 95%, on average over the cases
LEAST_TERM = 0.80  # any term of a function, over all of its samples: whole curves are off where a sample is unlucky
WIDEST, FAITHFUL = 2.0, 0.99  # half widths over twice the actual error, where R² is beyond this
JUDGED_ROWS = 4000  # of the table, at which bands are held against the truth
ROUNDING = 1e-4  # of the standard deviation of the predictions: exact explanations differ from the truth by that


@dataclass(frozen=True)
class Held:
    """How one component of one sample compares with the truth."""

    term: Term
    inside: float  # share of rows inside the band
    share_inside: bool
    width: float  # mean half width of the band over the standard deviation of the predictions
    error: float  # root mean squared error, likewise
    r2: float
    passed: bool  # whether the verdict is a pass


Job = tuple[str, int, int, bool, int]  # table, seed of the function, rows, asked, sample


@cache
def case_of(name: str, seed: int) -> RealCase:
    """Draw a function once in each process."""
    return draw_case(name, seed)


def try_once(name: str, seed: int, n_rows: int, asked: bool, sample: int) -> list[Held]:
    """Draw a sample of rows, explain the function from it, and hold every component against the truth."""
    case = case_of(name, seed)
    order = np.random.default_rng([seed, n_rows, sample]).permutation(len(case.X))
    X = case.X.iloc[order[:n_rows]]
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        if asked:
            dec: Decomposition = explain(case.model, X, random_state=sample, progress=False)
        else:
            dec = FunctionalANOVA(random_state=sample, progress=False).fit(X, case.model(X)).decomposition_
        return held(case, dec, np.random.default_rng(0).permutation(len(case.X))[:JUDGED_ROWS])


def held(case: RealCase, dec: Decomposition, at: np.ndarray) -> list[Held]:
    """Hold the components that carry enough against the truth, on some rows of the table."""
    rows, spread = case.X.iloc[at], float(case.model(case.X).std())
    r2 = float(1 - np.mean((case.model(rows) - dec.predict(rows)) ** 2) / spread**2)
    passed = measures.findings(dec, rows).verdict == "pass"
    intervals = {share.term: share.structural_interval for share in measures.variance_shares(dec).terms}
    found = []
    for term, share in case.shares.items():
        if share < CARRIES:
            continue
        truth, known = case.components[term][at], intervals.get(term)
        if known is None:
            found.append(Held(term, 0.0, False, 0.0, share**0.5, r2, passed))
            continue
        band, room = measures.bands(dec, term, rows), ROUNDING * spread
        inside = (band.lower - room <= truth) & (truth <= band.upper + room)
        width = float((band.upper - band.lower).mean()) / 2 / spread
        error = float(np.sqrt(np.mean((band.value - truth) ** 2))) / spread
        held_share = known.low - ROUNDING <= share <= known.high + ROUNDING
        found.append(Held(term, float(inside.mean()), held_share, width, error, r2, passed))
    return found


def run(jobs: Sequence[Job], n_workers: int) -> Iterator[tuple[Job, list[list[Held]]]]:
    """Try every sample, several at a time; each case comes when all its samples are there."""
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        tried = zip(jobs, pool.map(try_once, *zip(*jobs, strict=True)), strict=True)
        for _, found in groupby(tried, key=lambda pair: pair[0][:4]):
            samples = list(found)
            yield samples[0][0], [each for _, each in samples]


@dataclass(frozen=True)
class Coverage:
    """Coverage of one case: mains and pairs, bands and shares, each term, widths over errors, R²."""

    mains: float
    pairs: float
    main_shares: float
    pair_shares: float
    by_term: Mapping[Term, Sequence[float]]  # share inside of each sample
    ratio: float
    r2: float
    passed: float

    @classmethod
    def of(cls, samples: Sequence[Sequence[Held]]) -> "Coverage":
        """Average over the samples of a case."""
        every = [each for sample in samples for each in sample]
        mains, pairs = ([each for each in every if len(each.term) == order] for order in (1, 2))
        by_term: dict[Term, list[float]] = defaultdict(list)
        for each in every:
            by_term[each.term].append(each.inside)
        errors = np.sqrt(np.mean([each.error**2 for each in every]))
        widths = np.sqrt(np.mean([each.width**2 for each in every]))
        return cls(
            mains=_mean(each.inside for each in mains),
            pairs=_mean(each.inside for each in pairs),
            main_shares=_mean(each.share_inside for each in mains),
            pair_shares=_mean(each.share_inside for each in pairs),
            by_term=by_term,
            ratio=float(widths / 2 / max(errors, ROUNDING)),
            r2=float(np.median([each.r2 for each in every])),
            passed=_mean(each.passed for each in every),
        )


def _mean(values: "Iterator[float | bool]") -> float:
    listed = list(values)
    return float(np.mean(listed)) if listed else float("nan")


HEAD = f"{'table, function, rows':30}{'':>6}{'mains':>8}{'pairs':>8}{'shares':>8}{'pairs':>8}{'worst term':>18}"
HEAD += f"{'width':>8}{'R²':>8}{'pass':>6}"


def line(words: str, found: Coverage) -> str:
    """Write one line of the table."""
    worst, at = min((float(np.mean(inside)), term) for term, inside in found.by_term.items())
    term = f"{worst:.0%} {at}"
    four = (found.mains, found.pairs, found.main_shares, found.pair_shares)
    return (
        f"{words:36}"
        + "".join(f"{each:8.1%}" for each in four)
        + f"{term:>18}{found.ratio:8.2f}{found.r2:8.4f}{found.passed:6.0%}"
    )


def promises(cases: Sequence[tuple[str, Coverage]]) -> list[tuple[str, bool]]:
    """Write what is promised, what was found, and whether it is kept; each case comes with the name of its function."""
    found = [each for _, each in cases]
    averages = {
        "mains": (np.nanmean([each.mains for each in found]), LEAST_MAINS),
        "pairs": (np.nanmean([each.pairs for each in found]), LEAST_PAIRS),
        "shares of mains": (np.nanmean([each.main_shares for each in found]), LEAST_SHARES),
        "shares of pairs": (np.nanmean([each.pair_shares for each in found]), LEAST_SHARES),
    }
    lines = [
        (f"{name:18}{mean:7.1%}  promised at least {least:.0%}", bool(mean >= least))
        for name, (mean, least) in averages.items()
    ]
    inside: dict[tuple[str, Term], list[float]] = defaultdict(list)
    for name, each in cases:
        for term, samples in each.by_term.items():
            inside[name, term] += samples
    low = sorted(f"{name} {term}" for (name, term), shares in inside.items() if np.mean(shares) < LEAST_TERM)
    words = f"terms inside less than {LEAST_TERM:.0%}: {len(low)} of {len(inside)}, promised none"
    lines.append(("; ".join([words, *low]), not low))
    ratios = [each.ratio for each in found if each.r2 > FAITHFUL]
    most = max(ratios, default=0.0)
    words = f"half width over twice the error where R² > {FAITHFUL}: median {np.median(ratios or [0.0]):.2f}, most"
    return [*lines, (f"{words} {most:.2f}, promised {WIDEST:g} at most", most <= WIDEST)]


def main(arguments: list[str] | None = None) -> int:
    """Measure coverage, case by case and on average."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_bands", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--functions", type=int, default=2, help="drawn for each table")
    parser.add_argument("--first", type=int, default=100, help="seed of the first function")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=TABLES, default=list(TABLES))
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--asked", choices=("no", "yes", "both"), default="both")
    options = parser.parse_args(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    ways = {"no": (False,), "yes": (True,), "both": (False, True)}[options.asked]
    jobs = [
        (name, seed, n_rows, asked, sample)
        for name in options.only
        for n_rows in options.rows
        if n_rows <= len(case_of(name, options.first).X)
        for seed in range(options.first, options.first + options.functions)
        for asked in ways
        for sample in range(options.samples)
    ]
    print(HEAD, flush=True)
    found = []
    for (name, seed, n_rows, asked, _), samples in run(jobs, options.workers):
        own = Coverage.of(samples)
        found.append((f"{name} {seed}", own))
        print(line(f"{name} {seed}, {n_rows:,}{', asked' if asked else ''}", own), flush=True)
    kept = promises(found)
    print("", *(f"{words:90}{'kept' if good else 'BROKEN'}" for words, good in kept), sep="\n")
    return 0 if all(good for _, good in kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
