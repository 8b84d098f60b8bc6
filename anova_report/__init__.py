"""Explain any black-box model by its functional ANOVA when inputs depend on each other."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from anova_report.core.estimator import FunctionalANOVA
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Overview, rooms_above
from anova_report.core.result.explanation import Explanation, explain

if TYPE_CHECKING:
    from anova_report.report.jobs.audit_model import audit

__all__ = ["Decomposition", "Explanation", "FunctionalANOVA", "__version__", "audit", "explain"]
__version__ = version("anova_report")


def _overview(dec: Decomposition) -> Overview:
    from anova_report.measures.overview import overview  # noqa: PLC0415 most programs print no decomposition

    return overview(dec)


def _html(shown: Overview) -> str:
    from anova_report.report.page.notebook_views import overview  # noqa: PLC0415 numbers alone need no view library

    return overview(shown)


rooms_above.overview, rooms_above.html = _overview, _html


def __getattr__(name: str) -> Any:
    """Import what makes pages when it is asked for: numbers alone need no view library."""
    if name != "audit":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anova_report.report.jobs.audit_model import audit  # noqa: PLC0415 see above

    return audit
