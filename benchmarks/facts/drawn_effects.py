"""Pictures of effects against components: curves, levels, surfaces, slices, with their tables."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, printed, printed_between, within
from benchmarks.facts.page import Floats, Page, Subject, Term, headings, place, value_of
from benchmarks.facts.printed import reading

NO_ROWS = "–"  # in tables, where too few rows lie


def curve(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Evaluate the component at every point, and count the rows below it."""
    data, index, output = figure["data"], subject.features[0], subject.output
    column = page.values[:, index]
    span = data["x"]["high"] - data["x"]["low"]
    at = np.array(data["at"])
    yield from _along(page, (index,), at, span, data, output)
    edges = np.linspace(data["x"]["low"], data["x"]["high"], len(data["density_edges"]))
    counts = np.histogram(column[~np.isnan(column)], edges)[0]
    yield drawn("shares of rows", data["density_share"], counts / len(column), 1.0)
    step = unit_of(span)
    far = [value for value in data["rug"] if np.nanmin(np.abs(column - value)) > step]
    yield equal("values of rows below the curve that no row has", far, [])
    if data["missing"]:
        atom = data["missing"]
        effect = float(page.at((index,), {index: [np.nan]}, output)[0])
        largest = max(abs(atom[name]) for name in ("value", "lower", "upper"))
        yield drawn("effect of a missing value", [atom["value"]], [effect], largest)
        yield drawn("share of missing values", [atom["share"]], [np.isnan(column).mean()], 1.0)
    yield from _effect_lines(page, figure["table"], index, output)


def unit_of(span: float) -> float:
    """Return the last digit that is kept of numbers drawn over a range."""
    return float(10.0 ** (np.floor(np.log10(span)) - 4)) if span > 0 else 1e-5


def _along(page: Page, term: Term, at: Floats, span: float, data: dict[str, Any], output: int) -> Iterator[Check]:
    """Compare a line and its band with the component; places are rounded, so neighbours of a place count, too."""
    step, index = unit_of(span), term[0]
    known = np.unique(page.values[:, index])
    around = [page.at(term, {index: at + shift}, output) for shift in np.linspace(-step, step, 9)]
    nearest = known[np.abs(known[:, None] - at).argmin(axis=0)]
    around.append(page.at(term, {index: nearest.clip(at - step, at + step)}, output))
    slack = np.ptp(around, axis=0)
    yield drawn("curve", data["value"], around[4], slack=slack)
    yield from _band(page, term, {index: at}, data, output, slack)


def _band(
    page: Page, term: Term, points: dict[int, Any], data: dict[str, Any], output: int, slack: Any
) -> Iterator[Check]:
    if not data["lower"]:
        return
    lower, value, upper = (np.array(data[name]) for name in ("lower", "value", "upper"))
    unit = unit_of(float(np.abs(value).max()))
    groups = page.errors(term, points, output)
    error = np.sqrt((groups**2).sum(axis=1) * groups.shape[1] / (groups.shape[1] - 1))
    yield equal("the band holds the effect", bool(((lower <= value) & (value <= upper)).all()), True)
    lean = np.abs(upper + lower - 2 * value) - 2 * slack
    yield within("the band lies evenly around the effect", float(lean.max(initial=0.0)), -np.inf, 2.1 * unit)
    reach = (upper - lower) / 2
    few, many = 1.95, 13.0  # Student's quantiles for the most and the fewest groups that may decide
    low, high = few * error - unit - slack, many * error + unit + slack
    yield equal("the band is as wide as its standard error asks", bool(((low <= reach) & (reach <= high)).all()), True)


def _effect_lines(page: Page, table: dict[str, Any], index: int, output: int) -> Iterator[Check]:
    feature, column = page.dec.features[index], page.values[:, index]
    for line in table["rows"]:
        low, high = place(feature, line[0])
        near_by = column[(column >= low) & (column <= high)]
        effects = page.at((index,), {index: np.r_[np.linspace(low, high, 41), near_by]}, output)
        yield printed_between(f"effect at {line[0]}", line[1], (effects.min(), effects.max()))
        if len(line) == 4:
            yield _ordered(f"band at {line[0]}", line[1:])


def _ordered(what: str, cells: Sequence[str]) -> Check:
    """Compare an interval with its estimate, which it holds up to what printing takes off."""
    value, low, high = map(reading, cells)
    return Check(what, " ".join(cells), "ordered", low[0] <= value[1] and value[0] <= high[1])


