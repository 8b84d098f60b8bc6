"""The paper's rows next to ours, on datasets small enough to fit at once."""

import re

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, measures
from tests.benchmarks.stand_ins import small_dataset

published = pytest.importorskip("benchmarks.published", reason="needs xgboost, of the extra `bench`")
PAPER = published.PAPER
ROW = published.Row(2, 3, 2, 0.05, 0.77, 1.5e-2, 12.0)


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(published, "load", small_dataset)
    for name in PAPER:
        monkeypatch.setitem(published.PAPER, name, ROW)


@pytest.mark.usefixtures("small")
def test_a_line_has_the_figures_of_a_fit_with_the_papers_settings_next_to_the_papers():
    loaded = small_dataset("electrical_grid")
    predictions = published.train_xgboost(loaded).predictions
    fanova = FunctionalANOVA.published(**ROW.settings).fit(loaded.numbers, predictions)
    text, *_, longer = published.reproduce("electrical_grid")
    assert text.startswith("electrical_grid ")
    assert f"R² {measures.fidelity(fanova.decomposition_).in_sample:.3f} (0.77)" in text
    assert f"MaxCorr {measures.orthogonality(fanova.decomposition_).max_corr:.2e} (1.5e-02)" in text
    assert f"{len(fanova.selected_[0])} of 36 columns" in text  # 3 mains of 3 and 3 pairs of 9
    assert re.search(r"\d\.\d\d s \(12\.00 s\)", text)
    assert longer.startswith("  while BIC falls")


def test_a_main_effect_in_the_disguise_of_a_pair_is_seen_by_leakage_and_not_by_its_cosine():
    # Columns of a pair with a feature of few values are larger than those of a main effect: the path takes them first.
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"hr": rng.integers(0, 12, size=1000), "season": rng.integers(0, 4, size=1000)}).astype(float)
    predictions = rng.normal(size=12)[X["hr"].astype(int)]
    dec = FunctionalANOVA.published(K=2, d=8, max_steps=4).fit(X, predictions).decomposition_
    leak = published.largest_leak(dec, X, predictions)
    assert (leak.term, leak.part) == ((0, 1), (0,))
    assert leak.part_share == leak.cosine == 0
    assert measures.orthogonality(dec).max_corr < 1e-9
    assert min(leak.leakage, leak.of_means) > 0.85
    assert "MaxCorr cannot see a missing main effect, leakage can" in leak.words(dec)
