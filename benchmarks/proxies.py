"""How often 95% intervals of a proxy ledger contain a truth known on paper, on copulas and other dependent laws.

Run with `python -m benchmarks.proxies [--samples 200] [--rows 500] [--only NAME …] [--workers 2]`. A protected column
goes with two features of models whose components are known: as two groups, and as a number. True entries are those of a
million rows. Entries are asked for where the component carries a hundredth of the variance or more. The exit code is 1
where an average lies outside of 93% to 97%.
"""

import argparse
import copy
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report import FunctionalANOVA, measures
from benchmarks.bands import HIGH, LOW, asked_for
from benchmarks.judge import Floats, Term
from benchmarks.truth_cases import BY_NAME
from benchmarks.verdict_laws import Rng

CASES = ("FGM, ρ = .5", "FGM, ρ = .8", "Gaussian, ρ = .5", "line + product, r = .6", "quadratic, r = .3", "Friedman")
REFERENCE = 1_000_000
Known = dict[bool, dict[Term, float]]  # true associations of a column of two groups, and of a number
Held = dict[bool, dict[str, list[bool]]]  # likewise, by kind of entry, which intervals hold the truth


def protected(X: Floats, rng: Rng, groups: bool) -> Floats:
    """Draw a column that goes with the first two features."""
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    latent = z[:, 0] - 0.7 * z[:, 1] + rng.normal(size=len(X))
    return (latent > 0.5).astype(np.float64) if groups else latent


def association(a: Floats, values: Floats, groups: bool) -> float:
    """Measure how something goes with a column: the difference of two means, or the slope per standard deviation."""
    if groups:
        return float(values[a == 1].mean() - values[a == 0].mean())
    return float(np.cov(a, values)[0, 1] / a.std())


def truth(name: str, groups: bool) -> dict[Term, float]:
    """Measure the associations of the components, and of the predictions as a whole, on very many rows."""
    case, rng = BY_NAME[name], np.random.default_rng(1)
    X = case.law(rng, REFERENCE)
    a = protected(X, rng, groups)
    found = {term: association(a, component(X), groups) for term, component in case.components.items()}
    return found | {(): sum(found.values())}


def try_once(name: str, n_rows: int, sample: int, known: Known) -> Held:
    """Draw one sample of a case, fit it, and say which intervals hold the truth."""
    case = BY_NAME[name]
    rng = case.generator(n_rows, sample)
    X = case.law(rng, n_rows)
    predictions = case.predictions(X)
    with threadpool_limits(limits=1):
        dec = FunctionalANOVA(random_state=sample, progress=False).fit(X, predictions).decomposition_
    found: Held = {}
    for groups, true in known.items():
        column = protected(X, copy.deepcopy(rng), groups)
        [ledger] = measures.protected_columns(dec, {"a": column}, X, predictions)[0].ledgers[-1:]
        inside = defaultdict(list)
        for entry in ledger.entries:
            if entry.term in asked_for(name):
                kind = "main effects" if len(entry.term) == 1 else "pairs"
                inside[kind].append(entry.interval.low <= true[entry.term] <= entry.interval.high)
        inside["in all"].append(ledger.whole.interval.low <= true[()] <= ledger.whole.interval.high)
        found[groups] = dict(inside)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure coverage, case by case and on average."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proxies", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases whose names contain one of these")
    options = parser.parse_args(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    every: dict[str, list[float]] = defaultdict(list)
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for name in CASES:
            if options.only and not any(part in name for part in options.only):
                continue
            known, n = {groups: truth(name, groups) for groups in (True, False)}, options.samples
            tried = list(pool.map(try_once, [name] * n, [options.rows] * n, range(n), [known] * n, chunksize=4))
            for groups in known:
                inside = defaultdict(list)
                for found in tried:
                    for kind, held in found[groups].items():
                        inside[kind] += held
                shares = {kind: float(np.mean(held)) for kind, held in inside.items()}
                for kind, share in shares.items():
                    every[kind].append(share)
                said = "  ".join(f"{kind} {share:.1%}" for kind, share in shares.items())
                print(f"{name}, {'two groups' if groups else 'a number'}: {said}", flush=True)
    means = {kind: float(np.mean(shares)) for kind, shares in every.items()}
    broken = False
    for kind, share in means.items():
        kept = LOW <= share <= HIGH
        broken |= not kept
        print(f"{kind:16}{share:7.1%}  promised {LOW:.0%} to {HIGH:.0%}  {'kept' if kept else 'BROKEN'}")
    return int(broken)


if __name__ == "__main__":
    raise SystemExit(main())
