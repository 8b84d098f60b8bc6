"""Claims of captions on effects, against components at every row."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.drawn_effects import unit_of
from benchmarks.facts.page import Floats, Page, Said, place, value_of

Checker = Callable[[Page, Said], Iterator[Check]]
STEADY = 0.8  # of all its ups and downs: what a curve gains in all that is said to rise, or to fall
LOOKED_AT = 20_000  # rows about which captions speak, where there are more
NEAR = 1e-6  # relative: of a component at a row that is evaluated in another table


def effect_of_rows(page: Page, said: Said) -> Floats:
    """Sum the components of a claim at every row."""
    terms = said.terms or [said.features]
    return np.asarray(page.components[:, [page.terms.index(term) for term in terms], said.output].sum(axis=1))


def drawn_rows(page: Page, said: Said) -> Any:
    """Find the rows that lie where a picture is drawn: on its axes, and neither in a gap nor in a hatched cell."""
    data = said.holder["data"]
    if "thin" not in data:
        return _on_axis(page.values[:, said.features[0]], data["x"], data["gaps"])
    first, second = said.features
    x, y = (
        _cells(page, index, data[axis], size)
        for index, axis, size in ((first, "x", len(data["thin"][0])), (second, "y", len(data["thin"])))
    )
    inside = (x >= 0) & (y >= 0)
    thin = np.array(data["thin"])
    return inside & ~thin[np.where(inside, y, 0), np.where(inside, x, 0)]


def _on_axis(column: Floats, axis: dict[str, Any], gaps: list[list[float]]) -> Any:
    found = (column >= axis["low"]) & (column <= axis["high"])
    for low, high in gaps:
        inner = (column > low) & (column < high)
        at_an_end = (column == low) & (low == axis["low"]) | (column == high) & (high == axis["high"])
        found &= ~(inner | at_an_end)
    return found


def _cells(page: Page, index: int, axis: dict[str, Any], size: int) -> Any:
    column = page.values[:, index]
    if axis["levels"]:
        cells = np.full(len(column), -1)
        for at, name in enumerate(axis["levels"]):
            value = value_of(page.dec.features[index], name, column)
            cells[np.isnan(column) if np.isnan(value) else column == value] = at
        return cells
    inside = (column >= axis["low"]) & (column <= axis["high"])
    edges = np.linspace(axis["low"], axis["high"], size + 1)
    return np.where(inside, np.searchsorted(edges, column, side="right").clip(1, size) - 1, -1)


def _ordered(page: Page, said: Said) -> tuple[Floats, Floats]:
    """Return the values of the rows that are drawn, ascending and each once, and the effect there."""
    drawn = drawn_rows(page, said)
    at, first = np.unique(page.values[drawn, said.features[0]], return_index=True)
    return at, effect_of_rows(page, said)[drawn][first]


def course(page: Page, said: Said) -> Iterator[Check]:
    """Follow an effect over all values of rows that are drawn."""
    at, effect = _ordered(page, said)
    net, way = float(effect[-1] - effect[0]), float(np.abs(np.diff(effect)).sum())
    yield equal("it hardly turns back", abs(net) >= STEADY * way * (1 - NEAR), True)
    yield equal("it rises", net > 0, said.kind == "rising effect")
    for name, end in (("first", 0), ("last", -1)):
        yield near(name, said[name], float(effect[end]), NEAR * way)
        yield near(f"{name} value", said[f"{name}_at"], float(at[end]))
    yield from _places(page, said, ("first_at", "last_at"))


def bounded(page: Page, said: Said) -> Iterator[Check]:
    """Find the lowest and the highest effect among all values of rows that are drawn."""
    at, effect = _ordered(page, said)
    span = float(np.ptp(effect))
    for name, best in (("low", effect.argmin()), ("high", effect.argmax())):
        yield near(name, said[name], float(effect[best]), NEAR * span)
        here = effect[np.abs(at - said[f"{name}_at"]) <= NEAR * np.abs(at).max()]
        yield near(f"{name}, where it is said to be", said[name], float(here[0]) if len(here) else np.nan, NEAR * span)
    yield from _places(page, said, ("low_at", "high_at"))


def _places(page: Page, said: Said, names: tuple[str, ...]) -> Iterator[Check]:
    for text, name in zip(said.places, names, strict=True):
        low, high = place(page.dec.features[said.features[0]], text)
        room = NEAR * max(abs(low), abs(high))
        yield within(f"{name}, written {text}", said[name], low - room, high + room)


def constant(page: Page, said: Said) -> Iterator[Check]:
    """See that the effect is the same wherever it is drawn."""
    data = said.holder["data"]
    if "few" in data or ("thin" not in data and "gaps" not in data):
        values = np.array(data["value"])
        yield equal("levels", said["n_places"], float(len(values) - sum(data["few"]) or len(values)))
    else:
        values = effect_of_rows(page, said)[drawn_rows(page, said)]
    size = float(np.abs(values).max(initial=0.0))
    yield near("effect", said["value"], float(values.mean()) if len(values) else 0.0, 1e-4 * size)
    yield within("how far it varies", float(np.ptp(values)) if len(values) else 0.0, 0.0, 1e-4 * size)


def not_drawn(page: Page, said: Said) -> Iterator[Check]:
    """See that no row lies where anything is drawn."""
    yield equal("rows that are drawn", int(drawn_rows(page, said).sum()), 0)
    yield from _ends(page, said)


def range_over_rows(page: Page, said: Said) -> Iterator[Check]:
    """Find the lowest and the highest effect among all rows."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("rows that were looked at", said["n_looked"], float(min(len(page.values), LOOKED_AT)))
    yield from _ends(page, said)


