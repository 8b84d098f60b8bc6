"""Pictures of comparisons against the components and shares of both sides."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, printed, printed_between
from benchmarks.facts.drawn_effects import NO_ROWS, unit_of
from benchmarks.facts.page import Floats, Said, headings, place, value_of
from benchmarks.facts.printed import reading
from benchmarks.facts.two import Two

SIDES = ("first", "second")


def contrast(two: Two, figure: dict[str, Any]) -> Iterator[Check]:
    """Evaluate both versions of an effect, and their difference, at every point, and count the points of comparison."""
    data, said = figure["data"], Said(figure["claims"][0], figure)
    term, output = said.terms[0], said.output
    index = two.own(0, term)[0]
    feature, column = two.sides[0].dec.features[index], two.points[0][:, index]
    at, step = np.array(data["at"]), unit_of(data["x"]["high"] - data["x"]["low"])
    known, found = np.unique(column[~np.isnan(column)]), []
    for side, name in enumerate(SIDES):
        around = [two.effect(side, term, [at + shift], output) for shift in np.linspace(-step, step, 9)]
        nearest = known[np.abs(known[:, None] - at).argmin(axis=0)].clip(at - step, at + step)
        slack = np.ptp([*around, two.effect(side, term, [nearest], output)], axis=0)
        found.append((around[4], slack))
        yield equal("name of a side", data[name]["name"], two.names[side])
        yield drawn(f"{name} curve", data[name]["value"], around[4], slack=slack)
    apart = found[1][0] - found[0][0]
    yield drawn("difference", data["difference"]["value"], apart, slack=found[0][1] + found[1][1])
    yield from (_ordered(name, data[name]) for name in (*SIDES, "difference"))
    edges = np.linspace(data["x"]["low"], data["x"]["high"], len(data["density_edges"]))
    counts = np.histogram(column[~np.isnan(column)], edges)[0]
    yield drawn("shares of rows", data["density_share"], counts / len(column), 1.0)
    for side, atom in enumerate(data["missing"] or ()):
        true = two.effect(side, term, [np.array([np.nan])], output)
        yield drawn("effect of a missing value", [atom["value"]], true, max(map(abs, (atom["value"], atom["lower"]))))
    for line in figure["table"]["rows"]:
        low, high = place(feature, line[0])
        spots = np.r_[np.linspace(low, high, 41), column[(column >= low) & (column <= high)]]
        effects = [two.effect(side, term, [spots], output) for side in (0, 1)]
        for text, true in zip(line[1:4], (*effects, effects[1] - effects[0]), strict=True):
            yield printed_between(f"effect at {line[0]}", text, (float(true.min()), float(true.max())))


def levels(two: Two, figure: dict[str, Any]) -> Iterator[Check]:
    """Evaluate both versions of an effect at every level, and count the points of comparison."""
    data, said = figure["data"], Said(figure["claims"][0], figure)
    term, output = said.terms[0], said.output
    index = two.own(0, term)[0]
    feature, column = two.sides[0].dec.features[index], two.points[0][:, index]
    codes = np.array([value_of(feature, name, column) for name in data["x"]["levels"]])
    effects = [two.effect(side, term, [codes], output) for side in (0, 1)]
    for side, name in enumerate(SIDES):
        yield drawn(f"{name} effects", data[name]["value"], effects[side])
        yield _ordered(name, data[name])
    counts = [np.isnan(column).sum() if np.isnan(code) else (column == code).sum() for code in codes]
    yield drawn("shares of levels", data["share"], np.array(counts) / len(column), 1.0)
    by_name = {name: [float(effect[at]) for effect in effects] for at, name in enumerate(data["x"]["levels"])}
    for line in figure["table"]["rows"]:
        first, second = by_name[line[0]]
        for text, true in zip(line[1:4], (first, second, second - first), strict=True):
            yield printed(f"effect of {line[0]}", text, true)


def _ordered(name: str, trace: dict[str, Any]) -> Check:
    lower, value, upper = (np.array(trace[end] or trace["value"]) for end in ("lower", "value", "upper"))
    return equal(f"the band of the {name} holds it", bool(((lower <= value) & (value <= upper)).all()), True)


def drift(two: Two, figure: dict[str, Any]) -> Iterator[Check]:
    """Compute the shares of both from all rows."""
    data, output = figure["data"], next((claim["output"] for claim in figure["claims"]), 0) or 0
    by_feature = "feature" in figure["key"]
    pairs = dict(zip(data["labels"], figure["table"]["rows"], strict=True))
    yield equal("labels", [line[0] for line in pairs.values()], list(data["labels"]))
    true = np.array([shares(two, label, output, by_feature=by_feature) for label in data["labels"]])
    for side, name in enumerate(SIDES):
        yield drawn(f"{name} shares", data[name]["value"], true[:, side], 0.1)
    for (first, second), line in zip(true, pairs.values(), strict=True):
        for text, value in zip(line[1:4], (first, second, second - first), strict=True):
            yield printed(f"share of {line[0]}", text, float(value))
    if data["second"]["lower"]:
        yield _ordered("shares", data["second"])
    every = len(two.features) if by_feature else len(two.terms)
    yield equal("shares that are not drawn", data["n_rest"], every - len(data["labels"]))
    yield from _moved(figure)


def _moved(figure: dict[str, Any]) -> Iterator[Check]:
    """See that what is marked as moved is what its interval says."""
    for line in figure["table"]["rows"]:
        if line[5] == "yes":
            low, high = (reading(text) for text in line[4].split(" to "))
            yield equal(f"the interval of {line[0]} leaves out 0", low[1] > 0 or high[0] < 0, True)


def shares(two: Two, label: str, output: int, *, by_feature: bool) -> tuple[float, float]:
    """Compute the total shares of a named term, or feature, in both."""
    found = []
    for side, page in enumerate(two.sides):
        at = two.output(output, side)
        if by_feature:
            found.append(page.feature_shares(page.columns.index(two.columns[two.features.index(label)]), at)[1])
            continue
        names = [two.columns[index] for term in two.terms if label == _label(two, term) for index in term]
        own = tuple(sorted(map(page.columns.index, names)))
        found.append(page.share([own], at)[1] if own in page.terms else 0.0)
    return found[0], found[1]


def _label(two: Two, term: tuple[int, ...]) -> str:
    return " × ".join(two.features[index] for index in term)


def surface(two: Two, figure: dict[str, Any]) -> Iterator[Check]:
    """Evaluate one version of a pair, or the difference, in every cell."""
    data, said = figure["data"], Said(figure["claims"][0], figure)
    term, output = said.terms[0], said.output
    sizes = {"x": len(data["value"][0]), "y": len(data["value"])}
    middles = {}
    for axis, size in sizes.items():
        label, page = data[axis]["label"], two.sides[0]
        index = next(at for at in term if label in headings(page.dec.features[page.columns.index(two.columns[at])]))
        middles[index] = _middles(two, index, data[axis], size)
    across, up = (middles[index] for index in middles)
    mesh = dict(zip(middles, np.meshgrid(across, up), strict=True))
    columns = [mesh[index].ravel() for index in term]
    versions = [two.effect(side, term, columns, output).reshape(sizes["y"], sizes["x"]) for side in (0, 1)]
    name = figure["key"].rpartition("-")[2]
    true = {"first": versions[0], "second": versions[1], "difference": versions[1] - versions[0]}[name]
    thin = np.array(data["thin"])
    yield drawn(f"cells of the {name}", data["value"], np.where(thin, 0.0, true), data["limit"])
    rows, shown = (np.unique(np.linspace(0, size - 1, 7).round().astype(int)) for size in true.shape)
    for line, row in zip(figure["table"]["rows"], rows, strict=True):
        for text, column in zip(line[1:], shown, strict=True):
            if text != NO_ROWS:
                yield printed(f"cell {row}, {column}", text, float(true[row, column]))


def _middles(two: Two, index: int, axis: dict[str, Any], size: int) -> Floats:
    own = two.own(0, [index])[0]
    if axis["levels"]:
        column = two.points[0][:, own]
        return np.array([value_of(two.sides[0].dec.features[own], name, column) for name in axis["levels"]])
    edges = np.linspace(axis["low"], axis["high"], size + 1)
    return np.asarray((edges[1:] + edges[:-1]) / 2)


def tables(two: Two) -> Iterator[Check]:
    """Check the tables of all effects and all shares, and what was compared."""
    facts = {line[0]: line[1:] for line in two.document["facts"]["rows"]}
    for side in (0, 1):
        page = two.sides[side]
        counts = {"Rows of the fit": len(page.X), "Features": len(page.features), "Terms": len(page.terms)}
        for name, count in counts.items():
            yield equal(f"{name} of {two.names[side]}", facts[name][side], f"{count:,}")
    for position, output in enumerate(two.document["outputs"]):
        by_label = {_label(two, term): term for term in two.terms}
        yield equal("effects", sorted(line[0] for line in output["effects"]["rows"]), sorted(_drawable(two)))
        for line in output["effects"]["rows"]:
            first, second = two.effects(by_label[line[0]], position)
            true = shares(two, line[0], position, by_feature=False)
            yield from (printed(f"share of {line[0]}", *each) for each in zip(line[1:3], true, strict=True))
            yield printed(
                f"distance of {line[0]}", two.sides[0].size(line[4]), float(np.sqrt(((second - first) ** 2).mean()))
            )
        for at, line in enumerate(output["shares"]["rows"]):
            true = shares(two, line[0], position, by_feature=at < len(two.features))
            yield from (printed(f"share of {line[0]}", *each) for each in zip(line[1:3], true, strict=True))


def _drawable(two: Two) -> list[str]:
    return [_label(two, term) for term in two.terms if len(term) <= 2]


PICTURES: dict[str, Callable[[Two, dict[str, Any]], Iterator[Check]]] = {
    "contrast": contrast,
    "levelcontrast": levels,
    "drift": drift,
    "surface": surface,
}
