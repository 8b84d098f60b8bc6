"""The page view: an audit or a comparison as JSON, one HTML file made from it, and the ways it travels."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anova_report.report.audit.audit import Audit
    from anova_report.report.audit.build_audit import build_audit
    from anova_report.report.comparison.build_comparison import build_comparison
    from anova_report.report.comparison.comparison import ComparisonPage, write_comparison
    from anova_report.report.jobs.mlflow_runs import log_audit
    from anova_report.report.page.gate_files import junit, summary
    from anova_report.report.page.paper import write_pdf
    from anova_report.report.page.render import write_report

__all__ = [
    "Audit",
    "ComparisonPage",
    "build_audit",
    "build_comparison",
    "junit",
    "log_audit",
    "summary",
    "write_comparison",
    "write_pdf",
    "write_report",
]

MODULES = {
    "Audit": "audit.audit",
    "ComparisonPage": "comparison.comparison",
    "build_audit": "audit.build_audit",
    "build_comparison": "comparison.build_comparison",
    "junit": "page.gate_files",
    "log_audit": "jobs.mlflow_runs",
    "summary": "page.gate_files",
    "write_comparison": "comparison.comparison",
    "write_pdf": "page.paper",
    "write_report": "page.render",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: the options of a job alone are wanted by every command."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)
