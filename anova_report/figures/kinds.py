"""All kinds of figures by name: what a saved figure calls its kind, and the class that holds its data.

Short, because each kind is a module of its own; this is the one place that knows them all.
"""

from collections.abc import Mapping
from types import MappingProxyType

from anova_report.figures.cases import Force, Waterfall
from anova_report.figures.contrasts import Contrast, LevelContrast
from anova_report.figures.curves import Curve
from anova_report.figures.drifts import Drift
from anova_report.figures.figure import Data
from anova_report.figures.levels import Levels
from anova_report.figures.networks import Network
from anova_report.figures.pairs import Surface
from anova_report.figures.shares import Shares, Totals
from anova_report.figures.slices import Slices
from anova_report.figures.spread import Histogram, Scatter
from anova_report.figures.trust import Matrix, Regions

KINDS: Mapping[str, type[Data]] = MappingProxyType(
    {
        "curve": Curve,
        "levels": Levels,
        "surface": Surface,
        "slices": Slices,
        "shares": Shares,
        "totals": Totals,
        "network": Network,
        "waterfall": Waterfall,
        "force": Force,
        "scatter": Scatter,
        "regions": Regions,
        "matrix": Matrix,
        "histogram": Histogram,
        "contrast": Contrast,
        "levelcontrast": LevelContrast,
        "drift": Drift,
    }
)
