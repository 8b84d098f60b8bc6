"""The page in a real browser: offline, with and without scripts, on a phone, on paper."""

from pathlib import Path

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from anova_report.figures.style import DARK, LIGHT
from anova_report.report import build_audit, write_report
from anova_report.report.audit.audit import Audit
from tests.report.fits import table
from tests.report.samples import ALERT, EMOJI, HOSTILE, IMAGE, LONG, RIGHT_TO_LEFT, SCRIPT, hostile_audit, sample_audit

NARROW = {"width": 360, "height": 740}


def hostile_table() -> Audit:
    """Audit a table in which the names of columns and levels cannot be trusted."""
    X = table(400).rename(columns={"income": SCRIPT, "age": LONG, "region": RIGHT_TO_LEFT, "owner": EMOJI})
    X[RIGHT_TO_LEFT] = X[RIGHT_TO_LEFT].map({"north": IMAGE, "south": ALERT, "west": SCRIPT})
    predictions = np.log1p(X[SCRIPT]) * np.where(X[RIGHT_TO_LEFT] == ALERT, -1.0, 1.0)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    return build_audit(dec, X, predictions, title='"quoted"', rows=[0], top_mains=2, top_pairs=1, progress=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    """Write the pages once; their addresses by name."""
    folder: Path = tmp_path_factory.mktemp("pages")
    audits = {
        "one": sample_audit(),
        "three": sample_audit(("setosa", "versicolor", "virginica")),
        "hostile": hostile_audit(),
        "hostile table": hostile_table(),
    }
    return {name: write_report(audit, folder / f"{name}.html").as_uri() for name, audit in audits.items()}


def color(code: str) -> str:
    """Write "#rrggbb" as a browser does."""
    return "rgb(" + ", ".join(str(int(code[at : at + 2], 16)) for at in (1, 3, 5)) + ")"


def background(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def shown_outputs(page) -> list[str]:
    return [block.get_attribute("id") for block in page.locator(".output").all() if block.is_visible()]


@pytest.mark.parametrize("name", ["one", "three", "hostile", "hostile table"])
def test_a_page_opens_offline_without_an_error_or_a_request(page, files, name):
    page.goto(files[name])
    assert page.locator("main section").count() >= 9
    assert page.locator("footer").is_visible()


@pytest.mark.parametrize(
    ("name", "words"), [("hostile", HOSTILE), ("hostile table", (SCRIPT, IMAGE, ALERT, LONG, EMOJI, RIGHT_TO_LEFT))]
)
def test_no_text_of_the_user_runs_not_even_in_live_figures(page, files, name, words):
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(files[name])
    page.evaluate("window.anovaReport.livenAll()")
    assert page.locator("figure.live").count() == page.locator("figure.plot").count()
    assert page.evaluate("window.pwned") is None
    assert dialogs == []
    assert page.locator("img").count() == 0
    text = page.locator("body").text_content()
    assert [hidden for hidden in words if hidden not in text] == []


@pytest.mark.parametrize("name", ["one", "three", "hostile", "hostile table"])
def test_nothing_is_wider_than_a_phone(page, files, name):
    page.set_viewport_size(NARROW)
    page.goto(files[name])
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_without_scripts_everything_is_there(scriptless_page, files):
    scriptless_page.goto(files["one"])
    for summary in scriptless_page.locator("details.fold > summary").all():
        summary.click()
    for extra in scriptless_page.locator("details.more > summary").all():
        extra.click()
    for section in scriptless_page.locator("main section").all():
        assert section.is_visible()
    drawings = scriptless_page.locator("figure:not(.glance) svg[role=img]").all()
    assert len(drawings) == len(sample_audit().figures)
    for drawing in drawings:
        box = drawing.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 20
    text = scriptless_page.locator("main").inner_text()
    for headline in sample_audit().outputs[0].headlines:
        assert headline.value in text
    assert not any(button.is_visible() for button in scriptless_page.locator("button").all())


def test_outputs_are_switched_by_anchors_alone(scriptless_page, files):
    opened = scriptless_page
    opened.goto(files["three"])
    assert shown_outputs(opened) == ["output-0"]
    opened.locator("#output-0 .switch a", has_text="virginica").click()
    assert shown_outputs(opened) == ["output-2"]
    opened.locator("#output-2 .to-do a").first.click()
    assert shown_outputs(opened) == ["output-2"]
    opened.locator("#output-2 .switch a", has_text="All").click()
    assert shown_outputs(opened) == ["output-0", "output-1", "output-2"]


def test_on_paper_everything_is_light_and_no_control_is_left(page, files):
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(files["three"])
    assert background(page) == color(LIGHT["surface"])
    assert shown_outputs(page) == ["output-0", "output-1", "output-2"]
    for hidden in (".contents", ".switch", "button", ".skip"):
        assert not any(tag.is_visible() for tag in page.locator(hidden).all())


def test_styles_of_the_page_do_not_reach_into_drawings(page, files):
    # A class that page and drawing both use once hid the numbers of all bars in print.
    page.goto(files["one"])
    hidden = """[...document.querySelectorAll('figure svg[role=img] g, figure svg[role=img] text')].filter(
        part => getComputedStyle(part).display === 'none').map(part => part.outerHTML.slice(0, 80))"""
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        assert page.evaluate(hidden) == []


def test_dark_and_light_follow_the_reader_and_the_button(page, files):
    page.emulate_media(color_scheme="dark")
    page.goto(files["one"])
    assert background(page) == color(DARK["surface"])
    page.locator("#theme").click()
    assert background(page) == color(LIGHT["surface"])
    page.emulate_media(color_scheme="light")
    page.locator("#theme").click()
    assert background(page) == color(DARK["surface"])
