"""`anova-report run`: one notebook with parameters."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from anova_report.cli.config import read_config
from anova_report.cli.console import say, shows_progress
from anova_report.cli.text import exit_code, written
from anova_report.report.notebooks.files import read_notebook
from anova_report.report.notebooks.notebook import run_notebook
from anova_report.report.notebooks.parameters import from_text
from anova_report.report.notebooks.summary import read_summary


def execute(options: Namespace) -> int:
    """Run the notebook, and say what came out."""
    result = run_notebook(
        options.notebook,
        _parameters(options),
        options.out or f"{Path(options.notebook).stem}-run.ipynb",
        html=options.html,
        progress=shows_progress(options.quiet),
        timeout=options.timeout,
    )
    found = read_summary(read_notebook(result.notebook))
    if not options.quiet:
        lines = [] if found is None else [str(found)]
        say("\n".join([*lines, f"Written: {written(result.notebook)}", f"Written: {written(result.html)}"]))
    return 0 if found is None else exit_code(found.verdict, options.fail_on)


def _parameters(options: Namespace) -> dict[str, Any]:
    from_file = {} if options.file is None else read_config(options.file)
    return from_file | {name: from_text(value) for name, value in options.parameter}
