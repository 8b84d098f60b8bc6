"""`anova-report render`: from a saved audit or comparison to its page."""

from argparse import Namespace
from pathlib import Path

from anova_report.cli.console import say
from anova_report.cli.text import written
from anova_report.core import files
from anova_report.errors import InputError, StorageError
from anova_report.report.audit import audit
from anova_report.report.audit.documents import schema_of
from anova_report.report.comparison import comparison
from anova_report.report.comparison.page import write_comparison
from anova_report.report.page.render import write_report

CURE = "Pass what `anova-report audit --save` or `anova-report compare --save` wrote."


def execute(options: Namespace) -> int:
    """Make the page again."""
    source = Path(options.document)
    if not source.is_file():
        raise InputError(f"There is no file {source}. {CURE}")
    place = source.with_suffix(".html") if options.out is None else Path(options.out)
    files.check_place(place)
    if place.resolve() == source.resolve():
        raise InputError(f"The page would replace {source}, from which it is made. Name another file with -o.")
    page = _write(source, place)
    if not options.quiet:
        say(f"Written: {written(page)}")
    return 0


def _write(source: Path, place: Path) -> Path:
    """Write the page of whatever the file says it holds."""
    schema = schema_of(source, CURE)
    if schema == audit.SCHEMA:
        return write_report(audit.Audit.load(source), place)
    if schema == comparison.SCHEMA:
        return write_comparison(comparison.ComparisonPage.load(source), place)
    raise StorageError(f"{source} holds neither an audit nor a comparison. {CURE}")
