"""Explain any black-box model by its functional ANOVA when inputs depend on each other."""

import importlib
from typing import TYPE_CHECKING, Any

from anova_report.core.result.display import Overview, rooms_above

if TYPE_CHECKING:
    from anova_report.core.estimator import FunctionalANOVA
    from anova_report.core.result.decomposition import Decomposition
    from anova_report.core.result.explanation import Explanation, explain
    from anova_report.report.jobs.audit_model import audit

__all__ = ["Decomposition", "Explanation", "FunctionalANOVA", "__version__", "audit", "explain"]
__version__ = "0.2.0"  # pyproject.toml reads it here: asking the installed package takes as long as all else

MODULES = {
    "Decomposition": "core.result.decomposition",
    "Explanation": "core.result.explanation",
    "FunctionalANOVA": "core.estimator",
    "audit": "report.jobs.audit_model",
    "explain": "core.result.explanation",
}
ROOMS = ("compare", "errors", "explorer", "measures", "report")  # that `import anova_report` alone gives, too


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: the command line starts without the libraries of numbers."""
    if name in ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    """List what can be asked for, imported or not."""
    return sorted({*globals(), *MODULES, *ROOMS})


def _overview(dec: "Decomposition") -> Overview:
    from anova_report.measures.overview import overview  # noqa: PLC0415 most programs print no decomposition

    return overview(dec)


def _html(shown: Overview) -> str:
    from anova_report.report.page.notebook_views import overview  # noqa: PLC0415 numbers alone need no view library

    return overview(shown)


rooms_above.overview, rooms_above.html = _overview, _html
