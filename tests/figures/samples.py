"""Hand-made figures of every kind: a rich one as reports draw it, and one at the edge of what the kind allows."""

import math
from dataclasses import dataclass

from anova_report.figures.cases import Force, Step, Waterfall
from anova_report.figures.contrasts import Contrast, LevelContrast, Trace
from anova_report.figures.curves import Atom, Curve
from anova_report.figures.drifts import Drift
from anova_report.figures.figure import Data, Figure, Table
from anova_report.figures.gains import Gains
from anova_report.figures.geometry import Axis
from anova_report.figures.ledgers import Ledger
from anova_report.figures.levels import Levels
from anova_report.figures.networks import Edge, Network, Node
from anova_report.figures.observed import Observed
from anova_report.figures.overlays import Overlay
from anova_report.figures.pairs import Surface
from anova_report.figures.row_effects import RowEffects
from anova_report.figures.shades import Shades
from anova_report.figures.shares import Shares, Totals
from anova_report.figures.slices import Slices
from anova_report.figures.spread import Histogram, Scatter
from anova_report.figures.swarms import Swarm
from anova_report.figures.trust import Cell, Matrix, Regions, Status

HOSTILE = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
TEX = r"$$x^2$$ or \(y\) or \[z\]"
LONG = "median household income in the block group, in tens of thousands of dollars, adjusted " * 3
RIGHT_TO_LEFT = "درآمد خانوار"
EMOJI = "🏠 rooms 👩‍👩‍👧"
DAY = 86_400.0
NEW_YEAR = 1_704_067_200.0  # 2024-01-01 in seconds since 1970


@dataclass(frozen=True)
class Samples:
    """The two figures of a kind."""

    rich: Figure
    edge: Figure


def figure(key: str, title: str, data: Data) -> Figure:
    """Wrap data in the words a figure needs."""
    return Figure(key, title, f"{title}, drawn by hand for a test.", data, Table(("what", "value"), (("one", "1"),)))


def steps(low: float, high: float, n: int) -> tuple[float, ...]:
    """Give equally spaced numbers from `low` to `high`."""
    return tuple(low + (high - low) * k / (n - 1) for k in range(n))


def rich_curve() -> Curve:
    """Draw everything a curve can show."""
    at = steps(0.5, 15.0, 80)
    value = tuple(0.9 * math.tanh((x - 4.0) / 2.5) + 0.05 * math.sin(2 * x) for x in at)
    width = tuple(0.05 + 0.02 * abs(x - 4.0) for x in at)
    bins = tuple(math.exp(-(((k - 5) / 3.5) ** 2)) for k in range(24))
    other = Overlay("partial dependence", at, tuple(1.1 * v - 0.1 for v in value))
    return Curve(
        x=Axis("MedInc", 0.5, 15.0),
        y=Axis("effect on the prediction", -1.1, 1.4),
        at=at,
        value=value,
        lower=tuple(v - w for v, w in zip(value, width, strict=True)),
        upper=tuple(v + w for v, w in zip(value, width, strict=True)),
        density_edges=steps(0.5, 15.0, 25),
        density_share=tuple(b / sum(bins) for b in bins),
        rug=tuple(1.0 + 0.23 * k for k in range(30)),
        gaps=((0.5, 0.9), (9.5, 11.0), (12.5, 15.0)),
        missing=Atom(-0.4, -0.55, -0.25, 0.031),
        marked=3.25,
        overlays=(other, Overlay("SHAP, averaged", at[::4], tuple(0.9 * v for v in value[::4]))),
    )


def edge_curve() -> Curve:
    """Draw two points over time, without a band, a missing value or a name that could be trusted."""
    low, high = NEW_YEAR, NEW_YEAR + 30 * DAY
    return Curve(
        x=Axis(TEX, low, high, time=True),
        y=Axis(HOSTILE, -1e-5, 1e-5),
        at=(low, high),
        value=(-8e-6, 8e-6),
        lower=(),
        upper=(),
        density_edges=(low, high),
        density_share=(1.0,),
        rug=(),
        supported=(low, high),
    )


