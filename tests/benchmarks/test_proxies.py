"""Intervals of a proxy ledger hold a truth known on paper; the benchmark has more samples and more laws."""

import numpy as np
import pytest

from benchmarks import proxies


def test_intervals_of_ledgers_hold_the_truth_on_a_copula(monkeypatch):
    monkeypatch.setattr(proxies, "REFERENCE", 200_000)
    name = "FGM, ρ = .5"
    known = {groups: proxies.truth(name, groups) for groups in (True, False)}
    held = [proxies.try_once(name, 300, sample, known) for sample in range(12)]
    for groups, true in known.items():
        for kind in ("main effects", "pairs", "in all"):
            assert np.mean([inside for found in held for inside in found[groups].get(kind, [])]) >= 0.75
        assert true[()] == pytest.approx(sum(value for term, value in true.items() if term))
