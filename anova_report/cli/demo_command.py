"""`anova-report demo`: the main job on data at hand."""

import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any

import yaml

from anova_report.cli.audit_command import carry_out
from anova_report.cli.console import say
from anova_report.cli.demo_data import PREDICTION, TITLE, Demo, make_demo
from anova_report.core import files
from anova_report.errors import InputError
from anova_report.report.jobs.job import Job

TABLE, PAGE, AUDIT, CONFIG = "patients.csv", "audit.html", "audit.json", "audit.yaml"
WIDTH = 100  # of the configuration file


def execute(options: Namespace) -> int:
    """Write the model's inputs and answers to a table, and audit that table as a user would."""
    folder = Path(options.out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Name a folder to write to.")
    folder.mkdir(parents=True, exist_ok=True)
    job = Job.from_config(_prepare(make_demo(), folder), folder=folder, given={"quiet": options.quiet})
    code = carry_out(job, shlex.join(["anova-report", "demo", "-o", options.out]))
    if not options.quiet:
        again = shlex.join(["anova-report", "audit", "--config", str(folder / CONFIG)])
        say(f"\nOpen {folder / PAGE} in a browser. From its table it is made by:\n\n    {again}")
    return code


def _prepare(demo: Demo, folder: Path) -> dict[str, Any]:
    """Write table and configuration, whose paths start in their folder, so that it can be moved."""
    config = {
        "data": TABLE,
        "prediction": PREDICTION,
        "title": TITLE,
        "note": list(demo.notes),
        "out": PAGE,
        "save": AUDIT,
    }
    files.write_text(folder / TABLE, demo.table.to_csv(index=False))
    files.write_text(folder / CONFIG, yaml.safe_dump(config, allow_unicode=True, sort_keys=False, width=WIDTH))
    return config
