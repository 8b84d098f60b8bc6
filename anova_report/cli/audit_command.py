"""`anova-report audit`: from a table to a page."""

from argparse import Namespace
from pathlib import Path

from anova_report.cli.config import read_config
from anova_report.cli.console import complain, say, shows_progress, tell
from anova_report.cli.text import as_json, exit_code, summary, written
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs.job import Job, run

OWN = ("command", "config", "traceback")  # options that say nothing about the audit


def execute(options: Namespace) -> int:
    """Run the audit that was asked for."""
    return carry_out(_job(options))


def carry_out(job: Job, command: str | None = None) -> int:
    """Run an audit, print what came out, and return the exit code."""
    progress = shows_progress(job.quiet)
    audit = run(job, command=command, progress=progress, tell=_stage if progress else None, warn=complain)
    _print(job, audit)
    return exit_code(audit.verdict, job.fail_on)


def _job(options: Namespace) -> Job:
    given = {name: value for name, value in vars(options).items() if name not in OWN}
    if not hasattr(options, "config"):
        return Job.from_config({}, given=given)
    return Job.from_config(read_config(options.config), folder=Path(options.config).parent, given=given)


def _stage(name: str) -> None:
    tell(f"{name} …")


def _print(job: Job, audit: Audit) -> None:
    places = [Path(place) for place in (job.out, job.save, job.decomposition) if place is not None]
    if job.json:
        say(as_json(audit, Path(job.out)))
    elif not job.quiet:
        say("\n".join([summary(audit), "", *(f"Written: {written(place)}" for place in places)]))
