"""Chunks of rows: equal runs, whatever the blocks they come in."""

import numpy as np
import pytest

from anova_report.core.chunks import CHUNKS, ChunkCutter, deviations


@pytest.mark.parametrize("blocks", [[1000], [1] * 1000, [7, 500, 493], [640, 0, 360]])
def test_rows_are_dealt_in_equal_runs_whatever_the_blocks(blocks):
    cutter = ChunkCutter(1000)
    dealt = []
    for size in blocks:
        chunks = np.full(size, -1)
        for chunk, cut in cutter.cut(size):
            chunks[cut] = chunk
        dealt.append(chunks)
    length = -(-1000 // CHUNKS)
    np.testing.assert_array_equal(np.concatenate(dealt), np.arange(1000) // length)
    np.testing.assert_array_equal(cutter.n_rows, np.bincount(np.concatenate(dealt), minlength=CHUNKS))


def test_fewer_rows_than_chunks_have_one_each():
    cutter = ChunkCutter(10)
    assert [chunk for chunk, _ in cutter.cut(10)] == list(range(10))
    assert cutter.n_rows.sum() == 10


def test_more_rows_than_announced_are_dealt_from_the_first_chunk_again():
    cutter = ChunkCutter(CHUNKS)
    dealt = [chunk for chunk, _ in cutter.cut(2 * CHUNKS)]
    assert dealt == [*range(CHUNKS), *range(CHUNKS)]


def test_deviations_are_what_a_chunk_has_beyond_its_share():
    n_rows = np.array([3.0, 1.0, 0.0, 4.0])
    np.testing.assert_allclose(deviations(5 * n_rows, n_rows), 0, atol=1e-12)
    sums = np.random.default_rng(0).normal(size=(4, 2, 3))
    left = deviations(sums, n_rows)
    np.testing.assert_allclose(left.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(left[1], sums[1] - sums.sum(axis=0) / 8)


def test_no_rows_are_in_no_chunk():
    cutter = ChunkCutter(0)
    assert list(cutter.cut(0)) == []
    assert not cutter.n_rows.any()


@pytest.mark.parametrize("n_rows", [64, 65, 129, 1000, 4096])
def test_chunks_that_have_rows_have_as_many_but_for_the_last(n_rows):
    cutter = ChunkCutter(n_rows)
    list(cutter.cut(n_rows))
    *full, last = cutter.n_rows[cutter.n_rows > 0]
    assert len(set(full)) == 1
    assert 0 < last <= full[0]


def test_rows_that_are_all_alike_deviate_from_nothing_in_chunks_of_any_size():
    cutter = ChunkCutter(1000)
    sums = np.zeros((CHUNKS, 2))
    for chunk, cut in cutter.cut(1000):
        sums[chunk] += np.tile([2.0, -1.0], (1000, 1))[cut].sum(axis=0)
    np.testing.assert_allclose(deviations(sums, cutter.n_rows), 0, atol=1e-12)
