"""Simulators explained from few calls: ours beside the polynomial chaos of OpenTURNS, judged on fresh rows.

Run with `python -m benchmarks.simulations [--only NAME …] [--calls N …] [--laws LAW …] [--methods NAME …] [--samples 1]
[--workers 2] [--json PATH]`; each option runs a part. Inputs are independent, or tied by a Gaussian copula; chaos is
told their marginal laws, ours only sees rows. `explained` is `explain` without further questions, decomposed under
131,072 quasi-random rows of the inputs that were never simulated. Errors of Sobol' indices are the largest over the
inputs.
"""

import argparse
import json
import os
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.io.files import write_text
from benchmarks.judge import Floats, r_squared
from benchmarks.results import Mark, Verdict, verdict_lines
from benchmarks.results_store import machine
from benchmarks.simulators import BY_NAME, CORRELATION, SIMULATORS, Indices, Simulator

CALLS = (200, 500, 2000, 10_000)
LAWS = {"independent": 0.0, "copula": CORRELATION}
N_FRESH = 20_000
POPULATION_POWER = 17  # of two, as quasi-random rows come: 131,072
MAX_ORDER = 3
ENOUGH_CALLS = 500  # with fewer, which method is better is a matter of luck
NOTHING = 1e-8  # of the variance: a smaller unexplained share helps nobody, and ratios of such shares mean nothing
SMALL_ERROR = 1e-4  # of a Sobol' index: likewise
OURS, EXPLAINED, CHAOS = "ours", "explained", "chaos"
MEDIAN = Mark("unexplained", "median of ours / chaos", "<=", 1.0)
WORST = Mark("unexplained", "largest of ours / chaos", "<=", 10.0)
INDICES = Mark("Sobol' indices", "error, explained / chaos", "<=", 2.0)

Job = tuple[str, str, int, int]  # simulator, law, calls, sample


@dataclass(frozen=True)
class Fitted:
    """What a method made of the calls: how it predicts, and Sobol' indices as it tells them."""

    predict: Callable[[Floats], Floats]
    indices: Callable[[], Indices]


@dataclass(frozen=True)
class Attempt:
    """How well one method did, or why it did not try.

    Parameters
    ----------
    unexplained : float
        Share of the variance, on fresh rows.
    first_error, total_error : float or None
        Largest error of the Sobol' indices; None where inputs depend on each other.
    seconds : float
        Of the fit.
    reason : str or None
        Why there are no figures.
    """

    unexplained: float = float("nan")
    first_error: float | None = None
    total_error: float | None = None
    seconds: float = 0.0
    reason: str | None = None


@dataclass(frozen=True)
class Trial:
    """What all methods made of the same calls of one simulator."""

    simulator: str
    law: str
    n_calls: int
    sample: int
    attempts: Mapping[str, Attempt]

    @property
    def ratio(self) -> float | None:
        """Our unexplained share over that of chaos; None unless both are there."""
        shares = [self.attempts[name].unexplained for name in (OURS, CHAOS) if name in self.attempts]
        if len(shares) < 2 or np.isnan(shares).any():
            return None
        return max(shares[0], NOTHING) / max(shares[1], NOTHING)


def ours(_simulator: Simulator, X: Floats, outputs: Floats, _population: Floats) -> Fitted:
    """Fit our default with triples."""
    estimator = FunctionalANOVA(max_order=MAX_ORDER, random_state=0, progress=False).fit(X, outputs)
    return of_decomposition(estimator.decomposition_)


def explained(simulator: Simulator, X: Floats, _outputs: Floats, population: Floats) -> Fitted:
    """Explain the simulator itself from the same rows, and decompose under many more."""
    settings: dict[str, Any] = {"max_order": MAX_ORDER, "random_state": 0, "progress": False}
    return of_decomposition(explain(simulator.function, X, ask=0, population=population, **settings))


def chaos(simulator: Simulator, X: Floats, outputs: Floats, _population: Floats) -> Fitted:
    """Fit polynomial chaos."""
    from benchmarks.chaos import fit_chaos

    found = fit_chaos(simulator, X, outputs)
    return Fitted(found.predict, found.indices)


METHODS = {OURS: ours, EXPLAINED: explained, CHAOS: chaos}


