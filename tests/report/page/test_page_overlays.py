"""Other explanations on the page in a real browser: switched by the legend, distinct without scripts or colors."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from anova_report.figures.overlays import Overlay
from anova_report.figures.style import LIGHT, rgb
from anova_report.report import write_report
from tests.report.samples import sample_audit

CURVE, LEVELS = "o0-main-0", "o0-main-1"
FIRST, SECOND, THIRD = "partial dependence", "SHAP, averaged", "EBM"
NEAR = 60  # how far a pixel of a thin line may be from its color, summed over red, green and blue
GONE = 3  # pixels that may be left by chance: points of the same color where other marks overlap


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    """Write a page on which three methods lie over a curve and over levels."""
    folder: Path = tmp_path_factory.mktemp("overlays")
    audit = sample_audit()
    curve, levels = (audit.figures[key] for key in (CURVE, LEVELS))
    third = Overlay(THIRD, curve.data.at, tuple(0.6 * value for value in curve.data.value))
    bars = tuple(Overlay(name, (0.0, 1.0), (at, -at)) for name, at in ((FIRST, 0.1), (SECOND, 0.2), (THIRD, 0.3)))
    figures = audit.figures | {
        CURVE: replace(curve, data=replace(curve.data, overlays=(*curve.data.overlays, third), marked=None)),
        LEVELS: replace(levels, data=replace(levels.data, overlays=bars)),
    }
    return write_report(replace(audit, figures=figures), folder / "audit.html").as_uri()


def inked(page, key: str, color: str) -> int:
    """Count the pixels of a color in a live figure, below its legend."""
    image = pytest.importorskip("PIL.Image")
    page.mouse.move(0, 0)  # else tools and hover text lie over the plot
    page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    host = page.locator(f"#{key} .bk-host")
    picture = image.open(io.BytesIO(host.screenshot())).convert("RGB")
    whole, legend = host.bounding_box(), page.locator(f"#{key} .bk-Legend").bounding_box()
    below = picture.crop((0, round(legend["y"] + legend["height"] - whole["y"]), picture.width, picture.height))
    wanted = rgb(color)
    return sum(count for count, pixel in below.getcolors(1 << 24) if _apart(pixel, wanted) < NEAR)


def _apart(pixel: tuple[int, int, int], wanted: tuple[int, int, int]) -> int:
    return sum(abs(a - b) for a, b in zip(pixel, wanted, strict=True))


def explored(page, address: str, key: str):
    """Press Explore and return the entries of the legend by their words."""
    page.emulate_media(reduced_motion="reduce")  # a page that still scrolls is drawn between pixels
    page.goto(f"{address}#{key}")  # which opens the section
    page.locator(f"#{key} button.live").click()
    page.wait_for_selector(f"#{key}.live")
    return lambda words: page.locator(f"#{key} .bk-item", has_text=words)


@pytest.mark.parametrize("key", [CURVE, LEVELS])
def test_a_click_on_a_name_hides_its_marks_and_no_others_and_another_click_brings_them_back(page, address, key):
    entry = explored(page, address, key)
    before = [inked(page, key, LIGHT[f"overlay-{number}"]) for number in (1, 2, 3)]
    assert min(before) > 20
    entry(SECOND).click()
    hidden = [inked(page, key, LIGHT[f"overlay-{number}"]) for number in (1, 2, 3)]
    assert hidden[1] <= GONE
    assert hidden[0] >= before[0] - GONE
    assert hidden[2] >= before[2] - GONE
    entry(SECOND).click()
    assert [inked(page, key, LIGHT[f"overlay-{number}"]) for number in (1, 2, 3)] == before


def test_without_scripts_all_lines_are_there_with_dashes_of_their_own_and_names(scriptless_page, address):
    scriptless_page.goto(f"{address}#{CURVE}")
    figure = scriptless_page.locator(f"#{CURVE}")
    lines = figure.locator(".static [class^=overlay-] path").all()
    assert all(line.is_visible() for line in lines)
    # Where hardly a row lies nothing is drawn, so that a line may have several pieces.
    dashes = list(dict.fromkeys(line.get_attribute("stroke-dasharray") for line in lines))
    assert len(dashes) == 3
    own = figure.locator(".static .component path").first.get_attribute("stroke-dasharray")
    assert len({own, *dashes}) == 4
    legend = figure.locator(".legend line").evaluate_all(
        "all => all.map(line => line.getAttribute('stroke-dasharray'))"
    )
    assert legend == [None, *dashes]
    words = figure.locator(".legend-words").text_content()
    assert all(name in words for name in ("component", FIRST, SECOND, THIRD))
    assert not figure.locator("button.live").is_visible()


def test_without_scripts_marks_of_levels_have_shapes_of_their_own(scriptless_page, address):
    scriptless_page.goto(f"{address}#{LEVELS}")
    marks = scriptless_page.locator(f"#{LEVELS} .static [class^=overlay-] path").all()
    assert all(mark.is_visible() for mark in marks)
    shapes = [mark.evaluate("path => path.getAttribute('d').replace(/M[^lz]*/g, 'M')") for mark in marks]
    assert len(set(shapes)) == 3
