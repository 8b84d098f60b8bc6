"""`anova-report batch`: many notebooks, one page with all verdicts."""

from argparse import Namespace

from anova_report.cli.console import complain, say, shows_progress
from anova_report.cli.text import text_table, written
from anova_report.report.notebooks.batch import BatchResult, run_batch


def execute(options: Namespace) -> int:
    """Carry out the runs, and say how each of them went."""
    result = run_batch(
        options.runs,
        options.out,
        progress=shows_progress(options.quiet),
        fail_on=options.fail_on,
        keep_going=not options.stop,
        fresh=options.fresh,
    )
    for entry in result.entries:
        if entry.outcome == "failed":
            complain(f"{entry.name}: {entry.message}")
    if not options.quiet:
        say(f"{_table(result)}\nWritten: {written(result.index)}")
    return result.exit_code


def _table(result: BatchResult) -> str:
    rows = [
        (entry.name, entry.outcome, entry.summary.verdict if entry.summary else "–", _when(entry.name, result))
        for entry in result.entries
    ]
    return text_table(("Run", "outcome", "verdict", "carried out"), rows)


def _when(name: str, result: BatchResult) -> str:
    return "now" if name in result.executed else "–"
