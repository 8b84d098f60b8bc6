"""How long a user waits before anything happens: importing the package and asking for help, as ratios to an empty run.

Run with `python -m benchmarks.start_up`. Every round starts each command once, so that whatever else the machine does
falls on all of them; medians of processor time are compared. Exits with 1 where a ratio is above `ALLOWED`.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence
from statistics import median

ALLOWED = 8.0
EMPTY = "python -c pass"
COMMANDS = {
    EMPTY: ("-c", "pass"),
    "import anova_report": ("-c", "import anova_report"),
    "anova-report --version": ("-m", "anova_report.cli", "--version"),
    "anova-report --help": ("-m", "anova_report.cli", "--help"),
    "anova-report audit --help": ("-m", "anova_report.cli", "audit", "--help"),
}


def seconds(words: Sequence[str]) -> float:
    """Start Python, wait for its end, and return the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 our own words
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Start every command in every round, print medians and ratios, and judge."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args(arguments).rounds
    rows = [{name: seconds(words) for name, words in COMMANDS.items()} for _ in range(rounds + 1)][
        1:
    ]  # once for the disk
    medians = {name: median(row[name] for row in rows) for name in COMMANDS}
    for name, found in medians.items():
        print(f"{name:26} {found:6.3f} s, {found / medians[EMPTY]:4.1f} × {EMPTY}")
    return int(max(medians.values()) > ALLOWED * medians[EMPTY])


if __name__ == "__main__":
    sys.exit(main())
