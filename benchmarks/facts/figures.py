"""Pictures against rows and components: every point of every line, cell, bar and table."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, near, printed, printed_between, within
from benchmarks.facts.page import Floats, Page, Term, place
from benchmarks.facts.printed import agrees

Cells = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Subject:
    """What a figure is about."""

    output: int = 0
    features: Term = ()
    row: int | None = None
    joint: bool = False


# --- how rows are spread ---


def histogram(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, table = figure["data"], figure["table"]["rows"]
    if subject.features:
        feature, column = page.dec.features[subject.features[0]], page.values[:, subject.features[0]]
    else:
        feature, column = None, page.predictions[:, subject.output]
    known = column[~np.isnan(column)]
    if data["edges"]:
        edges = np.linspace(data["x"]["low"], data["x"]["high"], len(data["edges"]))
        yield drawn("edges", data["edges"], edges, edges[-1] - edges[0])
        counts = np.histogram(known, edges)[0].tolist()
        beyond, missing = len(known) - sum(counts), len(column) - len(known)
        others = [rows for rows in (beyond, missing) if rows]
    else:
        names = data["x"]["levels"]
        counts = [_rows_of(page, feature, column, name) for name in names if not _others(name)]
        others = [len(column) - sum(counts)] if _others(names[-1]) else []
        yield equal("every row is counted", sum(counts) + sum(others), len(column))
    every = [*counts, *others]
    yield equal("counts", list(data["count"]), counts if data["edges"] else every)
    yield equal("lines of the table", len(table), len(every))
    for line, rows in zip(table, every, strict=False):
        yield equal(f"rows of {line[0]}", line[1], f"{rows:,}")
        yield printed(f"share of {line[0]}", line[2], rows / len(column))


def _others(name: str) -> bool:
    return bool(re.fullmatch(r"\(\d+ others\)", name))


def _rows_of(page: Page, feature: Any, column: Floats, name: str) -> int:
    if name == "(missing)":
        return int(np.isnan(column).sum())
    if feature is None:
        return int(sum(agrees(name, float(value)) for value in column))
    low, high = place(feature, name, column)
    return int(((column >= low) & (column <= high)).sum())


def scatter(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output = figure["data"], subject.output
    explained, predictions = page.explained[data["rows"], output], page.predictions[data["rows"], output]
    span = data["y"]["high"] - data["y"]["low"]
    yield drawn("explained values", data["at"], explained, span)
    yield drawn("predictions", data["value"], predictions, span)
    yield equal("rows in all", data["n_rows"], len(page.predictions))
    taken = 0
    order = np.argsort(explained, kind="stable")
    for line in figure["table"]["rows"]:
        count = int(line[0].replace(",", ""))
        part, taken = order[taken : taken + count], taken + count
        residual = predictions[part] - explained[part]
        yield printed("mean explained value", line[1], float(explained[part].mean()))
        yield printed("mean prediction", line[2], float(predictions[part].mean()))
        yield printed("residual", line[3], float(np.sqrt((residual**2).mean())))
    yield equal("rows of the table", taken, len(explained))


def regions(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, rows = figure["data"], page.drawn_rows
    residual = page.predictions[:, subject.output] - page.explained[:, subject.output]
    residual = residual[rows] / page.predictions[:, subject.output].std()
    lines = iter(figure["table"]["rows"])
    for name, bins, gap, count in zip(data["features"], data["bins"], data["gap"], data["count"], strict=True):
        index = page.features.index(name)
        feature, column = page.dec.features[index], page.values[rows, index]
        inside = _in_regions(feature, bins, column)
        sizes = [float(np.sqrt((residual[part] ** 2).mean())) if part.any() else 0.0 for part in inside]
        yield equal(f"rows of the regions of {name}", list(count), [int(part.sum()) for part in inside])
        yield drawn(f"residuals in the regions of {name}", gap, sizes, 1.0)
        for region, size, part in zip(bins, sizes, inside, strict=True):
            line = next(lines)
            yield equal("region", tuple(line[:3]), (name, region, f"{part.sum():,}"))
            yield printed(f"residual where {name} is {region}", line[3], size)


def _in_regions(feature: Any, names: Sequence[str], sampled: Floats) -> list[Any]:
    """Find the rows of each region; ranges are tenths of the rows, of which the names are cut short."""
    found = []
    ranges = [name for name in names if " to " in name and name not in feature.levels]
    column = sampled
    known = column[~np.isnan(column)]
    n_parts = 10 - int(np.isnan(column).any())
    ends = np.unique(np.quantile(known, np.linspace(0, 1, n_parts + 1), method="inverted_cdf"))
    for name in names:
        if name == "(missing)":
            found.append(np.isnan(sampled))
        elif name in ranges and len(ends) > 1:
            low, high = (place(feature, text, column) for text in name.split(" to "))
            starts = [at for at in range(len(ends) - 1) if low[0] <= ends[at] <= low[1] and high[0] <= ends[at + 1] <= high[1]]
            at = starts[0] if starts else -1
            upper = np.inf if at == len(ends) - 2 else ends[at + 1]
            lower = -np.inf if at == 0 else ends[at]
            found.append((sampled >= lower) & (sampled < upper) if starts else np.zeros(len(sampled), bool))
        else:
            low, high = place(feature, name, column)
            found.append((sampled >= low) & (sampled <= high))
    return found


# --- effects ---


def curve(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, index, output = figure["data"], subject.features[0], subject.output
    column = page.values[:, index]
    span = data["x"]["high"] - data["x"]["low"]
    at = np.array(data["at"])
    yield from _along(page, (index,), at, span, data, output)
    edges = np.linspace(data["x"]["low"], data["x"]["high"], len(data["density_edges"]))
    counts = np.histogram(column[~np.isnan(column)], edges)[0]
    yield drawn("shares of rows", data["density_share"], counts / len(column), 1.0)
    step = _unit(span)
    far = [value for value in data["rug"] if np.nanmin(np.abs(column - value)) > step]
    yield equal("values of rows below the curve that no row has", far, [])
    if data["missing"]:
        atom = data["missing"]
        effect = float(page.at((index,), {index: [np.nan]}, output)[0])
        yield drawn("effect of a missing value", [atom["value"]], [effect])
        yield drawn("share of missing values", [atom["share"]], [np.isnan(column).mean()], 1.0)
    yield from _effect_lines(page, figure["table"], index, output)


def _unit(span: float) -> float:
    return float(10.0 ** (np.floor(np.log10(span)) - 4)) if span > 0 else 1e-5


def _along(page: Page, term: Term, at: Floats, span: float, data: dict[str, Any], output: int) -> Iterator[Check]:
    """Compare a line and its band with the component; places are rounded, so neighbours of a place count, too."""
    step, index = _unit(span), term[0]
    around = [page.at(term, {index: at + shift}, output) for shift in (-step, 0.0, step)]
    slack = np.ptp(around, axis=0)
    yield drawn("curve", data["value"], around[1], slack=slack)
    yield from _band(page, term, {index: at}, data, output, slack)


def _band(page: Page, term: Term, points: dict[int, Any], data: dict[str, Any], output: int, slack: Any) -> Iterator[Check]:
    if not data["lower"]:
        return
    lower, value, upper = (np.array(data[name]) for name in ("lower", "value", "upper"))
    unit = _unit(float(np.abs(value).max()))
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
        low, high = place(feature, line[0], column)
        effects = page.at((index,), {index: np.linspace(low, high, 41)}, output)
        yield printed_between(f"effect at {line[0]}", line[1], (effects.min(), effects.max()))
        if len(line) == 4:
            yield _ordered(f"band at {line[0]}", line[1:])


def _ordered(what: str, cells: Sequence[str]) -> Check:
    """An interval holds its estimate, up to what printing takes off."""
    from benchmarks.facts.printed import reading

    value, low, high = map(reading, cells)
    return Check(what, " ".join(cells), "ordered", low[0] <= value[1] and value[0] <= high[1])


def levels(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, index, output = figure["data"], subject.features[0], subject.output
    feature, column = page.dec.features[index], page.values[:, index]
    codes = [np.mean(place(feature, name, column)) for name in data["x"]["levels"]]
    counts = [int(np.isnan(column).sum() if np.isnan(code) else (column == code).sum()) for code in codes]
    yield equal("levels without a row", [name for name, count in zip(data["x"]["levels"], counts, strict=True) if not count], [])
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


# --- pairs ---


def _side(page: Page, axis: dict[str, Any], pair: Term, n_cells: int) -> tuple[int, Floats]:
    """Find the feature along an axis, and the values in the middle of its cells."""
    index = next(index for index in pair if axis["label"] in (page.features[index], f"{page.features[index]} (seconds)"))
    if axis["levels"]:
        column = page.values[:, index]
        return index, np.array([np.mean(place(page.dec.features[index], name, column)) for name in axis["levels"]])
    edges = np.linspace(axis["low"], axis["high"], n_cells + 1)
    return index, (edges[1:] + edges[:-1]) / 2


def surface(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, pair = figure["data"], subject.features
    first, across = _side(page, data["x"], pair, len(data["value"][0]))
    second, up = _side(page, data["y"], pair, len(data["value"]))
    mesh = np.meshgrid(across, up)
    effect = page.at(pair, {first: mesh[0].ravel(), second: mesh[1].ravel()}, subject.output, joint=subject.joint)
    effect = effect.reshape(mesh[0].shape)
    yield drawn("cells", data["value"], effect, data["limit"])
    thin = np.array(data["thin"])
    yield from _surface_lines(page, figure["table"], (first, second), effect, thin)


def _surface_lines(page: Page, table: dict[str, Any], plane: Term, effect: Floats, thin: Any) -> Iterator[Check]:
    across, up = (np.unique(np.linspace(0, size - 1, 7).round().astype(int)) for size in effect.shape[::-1])
    yield equal("size of the table", (len(table["rows"]), len(table["head"]) - 1), (len(up), len(across)))
    for line, row in zip(table["rows"], up, strict=True):
        for text, column in zip(line[1:], across, strict=True):
            where = f"cell {row}, {column}"
            yield equal(f"{where} in brackets", text.startswith("("), bool(thin[row, column]))
            yield printed(where, text.strip("()"), float(effect[row, column]))


def slices(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
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
        low, high = place(feature, line["name"], column)
        value = next((float(value) for value in quantiles if low <= value <= high), (low + high) / 2)
        effect = page.at(pair, {along: at, cut: np.full(len(at), value)}, subject.output, joint=subject.joint)
        yield drawn(f"line of {line['name']}", line["value"], effect, largest)
        for row, point in zip(figure["table"]["rows"], chosen, strict=True):
            yield printed(f"{line['name']} at {row[0]}", row[number], float(effect[point]))


# --- shares ---


def _rest(data: dict[str, Any], every: Sequence[float], shown: Sequence[float]) -> Iterator[Check]:
    yield equal("how many are not drawn", data["n_rest"], len(every) - len(shown))
    yield near("what is not drawn", data["rest"], sum(every) - sum(shown), 1e-9)


def _closing(page: Page, lines: Cells, data: dict[str, Any], output: int, column: int) -> Iterator[Check]:
    """Compare the last lines of a table of shares, what is not drawn and what is unexplained."""
    lines = list(lines)
    if data["n_rest"]:
        yield printed("line of what is not drawn", lines.pop(0)[column], data["rest"])
    if data["unexplained"] is not None:
        yield within("unexplained", data["unexplained"], *_thousandth(page.unexplained(output)))
        yield printed("line of what is unexplained", lines.pop(0)[column], data["unexplained"])
    yield equal("lines that are left", lines, [])


def _thousandth(value: float) -> tuple[float, float]:
    return value - 5.01e-4, value + 5.01e-4


def shares(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output, lines = figure["data"], subject.output, figure["table"]["rows"]
    joint = bool(subject.joint)
    groups = [page.inside(term) if joint and at == 0 else [tuple(term)] for at, term in enumerate(data["terms"])]
    true = np.array([page.share(group, output) for group in groups])
    names = ["joint effect" if joint and at == 0 else page.label(term) for at, term in enumerate(data["terms"])]
    yield equal("names", list(data["labels"]), names)
    yield drawn("structural shares", data["structural"], true[:, 0], 0.1)
    yield drawn("total shares", data["total"], true[:, 1], 0.1)
    yield drawn("correlative shares", data["correlative"], true[:, 1] - true[:, 0], 0.1)
    yield equal("order", data["total"][int(joint) :], sorted(data["total"][int(joint) :], reverse=True))
    every = [page.share([term], output)[1] for term in page.terms]
    inside = [page.share([term], output)[1] for term in groups[0]] if joint else true[:, 1].tolist()
    yield from _rest(data, every, inside)
    yield from _intervals(data, "total")
    for line, values in zip(lines, true, strict=False):
        for text, value in zip(line[1:4], (values[0], values[1] - values[0], values[1]), strict=True):
            yield printed(f"share of {line[0]}", text, float(value))
        yield _interval_holds(f"interval of {line[0]}", line[4], float(values[1]))
    yield from _closing(page, lines[len(true) :], data, output, 3)


def totals(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output, lines = figure["data"], subject.output, figure["table"]["rows"]
    true = [page.feature_share(index, output) for index in data["features"]]
    yield equal("names", list(data["labels"]), [page.features[index] for index in data["features"]])
    yield drawn("shares", data["share"], true, 0.1)
    yield equal("order", data["share"], sorted(data["share"], reverse=True))
    every = [page.feature_share(index, output) for index in range(len(page.features))]
    yield from _rest(data, every, true)
    smallest = min((abs(value) for value in true), default=0.0)
    left = [index for index in range(len(every)) if index not in data["features"]]
    yield equal("larger features that are not drawn", [at for at in left if abs(every[at]) > smallest + 1e-9], [])
    yield from _intervals(data, "share")
    for line, value in zip(lines, true, strict=False):
        yield printed(f"share of {line[0]}", line[1], value)
        yield _interval_holds(f"interval of {line[0]}", line[2], value)
    yield from _closing(page, lines[len(true) :], data, output, 1)


def _intervals(data: dict[str, Any], name: str) -> Iterator[Check]:
    if data["lower"]:
        bounds = zip(data["lower"], data[name], data["upper"], strict=True)
        outside = [ends for ends in bounds if not ends[0] <= ends[1] <= ends[2]]
        yield equal("intervals that do not hold their share", outside, [])


def _interval_holds(what: str, text: str, value: float) -> Check:
    from benchmarks.facts.printed import reading

    if " to " not in text:
        return equal(what, text in ("not known", "–"), True)
    low, high = (reading(end) for end in text.split(" to "))
    return Check(what, text, f"{value:.6g}", low[0] - 1e-9 <= value <= high[1] + 1e-9)


def network(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output, nodes = figure["data"], subject.output, figure["data"]["nodes"]

    def true(term: Term) -> float:
        if term not in page.terms:
            return 0.0
        if subject.row is not None:
            return float(page.components[subject.row, page.terms.index(term), output])
        return page.share([term], output)[0]

    yield equal("signs are shown", data["signed"], subject.row is not None)
    yield equal("names of nodes", [node["label"] for node in nodes], [page.features[node["feature"]] for node in nodes])
    yield drawn("nodes", [node["value"] for node in nodes], [true((node["feature"],)) for node in nodes])
    pairs = [tuple(sorted(nodes[edge[end]]["feature"] for end in ("first", "second"))) for edge in data["edges"]]
    yield drawn("edges", [edge["value"] for edge in data["edges"]], list(map(true, pairs)))
    inside = {node["feature"] for node in nodes}
    others = [abs(true(term)) for term in page.terms if len(term) == 2 and set(term) <= inside and term not in pairs]
    least = min((abs(edge["value"]) for edge in data["edges"]), default=0.0)
    yield equal("stronger pairs that are not drawn", len(pairs) >= 16 and max(others, default=0.0) > least * 1.001, False)
    values = []
    for name, text in figure["table"]["rows"]:
        term = page.named(name) or tuple(sorted(page.features.index(part) for part in name.split(" × ")))
        values.append(true(term))
        yield printed(f"value of {name}", text, values[-1], _unit(max(abs(values[0]), 1e-12)) if values else 0.0)
    sizes = np.abs(values)
    yield equal("largest first", bool((np.diff(sizes) <= 1e-4 * max(sizes, default=0.0) + 1e-9).all()), True)


# --- one row ---


def waterfall(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output, row = figure["data"], subject.output, subject.row or 0
    parts = {term: float(page.components[row, at, output]) for at, term in enumerate(page.terms)}
    shown = [tuple(step["term"]) for step in data["steps"] if step["term"]]
    left = sum(value for term, value in parts.items() if term not in shown)
    true = [parts[tuple(step["term"])] if step["term"] else left for step in data["steps"]]
    prediction, explained = float(page.predictions[row, output]), float(page.explained[row, output])
    scale = max(abs(prediction), abs(explained), 1.0) * 1e-9
    yield near("mean", data["base"], float(page.mean[output]), scale)
    for step, value in zip(data["steps"], true, strict=True):
        yield near(f"step of {step['label']}", step["value"], value, scale)
        if step["term"]:
            yield equal("name of a step", step["label"], page.label(step["term"]))
            yield _row_values(page, row, tuple(step["term"]), step["detail"])
        else:
            count = sum(1 for term, value in parts.items() if term not in shown and value)
            yield equal("how many terms are taken together", step["label"], f"{count} further terms")
    yield near("prediction", data["prediction"], prediction, scale)
    yield near("residual", data["remainder"], prediction - explained, scale)
    sizes = [abs(step["value"]) for step in data["steps"] if step["term"]]
    yield equal("largest first", sizes, sorted(sizes, reverse=True))
    lines = [float(page.mean[output]), *true, explained, prediction - explained, prediction]
    yield equal("lines of the table", len(figure["table"]["rows"]), len(lines))
    for line, value in zip(figure["table"]["rows"], lines, strict=False):
        yield printed(f"line {line[0]}", line[2], value, scale)


def _row_values(page: Page, row: int, term: Term, detail: str) -> Check:
    """Compare the values of a row as they are written beside a step."""
    texts = []
    rest = detail
    for index in term:
        start = f"{page.features[index]} = "
        if not rest.startswith(start):
            return Check("values of a row", detail, start, False)
        rest = rest[len(start) :]
        after = f", {page.features[term[term.index(index) + 1]]} = " if index != term[-1] else None
        text, rest = (rest.split(after, 1)[0], rest.split(after, 1)[1]) if after else (rest, "")
        rest = f"{after[2:]}{rest}" if after else ""
        texts.append((index, text))
    holds = all(value_agrees(page, index, text, row) for index, text in texts)
    return Check(f"values of row {row}", detail, str([page.values[row, index] for index in term]), holds)


def value_agrees(page: Page, index: int, text: str, row: int) -> bool:
    """Whether a printed value is that of a row."""
    value, column = page.values[row, index], page.values[:, index]
    if text == "(missing)" or np.isnan(value):
        return text == "(missing)" and bool(np.isnan(value))
    low, high = place(page.dec.features[index], text, np.empty(0))
    return bool(low - 1e-9 * abs(low) <= value <= high + 1e-9 * abs(high)) and len(column) > 0


# --- overlap ---


def matrix(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    data, output = figure["data"], subject.output
    moments = page.dec.held_out or page.dec.in_sample
    firsts, seconds = moments.firsts[:, output], moments.seconds[:, :, output]
    for cell in data["cells"]:
        term = tuple(cell["term"])
        row = page.features.index(data["features"][cell["row"]])
        at, size = page.terms.index(term), np.sqrt(seconds[page.terms.index(term), page.terms.index(term)])
        if cell["row"] == cell["column"]:
            true, name = firsts[at] / size if size else 0.0, page.label(term)
        else:
            part = page.terms.index((row,))
            other = np.sqrt(seconds[part, part])
            true, name = (seconds[at, part] / (size * other) if size * other else 0.0), page.label(term)
        yield Check("name of a cell", cell["label"], name, cell["label"].startswith(name))
        yield near(f"cosine of {cell['label']}", cell["value"], float(true), 1e-6)
        yield near(f"share of {cell['label']}", cell["share"], page.share([term], output)[0], 1e-6)
    by_label = {cell["label"]: cell for cell in data["cells"]}
    for line in figure["table"]["rows"]:
        cell = by_label[line[0]]
        for text, name in zip(line[1:4], ("value", "floor", "share"), strict=True):
            yield printed(f"{name} of {line[0]}", text, cell[name], 1e-6)


FIGURES: dict[str, Callable[[Page, dict[str, Any], Subject], Iterator[Check]]] = {
    "histogram": histogram,
    "scatter": scatter,
    "regions": regions,
    "curve": curve,
    "levels": levels,
    "surface": surface,
    "slices": slices,
    "shares": shares,
    "totals": totals,
    "network": network,
    "waterfall": waterfall,
    "force": waterfall,
    "matrix": matrix,
}
__all__ = ["FIGURES", "Subject", "pairwise"]