def rich_levels() -> Levels:
    """Draw levels with bands, one pooled, one marked, and another explanation."""
    names = ("clear", "mist", "light rain", "heavy rain", "missing")
    value = (0.21, 0.02, -0.35, -0.81, -0.1)
    return Levels(
        x=Axis("weather", -0.5, 4.5, levels=names),
        y=Axis("effect on the prediction", -1.1, 0.5),
        value=value,
        share=(0.63, 0.26, 0.08, 0.01, 0.02),
        lower=tuple(v - 0.08 for v in value),
        upper=tuple(v + 0.08 for v in value),
        pooled=(False, False, False, True, False),
        few=(False, False, False, True, False),
        left_out=3,
        marked=2,
        overlays=(Overlay("SHAP, averaged", (0.0, 1.0, 2.0), (0.18, 0.05, -0.3)),),
    )


def edge_levels() -> Levels:
    """Draw levels whose names cannot be trusted, all effects zero."""
    names = (HOSTILE, TEX, LONG, RIGHT_TO_LEFT, EMOJI, "")
    return Levels(
        x=Axis(TEX, -0.5, 5.5, levels=names),
        y=Axis("effect", -1.0, 1.0),
        value=(0.0,) * 6,
        share=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        lower=(),
        upper=(),
        pooled=(False,) * 6,
    )


def rich_surface(n: int = 36) -> Surface:
    """Draw a bump that leans, with thin corners and a marked row."""
    cells = range(n)
    return Surface(
        x=Axis("Longitude", -124.3, -114.3),
        y=Axis("Latitude", 32.5, 42.0),
        value=tuple(tuple(0.8 * math.sin(6 * i / n) * math.cos(4 * j / n) for i in cells) for j in cells),
        thin=tuple(tuple(i + j > 1.5 * n or (i < n / 6 and j < n / 6) for i in cells) for j in cells),
        limit=0.8,
        label="effect on the prediction",
        marked=(-118.2, 34.1),
    )


def edge_surface() -> Surface:
    """Draw levels against time, nothing thin, nothing marked, all zero but one."""
    return Surface(
        x=Axis(HOSTILE, -0.5, 2.5, levels=(TEX, LONG, RIGHT_TO_LEFT)),
        y=Axis("when", NEW_YEAR, NEW_YEAR + 365 * DAY, time=True),
        value=((0.0, 0.0, 0.0), (0.0, -2000.0, 0.0)),
        thin=((False, False, False), (False, False, False)),
        limit=2000.0,
        label=TEX,
    )


def rich_slices() -> Slices:
    """Draw a pair along one axis at five values of the other."""
    at = steps(-124.3, -114.3, 40)
    names = ("33", "34", "36", "38", "40")
    lines = tuple(Overlay(name, at, tuple(0.5 * math.sin(x + k) / (1 + k) for x in at)) for k, name in enumerate(names))
    return Slices(Axis("Longitude", -124.3, -114.3), Axis("effect on the prediction", -0.6, 0.6), lines, "Latitude =")


def edge_slices() -> Slices:
    """Draw two lines of levels, one of them a single mark."""
    return Slices(
        Axis("weather", -0.5, 1.5, levels=("clear", HOSTILE)),
        Axis(TEX, 0.0, 1e6),
        (Overlay(HOSTILE, (0.0, 1.0), (1e5, 9e5)), Overlay(TEX, (1.0,), (5e5,))),
    )


def rich_shares() -> Shares:
    """Draw shares of which one is negative, with intervals, a rest and an unexplained part."""
    total = (0.41, 0.22, 0.12, 0.06, -0.03, 0.01)
    structural = (0.35, 0.25, 0.08, 0.06, 0.02, 0.01)
    return Shares(
        labels=("MedInc", "Latitude × Longitude", "AveOccup", "HouseAge", "Latitude", "MedInc × AveOccup"),
        terms=((0,), (6, 7), (5,), (1,), (6,), (0, 5)),
        structural=structural,
        correlative=tuple(t - s for t, s in zip(total, structural, strict=True)),
        total=total,
        lower=tuple(t - 0.02 for t in total),
        upper=tuple(t + 0.02 for t in total),
        rest=0.11,
        n_rest=12,
        unexplained=0.1,
    )


