"""Where an explanation can be trusted: how orthogonal its components are, and how large its residual is in regions."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import CARRIES, Term
from anova_report.figures.axes import rounded
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Frame, Numbers, Panel, Words
from anova_report.figures.layout import longest
from anova_report.figures.level_scales import level_scale
from anova_report.figures.rows import Rows
from anova_report.figures.scene import Box, Entry, Heat, Legend, Line, ScaleBar, Scene, Text, unzip
from anova_report.figures.shares import largest_features, linked_features
from anova_report.figures.style import NOTE, SMALL, TEXT, ink
from anova_report.figures.text import width
from anova_report.measures.claims import Claim, Claims, Over
from anova_report.measures.orthogonality import Cosine, orthogonality
from anova_report.measures.orthogonality_checks import overlap_claim
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import regions_words
from anova_report.measures.sentences.trust import overlap_caption
from anova_report.measures.status import COSINE, UNEXPLAINED
from anova_report.measures.values import MISSING, quantiles, value_text
from anova_report.measures.wording import cosine, number, percent

Status: TypeAlias = Literal["fine", "slight", "beyond", "small"]
Place: TypeAlias = tuple[int, int]  # row and column of a cell

STATUS_WORDS: dict[Status, str] = {
    "fine": "within chance",
    "slight": "above chance, within the limit",
    "beyond": "beyond the limit",
    "small": "of a term too small to count",
}
MATRIX_FEATURES, REGION_FEATURES = 16, 8
MOST_LINES = 40  # of a table
DECIMALS, MOST_REGIONS = 6, 10
FEWEST_ROWS = 10  # a region with fewer rows says too little to be named or to set the colors

MATRIX_WIDTH = 560.0
MATRIX_NAMES, NAMES_ABOVE, NAMES_ASIDE = 128.0, 86.0, 56.0  # pixels left of a matrix, along and right of turned names
SMALLEST_CELL, LARGEST_CELL = 9, 46
NAME_HEIGHT = 13  # pixels
SLANT = 50.0  # degrees of the names above a matrix
MATRIX_NOTE = "cosine of the pair with the main effect of its row; diagonal: of the main effect with the mean"
NUMBERED = 10  # so many features still have room for numbers in their cells
REGION_WIDTH, REGION_HEIGHT, REGION_NAMES, ABOVE_REGIONS = 34.0, 22.0, 150.0, 46.0
REGIONS_WIDTH = 680.0


@dataclass(frozen=True)
class Cell:
    """A cosine in the orthogonality matrix.

    The cell in row i and column j ≠ i is that of the pair of both with the main effect of i; on the diagonal it is
    that of the main effect of i with the mean.
    """

    row: int
    column: int
    label: str
    # the cosine, on held-out rows where there are any, and what chance gives
    value: float
    floor: float
    share: float  # Var of the term over Var of the predictions
    # at most the noise floor; above it but within the limit; beyond the limit; of a term too small to count
    status: Status
    term: Term = ()  # empty in files that do not have it


@dataclass(frozen=True)
class Matrix:
    """Orthogonality of pairs and main effects, feature by feature; colors run from 0 to `limit`."""

    features: Words
    cells: tuple[Cell, ...]
    limit: float

    def scene(self) -> Scene:
        """Lay cells out by the size of their cosine, with rings around those beyond the limit."""
        count = len(self.features)
        room = int(MATRIX_WIDTH - MATRIX_NAMES - NAMES_ASIDE)
        side = min(LARGEST_CELL, max(SMALLEST_CELL, room // max(count, 1)))
        wide = max(MATRIX_WIDTH, MATRIX_NAMES + side * count + NAMES_ASIDE)
        top = 16 + longest(self.features, TEXT, NAMES_ABOVE) * math.sin(math.radians(SLANT))
        end = max(count, 1) - 0.5
        frame = Frame(MATRIX_NAMES, top, MATRIX_NAMES + side * max(count, 1), top + side * max(count, 1))
        panel = Panel.of_rows(frame, (-0.5, end), count)
        bar = Frame(12, frame.bottom + 32, 112, frame.bottom + 42)
        return Scene(
            "matrix",
            (wide, 180.0 + side * count),
            (panel,),
            (
                *self._cells(),
                *self._names(side),
                Text("note", -0.5, end, (MATRIX_NOTE,), dx=-frame.left, dy=16.0, room=wide, **NOTE),
                ScaleBar(bar, "cosines", "sequential", ("0", number(self.limit)), flat=True),
                Legend(self._entries(), top=frame.bottom + 50, room=wide),
            ),
        )

    def _entries(self) -> tuple[Entry, ...]:
        entries: dict[Status, Entry] = {
            "beyond": Entry("beyond the limit", "ring", "fail", marks=("beyond",)),
            "fine": Entry("within what chance gives", "bar", "grid", marks=("chance",)),
            "small": Entry("pale: term too small to count", "bar", "shade", marks=("small",)),
        }
        held = {cell.status for cell in self.cells}
        return tuple(entry for status, entry in entries.items() if status in held)

    def _cells(self) -> tuple[Box | Heat | Line | Text, ...]:
        """Draw what chance gives in gray, veil small terms, ring what is beyond the limit."""
        count = len(self.features)
        shown = [cell for cell in self.cells if max(cell.row, cell.column) < count]
        sizes: list[list[float | None]] = [[None] * count for _ in range(count)]
        for cell in shown:
            sizes[cell.row][cell.column] = None if cell.status == "fine" else abs(cell.value)
        places = {
            status: [(cell.row, cell.column) for cell in shown if cell.status == status] for status in STATUS_WORDS
        }
        xs, ys = unzip([_ring(*place) for place in places["beyond"]], 2)
        cells = _over((cell.row, cell.column, cell.column) for cell in shown)
        tips, keys = tuple(map(_cell_tip, shown)), tuple(cell.term for cell in shown)
        return (
            Box("chance", *_over(_runs(places["fine"])), "grid", under=True),
            Heat("cosines", tuple(map(tuple, sizes)), "sequential", self.limit or 1.0, gaps=(count, count)),
            Box("small", *_over(_runs(places["small"])), "surface", opacity=0.7, edge="grid"),
            Line("beyond", xs, ys, "fail", width=2.0),
            self._numbers(shown if count <= NUMBERED else []),
            Box("cells", *cells, None, tips=tips, keys=keys if all(keys) else ()),
        )

    def _numbers(self, cells: Sequence[Cell]) -> Text:
        words = tuple(cosine(abs(cell.value)) if abs(cell.value) >= 0.0005 else "0" for cell in cells)
        inks = tuple("fg" if cell.status in ("small", "fine") else ink(cell.value, self.limit) for cell in cells)
        rows, columns = unzip([(cell.row, cell.column) for cell in cells], 2)
        return Text("numbers", columns, rows, words, anchor="middle", color=inks, size=SMALL)

    def _names(self, side: int) -> tuple[Text, Text]:
        """Name rows at the left and columns above; every so many where cells are small."""
        positions, names = unzip(list(enumerate(self.features))[:: -(-NAME_HEIGHT // side)], 2)
        above: dict[str, Any] = {"turned": SLANT, "dx": 3.0, "dy": -9.0, "room": NAMES_ABOVE}
        return (
            Text("rows", -0.5, positions, names, dx=-8.0, anchor="end", room=MATRIX_NAMES - 10),
            Text("columns", positions, -0.5, names, **above),
        )


@dataclass(frozen=True)
class Regions:
    """How large the residual is in regions of each feature."""

    features: Words
    bins: tuple[Words, ...]  # names of each feature's regions, at most ten
    # Root mean square residual in each region, over the standard deviation of the predictions. Documents that were
    # saved before hold it by this name.
    gap: tuple[Numbers, ...]
    count: tuple[tuple[int, ...], ...]
    limit: float  # colors run from 0 to limit

    def scene(self) -> Scene:
        """Lay out a row of cells for each feature, and name the region with its largest residual."""
        left, rows = longest(self.features, TEXT, REGION_NAMES) + 12, len(self.features)
        bottom = ABOVE_REGIONS + REGION_HEIGHT * max(rows, 1)
        frame = Frame(left, ABOVE_REGIONS, left + REGION_WIDTH * MOST_REGIONS, bottom)
        last = MOST_REGIONS - 0.5
        bar, high = Frame(14, 5, 134, 15), number(self.limit)
        meaning = ("typical residual in a region, in standard deviations of the predictions",)
        right = bar.right + 14 + width(high, SMALL)
        aside: dict[str, Any] = {"dy": -11.0, **NOTE}
        return Scene(
            "regions",
            (REGIONS_WIDTH, 66 + REGION_HEIGHT * rows),
            (Panel.of_rows(frame, (-0.5, last), rows),),
            (
                ScaleBar(bar, "residuals", "sequential", ("0", high), flat=True),
                Text("meaning", -0.5, -0.5, meaning, dx=(right - left,), dy=10 - ABOVE_REGIONS, **NOTE),
                Text("order", -0.5, -0.5, ("regions of each feature, in order",), **aside),
                Text("largest-in", last, -0.5, ("largest residual in",), dx=14.0, **aside),
                *self._cells(),
                *self._largest(REGIONS_WIDTH - frame.right - 14),
                Text("features", -0.5, tuple(range(rows)), self.features, dx=-10.0, anchor="end", room=left - 12),
            ),
        )

    def _cells(self) -> tuple[Box, Heat, Box]:
        """Draw cells in colors, regions without rows in gray, and nothing where a feature has no more regions."""
        values: list[tuple[float | None, ...]] = []
        places: list[Place] = []
        for row, sizes in enumerate(self.gap):
            seen = list(zip(sizes, self.count[row], strict=False))[:MOST_REGIONS]
            places += [(row, column) for column in range(len(seen))]
            absent = (None,) * (MOST_REGIONS - len(seen))
            values.append((*(size if count else None for size, count in seen), *absent))
        empty = [(row, column) for row, column in places if not self.count[row][column]]
        tips = tuple(self._tip(*place) for place in places)
        gaps = (MOST_REGIONS, len(self.features))
        return (
            Box("empty", *_over(_runs(empty)), "shade", under=True),
            Heat("residuals", tuple(values), "sequential", self.limit or 1.0, gaps=gaps),
            Box("cells", *_over((row, column, column) for row, column in places), None, tips=tips),
        )

    def _tip(self, row: int, column: int) -> str:
        count = self.count[row][column]
        size = f"residual {number(self.gap[row][column])} standard deviations" if count else ""
        return f"{self.features[row]}: {self.bins[row][column]}\n{size}\n{count:,} row{'s' * (count != 1)}"

    def _largest(self, room: float) -> tuple[Text, Text]:
        """Write the largest residual of each feature into its cell, and the name of that region beside the row."""
        most = max((size for sizes in self.gap for size in sizes), default=0.0)
        numbers, names = [], []
        for row, sizes in enumerate(self.gap):
            seen = [(size, -column) for column, size in enumerate(sizes[:MOST_REGIONS]) if self.count[row][column]]
            if seen:
                size, column = max(seen)[0], -max(seen)[1]
                numbers.append((column, row, number(float(f"{size:.2g}")), ink(size, self.limit), size >= most))
            names.append(self.bins[row][column] if seen else "no rows")
        columns, rows, words, inks, bold = unzip(numbers, 5)
        last = MOST_REGIONS - 0.5
        return (
            Text("largest", columns, rows, words, anchor="middle", size=SMALL, color=inks, bold=bold),
            Text("places", last, tuple(range(len(names))), tuple(names), dx=14.0, room=room, **NOTE),
        )


def _over(runs: Iterable[tuple[int, int, int]]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return left, right, bottom and top of boxes over cells of a row, from a first to a last column."""
    left, right, bottom, top = unzip([(first - 0.5, last + 0.5, row + 0.5, row - 0.5) for row, first, last in runs], 4)
    return left, right, bottom, top


