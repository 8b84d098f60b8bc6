"""From a comparison to one HTML file that needs no script and fetches nothing."""

import os
from pathlib import Path

from jinja2 import UndefinedError

from anova_report.core import files
from anova_report.errors import StorageError
from anova_report.report.comparison.comparison import ComparisonPage, comparison_facts
from anova_report.report.page.assets import page_styles
from anova_report.report.page.page_facts import facts_json
from anova_report.report.page.render import Live, environment, policy

PAGE = "comparison.html"
STYLES = "comparison.css"


def render_comparison(comparison: ComparisonPage) -> str:
    """Write the page of a comparison; the same comparison gives the same text.

    Raises
    ------
    StorageError
        If the comparison refers to a figure that it does not hold.
    """
    still = Live(policy("'none'"))
    contents = {
        "comparison": comparison,
        "live": still,
        "policy": still.policy,
        "made": comparison.run.created,
        "styles": page_styles(STYLES),
        "several": len(comparison.outputs) > 1,
        "facts": facts_json(comparison_facts(comparison)),
    }
    try:
        return environment().get_template(PAGE).render(contents)
    except UndefinedError as error:
        raise StorageError(f"The comparison is not complete: {error}. Make it again.") from error


def write_comparison(comparison: ComparisonPage, path: str | os.PathLike[str]) -> Path:
    """Write the page of a comparison to a file; a reader sees the old file or the new one, never half of it."""
    return files.write_text(path, render_comparison(comparison))