def edge_shares() -> Shares:
    """Draw the share of one term alone, with a name that cannot be trusted."""
    return Shares((HOSTILE,), ((0,),), (1.0,), (0.0,), (1.0,), (), (), 0.0, 0, 0.0)


def rich_totals() -> Totals:
    """Draw totals of features, one of them negative."""
    share = (0.44, 0.21, 0.19, 0.09, -0.02)
    return Totals(
        labels=("MedInc", "Latitude", "Longitude", "AveOccup", LONG),
        share=share,
        lower=tuple(s - 0.03 for s in share),
        upper=tuple(s + 0.03 for s in share),
        rest=0.02,
        n_rest=3,
        unexplained=0.07,
        features=(0, 6, 7, 5, 2),
        structural=(0.38, 0.3, 0.24, 0.08, 0.05),
    )


def edge_totals() -> Totals:
    """Draw one feature that explains nothing."""
    return Totals((TEX,), (0.0,), (), (), 0.0, 0, 1.0)


def rich_network() -> Network:
    """Draw eight features on a circle and five pairs, shares of the variance."""
    names = ("MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude")
    turn = tuple(2 * math.pi * k / len(names) for k in range(len(names)))
    size = (0.4, 0.06, 0.03, 0.01, 0.0, 0.12, 0.08, 0.09)
    places = enumerate(zip(names, turn, size, strict=True))
    nodes = tuple(Node(name, math.sin(at), math.cos(at), share, k) for k, (name, at, share) in places)
    edges = (Edge(6, 7, 0.21), Edge(0, 5, 0.04), Edge(0, 1, 0.02), Edge(2, 5, 0.01), Edge(3, 4, 0.004))
    return Network(nodes, edges, False, "share of the variance")


def edge_network() -> Network:
    """Draw contributions to one prediction: two features, one pair, both signs, names that cannot be trusted."""
    nodes = (Node(HOSTILE, 0.0, 1.0, -0.7, 0), Node(TEX, 0.0, -1.0, 0.3, 1))
    return Network(nodes, (Edge(0, 1, -0.2),), True, "contribution to the prediction", TEX)


def rich_waterfall() -> Waterfall:
    """Draw a prediction that comes about in six steps and a remainder."""
    names = ("MedInc", "Latitude × Longitude", "AveOccup", "HouseAge", "Latitude", "14 smaller terms")
    terms = ((0,), (6, 7), (5,), (1,), (6,), ())
    texts = ("8.3", "34.1, −118.2", "2.6", "41", "34.1", "")
    values = (0.82, -0.41, 0.22, -0.12, 0.07, 0.03)
    parts = zip(names, texts, values, terms, strict=True)
    found = tuple(Step(name, f"{name}: {text}" if text else "", value, term, text) for name, text, value, term in parts)
    return Waterfall(Axis("median house value", 1.9, 3.1), 2.07, found, -0.05, 2.07 + sum(values) - 0.05)


def edge_waterfall() -> Waterfall:
    """Draw a prediction that is the mean, with one step of nothing."""
    return Waterfall(Axis(TEX, -1.0, 1.0), 0.0, (Step(HOSTILE, LONG, 0.0),), 0.0, 0.0)


def rich_force() -> Force:
    """Draw the steps of the waterfall as one line."""
    found = rich_waterfall()
    return Force(found.axis, found.base, found.steps, found.remainder, found.prediction)


def edge_force() -> Force:
    """Draw a prediction that everything pushes down."""
    return Force(Axis(TEX, -2.0, 0.5), 0.0, (Step(HOSTILE, LONG, -1.0), Step(TEX, "", -0.5)), 0.0, -1.5)


