"""Rows in blocks and groups: the same whoever delivers them."""

from collections.abc import Iterator

import numpy as np
import pytest

from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.fit import row_blocks as rows_module
from anova_report.core.fit.row_blocks import ArrayRows, ChunkedRows, CodedRows, GroupBlock, GroupedRows
from tests.core.small_fits import grouped_rows, in_order_of_visit, standard_predictions


@pytest.fixture(scope="module")
def table() -> ArrayRows:
    rng = np.random.default_rng(0)
    return ArrayRows(rng.normal(size=(2 * BLOCK_ROWS + 300, 2)), rng.normal(size=(2 * BLOCK_ROWS + 300, 1)))


def test_a_table_is_cut_into_blocks_of_fixed_size(table):
    sizes = [len(values) for values, _ in table.blocks()]
    assert sizes == [BLOCK_ROWS, BLOCK_ROWS, 300]
    np.testing.assert_array_equal(np.concatenate([values for values, _ in table.blocks()]), table.values)


@pytest.mark.parametrize("size", [100, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 10 * BLOCK_ROWS])
def test_chunks_of_any_size_are_cut_into_the_same_blocks(table, size):
    starts = range(0, len(table.values), size)
    chunks = [(table.values[at : at + size], table.predictions[at : at + size]) for at in starts]
    ours, theirs = list(ChunkedRows(lambda: chunks).blocks()), list(table.blocks())
    assert len(ours) == len(theirs)
    for (values, predictions), (same_values, same_predictions) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(values, same_values)
        np.testing.assert_array_equal(predictions, same_predictions)


@pytest.mark.parametrize("kept", [0, 1e6, 1e9])  # nothing, codes, functions as well
def test_every_row_is_in_its_group_with_its_functions_and_standardized_predictions(table, monkeypatch, kept):
    monkeypatch.setattr(rows_module, "KEPT_BYTES", kept)
    group = np.random.default_rng(2).integers(0, 3, size=len(table.values))
    grouped = grouped_rows(table.values, 5 + 7 * table.predictions, group)
    for _ in range(2):  # the second pass may come from what the first has kept
        for chosen in (0, 1, 2):
            blocks = list(grouped.blocks((chosen,)))
            assert {block.group for block in blocks} == {chosen}
            predictions = np.concatenate([block.predictions for block in blocks])
            visited = in_order_of_visit(len(group))
            members = visited[group[visited] == chosen]
            np.testing.assert_array_equal(predictions, standard_predictions(grouped)[members])
            for feature in (0, 1):
                found = np.concatenate([block.functions[feature] for block in blocks], axis=1)
                expected = grouped.marginals[feature].evaluate(table.values[members, feature])
                assert found.dtype == np.float32
                np.testing.assert_allclose(found, expected, atol=1e-2)  # more values than nodes


class CountedPasses(ArrayRows):
    """Rows that count how often they were asked for."""

    def blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        self.passes.append(1)
        return super().blocks()

    @property
    def passes(self) -> list[int]:
        return self.__dict__.setdefault("_passes", [])


@pytest.mark.parametrize(("kept", "passes"), [(1e9, 1), (1e6, 1), (1000, 3)])
def test_codes_of_small_tables_are_made_once_and_of_large_ones_for_every_pass(table, monkeypatch, kept, passes):
    monkeypatch.setattr(rows_module, "KEPT_BYTES", kept)
    counted = CountedPasses(table.values, table.predictions)
    like = grouped_rows(table.values, table.predictions)
    coded = CodedRows(counted, like.coded.books, like.center, like.spread)
    grouped = GroupedRows(coded, like.marginals, like.groups)
    for _ in range(3):
        assert sum(len(block.predictions) for block in grouped.blocks((0,))) == len(table.values)
    assert len(counted.passes) == passes
    (first, *_), (again, *_) = grouped.blocks((0,)), grouped.blocks((0,))
    assert first.functions is first.functions
    assert (first is again) == (kept == 1e9)


def test_rows_are_kept_as_codes_of_two_bytes(table):
    for codes, _ in grouped_rows(table.values, table.predictions).coded.blocks():
        assert {each.dtype for each in codes} == {np.dtype(np.uint16)}


def test_a_pass_that_was_broken_off_is_not_taken_for_a_whole_one(table):
    grouped = grouped_rows(table.values, table.predictions)
    next(grouped.blocks((0,)))
    assert sum(len(block.predictions) for block in grouped.blocks((0,))) == len(table.values)


def test_the_leading_rows_of_a_part_are_its_first_ones():
    block = GroupBlock(
        2,
        [np.arange(10, dtype=np.uint16)],
        np.arange(10.0)[:, None],
        [np.random.default_rng(0).normal(size=(3, 11)).astype(np.float32)],
        [(4, slice(0, 2)), (9, slice(2, 9)), (11, slice(9, 10))],
        np.arange(50, 60),
    )
    leading = block.leading(0.25)
    assert leading.group == 2
    assert leading.codes[0].tolist() == leading.predictions[:, 0].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(leading.functions[0], block.functions[0][:, :3])
    assert leading.slices == [(4, slice(0, 2)), (9, slice(2, 3))]
    assert leading.positions.tolist() == [50, 51, 52]
    assert block.leading(1.0) is block
