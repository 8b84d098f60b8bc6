"""The page of the analytical case: who is closest to the truth is said feature by feature, whoever it is."""

from dataclasses import replace

import numpy as np
import pytest
from bs4 import BeautifulSoup

from benchmarks import analytical
from benchmarks.analytical import (
    figures,
    gap_figures,
    main,
    smallest,
    standings,
    verdict,
    write_page,
)
from benchmarks.fgm import NAMES, OURS, function, own_effect, run, truth
from tests.ground_truth import FGM

PDP, ALE = "Partial dependence", "Accumulated local effects"


@pytest.fixture(scope="module")
def outcome():
    return run(function, FGM.draw(2000, np.random.default_rng(0)), ["pdp", "ale"])


def with_errors(outcome, ours, pdp, ale):
    return replace(outcome, errors={OURS: ours, PDP: pdp, ALE: ale})


def test_who_is_closest_alone_or_with_others_is_told(outcome):
    made_up = with_errors(outcome, (0.01, 0.0105, 0.002), (0.02, 0.01, 0.0), (0.03, 0.02, 0.0))
    assert smallest(made_up) == ((OURS,), (PDP, OURS), (PDP, ALE))
    assert standings(made_up) == (
        f"x1: {OURS} is closest (0.01), before {PDP} (0.02).",
        f"x2: {PDP} and {OURS} are about equally close (0.01 and 0.0105).",
        f"x3: {PDP} and {ALE} are exact; our error is 0.002.",
    )
    assert verdict(made_up) == "Our error is the smallest for x1, not for x2 and x3."


def test_the_function_does_not_read_the_third_feature_so_whoever_asks_it_is_exact(outcome):
    assert "x3" in NAMES
    assert smallest(outcome)[2] == (OURS, PDP, ALE)
    assert standings(outcome)[2] == f"x3: {OURS}, {PDP} and {ALE} are exact."


def test_every_figure_has_the_truth_and_every_method(outcome):
    assert len(figures(outcome)) == 2  # the function does not read the third feature
    for index, figure in enumerate(figures(outcome)):
        assert [line.name for line in figure.data.overlays] == ["Truth", PDP, ALE]
        at = np.zeros((len(figure.data.at), 3))
        at[:, index] = figure.data.at
        assert figure.data.overlays[0].value == pytest.approx(truth(at, index))
        assert NAMES[index] in figure.alt


def test_gaps_are_effects_minus_the_truth_in_the_same_colors(outcome):
    effects, gaps = figures(outcome), gap_figures(outcome)
    for index, (effect, gap) in enumerate(zip(effects, gaps, strict=True)):
        assert [line.name for line in gap.data.overlays] == [line.name for line in effect.data.overlays]
        assert gap.data.overlays[0].at == ()
        at = np.zeros((len(gap.data.at), 3))
        at[:, index] = gap.data.at
        mean = np.mean(own_effect(outcome.dec, outcome.X, index) - truth(outcome.X, index))
        assert np.array(gap.data.value) == pytest.approx(np.array(effect.data.value) - truth(at, index) - mean)
        lines = [value for line in gap.data.overlays for value in line.value]
        assert gap.data.y.low <= min(lines)
        assert gap.data.y.high >= max(lines)


def test_the_page_is_one_file_without_scripts_that_says_who_wins(outcome, tmp_path):
    beaten = with_errors(outcome, (0.02,) * 3, (0.01,) * 3, (0.03,) * 3)
    text = write_page(outcome, beaten, tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count('role="img"') == 4
    assert "<script" not in text
    words = BeautifulSoup(text, "html.parser").get_text(" ", strip=True)
    for sentence in (verdict(outcome), *standings(outcome), verdict(beaten), *standings(beaten)):
        assert sentence in words


def test_the_command_writes_the_page_and_fails_if_ours_is_not_the_closest(outcome, tmp_path, capsys, monkeypatch):
    beaten = with_errors(outcome, (0.02,) * 3, (0.01,) * 3, (0.03,) * 3)
    monkeypatch.setattr(analytical, "train", lambda _: None)
    monkeypatch.setattr(analytical, "run", lambda *_, **__: beaten)
    assert main(["-o", str(tmp_path / "page.html"), "--rows", "300"]) == 1
    printed = capsys.readouterr().out
    assert "Our error is the smallest for no feature." in printed
    assert printed.rstrip().endswith("page.html")