def rich_scatter() -> Scatter:
    """Draw 200 of 5000 rows near the line of equality, one marked."""
    at = tuple(0.2 + 4.6 * ((k * 0.618034) % 1) for k in range(200))
    value = tuple(x + 0.4 * math.sin(17.0 * k) for k, x in enumerate(at))
    axis = Axis("prediction", -0.4, 5.4)
    rows = tuple(7 * k for k in range(200))
    return Scatter(axis, Axis("explanation", -0.4, 5.4), at, value, rows, 5000, identity=True, marked=17)


def edge_scatter() -> Scatter:
    """Draw three rows on axes that are not the same, without the line of equality, in groups."""
    return Scatter(
        Axis(HOSTILE, 0.0, 1.0),
        Axis(TEX, -5e6, 5e6),
        (0.5, 0.2, 0.9),
        (0.0, 4e6, -5e6),
        (3, 0, 7),
        3,
        identity=False,
        group=(1, 0, 1),
        group_names=(HOSTILE, "b", "no point"),
        grouped_by=TEX,
    )


def rich_regions() -> Regions:
    """Draw the residual of three features, one of levels, over as many regions as each has."""
    bins = (tuple(f"{k} to {k + 1}" for k in range(10)), ("clear", "mist", "rain"), tuple("abcdefg"))
    sizes = tuple(tuple(0.05 + 0.03 * ((k * 3 + i) % 7) for k in range(len(names))) for i, names in enumerate(bins))
    count = tuple(tuple(100 + 10 * k for k in range(len(names))) for names in bins)
    return Regions(("MedInc", "weather", "a rather long name of a feature"), bins, sizes, count, 0.25)


def edge_regions() -> Regions:
    """Draw one region of one feature, empty, whose names cannot be trusted."""
    return Regions((HOSTILE,), ((TEX,),), ((0.0,),), ((0,),), 1.0)


def rich_matrix() -> Matrix:
    """Draw cosines of five features with every status."""
    names = ("MedInc", "HouseAge", "AveOccup", "Latitude", "Longitude")
    status: tuple[Status, ...] = ("fine", "slight", "beyond", "small")

    def pair(i: int, j: int) -> tuple[int, ...]:
        return tuple(sorted({i, j}))

    cells = tuple(
        Cell(i, j, names[i] + names[j], 0.03 * ((i + 2 * j) % 4), 0.02, 0.05, status[(i + 2 * j) % 4], pair(i, j))
        for i in range(5)
        for j in range(5)
        if (i + j) % 3 or i == j
    )
    return Matrix(names, cells, 0.1)


def edge_matrix() -> Matrix:
    """Draw one feature that has a cosine with the mean."""
    return Matrix((HOSTILE,), (Cell(0, 0, HOSTILE, 2e-16, 0.0, 1.0, "fine"),), 0.1)


def rich_histogram() -> Histogram:
    """Draw counts between edges."""
    count = tuple(round(400 * math.exp(-(((k - 8) / 5) ** 2))) for k in range(24))
    return Histogram(Axis("MedInc", 0.5, 15.0), steps(0.5, 15.0, 25), count)


def edge_histogram() -> Histogram:
    """Draw counts of levels, one of them empty."""
    return Histogram(Axis(TEX, -0.5, 2.5, levels=("clear", HOSTILE, "")), (), (1_500_000, 1, 0))


