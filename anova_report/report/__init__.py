"""The page view: an audit or a comparison as JSON, one HTML file made from it, and the ways it travels."""

from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import ComparisonPage
from anova_report.report.comparison.comparison_page import write_comparison
from anova_report.report.page.render import write_report

__all__ = ["Audit", "ComparisonPage", "build_audit", "build_comparison", "write_comparison", "write_report"]