def levels(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Evaluate the component at every level, and count its rows."""
    data, index, output = figure["data"], subject.features[0], subject.output
    feature, column = page.dec.features[index], page.values[:, index]
    codes = [value_of(feature, name, column) for name in data["x"]["levels"]]
    counts = [int(np.isnan(column).sum() if np.isnan(code) else (column == code).sum()) for code in codes]
    empty = [name for name, count in zip(data["x"]["levels"], counts, strict=True) if not count]
    yield equal("levels without a row", empty, [])
    yield drawn("effects of levels", data["value"], page.at((index,), {index: codes}, output))
    yield drawn("shares of levels", data["share"], np.array(counts) / len(column), 1.0)
    present = len(np.unique(column[~np.isnan(column)])) + int(np.isnan(column).any())
    yield equal("levels that are not drawn", data["left_out"], present - len(codes))
    yield from _band(page, (index,), {index: codes}, data, output, 0.0)
    for line, code, count in zip(figure["table"]["rows"], codes, counts, strict=True):
        yield printed(f"share of {line[0]}", line[1], count / len(column))
        yield printed(f"effect of {line[0]}", line[2], float(page.at((index,), {index: [code]}, output)[0]))
        if len(line) == 5:
            yield _ordered(f"band of {line[0]}", line[2:])


def _side(page: Page, axis: dict[str, Any], pair: Term, n_cells: int) -> tuple[int, Floats]:
    """Find the feature along an axis, and the values in the middle of its cells."""
    index = next(index for index in pair if axis["label"] in headings(page.dec.features[index]))
    if axis["levels"]:
        column = page.values[:, index]
        return index, np.array([value_of(page.dec.features[index], name, column) for name in axis["levels"]])
    edges = np.linspace(axis["low"], axis["high"], n_cells + 1)
    return index, (edges[1:] + edges[:-1]) / 2


def surface(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Evaluate the component, or the joint effect, in every cell."""
    data, pair = figure["data"], subject.features
    first, across = _side(page, data["x"], pair, len(data["value"][0]))
    second, up = _side(page, data["y"], pair, len(data["value"]))
    mesh = np.meshgrid(across, up)
    effect = page.at(pair, {first: mesh[0].ravel(), second: mesh[1].ravel()}, subject.output, joint=subject.joint)
    effect = effect.reshape(mesh[0].shape)
    thin = np.array(data["thin"])
    yield drawn("cells", data["value"], np.where(thin, 0.0, effect), data["limit"])
    yield from _surface_lines(figure["table"], effect, thin)


def _surface_lines(table: dict[str, Any], effect: Floats, thin: Any) -> Iterator[Check]:
    across, up = (np.unique(np.linspace(0, size - 1, 7).round().astype(int)) for size in effect.shape[::-1])
    yield equal("size of the table", (len(table["rows"]), len(table["head"]) - 1), (len(up), len(across)))
    for line, row in zip(table["rows"], up, strict=True):
        for text, column in zip(line[1:], across, strict=True):
            where = f"cell {row}, {column}"
            yield equal(f"{where} is left out", text == NO_ROWS, bool(thin[row, column]))
            if text != NO_ROWS:
                yield printed(where, text, float(effect[row, column]))


def slices(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Evaluate the component along every line."""
    data, pair = figure["data"], subject.features
    n_points = max(len(line["at"]) for line in data["lines"])
    along, at = _side(page, data["x"], pair, n_points)
    cut = next(index for index in pair if index != along)
    feature, column = page.dec.features[cut], page.values[:, cut]
    known = column[~np.isnan(column)]
    quantiles = np.unique(np.quantile(known, [0.1, 0.5, 0.9], method="inverted_cdf"))
    largest = max(abs(value) for line in data["lines"] for value in line["value"])
    chosen = np.unique(np.linspace(0, n_points - 1, 9).round().astype(int))
    for number, line in enumerate(data["lines"], 1):
        low, high = place(feature, line["name"])
        is_quantile = not feature.levels and ((quantiles >= low) & (quantiles <= high)).any()
        value = value_of(feature, line["name"], quantiles if is_quantile else column)
        effect = page.at(pair, {along: at, cut: np.full(len(at), value)}, subject.output, joint=subject.joint)
        yield drawn(f"line of {line['name']}", line["value"], effect, largest)
        for row, point in zip(figure["table"]["rows"], chosen, strict=True):
            if row[number] != NO_ROWS:
                yield printed(f"{line['name']} at {row[0]}", row[number], float(effect[point]))