def of_decomposition(dec: Decomposition) -> Fitted:
    """Tell predictions and Sobol' indices of a decomposition."""
    return Fitted(dec.predict, lambda: indices_of(dec))


def indices_of(dec: Decomposition) -> Indices:
    """Read Sobol' indices off the structural shares; inputs of which nothing is known have none."""
    first, total = np.zeros((2, len(dec.feature_names)))
    for share in measures.variance_shares(dec).terms:
        total[list(share.term)] += share.structural
        if len(share.term) == 1:
            first[share.term[0]] = share.structural
    return Indices(first, total)


def try_once(job: Job, methods: Sequence[str] = tuple(METHODS)) -> Trial:
    """Call a simulator, let every method fit the calls, and judge it on fresh rows."""
    name, law, n_calls, sample = job
    simulator = BY_NAME[name]
    rng = np.random.default_rng([zlib.crc32(name.encode()), list(LAWS).index(law), n_calls, sample])
    X, fresh = (simulator.draw(rng, n, LAWS[law]) for n in (n_calls, N_FRESH))
    population = simulator.population(POPULATION_POWER, LAWS[law])
    known = simulator.indices() if law == "independent" else None
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples make every library complain
        attempts = {method: _attempt(method, simulator, (X, population, fresh), known) for method in methods}
    return Trial(*job, attempts)