def _ring(row: int, column: int, half: float = 0.46) -> tuple[Numbers, Numbers]:
    left, right, low, high = column - half, column + half, row + half, row - half
    return (left, right, right, left, left), (low, low, high, high, low)


def _runs(places: Iterable[Place]) -> list[tuple[int, int, int]]:
    """Join cells that lie side by side: of many features most cells are alike."""
    alike = groupby(enumerate(sorted(places)), lambda item: (item[1][0], item[1][1] - item[0]))
    runs = [[place for _, place in group] for _, group in alike]
    return [(*run[0], run[-1][1]) for run in runs]


def _cell_tip(cell: Cell) -> str:
    floor = f"noise floor {cosine(cell.floor)}, structural share {percent(cell.share)}"
    return f"{cell.label}\ncosine {cosine(cell.value)}: {STATUS_WORDS[cell.status]}\n{floor}"


def matrix_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MATRIX_FEATURES, key: str | None = None
) -> Figure:
    """Draw how far pairs overlap with their main effects, and main effects with the mean."""
    chosen = dec.output_index(output)
    found = [item for item in orthogonality(dec, chosen).cosines if len(item.part) == len(item.term) - 1 < 2]
    sizes = {item.term: item.share for item in found}
    drawn = linked_features(largest_features(dec, chosen), sizes, top, n_linked=top)
    place = {index: at for at, index in enumerate(drawn)}
    cells = tuple(_cell(item, place) for item in found if place.keys() >= set(item.term))
    data = Matrix(tuple(dec.feature_titles[index] for index in place), cells, limit=min(COSINE.fail, 1.0))
    claims = _matrix_claims(dec, cells, chosen)
    alt = overlap_caption(claims, Names.of(dec, chosen))
    return Figure(key or f"o{chosen}-matrix", "Overlap of terms", alt, data, _matrix_table(cells), claims)


