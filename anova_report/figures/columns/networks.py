"""Networks: features on a circle, pairs between them, for all rows or for one."""

from collections.abc import Mapping, Sequence

import numpy as np

from anova_report.core.decomposition import Decomposition
from anova_report.core.terms import TIMES, Term
from anova_report.figures.columns.axes import answer_label, rounded
from anova_report.figures.columns.rows import Rows
from anova_report.figures.columns.shares import largest_features, linked_features
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Edge, Network, Node, Numbers
from anova_report.measures.variance import variance_shares
from anova_report.measures.wording import counted, percent, signed

MOST_NODES = 14
MOST_EDGES = 24
NAMED = 3


def network_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_NODES, key: str | None = None
) -> Figure:
    """Draw main effects as nodes and pairs as edges, as large as their structural shares."""
    chosen = dec.output_index(output)
    values = _structural(dec, chosen)
    features = linked_features(largest_features(dec, chosen), values, top, n_linked=top // 2)
    order = _circle(features, values)
    data = _network(dec, order, values, signed=False, label="structural share of the variance")
    words = [(label, percent(value)) for label, value in _items(data)]
    return _figure(key or f"o{chosen}-network", "Main effects and pairs", data, words, "The largest structural shares")


def local_network(
    rows: Rows, row: int, output: str | int = 0, *, top: int = MOST_NODES, key: str | None = None
) -> Figure:
    """Draw what main effects and pairs contribute to the answer of one row.

    Features stand in the order of `network_figure`, so that rows can be compared.
    """
    chosen = rows.dec.output_index(output)
    found = rows.explanation(row, chosen)
    values = {item.term: item.value for item in found.contributions}
    features = linked_features(_moved(values, len(rows.dec.features)), values, top, n_linked=top // 2)
    order = _circle(features, _structural(rows.dec, chosen))
    label = f"contribution to the {answer_label(rows.dec, chosen)}"
    data = _network(rows.dec, order, values, signed=True, label=label)
    words = [(label, signed(value)) for label, value in _items(data)]
    title = f"Contributions in row {row}"
    return _figure(key or f"o{chosen}-row-{row}-network", title, data, words, f"The largest contributions in row {row}")


def _structural(dec: Decomposition, output: int) -> dict[Term, float]:
    return {share.term: share.structural for share in variance_shares(dec, output).terms}


def _moved(values: Mapping[Term, float], n_features: int) -> list[int]:
    """Features by how much their terms move the answer, whatever the direction."""
    moved = np.zeros(n_features)
    for term, value in values.items():
        moved[list(term)] += abs(value) / len(term)
    return [int(at) for at in np.argsort(-moved, kind="stable")]


def _circle(features: Sequence[int], values: Mapping[Term, float]) -> list[int]:
    """Order features so that strong pairs stand side by side: a chain that takes, at either end, the strongest link."""
    weights = {frozenset(term): abs(value) for term, value in values.items() if len(term) == 2}

    def weight(first: int, second: int) -> float:
        return weights.get(frozenset((first, second)), 0.0)

    left = sorted(features)
    first = max(left, key=lambda at: max((weight(at, other) for other in left if other != at), default=0.0))
    chain = [first]
    left.remove(first)
    while left:
        ends = [(weight(end, at), -at, end) for at in left for end in (chain[-1], chain[0])]
        _, taken, end = max(ends, key=lambda link: link[:2])
        chain.insert(len(chain) if end == chain[-1] else 0, -taken)
        left.remove(-taken)
    return chain


def _network(
    dec: Decomposition, order: Sequence[int], values: Mapping[Term, float], *, signed: bool, label: str
) -> Network:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(order)) / len(order)  # clockwise from the top
    across, up = rounded(np.cos(angles), 1.0), rounded(np.sin(angles), 1.0)
    mains = _sizes([values.get((at,), 0.0) for at in order])
    place = {at: position for position, at in enumerate(order)}
    pairs = [term for term, value in values.items() if len(term) == 2 and value and set(term) <= place.keys()]
    strongest = sorted(pairs, key=lambda term: -abs(values[term]))[:MOST_EDGES]
    sizes = _sizes([values[term] for term in strongest])
    return Network(
        nodes=tuple(map(Node, (dec.feature_names[at] for at in order), across, up, mains)),
        edges=tuple(Edge(place[a], place[b], size) for (a, b), size in zip(strongest, sizes, strict=True)),
        signed=signed,
        label=label,
    )


def _sizes(values: Sequence[float]) -> Numbers:
    return rounded(np.array(values, dtype=np.float64))


def _items(data: Network) -> list[tuple[str, float]]:
    """List main effects and pairs with their values, largest first."""
    pairs = ((TIMES.join((data.nodes[edge.first].label, data.nodes[edge.second].label)), edge) for edge in data.edges)
    items = [(node.label, node.value) for node in data.nodes] + [(label, edge.value) for label, edge in pairs]
    return sorted(items, key=lambda item: -abs(item[1]))


def _figure(key: str, title: str, data: Network, words: Sequence[tuple[str, str]], start: str) -> Figure:
    named = ", ".join(f"{label} ({value})" for label, value in words[:NAMED])
    drawn = f"{counted(len(data.nodes), 'feature', 'features')} and {counted(len(data.edges), 'pair', 'pairs')} drawn"
    alt = f"{start} are those of {named}; {drawn}."
    return Figure(key, title, alt, data, Table(("term", data.label), tuple(words)))
