"""Figures as they are collected."""

import pytest

from anova_report.report.audit.gallery import Gallery
from tests.figures.samples import SAMPLES


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_figure_is_kept_and_has_a_live_form(kind):
    figure = SAMPLES[kind].rich
    with Gallery(1, show=False) as gallery:
        assert gallery.hang(figure) == figure.key
    assert gallery.figures == {figure.key: figure}
    assert gallery.plots[figure.key]["root_id"]


def test_a_figure_that_is_not_live_has_no_plot():
    with Gallery(1, show=False) as gallery:
        gallery.hang(SAMPLES["histogram"].rich, live=False)
    assert gallery.plots == {}


def test_a_quick_gallery_shows_no_bar(capsys):
    with Gallery(1, show=True) as gallery:
        gallery.hang(SAMPLES["histogram"].rich, live=False)
    assert capsys.readouterr().err.strip() == ""


def test_a_bar_counts_every_figure(monkeypatch, capsys):
    monkeypatch.setattr("anova_report.report.audit.gallery.DELAY", 0)
    with Gallery(2, show=True) as gallery:
        gallery.hang(SAMPLES["histogram"].rich, live=False)
        gallery.hang(SAMPLES["histogram"].edge, live=False)
    assert "drawing" in capsys.readouterr().err