def _cell(item: Cosine, place: dict[int, int]) -> Cell:
    value, floor = item.judged
    row = item.part[0] if item.part else item.term[0]
    column = next((index for index in item.term if index != row), row)
    return Cell(
        place[row],
        place[column],
        item.label,
        value=round(value, DECIMALS),
        floor=round(floor, DECIMALS),
        share=round(item.share, DECIMALS),
        status=_status(item),
        term=item.term,
    )


def _status(item: Cosine) -> Status:
    value, floor = item.overlap
    if not item.counts:
        return "small"
    if value <= floor:
        return "fine"
    return "slight" if COSINE.judge(value) == "pass" else "beyond"


def _matrix_claims(dec: Decomposition, cells: Sequence[Cell], output: int) -> Claims:
    """State how many cells are beyond chance and limit, and which overlap decides."""
    over: Over = "rows of the fit" if dec.held_out is None else "held-out rows"
    beyond = float(sum(cell.status == "beyond" for cell in cells))
    numbers = {"n_beyond": beyond, "limit": min(COSINE.warn, 1.0), "least": CARRIES}
    stated, worst = (
        Claim("overlaps beyond the limit", numbers, output=output, over=over),
        orthogonality(dec, output).worst,
    )
    return (stated,) if worst is None else (stated, replace(overlap_claim(worst), output=output))


