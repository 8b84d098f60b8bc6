"""Sums over spans: one order of adding, wherever spans are summed, and sums that can travel."""

import pickle
import weakref
from functools import partial

import numpy as np
import pytest

from anova_report.core.diagnostics.concurvity import RankProducts
from anova_report.core.large import spans
from anova_report.core.large.spans import BlockFile, LocalSpans, SpanBlock, in_spans, merge_all, sum_span, tree_sum
from anova_report.core.progress import Passes


class Order:
    """Sums that show in which order they were added up."""

    def __init__(self, _: object) -> None:
        self.parts: list = []

    def sums(self, block: SpanBlock) -> int:
        return block.number

    def add(self, found: int) -> None:
        self.parts.append(found)

    def merge(self, other: "Order") -> None:
        self.parts.append(other.parts)


def order(parts):
    """Leave out brackets around a single part: nothing was added there."""
    if not isinstance(parts, list):
        return parts
    return order(parts[0]) if len(parts) == 1 else [order(part) for part in parts]


def blocks(n_blocks: int, n_rows: int = 4) -> list[SpanBlock]:
    rng = np.random.default_rng(0)
    codes = rng.integers(5, size=(n_blocks, 2, n_rows)).astype(np.uint16)
    return [SpanBlock(number, list(codes[number]), np.zeros((n_rows, 1))) for number in range(n_blocks)]


@pytest.mark.parametrize("n_spans", [1, 2, 3, 4, 5, 9, 16, 17])
def test_sums_that_come_one_after_the_other_are_added_up_as_on_a_cluster(n_spans, monkeypatch):
    monkeypatch.setattr(spans, "TOGETHER", 2)

    def parts() -> list[Order]:
        return [sum_span(Order, None, [block]) for block in blocks(n_spans)]

    level = parts()
    while True:  # as a cluster merges: whole levels, one after the other
        level = [merge_all(Order, None, level[at : at + 2]) for at in range(0, len(level), 2)]
        if len(level) == 1:
            break
    assert order(tree_sum(Order, None, iter(parts())).parts) == order(level[0].parts)


def test_more_levels_of_the_tree_take_no_more_memory(monkeypatch):
    """Of sums that are large, as products of all columns are, two are alive at a time: one more while they merge."""
    monkeypatch.setattr(spans, "TOGETHER", 2)
    alive, most = weakref.WeakSet(), 0

    class Large(Order):
        def __init__(self, shared: object) -> None:
            super().__init__(shared)
            alive.add(self)

        def __setstate__(self, state: dict) -> None:
            vars(self).update(state)
            alive.add(self)

        def merge(self, other: Order) -> None:
            nonlocal most
            most = max(most, len(alive))
            super().merge(other)

    monkeypatch.setitem(globals(), "Large", Large)
    Large.__qualname__ = "Large"
    tree_sum(Large, None, (sum_span(Large, None, [block]) for block in blocks(33)))
    assert most == 2


def test_row_blocks_are_cut_into_spans_of_fixed_size(monkeypatch):
    monkeypatch.setattr(spans, "SPAN_BLOCKS", 3)
    assert [[block.number for block in span] for span in in_spans(blocks(7))] == [[0, 1, 2], [3, 4, 5], [6]]
    # A reader that stops early does not shift the next span.
    assert [next(span).number for span in in_spans(blocks(7))] == [0, 3, 6]


def test_partial_sums_that_traveled_give_the_bits_of_those_that_did_not(monkeypatch):
    monkeypatch.setattr(spans, "SPAN_BLOCKS", 2)
    monkeypatch.setattr(spans, "TOGETHER", 2)
    ranks = dict(enumerate(np.random.default_rng(1).normal(size=(2, 5)).astype(np.float32)))
    whole = LocalSpans(partial(blocks, 11, 1000), Passes(show=False)).fold(RankProducts, ranks, "")
    made = [pickle.dumps(sum_span(RankProducts, ranks, list(span))) for span in in_spans(blocks(11, 1000))]
    traveled = tree_sum(RankProducts, ranks, map(pickle.loads, made))
    np.testing.assert_array_equal(traveled.products, whole.products)


def test_row_blocks_in_a_file_come_back_as_they_were():
    with BlockFile() as file:
        for block in blocks(3):
            file.write(block)
        for _ in range(2):
            found = list(file.read())
            assert [block.number for block in found] == [0, 1, 2]
            np.testing.assert_array_equal(found[2].inputs[1], blocks(3)[2].inputs[1])


def test_no_row_gives_sums_of_no_rows():
    assert LocalSpans(list, Passes(show=False)).fold(Order, None, "").parts == []
