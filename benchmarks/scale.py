"""How seconds and memory grow with the rows of a Parquet folder, up to what would not fit, and what it explains.

Run with `python -m benchmarks.scale`. Each fit has a process of its own; seconds of the processor are printed beside
those of the clock, since they do not depend on what else the machine does.
"""

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.growth import Size, draw
from benchmarks.judge import Floats, in_own_process, r_squared

FILE_ROWS = 250_000
FRESH_ROWS = 100_000
SECONDS_LIMIT = 4 * 3600.0
MEMORY_GB = 6.0  # of addresses, of which a process uses a part
MOST_MB, MOST_GROWTH = 1500.0, 1.1  # peak memory, and from the second size to the third
MOST_TIMES = (6.0, 10.0)  # seconds, from each size to the next
MOST_WORSE = 0.001  # R² on fresh rows


@dataclass(frozen=True)
class Outcome:
    """What a fit took, and the share of the variance it explains on rows that nobody has seen."""

    seconds: float
    processor: float
    fresh: float
    peak_mb: float


def frame(X: Floats) -> pd.DataFrame:
    """Name columns as the files do."""
    return pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])])


def write(folder: Path, n_rows: int) -> None:
    """Write rows and predictions of the model of `benchmarks.growth` into files."""
    for number, start in enumerate(range(0, n_rows, FILE_ROWS)):
        X, predictions = draw(Size(min(FILE_ROWS, n_rows - start)), seed=number)
        frame(X).assign(prediction=predictions).to_parquet(folder / f"part-{number:05}.parquet")


def fit(folder: str) -> tuple[float, float, float]:
    """Fit a folder, and judge on fresh rows: seconds of the clock, of the processor, and R²."""
    from anova_report import FunctionalANOVA

    clock, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    fitted = FunctionalANOVA(random_state=0).fit(folder, "prediction")
    now = resource.getrusage(resource.RUSAGE_SELF)
    seconds = time.perf_counter() - clock
    X, predictions = draw(Size(FRESH_ROWS), seed=10**6)
    fresh = r_squared(predictions, fitted.predict(frame(X)))
    return seconds, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, fresh


def measure(n_rows: int, folder: Path) -> Outcome | str:
    """Fit so many rows in a process of its own; a reason if there is no result."""
    write(folder, n_rows)
    found = in_own_process(fit, str(folder), limit=SECONDS_LIMIT, memory_gb=MEMORY_GB)
    if found.reason is not None:
        return found.reason
    return Outcome(*found.value, found.peak_mb or 0.0)


def report(n_rows: int, outcome: Outcome, before: Outcome | None, step: int) -> str:
    """Write what a fit took, how many times the one before it, and which promise is not kept."""
    line = (
        f"{n_rows:>11,} rows  {outcome.seconds:8.1f} s  {outcome.processor:8.1f} s of processors  "
        f"R² {outcome.fresh:.5f}  peak {outcome.peak_mb:5.0f} MB"
    )
    broken = [] if outcome.peak_mb < MOST_MB else [f"peak above {MOST_MB:.0f} MB"]
    if before is not None:
        times, growth = outcome.processor / before.processor, outcome.peak_mb / before.peak_mb
        line += f"  ×{times:.2f} processors, ×{outcome.seconds / before.seconds:.2f} clock, ×{growth:.2f} memory"
        broken += [] if times <= MOST_TIMES[step - 1] else [f"time above ×{MOST_TIMES[step - 1]:g}"]
        broken += [] if outcome.fresh >= before.fresh - MOST_WORSE else [f"R² worse by more than {MOST_WORSE}"]
        broken += [] if step < 2 or growth < MOST_GROWTH else [f"memory above ×{MOST_GROWTH}"]
    return line + (f"  BROKEN: {', '.join(broken)}" if broken else "")


def main(arguments: list[str] | None = None) -> None:
    """Measure every size, each with its ratio to the one before it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7], help="sizes (1e5, 1e6, 1e7)")
    before: Outcome | None = None
    for step, n_rows in enumerate(parser.parse_args(arguments).rows):
        with tempfile.TemporaryDirectory() as place:
            outcome = measure(n_rows, Path(place))
        if isinstance(outcome, str):
            print(f"{n_rows:>11,} rows  {outcome}", flush=True)
            continue
        print(report(n_rows, outcome, before, step), flush=True)
        before = outcome


if __name__ == "__main__":
    main()
