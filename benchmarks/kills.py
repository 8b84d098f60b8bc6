"""Kills commands at random moments, then lets them go on: nothing may be half-written, and nothing wrongly called done.

`python -m benchmarks.kills --kills 100` kills each of `audit`, `run`, `batch`, `compare` and `mail --eml` twenty times,
looks at every file they left, and lets each command finish after every fifth kill.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

import numpy as np
import pandas as pd

from anova_report import Decomposition
from anova_report.report.audit.audit import Audit
from anova_report.report.comparison.comparison import ComparisonPage
from anova_report.report.notebooks import ledger
from anova_report.report.notebooks.notebook_export import read_notebook

RESUMED = 5  # a command is let go on after so many kills
LONGER = 1.1  # than an undisturbed run: the last moments count, too
RUNS = """
defaults: {data: a.csv, prediction: p, max_order: 1}
runs:
- {name: first}
- {name: second, title: Again}
"""


@dataclass(frozen=True)
class Command:
    """A command, its words, and the files it writes; what it reads lies in the same folder."""

    name: str
    words: tuple[str, ...]
    results: tuple[str, ...]


COMMANDS = (
    Command(
        "audit",
        ("a.csv", "--prediction", "p", "--max-order", "1", "--save", "a.json", "--decomposition", "d.json"),
        ("audit.html", "a.json", "d.json"),
    ),
    Command("compare", ("first.json", "second.json", "--save", "c.json"), ("comparison.html", "c.json")),
    Command("mail", ("page.html", "--to", "a@example.org", "--from", "b@example.org", "--eml", "m.eml"), ("m.eml",)),
    Command(
        "run", ("audit", "-p", "data", "a.csv", "-p", "prediction", "p", "-p", "max_order", "1"), ("audit-run.ipynb",)
    ),
    Command("batch", ("runs.yaml", "-o", "out"), ("out/index.html", "out/batch.json")),
)


def main(arguments: list[str] | None = None) -> int:
    """Kill, look, go on, and print how often; the exit code says whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=[command.name for command in COMMANDS])
    options = parser.parse_args(arguments)
    chosen = [command for command in COMMANDS if not options.only or command.name in options.only]
    rng, wrong = np.random.default_rng(options.seed), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for at, command in enumerate(chosen):
            n_kills = options.kills // len(chosen) + (at < options.kills % len(chosen))
            found = torment(command, folder, n_kills, rng)
            wrong += found
            print(f"{command.name:8} {n_kills:4} kills, {len(found)} wrong", flush=True)
    for sentence in wrong:
        print(sentence)
    return int(bool(wrong))


def prepare(folder: Path) -> None:
    """Write what the commands read."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["x", "y", "z"])
    table["p"] = table["x"] + np.sin(table["y"])
    table.to_csv(folder / "a.csv", index=False)
    (folder / "runs.yaml").write_text(RUNS, encoding="utf-8")
    places = ("-o", "page.html", "--decomposition", "first.json", "--quiet")
    carry_out(folder, "audit", *COMMANDS[0].words[:5], *places)
    (folder / "second.json").write_bytes((folder / "first.json").read_bytes())


def torment(command: Command, folder: Path, n_kills: int, rng: np.random.Generator) -> list[str]:
    """Kill a command at random moments, and say what was wrong afterwards."""
    started = time.perf_counter()
    carry_out(folder, command.name, *command.words, "--quiet")
    seconds, wrong = time.perf_counter() - started, []
    for kill in range(1, n_kills + 1):
        for result in command.results if kill % 2 else ():  # over old results, and where there are none
            (folder / result).unlink(missing_ok=True)
        moment = rng.uniform(0, LONGER * seconds)
        killed = start(folder, command.name, *command.words, "--quiet")
        time.sleep(moment)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        wrong += [f"{command.name}, killed after {moment:.2f} s: {what}" for what in damage(command, folder)]
        if kill % RESUMED == 0 or kill == n_kills:
            carry_out(folder, command.name, *command.words, "--quiet")
            missing = [name for name in command.results if not (folder / name).is_file()]
            left = [path.name for path in folder.rglob(".*-*-*") if path.is_dir() or path.is_file()]
            wrong += [f"{command.name}, resumed: {what}" for what in damage(command, folder)]
            wrong += [f"{command.name}, resumed: {missing} missing, {left} left"] * bool(missing or left)
    return wrong


def damage(command: Command, folder: Path) -> list[str]:
    """Say which files are not whole, or say more than is so."""
    wrong = []
    for path in [*(folder / name for name in command.results), *(folder / "out").rglob("*.*")]:
        check = CHECKS.get(path.suffix)
        if check is None or not path.is_file() or path.name.startswith("."):
            continue
        try:
            check(path)
        except Exception as error:  # whatever it is, it is reported
            wrong.append(f"{path.name}: {type(error).__name__}: {error}")
    return wrong


def check_page(path: Path) -> None:
    """Refuse a page that does not end."""
    if not path.read_text(encoding="utf-8").endswith("</html>\n"):
        raise ValueError("half a page")


def check_json(path: Path) -> None:
    """Load a document, and hold a record of a batch against what lies beside it."""
    if path.name == ledger.LEDGER:
        for entry in ledger.load(path.parent).values():
            if entry.outcome == "done" and (not entry.summary or entry.results != ledger.results(entry, path.parent)):
                raise ValueError(f"{entry.name} is said to be done")
        return
    kinds: tuple[Callable[[Path], object], ...] = (Audit.load, Decomposition.load, ComparisonPage.load)
    kinds[{"d.json": 1, "c.json": 2}.get(path.name, 0)](path)


def check_mail(path: Path) -> None:
    """Refuse a mail without its page."""
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    [attached] = message.iter_attachments()  # type: ignore[attr-defined]  # an EmailMessage by its policy
    if not attached.get_content().endswith("</html>\n"):
        raise ValueError("half a mail")


CHECKS: dict[str, Callable[[Path], object]] = {
    ".html": check_page,
    ".json": check_json,
    ".ipynb": read_notebook,
    ".eml": check_mail,
}


def start(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    """Start a command in a group of processes of its own."""
    command = [sys.executable, "-m", "anova_report.cli", *words]
    return subprocess.Popen(  # noqa: S603 our own command
        command, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def carry_out(folder: Path, *words: str) -> None:
    """Let a command finish."""
    code = start(folder, *words).wait()
    if code:
        raise RuntimeError(f"{' '.join(words)} ended with exit code {code}")


if __name__ == "__main__":
    sys.exit(main())