def rich_contrast() -> Contrast:
    """Draw two curves that part at the right, with bands, and effects of a missing value."""
    at = steps(0.5, 15.0, 60)
    first = tuple(0.9 * math.tanh((x - 4.0) / 2.5) for x in at)
    second = tuple(value + 0.4 / (1 + math.exp(8.0 - x)) for x, value in zip(at, first, strict=True))
    difference = tuple(b - a for a, b in zip(first, second, strict=True))

    def trace(name: str, value: tuple[float, ...], reach: float) -> Trace:
        return Trace(name, value, tuple(v - reach for v in value), tuple(v + reach for v in value))

    return Contrast(
        x=Axis("MedInc", 0.5, 15.0),
        y=Axis("effect on the prediction", -1.1, 1.5),
        at=at,
        first=trace("2023", first, 0.06),
        second=trace("2024", second, 0.08),
        gap=Axis("2024 minus 2023", -0.2, 0.6),
        difference=trace("difference", difference, 0.1),
        beyond=((6.9, 15.0),),
        density_edges=steps(0.5, 15.0, 25),
        density_share=tuple(math.exp(-(((k - 5) / 3.5) ** 2)) / 6 for k in range(24)),
        missing=(Atom(-0.4, -0.55, -0.25, 0.031), Atom(-0.1, -0.3, 0.1, 0.031)),
    )


def edge_contrast() -> Contrast:
    """Draw two points over time, equal, without bands or rows, with names that cannot be trusted."""
    low, high = NEW_YEAR, NEW_YEAR + 30 * DAY
    return Contrast(
        x=Axis(TEX, low, high, time=True),
        y=Axis(HOSTILE, -1.0, 1.0),
        at=(low, high),
        first=Trace(HOSTILE, (0.0, 1e-9)),
        second=Trace(LONG, (0.0, 0.0)),
        gap=Axis(HOSTILE, -0.1, 0.1),
        difference=Trace("difference", (0.0, -1e-9)),
        beyond=(),
        density_edges=(low, high),
        density_share=(0.0,),
    )


def rich_level_contrast() -> LevelContrast:
    """Draw four levels, one of which differs."""
    first, second = (0.21, 0.02, -0.35, -0.81), (0.18, 0.05, 0.1, -0.75)
    return LevelContrast(
        x=Axis("weather", -0.5, 3.5, levels=("clear", "mist", "light rain", "(missing)")),
        y=Axis("effect on the prediction", -1.0, 0.4),
        share=(0.63, 0.26, 0.09, 0.02),
        first=Trace("2023", first, tuple(v - 0.08 for v in first), tuple(v + 0.08 for v in first)),
        second=Trace("2024", second, tuple(v - 0.1 for v in second), tuple(v + 0.1 for v in second)),
        beyond=(False, False, True, False),
        left_out=3,
    )


def edge_level_contrast() -> LevelContrast:
    """Draw two levels that are nothing in both, with names that cannot be trusted."""
    nothing = Trace(HOSTILE, (0.0, 0.0))
    return LevelContrast(
        Axis(TEX, -0.5, 1.5, levels=(HOSTILE, LONG)), Axis(TEX, -1.0, 1.0), (1.0, 0.0), nothing, nothing, (False, False)
    )


def rich_drift() -> Drift:
    """Draw shares of which one has moved and one is negative."""
    first, second = (0.41, 0.22, 0.12, -0.02), (0.44, 0.12, 0.12, -0.01)
    return Drift(
        labels=("MedInc", "Latitude × Longitude", "AveOccup", "HouseAge"),
        first=Trace("2023", first),
        second=Trace("2024", second, tuple(v - 0.04 for v in second), tuple(v + 0.04 for v in second)),
        beyond=(False, True, False, False),
        n_rest=12,
        terms=((0,), (6, 7), (5,), (1,)),
    )


def edge_drift() -> Drift:
    """Draw one share that was and is nothing, without an interval."""
    return Drift((HOSTILE,), Trace(TEX, (0.0,)), Trace(LONG, (0.0,)), (False,))


def rich_observed() -> Observed:
    """Draw truth and predictions in named cells, one of them far off."""
    names = ("18 to 24", "25 to 39", "40 to 59", "60 to 91", "(missing)")
    seen = (0.21, 0.33, 0.42, 0.71, 0.3)
    return Observed(
        x=Axis("age", -0.5, 4.5, levels=names),
        y=Axis("share of paid", 0.0, 0.9),
        at=(0.0, 1.0, 2.0, 3.0, 4.0),
        predicted=(0.2, 0.35, 0.44, 0.52, 0.31),
        observed=seen,
        lower=tuple(value - 0.06 for value in seen),
        upper=tuple(value + 0.06 for value in seen),
        rows=(120, 340, 287, 96, 31),
    )


