"""Pages of the benchmarks: templates and styles of their own, which extend the package's page."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader

from anova_report.report.page.assets import page_styles
from anova_report.report.page.render import environment, policy

TEMPLATES = Path(__file__).parent / "templates"


@cache
def benchmark_environment() -> Environment:
    """Extend the package's environment so that templates are looked for here first, then in the package."""
    package = environment()
    return package.overlay(loader=ChoiceLoader([FileSystemLoader(TEMPLATES), package.loader]))


def render_page(name: str, contents: Mapping[str, Any]) -> str:
    """Write a page as HTML, without scripts, fetching nothing.

    Parameters
    ----------
    name : str
        Of the template, `<name>.html`, and of its style sheet, `styles/<name>.css`.
    contents : mapping
        What the template shows, besides policy and styles.
    """
    styles = page_styles(str(TEMPLATES / "styles" / f"{name}.css"))
    template = benchmark_environment().get_template(f"{name}.html")
    return template.render({"policy": policy(()), "styles": styles} | dict(contents))
