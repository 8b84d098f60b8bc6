"""Pictures of rows against the rows: histograms, scatter plots, regions."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, printed
from benchmarks.facts.page import Floats, Page, Subject, place, value_of
from benchmarks.facts.printed import agrees


def histogram(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Count the rows of every bar and every line of the table."""
    data, table = figure["data"], figure["table"]["rows"]
    if subject.features:
        feature, column = page.dec.features[subject.features[0]], page.values[:, subject.features[0]]
    else:
        feature, column = None, page.predictions[:, subject.output]
        if page.has_factors and not data["edges"]:
            column = np.exp(column)
    known = column[~np.isnan(column)]
    if data["edges"]:
        edges = np.linspace(data["x"]["low"], data["x"]["high"], len(data["edges"]))
        yield drawn("edges", data["edges"], edges, edges[-1] - edges[0])
        counts = np.histogram(known, edges)[0].tolist()
        beyond, missing = len(known) - sum(counts), len(column) - len(known)
        others = [rows for rows in (beyond, missing) if rows]
    else:
        names = data["x"]["levels"]
        counts = [_rows_of(feature, column, name) for name in names if not _others(name)]
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


def _rows_of(feature: Any, column: Floats, name: str) -> int:
    if name == "(missing)":
        return int(np.isnan(column).sum())
    if feature is None:
        return int(sum(agrees(name, float(value)) for value in column))
    return int((column == value_of(feature, name, column)).sum())


def scatter(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Find explained value and prediction of every point, and the averages of the table."""
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
        yield printed("mean explained value", page.size(line[1]), float(explained[part].mean()))
        yield printed("mean prediction", page.size(line[2]), float(predictions[part].mean()))
        yield printed("residual", page.size(line[3]), float(np.sqrt((residual**2).mean())))
    yield equal("rows of the table", taken, len(explained))


def regions(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Find the rows of every region and the size of their residual."""
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
            at = len(found)  # ranges come in order, and may read alike
            low, high = (place(feature, text) for text in name.split(" to "))
            room = 1e-9 * float(np.abs(ends).max())
            reads = low[0] - room <= ends[at] <= low[1] + room and high[0] - room <= ends[at + 1] <= high[1] + room
            upper = np.inf if at == len(ends) - 2 else ends[at + 1]
            lower = -np.inf if at == 0 else ends[at]
            found.append((sampled >= lower) & (sampled < upper) if reads else np.zeros(len(sampled), bool))
        else:
            found.append(sampled == value_of(feature, name, column))
    return found