def edge_observed() -> Observed:
    """Draw one cell along predictions, of a truth that is certain."""
    return Observed(Axis(TEX, -1.0, 1.0), Axis(HOSTILE, -1e6, 1e6), (0.0,), (), (0.0,), (0.0,), (0.0,), (30,))


def rich_swarm() -> Swarm:
    """Draw a hundred rows in three lines, one of them of levels, some values missing, one row marked."""
    value = tuple(tuple(round(math.sin(k * line + k), 4) for k in range(100)) for line in (1, 2, 3))
    numbers = Shades("age", ("18 to 25", "25 to 35", "35 to 50", "50 to 60", "60 to 90"), ordered=True)
    levels = Shades("region", ("north", "south", "other levels"), ordered=False)
    shade = (tuple(k % 6 - 1 for k in range(100)), tuple(k % 4 - 1 for k in range(100)), (2,) * 100)
    return Swarm(
        x=Axis("effect on the prediction", -1.1, 1.1),
        labels=("age", "region", "a rather long name of an interaction × region"),
        terms=((0,), (1,), (1, 2)),
        value=value,
        shade=shade,
        shades=(numbers, levels, numbers),
        rows=tuple(range(0, 500, 5)),
        n_rows=500,
        marked=12,
    )


def edge_swarm() -> Swarm:
    """Draw two rows, colored by one feature without values, whose names cannot be trusted."""
    return Swarm(
        x=Axis(HOSTILE, -1e6, 1e6),
        labels=(TEX,),
        terms=((0,),),
        value=((-1e6, 5e5),),
        shade=((-1, 0),),
        shades=(Shades(HOSTILE, (TEX,), ordered=False),),
        rows=(0, 1),
        n_rows=2,
        names=(HOSTILE, RIGHT_TO_LEFT),
        by=HOSTILE,
    )


def rich_row_effects() -> RowEffects:
    """Draw a hundred rows along numbers, some without the value, some without the other, one marked."""
    return RowEffects(
        x=Axis("age", 18.0, 90.0),
        y=Axis("effect on the prediction", -1.1, 1.1),
        at=tuple(18 + 0.7 * k for k in range(100)),
        value=tuple(round(math.sin(k / 9), 4) for k in range(100)),
        absent=tuple(k % 17 == 0 for k in range(100)),
        shade=tuple(k % 4 - 1 for k in range(100)),
        shades=Shades("income", ("0 to 10", "10 to 20", "20 to 90"), ordered=True),
        rows=tuple(range(100)),
        n_rows=4000,
        marked=20,
    )


def edge_row_effects() -> RowEffects:
    """Draw three rows of levels whose names cannot be trusted, without colors."""
    return RowEffects(
        x=Axis(TEX, -0.5, 2.5, levels=(HOSTILE, TEX, EMOJI)),
        y=Axis(HOSTILE, -1.0, 1.0),
        at=(0.0, 1.0, 2.0),
        value=(0.5, -0.5, 0.0),
        absent=(False, False, False),
        shade=(0, 0, 0),
        shades=None,
        rows=(0, 1, 2),
        n_rows=3,
        names=(HOSTILE, TEX, ""),
    )


def rich_ledger() -> Ledger:
    """Draw an association that runs both ways."""
    value = (0.52, 0.11, 0.09, 0.02, 0.4, 0.43, -0.03, 0.01)
    return Ledger(
        x=Axis("difference of mean logits", -0.2, 0.8),
        labels=("in all", "directly", "sex", "sex × age", "through other columns", "income", "debt", "residual"),
        of=("in all", "directly", "directly", "directly", *("through other columns",) * 3, "residual"),
        value=value,
        lower=tuple(amount - 0.08 for amount in value),
        upper=tuple(amount + 0.08 for amount in value),
        n_rest=7,
    )


