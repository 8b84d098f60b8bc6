"""Our default against the published method and peers: six XGBoost models, judged on the untouched 20% of the rows.

Run with `python -m benchmarks.race [dataset …] [--peers ebm,treeshap,treehfd,salib | none] [--json PATH]`. Each
contestant has a process of its own, one after the other, so ratios of seconds come from one run on one machine.
"""

import argparse
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from benchmarks.datasets import DATASETS
from benchmarks.judge import Orthogonality, Outcome, in_own_process, judge_orthogonality, r_squared
from benchmarks.peers import CONTESTANTS, PEERS, Contest, Contestant, bare, prepare
from benchmarks.results import Result, line, marks_table, verdicts

ALWAYS = ("ours", "published", "literal", "gram")
SECONDS_LIMIT = 900.0
MEMORY_GB = 8.0  # beyond it a contestant gets a MemoryError, and the machine stays usable


def compete(name: str, contestant: Contestant, contest: Contest) -> Result:
    """Let a contestant explain, and judge it on the untouched rows."""
    shown = contestant(contest)
    result = Result(contest.name, name, seconds=shown.seconds, self_reported=shown.self_reported, note=shown.note)
    if shown.predicted is not None:
        result = replace(result, r2=r_squared(contest.test_predictions, shown.predicted))
    if shown.components is None:
        return result
    judged = judge_orthogonality(shown.terms, shown.components, contest.test_predictions)
    return _with_cosines(result, judged, tuple(contest.test.columns))


def _with_cosines(result: Result, judged: Orthogonality, names: tuple[str, ...]) -> Result:
    result = replace(result, n_above=judged.n_above, n_cosines=judged.n_cosines)
    if judged.worst is None:
        return result
    term, part = (" × ".join(names[feature] for feature in each) for each in (judged.worst.term, judged.worst.part))
    return replace(
        result,
        max_corr=abs(judged.worst.value),
        max_corr_sd=judged.worst.sd,
        max_corr_of=f"{term} | {part}",
    )


def race(contest: Contest, contestants: Mapping[str, Contestant], limit: float = SECONDS_LIMIT) -> Iterator[Result]:
    """Run the contestants one after the other, and yield each result as it is there."""
    floor = in_own_process(bare, contest, limit=limit).peak_mb
    for name, contestant in contestants.items():
        outcome = in_own_process(compete, name, contestant, contest, limit=limit, memory_gb=MEMORY_GB)
        yield _result(contest.name, name, outcome, floor)


def _result(dataset: str, contestant: str, outcome: Outcome, floor: float | None) -> Result:
    if outcome.reason is not None:
        return Result(dataset, contestant, reason=outcome.reason)
    above = None if floor is None or outcome.peak_mb is None else outcome.peak_mb - floor
    result: Result = outcome.value
    return replace(result, peak_mb=outcome.peak_mb, above_bare_mb=above)


def main(arguments: list[str] | None = None) -> None:
    """Race on the datasets named on the command line, all by default."""
    options = _parser().parse_args(arguments)
    chosen = {name: CONTESTANTS[name] for name in (*ALWAYS, *options.peers)}
    results: list[Result] = []
    for dataset in options.dataset or DATASETS:
        for result in _race_on(dataset, chosen, options):
            results.append(result)
            if options.json:
                _write(options.json, results, options)
    print("\n".join(marks_table(results)), flush=True)
    if options.rows is not None:
        print(f"Only {options.rows} rows a dataset: the marks are meant for all.")


def _race_on(dataset: str, chosen: Mapping[str, Contestant], options: argparse.Namespace) -> Iterator[Result]:
    prepared = in_own_process(prepare, dataset, options.seed, options.rows, limit=options.limit)
    if prepared.reason is not None:
        print(f"{dataset}: {prepared.reason}", flush=True)
        return
    contest: Contest = prepared.value
    n_train, n_features = contest.train.shape
    print(f"{dataset}: {n_features} features, {n_train} rows to fit, {len(contest.test)} to judge on", flush=True)
    ours = None
    for result in race(contest, chosen, options.limit):
        ours = result if result.contestant == "ours" else ours
        print(line(result, ours), flush=True)
        yield result


def _write(path: str, results: Sequence[Result], options: argparse.Namespace) -> None:
    # Imported late: every process of the race imports this module, and should pay for its own contestant only.
    from anova_report.io.files import write_text

    document = {
        "seed": options.seed,
        "rows": options.rows,
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "processor": platform.machine()},
        "results": [asdict(result) for result in results],
        "marks": [asdict(verdict) | {"reached": verdict.reached} for verdict in verdicts(results)],
    }
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="*", type=_dataset, help=f"all by default: {', '.join(DATASETS)}")
    parser.add_argument("--peers", type=peers, default=peers(",".join(PEERS)), help="comma-separated, or none")
    parser.add_argument("--seed", type=int, default=0, help="of the split and of the contestants")
    parser.add_argument("--limit", type=float, default=SECONDS_LIMIT, help="seconds a contestant may take")
    parser.add_argument("--json", metavar="PATH", help="write the results there, too")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    return parser


def _dataset(name: str) -> str:
    if name not in DATASETS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(DATASETS)}")
    return name


def peers(text: str) -> tuple[str, ...]:
    """Read a list of peers.

    Examples
    --------
    >>> peers("ebm,treehfd"), peers("none")
    (('ebm', 'treehfd-1', 'treehfd-2'), ())
    """
    names = [] if text == "none" else text.split(",")
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)} is none of {', '.join(PEERS)}, none")
    return tuple(contestant for name in names for contestant in PEERS[name])


if __name__ == "__main__":
    main()