def _matrix_table(cells: Sequence[Cell]) -> Table:
    """List the largest cosines, those of terms that count first."""
    ranked = sorted(cells, key=lambda cell: (cell.status == "small", -abs(cell.value)))
    lines = (
        (cell.label, cosine(cell.value), cosine(cell.floor), percent(cell.share), STATUS_WORDS[cell.status])
        for cell in ranked[:MOST_LINES]
    )
    return Table(("term | part", "cosine", "noise floor", "structural share of the term", "status"), tuple(lines))


@dataclass(frozen=True, eq=False)
class Region:
    """Some rows of a feature: their name, how many, and their root mean square residual in standard deviations."""

    index: int
    feature: str
    name: str
    count: int
    residual: float


def regions_figure(rows: Rows, output: str | int = 0, *, top: int = REGION_FEATURES, key: str | None = None) -> Figure:
    """Draw the size of the residual in tenths, or levels, of the features that move the predictions most."""
    chosen = rows.dec.output_index(output)
    predictions = rows.predictions_of(chosen)
    residual = (predictions[rows.sample] - rows.explained[:, chosen]) / (float(predictions.std()) or 1.0)
    found = [_regions(rows, index, residual) for index in largest_features(rows.dec, chosen, top)]
    every = [region for feature in found for region in feature]
    telling = [region for region in every if region.count >= FEWEST_ROWS] or every
    data = Regions(
        features=tuple(feature[0].feature for feature in found),
        bins=tuple(tuple(region.name for region in feature) for feature in found),
        gap=tuple(rounded(np.array([region.residual for region in feature]), 1.0) for feature in found),
        count=tuple(tuple(region.count for region in feature) for feature in found),
        # Colors reach their end where the finding on fidelity fails, so that a pale picture is a good one.
        limit=rounded(np.array([max(min(UNEXPLAINED.fail, 1.0) ** 0.5, *(region.residual for region in telling))]))[0],
    )
    cells = tuple((region.feature, region.name, f"{region.count:,}", number(region.residual)) for region in every)
    table = Table(("feature", "region", "rows", "residual in standard deviations"), cells)
    worst, best = (choose(telling, key=lambda region: region.residual) for choose in (max, min))
    sizes = {"typical": float(np.sqrt((residual**2).mean())), "largest": worst.residual, "smallest": best.residual}
    claim = Claim(
        "residuals by region",
        {"n_rows": float(len(residual))} | sizes,
        features=(worst.index, best.index),
        output=chosen,
        over="drawn rows",
        places=(worst.name, best.name),
    )
    title, alt = "Where the explanation falls short", regions_words(claim, Names.of(rows.dec, chosen))
    return Figure(key or f"o{chosen}-regions", title, alt, data, table, (claim,))


