"""How often 95% bands of components, and 95% intervals of their shares, contain a truth known on paper.

Run with `python -m benchmarks.bands [--samples 20] [--only NAME …] [--rows 5000] [--workers 2]`. Every case is fitted
without and with noise. Only components with at least a hundredth of the variance are asked for; one that a fit leaves
out is outside its band. The exit code is 1 where a promise is broken.
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report import Decomposition, FunctionalANOVA, measures
from benchmarks.judge import Floats, Term
from benchmarks.truth_cases import BY_NAME, CASES, TruthCase, variances

LOW, HIGH = 0.93, 0.97  # what is promised of 95%, on average over the cases
OUTER_LEAST = 0.90
N_ROWS = 5000
N_FRESH = 5000
CARRIES = 0.01  # of the variance; nobody reads the band of less
NOISE = 0.3  # standard deviation of the noise over that of the model
OUTER = 0.05  # of the rows at either end of a feature: together the outer tenth

MAINS, OUTER_ROWS, PAIRS, MAIN_SHARES, PAIR_SHARES = "mains", "outer tenth", "pairs", "shares: mains", "shares: pairs"
KINDS = (MAINS, OUTER_ROWS, PAIRS, MAIN_SHARES, PAIR_SHARES)
# Pairs are terms of two features or more: a triple is read the same way.
Covered = Mapping[str, Sequence[float]]  # for each kind, the share inside of each component
Wanted = tuple[str, float, int]  # case, noise, rows


def asked_for(name: str) -> list[Term]:
    """List the components of a case that carry enough to be read."""
    found = variances(name)
    return [term for term, variance in found.items() if term and variance >= CARRIES * found[()]]


def try_once(name: str, noise: float, n_rows: int, sample: int) -> dict[str, list[float]]:
    """Draw one sample of a case, fit it, and count what is inside."""
    case = BY_NAME[name]
    rng = case.generator(n_rows, sample)
    X, fresh = case.law(rng, n_rows), case.law(rng, N_FRESH)
    predictions = case.predictions(X) + noise * np.sqrt(variances(name)[()]) * rng.normal(size=n_rows)
    with threadpool_limits(limits=1):
        estimator = FunctionalANOVA(case.max_order, random_state=sample, progress=False)
        return covered(case, estimator.fit(X, predictions).decomposition_, fresh, noise)


def covered(case: TruthCase, dec: Decomposition, X: Floats, noise: float = 0.0) -> dict[str, list[float]]:
    """Measure, for each kind, what share of the truth lies inside, component by component."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for term in asked_for(case.name):
        inside = rows_inside(case, dec, term, X)
        found[MAINS if len(term) == 1 else PAIRS].append(float(inside.mean()))
        if len(term) == 1:
            found[OUTER_ROWS].append(float(inside[outer_rows(X[:, term[0]])].mean()))
        if case.finite:
            kind = MAIN_SHARES if len(term) == 1 else PAIR_SHARES
            found[kind].append(float(share_inside(case, dec, term, noise)))
    return found


def rows_inside(case: TruthCase, dec: Decomposition, term: Term, X: Floats) -> np.ndarray:
    """Say for each row whether the true component lies inside the band; rows come from the law of the inputs."""
    if term not in dec.terms:
        return np.zeros(len(X), dtype=bool)
    band, truth = measures.bands(dec, term, X), case.components[term](X)
    return np.asarray((band.lower <= truth) & (truth <= band.upper))


def outer_rows(x: Floats) -> np.ndarray:
    """Say for each row whether it belongs to the outer tenth of a feature."""
    low, high = np.quantile(x, [OUTER, 1 - OUTER])
    return np.asarray((x <= low) | (x >= high))


def share_inside(case: TruthCase, dec: Decomposition, term: Term, noise: float) -> bool:
    """Say whether the interval of a structural share holds the share on paper."""
    known = variances(case.name)
    truth = known[term] / (known[()] * (1 + noise**2))
    intervals = {share.term: share.structural_interval for share in measures.variance_shares(dec).terms}
    found = intervals.get(term)
    return found is not None and found.low <= truth <= found.high


def run(
    cases: Sequence[tuple[str, float, int]], n_samples: int, n_workers: int
) -> Iterator[tuple[str, float, Covered]]:
    """Try every case, several samples at a time; each comes when all its samples are there."""
    jobs = [(*case, sample) for case in cases for sample in range(n_samples)]
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        tried = zip(jobs, pool.map(try_once, *zip(*jobs, strict=True)), strict=True)
        for (name, noise), found in groupby(tried, key=lambda pair: pair[0][:2]):
            samples = [each for _, each in found]
            yield name, noise, {kind: [share for each in samples for share in each[kind]] for kind in KINDS}


def means(covered: Sequence[Covered]) -> dict[str, float]:
    """Average each kind over the cases that have it."""
    found = {kind: [float(np.mean(each[kind])) for each in covered if each[kind]] for kind in KINDS}
    return {kind: float(np.mean(shares)) for kind, shares in found.items() if shares}


def promises(mean: Mapping[str, float]) -> list[tuple[str, bool]]:
    """Write what is promised of each kind, and whether it is kept."""
    found = []
    for kind, share in mean.items():
        kept = share >= OUTER_LEAST if kind == OUTER_ROWS else LOW <= share <= HIGH
        promise = f"at least {OUTER_LEAST:.0%}" if kind == OUTER_ROWS else f"{LOW:.0%} to {HIGH:.0%}"
        found.append((f"{kind:16}{share:7.1%}  promised {promise}", kept))
    return found


HEAD = f"{'case':36}" + "".join(f"{kind:>16}" for kind in KINDS)


def line(words: str, mean: Mapping[str, float]) -> str:
    """Write the coverage of each kind."""
    return f"{words:36}" + "".join(f"{mean[kind]:16.1%}" if kind in mean else f"{'–':>16}" for kind in KINDS)


def main(arguments: list[str] | None = None) -> int:
    """Measure coverage, case by case and on average."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bands", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases whose names contain one of these")
    parser.add_argument("--rows", type=int, default=N_ROWS, help="in every sample")
    options = parser.parse_args(arguments)
    names = [case.name for case in CASES if not options.only or any(part in case.name for part in options.only)]
    wanted = [(name, noise, options.rows) for name in names if not BY_NAME[name].noise for noise in (0.0, NOISE)]
    if not wanted:
        parser.error("no case has such a name")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    print(HEAD, flush=True)
    found = []
    for name, noise, shares in run(wanted, options.samples, options.workers):
        found.append(shares)
        print(line(f"{name}{', noise' if noise else ''}", means([shares])), flush=True)
    mean = means(found)
    print(line("mean over the cases", mean), "", sep="\n")
    kept = promises(mean)
    print(*(f"{words:56}{'kept' if good else 'BROKEN'}" for words, good in kept), sep="\n")
    return 0 if all(good for _, good in kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
