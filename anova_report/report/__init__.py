"""The page view: one audit as JSON, one HTML file made from it, and the ways it travels."""

from anova_report.report.audit import Audit
from anova_report.report.build import build_audit
from anova_report.report.render import write_report

__all__ = ["Audit", "build_audit", "write_report"]