def _regions(rows: Rows, index: int, residual: Floats) -> list[Region]:
    names, part = _parts(rows, index)
    count = np.bincount(part[part >= 0], minlength=len(names))
    squares = np.bincount(part[part >= 0], weights=residual[part >= 0] ** 2, minlength=len(names))
    size = np.sqrt(squares / np.maximum(count, 1))
    found = zip(names, count.tolist(), size.tolist(), strict=True)
    # A level may be missing from the sample.
    return [Region(index, rows.dec.features[index].title, *region) for region in found if region[1]]


def _parts(rows: Rows, index: int) -> tuple[list[str], NDArray[np.intp]]:
    """Names of the regions of a feature, and where each row of the sample lies; −1 where it lies in none."""
    column = rows.values[rows.sample, index]
    missing = np.isnan(column)
    most = MOST_REGIONS - int(missing.any())
    scale = level_scale(rows, index, most)
    if scale is not None:
        return list(scale.names), scale.positions(column)
    ends = np.unique(quantiles(column[~missing], np.linspace(0, 1, most + 1)))
    part = np.searchsorted(ends[1:-1], column, side="right")
    texts = [value_text(rows.dec.features[index], end, ends[-1] - ends[0]) for end in ends.tolist()]
    names = [f"{low} to {high}" for low, high in pairwise(texts)] or texts
    if missing.any():
        part[missing] = len(names)
        names.append(MISSING)
    return names, part
