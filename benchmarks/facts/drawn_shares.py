"""Pictures of shares, of contributions to a row, and of overlaps, against components on all rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, drawn, equal, near, printed, within
from benchmarks.facts.claims_groups import blocks, group_share
from benchmarks.facts.drawn_effects import unit_of
from benchmarks.facts.page import Page, Subject, Term, place
from benchmarks.facts.printed import reading

Cells = Sequence[Sequence[str]]


def _rest(data: dict[str, Any], every: Sequence[float], shown: Sequence[float]) -> Iterator[Check]:
    yield equal("how many are not drawn", data["n_rest"], len(every) - len(shown))
    yield near("what is not drawn", data["rest"], sum(every) - sum(shown), 1e-6)


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
    """Compute the shares of every term from all rows."""
    data, output, lines = figure["data"], subject.output, figure["table"]["rows"]
    joint = bool(subject.joint)
    groups = [page.inside(term) if joint and at == 0 else [tuple(term)] for at, term in enumerate(data["terms"])]
    true = np.array([page.share(group, output) for group in groups])
    names = ["joint effect" if joint and at == 0 else page.label(term) for at, term in enumerate(data["terms"])]
    yield equal("names", list(data["labels"]), names)
    yield drawn("structural shares", data["structural"], true[:, 0], 0.1)
    yield drawn("total shares", data["total"], true[:, 1], 0.1)
    yield drawn("correlative shares", data["correlative"], true[:, 1] - true[:, 0], 0.1)
    own = data["structural"][int(joint) :]
    yield equal("order", own, sorted(own, reverse=True))
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
    """Compute the shares of every feature from all rows."""
    data, output, lines = figure["data"], subject.output, figure["table"]["rows"]
    if data.get("members"):
        listed = blocks(page)
        every = [group_share(page, own, output) for own in listed.values()]
        places = [list(listed.values()).index(tuple(own)) for own in data["members"]]
        yield equal("names", list(data["labels"]), [list(listed)[at] for at in places])
    else:
        every = [page.feature_shares(index, output) for index in range(len(page.features))]
        places = list(data["features"])
        yield equal("names", list(data["labels"]), [page.features[index] for index in places])
    true = [every[index] for index in places]
    yield drawn("total shares", data["share"], [total for _, total in true], 0.1)
    yield drawn("structural shares", data["structural"], [own for own, _ in true], 0.1)
    yield equal("order", data["structural"], sorted(data["structural"], reverse=True))
    yield from _rest(data, [total for _, total in every], [total for _, total in true])
    smallest = min((own for own, _ in true), default=0.0)
    left = [index for index in range(len(every)) if index not in places]
    yield equal("larger features that are not drawn", [at for at in left if every[at][0] > smallest + 1e-9], [])
    yield from _intervals(data, "share")
    for line, (own, total) in zip(lines, true, strict=False):
        yield printed(f"structural share of {line[0]}", line[1], own)
        yield printed(f"total share of {line[0]}", line[2], total)
        yield _interval_holds(f"interval of {line[0]}", line[3], total)
    yield from _closing(page, lines[len(true) :], data, output, 2)


def _intervals(data: dict[str, Any], name: str) -> Iterator[Check]:
    if data["lower"]:
        bounds = zip(data["lower"], data[name], data["upper"], strict=True)
        outside = [ends for ends in bounds if not ends[0] <= ends[1] <= ends[2]]
        yield equal("intervals that do not hold their share", outside, [])


def _interval_holds(what: str, text: str, value: float) -> Check:
    if " to " not in text:
        return equal(what, text in ("not known", "–"), True)
    low, high = (reading(end) for end in text.split(" to "))
    return Check(what, text, f"{value:.6g}", low[0] - 1e-9 <= value <= high[1] + 1e-9)


def network(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Find the value of every node and line, and whether a stronger one is left out."""
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
    unit = 1e-4 * max((abs(edge["value"]) for edge in data["edges"]), default=0.0)
    weaker = any(others) if len(pairs) < 16 else max(others, default=0.0) > least + unit
    yield equal("a stronger pair is not drawn", weaker, False)
    values = []
    for name, text in figure["table"]["rows"]:
        term = page.named(name) or tuple(sorted(page.features.index(part) for part in name.split(" × ")))
        values.append(true(term))
        yield printed(
            f"value of {name}",
            page.size(text) if subject.row is not None else text,
            values[-1],
            unit_of(max(abs(values[0]), 1e-12)) if values else 0.0,
        )
    sizes = np.abs(values)
    yield equal("largest first", bool((np.diff(sizes) <= 1e-4 * max(sizes, default=0.0) + 1e-9).all()), True)


def waterfall(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Add up the contributions to the prediction of a row."""
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
        yield printed(f"line {line[0]}", page.size(line[2]), value, scale)


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
    value = page.values[row, index]
    if text == "(missing)" or np.isnan(value):
        return text == "(missing)" and bool(np.isnan(value))
    low, high = place(page.dec.features[index], text)
    return bool(low - 1e-9 * abs(low) <= value <= high + 1e-9 * abs(high))


def matrix(page: Page, figure: dict[str, Any], subject: Subject) -> Iterator[Check]:
    """Compute every cosine from moments."""
    data, output = figure["data"], subject.output
    moments = page.dec.held_out or page.dec.in_sample
    firsts, seconds = moments.firsts[:, output], moments.seconds[:, :, output]
    for cell in data["cells"]:
        term = tuple(cell["term"])
        row = page.features.index(data["features"][cell["row"]])
        at, size = page.terms.index(term), np.sqrt(seconds[page.terms.index(term), page.terms.index(term)])
        if cell["row"] == cell["column"]:
            sign = np.sign(page.mean[output])  # the mean is a constant function
            true, name = sign * firsts[at] / size if size else 0.0, page.label(term)
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