def _ends(page: Page, said: Said) -> Iterator[Check]:
    effect = effect_of_rows(page, said)
    if not said.terms:
        effect = effect[~np.isnan(page.values[:, said.features[0]])]
    size = NEAR * float(np.abs(effect).max())
    yield near("lowest", said["low"], float(effect.min()), size)
    yield near("highest", said["high"], float(effect.max()), size)


def half_width(_page: Page, said: Said) -> Iterator[Check]:
    """Take the middle of the half widths that are drawn."""
    data = said.holder["data"]
    at, upper, value = (np.array(data[name]) for name in ("at", "upper", "value"))
    inside = _on_axis(at, data["x"], data["gaps"])
    chosen = inside if inside.any() else np.ones(len(at), dtype=bool)
    middle = float(np.median((upper - value)[chosen]))
    yield near("median half-width", said["half_width"], middle, 1.1 * unit_of(float(np.abs(value).max())))


def missing(page: Page, said: Said) -> Iterator[Check]:
    """Find the rows without a value, and the effect there."""
    absent = np.isnan(page.values[:, said.features[0]])
    yield near("share", said["share"], float(absent.mean()))
    yield near("effect", said["value"], float(effect_of_rows(page, said)[absent][0]))


def extreme_level(page: Page, said: Said) -> Iterator[Check]:
    """Compare the levels of enough rows."""
    data, index = said.holder["data"], said.features[0]
    column, feature = page.values[:, index], page.dec.features[index]
    value = value_of(feature, said.places[0], column)
    rows = np.isnan(column) if np.isnan(value) else column == value
    if not np.isnan(value):
        yield near("level", said["code"], value)
    yield near("share", said["share"], float(rows.mean()))
    effect = effect_of_rows(page, said)
    yield near("effect", said["value"], float(effect[rows][0]), NEAR * float(np.abs(effect).max()))
    few = data["few"] if not all(data["few"]) else [False] * len(data["few"])
    compared = [value for value, is_few in zip(data["value"], few, strict=True) if not is_few]
    end = max(compared) if said.kind == "highest level" else min(compared)
    yield near("no other is beyond", said["value"], end, 1e-4 * float(np.abs(data["value"]).max()))
    if "low" in said.numbers:
        yield within("interval", said["value"], said["low"], said["high"])


def not_compared(page: Page, said: Said) -> Iterator[Check]:
    """Count levels of few rows."""
    data, index = said.holder["data"], said.features[0]
    column = page.values[:, index]
    counts = [_count(column, value_of(page.dec.features[index], name, column)) for name in data["x"]["levels"]]
    yield equal("least", said["least"], float(min(5, int(np.ceil(len(column) / 10)))))
    yield equal("levels of fewer rows", said["n_levels"], float(sum(count < said["least"] for count in counts)))


def _count(column: Floats, value: float) -> int:
    return int((np.isnan(column) if np.isnan(value) else column == value).sum())


def levels_not_drawn(page: Page, said: Said) -> Iterator[Check]:
    """Count the values of a column, and those that are drawn."""
    column = page.values[:, said.features[0]]
    every = len(np.unique(column[~np.isnan(column)])) + int(np.isnan(column).any())
    yield equal("levels that are not drawn", said["n_levels"], float(every - len(said.holder["data"]["value"])))


def extreme_place(page: Page, said: Said) -> Iterator[Check]:
    """Compare an effect at all rows where a surface is drawn."""
    effect, drawn = effect_of_rows(page, said), drawn_rows(page, said)
    inside = effect[drawn]
    end = float(inside.max() if said.kind == "most of an effect" else inside.min())
    size = NEAR * float(np.abs(effect).max())
    yield near("effect", said["value"], end, size)
    yield near("effect in the row that is named", said["value"], float(effect[said.rows[0]]), size)
    yield equal("that row is drawn", bool(drawn[said.rows[0]]), True)
    for index, text in zip(said.features, said.places, strict=True):
        low, high = place(page.dec.features[index], text)
        value = page.values[said.rows[0], index]
        room = NEAR * (abs(low) + abs(high))
        holds = bool(np.isnan(value) and np.isnan(low)) or low - room <= value <= high + room
        yield Check(f"value of {page.features[index]} there", text, f"{value:.8g}", holds)


