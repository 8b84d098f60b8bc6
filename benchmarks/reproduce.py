"""Tables 2 and 3 of the paper, again: its estimator by us, and our default, next to its figures.

Run with `python -m benchmarks.reproduce [dataset …] [--models xgb,ebm,mlp,nam] [-o DIR] [--budget SECONDS]`. Every step
has a process of its own and is kept in DIR when it is finished, so the same command goes on where it was stopped. DIR
holds one page, `reproduce.html`, and one table, `reproduce.csv`, of all that is finished.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anova_report.report.audit.sentences import duration
from benchmarks.blackboxes import BAGS, KINDS, missing
from benchmarks.judge import in_own_process
from benchmarks.paper import TABLES
from benchmarks.reproduction import Reproduction, gather
from benchmarks.reproduction_page import write_page, write_table
from benchmarks.results_store import Record, ResultsStore, stamped
from benchmarks.steps import Step, carry_out, plan

DIRECTORY = "bench-results/reproduce"
SECONDS_LIMIT = 3600.0
MEMORY_GB = 8.0  # beyond it a step gets a MemoryError, and the machine stays usable
FEWEST_ROWS = 100  # with fewer, a fifth of them decides nothing
INTERRUPTED = 130  # the exit code of a command that was stopped by hand
PRIOR_SECONDS = 30.0  # how much the expected times are believed before any step has ended


@dataclass
class Pace:
    """How long what is left will take: as expected, times how much slower than expected this machine has been."""

    left: dict[Step, float]
    expected: float = PRIOR_SECONDS
    took: float = PRIOR_SECONDS

    def end(self, step: Step, seconds: float) -> None:
        """Note that a step has ended."""
        self.expected += self.left.pop(step)
        self.took += seconds

    @property
    def words(self) -> str:
        """Write how much time is left."""
        seconds = sum(self.left.values()) * self.took / self.expected
        return f"about {duration(float(round(seconds)))} left" if self.left else "nothing left"


@dataclass(frozen=True)
class Session:
    """One call of the command: where results are kept, and what it may take.

    Parameters
    ----------
    store : ResultsStore
    limit : float
        Seconds a step may take.
    budget : float or None
        Seconds after which no step is begun.
    fresh : bool
        Whether to repeat what is finished.
    started : float
    """

    store: ResultsStore
    limit: float = SECONDS_LIMIT
    budget: float | None = None
    fresh: bool = False
    started: float = field(default_factory=time.perf_counter)

    @property
    def over(self) -> bool:
        """Whether the budget is used up."""
        return self.budget is not None and time.perf_counter() - self.started >= self.budget

    def waits(self, step: Step) -> bool:
        """Whether a step is still to be done, as far as it can be."""
        if missing(step.experiment.model):
            return False
        record = None if self.fresh else self.store.find(step.key)
        return record is None or record.reason is not None

    def do(self, step: Step) -> Record:
        """Do a step in a process of its own, and keep its outcome, a failure too."""
        outcome = in_own_process(carry_out, step, self.store.folder, limit=self.limit, memory_gb=MEMORY_GB)
        if outcome.reason is not None:
            self.store.put(stamped(step.key, reason=outcome.reason))
        record = self.store.find(step.key)
        return record or stamped(step.key, reason="nothing was kept; is the folder writable?")

    def trained(self, step: Step) -> bool:
        """Whether the model of a step has predictions to decompose."""
        record = self.store.find(step.model.key)
        return (
            record is not None and record.training is not None and self.store.predictions_path(step.model.key).is_file()
        )


def reproduce(session: Session, steps: Sequence[Step], everything: Sequence[Step]) -> Reproduction:
    """Do the steps that are not finished, one after the other, and write page and table after each.

    Parameters
    ----------
    session : Session
    steps : sequence of Step
        Those to be done now.
    everything : sequence of Step
        Those that page and table tell about.
    """
    _tell_missing(steps)
    waiting = [step for step in steps if session.waits(step)]
    pace = Pace({step: step.expected_seconds for step in waiting})
    print(f"{len(steps)} steps, {len(steps) - len(waiting)} of them finished or not possible: {pace.words}", flush=True)
    for number, step in enumerate(waiting, start=1):
        if session.over:
            print(f"The budget of {session.budget:g} s is used up; the same command goes on from here.", flush=True)
            break
        print(f"[{number}/{len(waiting)}] {step.title}: ", end="", flush=True)  # some take minutes: say what is done
        start = time.perf_counter()
        said = _attempt(session, step)
        pace.end(step, time.perf_counter() - start)
        print(f"{said} · {pace.words}", flush=True)
        _write(session, everything)
    return _write(session, everything)


def _attempt(session: Session, step: Step) -> str:
    if step.name != "model" and not session.trained(step):
        return "no predictions, since the model was not trained"
    record = session.do(step)
    if record.training is not None:
        return f"performance {record.training.performance:.3f} in {duration(record.training.seconds)}"
    if record.figures is not None:
        paper, found = TABLES[step.experiment.dataset][step.experiment.model], record.figures
        return (
            f"R² {found.r2:.3f} (paper {paper.r2:.2f}), held out {found.held_out_r2:.3f}, in {duration(found.seconds)}"
        )
    return str(record.reason)


def _tell_missing(steps: Sequence[Step]) -> None:
    for model in dict.fromkeys(step.experiment.model for step in steps):
        reason = missing(model)
        if reason:
            print(f"{KINDS[model].title} {reason}; its rows are left open", flush=True)


def _write(session: Session, everything: Sequence[Step]) -> Reproduction:
    found = gather(session.store, everything)
    write_table(found, session.store.folder)
    write_page(found, session.store.folder)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Reproduce the rows named on the command line, all by default; 130 if it was stopped by hand."""
    parser = _parser()
    options = parser.parse_args(arguments)
    folder: Path = options.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"argument -o: {folder} cannot be made ({error.strerror}); name another folder")
    session = Session(ResultsStore(folder), options.limit, options.budget, options.fresh)
    steps = list(plan(options.dataset or TABLES, options.models, options.rows, options.bags))
    everything = list(plan(TABLES, KINDS, options.rows, options.bags))
    try:
        reproduce(session, steps, everything)
    except KeyboardInterrupt:
        print("\nStopped; finished steps are kept, and the same command goes on from here.", flush=True)
        return INTERRUPTED
    print(f"Written: {folder / 'reproduce.html'}, {folder / 'reproduce.csv'}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reproduce",
        description="Train the paper's models on its datasets, decompose their predictions by the published method and "
        "by our default, and write both next to the figures of the paper's Tables 2 and 3.",
        epilog="Finished steps are kept, so the same command goes on where it was stopped. All of it takes up to an "
        "hour on two slow cores; diabetes alone takes a minute. MLP and NAM need the torch extra, else their rows say "
        "so. Datasets are read from the folder named by ANOVA_REPORT_DATA, else fetched by their public loaders.",
    )
    parser.add_argument("dataset", nargs="*", type=_dataset, help=f"all by default: {', '.join(TABLES)}")
    listed = ",".join(KINDS)
    parser.add_argument("--models", type=models, default=tuple(KINDS), help=f"some of {listed}; all by default")
    parser.add_argument(
        "-o", "--out", type=Path, default=Path(DIRECTORY), metavar="DIR", help="where results are kept (%(default)s)"
    )
    parser.add_argument("--budget", type=_seconds, metavar="SECONDS", help="begin no step after so many seconds")
    parser.add_argument(
        "--limit",
        type=_seconds,
        default=SECONDS_LIMIT,
        metavar="SECONDS",
        help="end a step after so many (%(default)g)",
    )
    parser.add_argument("--fresh", action="store_true", help="repeat what is finished, after a change of the code, say")
    parser.add_argument(
        "--bags", type=_count, metavar="N", help=f"fits that every EBM averages; {BAGS}, or fewer on large data"
    )
    parser.add_argument("--rows", type=_rows, metavar="N", help="use so many rows of each dataset, to try it out")
    return parser


def _dataset(name: str) -> str:
    if name not in TABLES:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(TABLES)}")
    return name


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return found


def _count(text: str, least: int = 1) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
    return int(text)


def _rows(text: str) -> int:
    return _count(text, FEWEST_ROWS)


def models(text: str) -> tuple[str, ...]:
    """Read a list of models.

    Examples
    --------
    >>> models("xgb,ebm")
    ('xgb', 'ebm')
    """
    names = tuple(dict.fromkeys(text.split(",")))
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(map(repr, unknown))} is none of {', '.join(KINDS)}")
    return names


if __name__ == "__main__":
    raise SystemExit(main())
