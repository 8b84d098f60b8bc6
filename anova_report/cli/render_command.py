"""`anova-report render`: from a saved audit to its page."""

from argparse import Namespace
from pathlib import Path

from anova_report.cli.console import say
from anova_report.cli.text import written
from anova_report.errors import InputError
from anova_report.report.audit import Audit
from anova_report.report.job import check_place
from anova_report.report.render import write_report


def execute(options: Namespace) -> int:
    """Make the page again."""
    source = Path(options.audit)
    if not source.is_file():
        raise InputError(f"There is no file {source}. Pass an audit that `anova-report audit --save` wrote.")
    place = source.with_suffix(".html") if options.out is None else Path(options.out)
    check_place(place)
    page = write_report(Audit.load(source), place)
    if not options.quiet:
        say(f"Written: {written(page)}")
    return 0
