"""Parts of an audit inside a notebook: static HTML and SVG that need no kernel, and text where there is no browser."""

from collections.abc import Callable
from dataclasses import dataclass

from anova_report.core.result.display import Overview
from anova_report.measures.status import OUTCOMES
from anova_report.report.audit.audit import Audit, OutputAudit
from anova_report.report.page.assets import confined_styles
from anova_report.report.page.render import Live, environment

MAINS, PAIRS = 6, 4  # figures of a kind that a notebook shows; the page has them all


@dataclass(frozen=True)
class View:
    """Something to look at: HTML for a notebook, text for everything else."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def verdict(audit: Audit) -> View:
    """Show the verdict of each output and the numbers that decide it; brings the styles of all views."""
    html = environment().get_template("inline/verdict.html").render(audit=audit, styles=confined_styles())
    lines = [f"{output.name}: {output.sign}. {output.verdict_words}" for output in audit.outputs]
    return View(html, "\n".join(lines))


def overview(shown: Overview) -> str:
    """Write what is shown of a result that is the last line of a cell."""
    return environment().get_template("inline/overview.html").render(overview=shown)


def findings(audit: Audit) -> View:
    """Show what was checked, and what to do about it."""
    html = environment().get_template("inline/findings.html").render(audit=audit)
    items = [item for output in audit.outputs for item in output.findings]
    return View(html, "\n".join(f"{item.code} {OUTCOMES[item.status]}: {item.sentence}" for item in items))


def drivers(audit: Audit) -> View:
    """Show whose variance the predictions carry, by feature and by term."""
    return _figures(audit, lambda output: (output.totals, output.shares))


def main_effects(audit: Audit, top: int = MAINS) -> View:
    """Show the main effects with the largest shares."""
    return _figures(audit, lambda output: tuple(main.figure for main in output.mains[:top]))


def interactions(audit: Audit, top: int = PAIRS) -> View:
    """Show the network of interactions and the pairs with the largest shares."""
    return _figures(audit, lambda output: (output.network, *(pair.surface for pair in output.pairs[:top])))


def cases(audit: Audit) -> View:
    """Show what the predictions of a few rows are made of."""
    return _figures(audit, lambda output: tuple(case.waterfall for case in output.cases))


def trust(audit: Audit) -> View:
    """Show how closely the explanation follows the predictions, and how orthogonal it is."""
    return _figures(audit, lambda output: (output.scatter, output.matrix))


def _figures(audit: Audit, choose: Callable[[OutputAudit], tuple[str | None, ...]]) -> View:
    groups = [(output.name, [key for key in choose(output) if key]) for output in audit.outputs]
    template = environment().get_template("inline/figures.html")
    html = template.render(audit=audit, groups=groups, live=Live())
    shown = [audit.figures[key] for _, keys in groups for key in keys]
    return View(html, "\n".join(f"{figure.title}: {figure.alt}" for figure in shown))