def _attempt(method: str, simulator: Simulator, rows: tuple[Floats, Floats, Floats], known: Indices | None) -> Attempt:
    X, population, fresh = rows
    start = time.perf_counter()
    try:
        fitted = METHODS[method](simulator, X, simulator.function(X), population)
    except ModuleNotFoundError as error:
        return Attempt(reason=f"not installed: {error.name}")
    except Exception as error:  # the others are still worth their while
        return Attempt(reason=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
    seconds = time.perf_counter() - start
    unexplained = 1 - r_squared(simulator.function(fresh), fitted.predict(fresh))
    if known is None:
        return Attempt(unexplained, seconds=seconds)
    found = fitted.indices()
    first, total = (float(np.abs(gap).max()) for gap in (found.first - known.first, found.total - known.total))
    return Attempt(unexplained, first, total, seconds)


def run(jobs: Sequence[Job], methods: Sequence[str], n_workers: int) -> Iterator[Trial]:
    """Try every job, several at a time."""
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(try_once, jobs, [methods] * len(jobs))


def head(methods: Sequence[str]) -> str:
    """Write what the columns mean."""
    figures = "".join(f"{name:>12}" for name in methods)
    return f"{'simulator':18}{'law':13}{'calls':>7}{figures}  ours/chaos   errors of first / total indices; seconds"


def line(trial: Trial) -> str:
    """Write the unexplained shares, their ratio, errors of indices and seconds of each method."""
    attempts = trial.attempts.values()
    shares = "".join(f"{'–' if each.reason else f'{each.unexplained:.1e}':>12}" for each in attempts)
    ratio = "–" if trial.ratio is None else f"{trial.ratio:.3g}"
    errors = "  ".join(_errors(each) for each in attempts)
    seconds = " / ".join(f"{each.seconds:.1f}" for each in attempts)
    return f"{trial.simulator:18}{trial.law:13}{trial.n_calls:7,}{shares}  {ratio:>10}   {errors}; {seconds}"


def _errors(attempt: Attempt) -> str:
    if attempt.first_error is None or attempt.total_error is None:
        return "– / –"
    return f"{attempt.first_error:.4f} / {attempt.total_error:.4f}"


def summary(trials: Sequence[Trial]) -> list[str]:
    """Write the median ratio for each number of calls, with enough calls also the worst, and errors of indices."""
    lines = []
    for law in dict.fromkeys(trial.law for trial in trials):
        own = [trial for trial in trials if trial.law == law]
        for n_calls in sorted({trial.n_calls for trial in own}):
            ratios = _ratios([trial for trial in own if trial.n_calls == n_calls])
            if ratios:
                lines.append(f"{law}, {n_calls:,} calls: median ratio {np.median(list(ratios.values())):.2f}")
        ratios = _ratios([trial for trial in own if trial.n_calls >= ENOUGH_CALLS])
        if ratios:
            worst = max(ratios, key=lambda where: ratios[where])
            median = np.median(list(ratios.values()))
            lines.append(
                f"{law}, {ENOUGH_CALLS} calls or more: median ratio {median:.2f}, worst {ratios[worst]:.3g} ({worst})"
            )
    return [*lines, *_index_errors(trials), *_reasons(trials)]


def _ratios(trials: Sequence[Trial]) -> dict[str, float]:
    found = {f"{each.simulator}, {each.n_calls:,} calls, sample {each.sample}": each.ratio for each in trials}
    return {where: ratio for where, ratio in found.items() if ratio is not None}


def _index_errors(trials: Sequence[Trial]) -> list[str]:
    lines = []
    for n_calls in sorted({trial.n_calls for trial in trials}):
        own = [trial.attempts for trial in trials if trial.n_calls == n_calls]
        for method in own[0]:
            errors = [each[method].first_error for each in own if each[method].first_error is not None]
            if errors:
                lines.append(
                    f"first-order Sobol' indices, {n_calls:,} calls, {method}: "
                    f"largest error, median over simulators {np.median(errors):.4f}, worst {max(errors):.4f}"
                )
    return lines


def verdicts(trials: Sequence[Trial]) -> list[Verdict]:
    """Compare what was measured with enough calls with the marks; of indices the worst number of calls counts."""
    enough = [trial for trial in trials if trial.n_calls >= ENOUGH_CALLS]
    ratios = [trial.ratio for trial in enough if trial.ratio is not None]
    errors = []
    for n_calls in sorted({trial.n_calls for trial in enough}):
        both = [_median_error(enough, n_calls, method) for method in (EXPLAINED, CHAOS)]
        errors += [both[0] / max(both[1], SMALL_ERROR)] if None not in both else []
    return [
        Verdict(MEDIAN, float(np.median(ratios)) if ratios else None),
        Verdict(WORST, max(ratios, default=None)),
        Verdict(INDICES, max(errors, default=None)),
    ]


def _median_error(trials: Sequence[Trial], n_calls: int, method: str) -> float | None:
    """Median over simulators of the largest error of a first-order index."""
    found = [trial.attempts[method] for trial in trials if trial.n_calls == n_calls and method in trial.attempts]
    errors = [attempt.first_error for attempt in found if attempt.first_error is not None]
    return float(np.median(errors)) if errors else None


def _reasons(trials: Sequence[Trial]) -> list[str]:
    return sorted(
        {
            f"{method}, {trial.simulator}: {attempt.reason}"
            for trial in trials
            for method, attempt in trial.attempts.items()
            if attempt.reason
        }
    )


def write(path: str, trials: Sequence[Trial]) -> None:
    """Write all trials, and their summary."""
    found = [asdict(trial) | {"ratio": trial.ratio} for trial in trials]
    document = _without_nan({"machine": machine(), "trials": found, "summary": summary(trials)})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _without_nan(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _without_nan(value) for key, value in document.items()}
    if isinstance(document, list):
        return [_without_nan(value) for value in document]
    return None if isinstance(document, float) and not np.isfinite(document) else document


def main(arguments: list[str] | None = None) -> int:
    """Explain the simulators, and print what is left unexplained and which marks are reached; 1 if one is not."""
    parser = _parser()
    options = parser.parse_args(arguments)
    chosen = [each.name for each in SIMULATORS if not options.only or any(part in each.name for part in options.only)]
    if not chosen:
        parser.error("no simulator has such a name")
    jobs = [
        (name, law, n_calls, sample)
        for law in options.laws
        for name in chosen
        for n_calls in options.calls
        for sample in range(options.samples)
    ]
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    print(head(options.methods), flush=True)
    trials = []
    for trial in run(jobs, options.methods, options.workers):
        trials.append(trial)
        print(line(trial), flush=True)
        if options.json:
            write(options.json, trials)
    found = verdicts(trials)
    print("", *summary(trials), *verdict_lines(found), sep="\n")
    return int(any(verdict.reached is False for verdict in found))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulations", description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="simulators whose names contain one of these")
    parser.add_argument("--calls", nargs="+", type=int, metavar="N", default=CALLS)
    parser.add_argument("--laws", nargs="+", choices=tuple(LAWS), default=tuple(LAWS))
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=tuple(METHODS))
    parser.add_argument("--samples", type=int, default=1, help="of every simulator, law and number of calls")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", metavar="PATH", help="write the results there, too")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