def edge_ledger() -> Ledger:
    """Draw an association of factors that is nothing, through one column."""
    return Ledger(
        Axis(TEX, -1.0, 1.0, log="factors"), (HOSTILE, LONG), (EMOJI, "residual"), (0.0,) * 2, (0.0,) * 2, (0.0,) * 2
    )


def rich_gains() -> Gains:
    """Draw a model that puts the rows that matter first."""
    rows = (0.01, 0.05, *(step / 10 for step in range(1, 11)))
    held = tuple(1 - (1 - part) ** 3 for part in rows)
    best = tuple(min(5 * part, 1.0) for part in rows)
    lower, upper = (tuple(share + side * 0.2 * share * (1 - share) for share in held) for side in (-1, 1))
    return Gains(
        Axis("share of rows", 0.0, 1.0), Axis("share of the total of paid", 0.0, 1.0), rows, held, lower, upper, best
    )


def edge_gains() -> Gains:
    """Draw a single part that holds everything."""
    return Gains(Axis(TEX, 0.0, 1.0), Axis(HOSTILE, 0.0, 1.0), (1.0,), (1.0,), (1.0,), (1.0,), (1.0,))


SAMPLES: dict[str, Samples] = {
    "curve": Samples(figure("curve", "MedInc", rich_curve()), figure("curve", HOSTILE, edge_curve())),
    "levels": Samples(figure("levels", "weather", rich_levels()), figure("levels", TEX, edge_levels())),
    "surface": Samples(
        figure("surface", "Longitude × Latitude", rich_surface()), figure("surface", TEX, edge_surface())
    ),
    "slices": Samples(figure("slices", "Longitude at Latitude", rich_slices()), figure("slices", TEX, edge_slices())),
    "shares": Samples(figure("shares", "Shares", rich_shares()), figure("shares", LONG, edge_shares())),
    "totals": Samples(figure("totals", "Totals", rich_totals()), figure("totals", TEX, edge_totals())),
    "network": Samples(figure("network", "Network", rich_network()), figure("network", EMOJI, edge_network())),
    "waterfall": Samples(figure("waterfall", "Row 12", rich_waterfall()), figure("waterfall", TEX, edge_waterfall())),
    "force": Samples(figure("force", "Row 12", rich_force()), figure("force", TEX, edge_force())),
    "scatter": Samples(
        figure("scatter", "Predictions and explanation", rich_scatter()), figure("scatter", TEX, edge_scatter())
    ),
    "regions": Samples(
        figure("regions", "Where the residual is", rich_regions()), figure("regions", TEX, edge_regions())
    ),
    "matrix": Samples(figure("matrix", "Orthogonality", rich_matrix()), figure("matrix", TEX, edge_matrix())),
    "histogram": Samples(figure("histogram", "MedInc", rich_histogram()), figure("histogram", TEX, edge_histogram())),
    "contrast": Samples(figure("contrast", "MedInc", rich_contrast()), figure("contrast", TEX, edge_contrast())),
    "levelcontrast": Samples(
        figure("levelcontrast", "weather", rich_level_contrast()), figure("levelcontrast", TEX, edge_level_contrast())
    ),
    "drift": Samples(figure("drift", "Shares", rich_drift()), figure("drift", TEX, edge_drift())),
    "observed": Samples(figure("observed", "age", rich_observed()), figure("observed", TEX, edge_observed())),
    "swarm": Samples(figure("swarm", "All rows", rich_swarm()), figure("swarm", TEX, edge_swarm())),
    "roweffects": Samples(
        figure("roweffects", "age, row by row", rich_row_effects()), figure("roweffects", TEX, edge_row_effects())
    ),
    "ledger": Samples(figure("ledger", "sex", rich_ledger()), figure("ledger", TEX, edge_ledger())),
    "gains": Samples(figure("gains", "Lift", rich_gains()), figure("gains", TEX, edge_gains())),
}
