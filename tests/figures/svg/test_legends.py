from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest

from anova_report.figures.style import SMALL
from anova_report.figures.svg import legends
from anova_report.figures.svg.canvas import Canvas
from anova_report.figures.svg.legends import Entry
from anova_report.figures.svg.text import width
from tests.figures.samples import LONG

SHAPES = ("line", "bar", "thin", "dot", "ring", "tick", "cross", "diamond", "triangle")


def drawn(entries, room=300.0):
    canvas = Canvas(Element("svg"), "key")
    legends.draw(canvas, entries, 10, 5, room)
    return canvas.element


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_shows_its_colour_beside_its_words(shape):
    root = drawn([Entry("words", shape, "accent")])
    colours = [element.get(name) or "" for element in root.iter() for name in ("fill", "stroke")]
    assert any("--accent" in colour for colour in colours)
    (text,) = root.iter("text")
    assert text.text == "words"
    assert float(text.get("x") or 0) > 10 + legends.MARK


def test_entries_stand_side_by_side_without_touching():
    root = drawn([Entry("partial dependence", "line", "accent"), Entry("SHAP", "line", "fg")])
    first, second = root.iter("text")
    assert first.get("y") == second.get("y")
    assert float(second.get("x") or 0) - legends.MARK > float(first.get("x") or 0) + width(first.text or "", SMALL)


def test_entries_that_do_not_fit_go_into_further_rows():
    entries = [Entry(f"explanation number {k}", "line", "accent") for k in range(5)]
    heights = [float(text.get("y") or 0) for text in drawn(entries).iter("text")]
    assert heights == sorted(heights)
    steps = {after - before for before, after in pairwise(heights)} - {0.0}
    assert steps == {legends.ROW}
    assert legends.height(entries, 300.0) == legends.ROW * len(set(heights))


def test_a_name_wider_than_the_room_is_cut():
    (text,) = drawn([Entry(LONG, "line", "accent")], room=120.0).iter("text")
    assert (text.text or "").endswith("…")
    assert width(text.text or "", SMALL) < 120


def test_no_entries_take_no_room():
    assert legends.height([], 100.0) == 0
    assert not list(drawn([]).iter("text"))


def test_dashes_are_those_of_the_line():
    root = drawn([Entry("a", "line", "accent", "5 3")])
    assert next(root.iter("line")).get("stroke-dasharray") == "5 3"
