"""Whether a process that makes one audit after the other grows: resident memory, and what Python holds.

Run with `python -m benchmarks.memory`. Every audit has rows, names and predictions of its own, so that whatever is kept
for one of them adds up. Exits with 1 where the last audits take more than the first ones by `ALLOWED`.
"""

import argparse
import gc
import os
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from anova_report import audit

WARM_UP = 3  # audits after which every module is imported and every cache of templates and scripts is filled
ALLOWED = 0.10  # of what the first audits after these take: allocators do not give back every page
FEWEST = 9  # audits that can be compared, three with three, after the warm-up
MEGABYTE = 1e6


def resident() -> float:
    """Measure the resident set of this process, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def one_audit(number: int, n_rows: int, page: Path) -> None:
    """Audit a model of five features, with a target, a split, protected columns, groups and expectations."""
    rng = np.random.default_rng(number)
    x = rng.normal(size=(n_rows, 4))
    x[:, 1] += x[:, 0]
    gaps = np.where(rng.random(n_rows) < 0.1, np.nan, x[:, 3])
    levels = rng.choice([f"level {number} {letter}" for letter in "abc"], n_rows)
    names = [f"feature {number} {at}" for at in range(4)]
    table = pd.DataFrame({**dict(zip(names, [*x[:, :3].T, gaps], strict=True)), f"levels {number}": levels})

    def model(rows: pd.DataFrame) -> np.ndarray:
        first, second, third, fourth = rows[names].to_numpy().T
        return first * second + np.sin(third) + np.nan_to_num(fourth) + rows.iloc[:, 4].str.endswith("a")

    audit(
        model,
        table,
        page,
        title=f"Audit {number}",
        target=model(table) + rng.normal(size=n_rows),
        split=rng.random(n_rows) < 0.5,
        protected={f"column {number}": rng.choice(["a", "b"], n_rows), f"number {number}": x[:, 0]},
        feature_groups={f"group {number}": names[:2]},
        expectations=[f"{names[2]}: increasing"],
        progress=False,
    )


def growth(measured: Sequence[float]) -> float:
    """Compare what the last audits hold with what the first ones after the warm-up held.

    Examples
    --------
    >>> growth([10.0] * 12)
    0.0
    >>> growth([10.0] * 3 + [100.0] * 3 + [110.0] * 3 + [125.0] * 3)
    0.25
    """
    kept = measured[WARM_UP:]
    third = len(kept) // 3
    first, last = median(kept[:third]), median(kept[-third:])
    return last / first - 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Make audits, print what each leaves behind, and judge."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--audits", type=int, default=20)
    options.add_argument("--rows", type=int, default=500)
    chosen = options.parse_args(arguments)
    if chosen.audits < FEWEST:
        options.error(f"--audits must be at least {FEWEST}")
    measured: dict[str, list[float]] = {"resident": [], "held by Python": []}
    tracemalloc.start()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(chosen.audits):
            one_audit(number, chosen.rows, Path(folder) / "audit.html")
            gc.collect()
            for name, value in zip(measured, (resident(), tracemalloc.get_traced_memory()[0] / MEGABYTE), strict=True):
                measured[name].append(value)
            print(f"audit {number + 1:>3}: {', '.join(f'{name} {own[-1]:.1f} MB' for name, own in measured.items())}")
    grown = {name: growth(own) for name, own in measured.items()}
    print(", ".join(f"{name}: {own:+.1%}" for name, own in grown.items()), f"(allowed {ALLOWED:.0%})")
    return int(max(grown.values()) > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
