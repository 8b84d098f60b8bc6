"""The paper's rows next to ours, on datasets small enough to fit at once."""

import re

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
    answers = published.train_xgboost(loaded).answers
    fanova = FunctionalANOVA.published(K=2, d=3, d_density=2, density_clip=0.05).fit(loaded.numbers, answers)
    text = published.reproduce("electrical_grid")
    assert text.startswith("electrical_grid ")
    assert f"R² {measures.fidelity(fanova.decomposition_).in_sample:.3f} (0.77)" in text
    assert f"MaxCorr {measures.orthogonality(fanova.decomposition_).max_corr:.1e} (1.5e-02)" in text
    assert f"{len(fanova.selected_[0])} of 36 columns" in text  # 3 mains of 3 and 3 pairs of 9
    assert re.search(r"\d\.\d\d s \(12\.00 s\)", text)
