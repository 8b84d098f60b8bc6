"""How large the gap is in regions of each feature."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.figures.columns.axes import MISSING, quantiles, rounded, value_text
from anova_report.figures.columns.levels import level_scale
from anova_report.figures.columns.rows import Rows
from anova_report.figures.columns.shares import largest_features
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Regions
from anova_report.measures.findings import UNEXPLAINED
from anova_report.measures.wording import number

MOST_FEATURES = 8
MOST_REGIONS = 10
FEWEST_ROWS = 10  # a region with fewer rows says too little to be named or to set the colours


@dataclass(frozen=True, eq=False)
class Region:
    """Some rows of a feature: their name, how many, and their root mean square gap in standard deviations."""

    feature: str
    name: str
    count: int
    gap: float


def regions_figure(rows: Rows, output: str | int = 0, *, top: int = MOST_FEATURES, key: str | None = None) -> Figure:
    """Draw the size of the gap in tenths, or levels, of the features that move the answers most."""
    chosen = rows.dec.output_index(output)
    answers = rows.answers_to(chosen)
    gap = (answers[rows.sample] - rows.explained[:, chosen]) / (float(answers.std()) or 1.0)
    found = [_regions(rows, index, gap) for index in largest_features(rows.dec, chosen, top)]
    every = [region for feature in found for region in feature]
    telling = [region for region in every if region.count >= FEWEST_ROWS] or every
    data = Regions(
        features=tuple(feature[0].feature for feature in found),
        bins=tuple(tuple(region.name for region in feature) for feature in found),
        gap=tuple(rounded(np.array([region.gap for region in feature]), 1.0) for feature in found),
        count=tuple(tuple(region.count for region in feature) for feature in found),
        # Colours reach their end where the finding on fidelity fails, so that a pale picture is a good one.
        limit=rounded(np.array([max(UNEXPLAINED.fail**0.5, *(region.gap for region in telling))]))[0],
    )
    cells = tuple((region.feature, region.name, f"{region.count:,}", number(region.gap)) for region in every)
    table = Table(("feature", "region", "rows", "gap in standard deviations"), cells)
    alt = _alt(telling, float(np.sqrt((gap**2).mean())))
    return Figure(key or f"o{chosen}-regions", "Where the explanation falls short", alt, data, table)


def _alt(telling: list[Region], overall: float) -> str:
    worst, best = (choose(telling, key=lambda region: region.gap) for choose in (max, min))
    return (
        f"The gap is {number(overall)} standard deviations of the answers overall; largest, {number(worst.gap)}, where "
        f"{worst.feature} is {worst.name}, and smallest, {number(best.gap)}, where {best.feature} is {best.name}."
    )


def _regions(rows: Rows, index: int, gap: Floats) -> list[Region]:
    names, part = _parts(rows, index)
    count = np.bincount(part[part >= 0], minlength=len(names))
    squares = np.bincount(part[part >= 0], weights=gap[part >= 0] ** 2, minlength=len(names))
    size = np.sqrt(squares / np.maximum(count, 1))
    feature = rows.dec.features[index].name
    return [
        Region(feature, *region)
        for region in zip(names, count.tolist(), size.tolist(), strict=True)
        if region[1]  # a level may be missing from the sample
    ]


def _parts(rows: Rows, index: int) -> tuple[list[str], NDArray[np.intp]]:
    """Names of the regions of a feature, and where each row of the sample lies; −1 where it lies in none."""
    column = rows.values[rows.sample, index]
    missing = np.isnan(column)
    most = MOST_REGIONS - int(missing.any())
    scale = level_scale(rows, index, most)
    if scale is not None:
        return list(scale.names), scale.positions(column)
    known = column[~missing]
    ends = np.unique(quantiles(known, np.linspace(0, 1, most + 1)))
    part = np.searchsorted(ends[1:-1], column, side="right")
    texts = [value_text(rows.dec.features[index], end, ends[-1] - ends[0]) for end in ends.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    if missing.any():
        part[missing] = len(names)
        names.append(MISSING)
    return names, part
