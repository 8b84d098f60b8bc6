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
from anova_report.figures.gains import Gains
from anova_report.figures.ledgers import Ledger
from anova_report.figures.levels import Levels
from anova_report.figures.networks import Network
from anova_report.figures.observed import Observed
from anova_report.figures.pairs import Surface
from anova_report.figures.row_effects import RowEffects
from anova_report.figures.shares import Shares, Totals
from anova_report.figures.slices import Slices
from anova_report.figures.spread import Histogram, Scatter
from anova_report.figures.swarms import Swarm
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
        "observed": Observed,
        "ledger": Ledger,
        "swarm": Swarm,
        "roweffects": RowEffects,
        "gains": Gains,
    }
)

# Fields of a kind that are columns of one table; one that is not known is empty.
EQUALLY_LONG: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "curve": ("at", "value", "lower", "upper"),
        "levels": ("value", "share", "lower", "upper", "pooled", "few"),
        "shares": ("labels", "terms", "structural", "correlative", "total", "lower", "upper"),
        "totals": ("labels", "features", "share", "structural", "lower", "upper"),
        "scatter": ("at", "value", "rows", "group"),
        "regions": ("features", "bins", "gap", "count"),
        "levelcontrast": ("share", "beyond", "few"),
        "drift": ("labels", "terms", "beyond"),
        "observed": ("at", "predicted", "observed", "lower", "upper", "rows"),
        "ledger": ("labels", "of", "value", "lower", "upper"),
        "swarm": ("labels", "terms", "value", "shade", "shades"),
        "roweffects": ("at", "value", "absent", "shade", "rows"),
        "gains": ("rows", "held", "lower", "upper", "best"),
    }
)