def reach(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows near every point of every main effect that is drawn as a curve: each has enough."""
    bare, few = [], []
    for figure in page.document["figures"].values():
        data, first = figure["data"], figure["claims"][0]
        if figure["kind"] == "curve" and not first["terms"]:
            column, at = page.values[:, first["features"][0]], np.array(data["at"])
            away = said["distance"] * (data["x"]["high"] - data["x"]["low"]) * (1 + 1e-6)
            counts = (np.abs(column - at[:, None]) <= away).sum(axis=1)
            bare += at[_on_axis(at, data["x"], data["gaps"]) & (counts < said["n_least"])].tolist()
        if figure["kind"] == "levels" and not first["terms"]:
            counts = np.round(np.array(data["share"]) * len(page.values))
            few += (np.array(data["few"]) != (counts < said["n_least"])).tolist()
    yield equal("points of curves without rows enough", bare, [])
    yield equal("levels that are pale and should not be, or the reverse", any(few), False)
    least = min(5, int(np.ceil(len(page.values) / 10)))
    yield equal("rows", said["n_least"], float(least))
    # A square around a place holds three times as many rows, if they are spread evenly.
    even = float(np.sqrt(3 * least / len(page.values)) / 2)
    yield near("distance", said["distance"], min(max(0.05, even), 0.5))


def hatched(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows around every cell: all cells of fewer than are said to be enough are hatched, and no others."""
    data, thin = said.holder["data"], np.array(said.holder["data"]["thin"])
    yield near("hatched part", said["share"], float(thin.mean()))
    rule = next(claim["numbers"] for claim in page.document["claims"] if claim["kind"] == "reach of pictures")
    yield equal("the rule of the page", {name: said.numbers.get(name, rule[name]) for name in rule}, rule)
    yield equal("terms", {index for term in said.terms for index in term}, set(said.features))
    close = [
        _close(page, index, data[axis], size, said.numbers.get("distance", 0.0))
        for index, axis, size in zip(said.features, "xy", thin.shape[::-1], strict=True)
    ]
    counts = close[1].astype(float) @ close[0].astype(float).T
    yield equal("cells with too few rows", int((counts < said["n_least"]).sum()), int(thin.sum()))
    yield equal("hatched cells with rows enough", int((thin & (counts >= said["n_least"])).sum()), 0)


def _close(page: Page, index: int, axis: dict[str, Any], size: int, distance: float) -> Any:
    """Tell which rows lie close to the middle of each cell along an axis, shape (n_cells, n_rows)."""
    column = page.values[:, index]
    if axis["levels"]:
        cells = _cells(page, index, axis, size)
        return cells == np.arange(size)[:, None]
    edges = np.linspace(axis["low"], axis["high"], size + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    return np.abs(column - middles[:, None]) <= distance * (axis["high"] - axis["low"]) * (1 + 1e-9)


def one_slice(page: Page, said: Said) -> Iterator[Check]:
    """Evaluate both ends of a line that are drawn."""
    data, (along, cut) = said.holder["data"], said.features
    line = next(line for line in data["lines"] if line["name"] == said.places[0])
    yield from _cut(page, said, cut)
    for end, text in zip(("first", "last"), said.places[1:], strict=True):
        values = [np.nan if text == "(missing)" else said[f"{end}_at"], np.nan if _is_missing(said) else said["cut"]]
        points = dict(zip((along, cut), ([value] for value in values), strict=True))
        true = sum(float(page.at(term, points, said.output)[0]) for term in said.terms)
        yield near(end, said[end], true, NEAR * max(map(abs, line["value"])))
        if text != "(missing)":
            low, high = place(page.dec.features[along], text)
            yield within(f"{end} place, written {text}", said[f"{end}_at"], low, high)


def _is_missing(said: Said) -> bool:
    return said.places[0] == "(missing)"


def _cut(page: Page, said: Said, cut: int) -> Iterator[Check]:
    if not _is_missing(said):
        low, high = place(page.dec.features[cut], said.places[0])
        yield within(f"cut, written {said.places[0]}", said["cut"], low, high)
        yield equal("rows hold that value", bool((page.values[:, cut] == said["cut"]).any()), True)


def empty_slice(page: Page, said: Said) -> Iterator[Check]:
    """See that nothing of a line is drawn."""
    data = said.holder["data"]
    line = next(line for line in data["lines"] if line["name"] == said.places[0])
    at = np.array(line["at"])
    yield equal("points that are drawn", int(_on_axis(at, data["x"], line["gaps"]).sum()), 0)
    yield equal("terms", {index for term in said.terms for index in term}, set(said.features))
    yield from _cut(page, said, said.features[1])


EFFECTS: dict[str, Checker] = {
    "rising effect": course,
    "falling effect": course,
    "bounded effect": bounded,
    "constant effect": constant,
    "effect that is not drawn": not_drawn,
    "range over rows": range_over_rows,
    "median half-width": half_width,
    "effect of missing values": missing,
    "highest level": extreme_level,
    "lowest level": extreme_level,
    "levels not compared": not_compared,
    "levels not drawn": levels_not_drawn,
    "most of an effect": extreme_place,
    "least of an effect": extreme_place,
    "reach of pictures": reach,
    "hatched part": hatched,
    "slice": one_slice,
    "slice without rows": empty_slice,
}
