"""Tables of orthogonality and stability."""

import numpy as np
import pytest

from anova_report import measures
from anova_report.report.audit.verdict import MOST_COSINES, leaving_out, orthogonality_table, ranks, stability_table
from tests.report.fits import mixed


def test_every_relation_of_an_interaction_and_its_parts_is_listed():
    dec = mixed().dec
    rows = orthogonality_table(dec, 0).rows
    wanted = {(dec.label(pair.term), dec.label(pair.part)) for pair in measures.orthogonality(dec).cosines if pair.part}
    assert {row[:2] for row in rows} == wanted
    assert len(rows) <= MOST_COSINES


def test_terms_that_count_come_first_and_then_the_largest_cosines():
    rows = orthogonality_table(mixed().dec, 0).rows
    assert [row[0] for row in rows] == ["income × region"] * 2 + ["age × region"] * 2
    held_out = [abs(float(row[4].replace("−", "-"))) for row in rows]
    assert held_out[0] >= held_out[1]
    assert held_out[2] >= held_out[3]


def test_leaving_out_a_chunk_is_exact_for_an_average():
    # For a mean of equal chunks the first order is all there is.
    chunks = np.random.default_rng(0).normal(size=(8, 25))
    mean = chunks.mean()
    contributions = (chunks - mean).sum(axis=1) / chunks.size
    without = [np.delete(chunks, chunk, axis=0).mean() for chunk in range(8)]
    assert leaving_out(np.array([mean]), contributions[None])[0] == pytest.approx(without)


def test_ranks_count_from_the_largest():
    estimates = np.array([[0.1, 0.9], [0.5, 0.5], [0.3, 0.1]])
    assert ranks(estimates).tolist() == [[2, 0], [0, 1], [1, 2]]


def test_the_table_of_stability_lists_the_largest_shares_first():
    shares = measures.variance_shares(mixed().dec).ranked()
    rows = stability_table(mixed().dec, 0).rows
    assert [row[0] for row in rows] == [share.label for share in shares]


def test_a_share_lies_between_its_lowest_and_its_highest_and_these_within_the_interval():
    for row in stability_table(mixed().dec, 0).rows[:4]:
        low, share, high = (float(row[at].rstrip("%")) for at in (3, 1, 4))
        first, last = (float(bound.rstrip("%")) for bound in row[2].split(" to "))
        assert first <= low <= share <= high <= last
