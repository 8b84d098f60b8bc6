"""Intervals of a proxy ledger hold a truth known on paper; the benchmark has more samples and more laws."""

import numpy as np
import pytest

from benchmarks import proxies


@pytest.mark.parametrize("groups", [True, False], ids=["two groups", "a number"])
def test_intervals_of_ledgers_hold_the_truth_on_a_copula(groups, monkeypatch):
    monkeypatch.setattr(proxies, "REFERENCE", 200_000)
    name = "FGM, ρ = .5"
    known = proxies.truth(name, groups)
    held = [proxies.try_once(name, groups, 300, sample, known) for sample in range(12)]
    for kind in ("main effects", "in all"):
        assert np.mean([inside for found in held for inside in found[kind]]) >= 0.8
    assert known[()] == pytest.approx(sum(value for term, value in known.items() if term))
