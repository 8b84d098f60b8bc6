"""The script that turns figures live, in a real browser, under the policy that pages have."""

import json

import pytest
from bokeh.core.json_encoder import serialize_json
from bokeh.embed import json_item

from anova_report.figures.live import build
from anova_report.figures.style import DARK, LIGHT
from tests.figures.samples import SAMPLES, TEX
from tests.live_page import LOADER, page_of, plot_json

FEW = tuple(SAMPLES[kind].rich for kind in ("curve", "surface", "totals"))
HOSTILES = tuple(sample.edge for sample in SAMPLES.values())
LIVE = "figure.plot.live"
AXIS = "[...Bokeh.documents.at(-1).all_models].find(model => model.type === 'LinearAxis')"
# What a model that was tagged with the color of names now has.
TICKS = """key => anovaReport.liven(key).then(() =>
    AXIS.major_label_text_color)""".replace("AXIS", AXIS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pages")
    (made / "few.html").write_text(page_of(FEW), encoding="utf-8")
    (made / "hostile.html").write_text(page_of(HOSTILES), encoding="utf-8")
    return made


@pytest.fixture
def few(page, folder):
    page.goto((folder / "few.html").as_uri())
    return page


@pytest.fixture
def halted(page, folder):
    """The page whose timers run only when a test says so, however slow the machine is."""
    page.clock.install(time=0)
    page.goto((folder / "few.html").as_uri())
    page.clock.pause_at(60_000)
    return page


def written(folder, name: str, text: str) -> str:
    """Write a page and return its address."""
    (folder / name).write_text(text, encoding="utf-8")
    address: str = (folder / name).as_uri()
    return address


def test_the_loader_is_short_and_makes_no_code_from_text():
    assert LOADER.count("\n") <= 210
    assert '"use strict"' in LOADER
    assert "eval" not in LOADER
    assert "new Function" not in LOADER
    assert "innerHTML" not in LOADER


def test_without_scripts_every_figure_is_there_and_no_button_that_would_do_nothing(scriptless_page, folder):
    scriptless_page.goto((folder / "few.html").as_uri())
    assert scriptless_page.locator("figure.plot svg[role=img]").count() == len(FEW)
    assert scriptless_page.locator("figure#curve svg[role=img]").is_visible()
    assert not scriptless_page.locator("button.live").first.is_visible()
    assert not scriptless_page.locator("#theme").is_visible()


def test_nothing_is_live_until_a_person_turns_to_it(halted):
    halted.clock.run_for(10_000)
    assert halted.evaluate("typeof Bokeh") == "undefined"
    assert halted.locator(LIVE).count() == 0
    assert halted.locator("figure#curve button.live").get_attribute("aria-pressed") == "false"


def test_a_pointer_that_stays_turns_a_figure_live(few):
    few.locator("figure#curve svg[role=img]").hover()
    few.wait_for_selector("figure#curve.live canvas", state="attached")
    assert few.locator(LIVE).count() == 1
    assert not few.locator("figure#curve .static").is_visible()
    assert few.locator("figure#curve .bk-host").is_visible()
    assert few.locator("figure#curve button.live").get_attribute("aria-pressed") == "true"


def test_a_pointer_that_passes_does_not(halted):
    halted.locator("figure#curve svg[role=img]").hover()
    halted.clock.run_for(100)
    halted.mouse.move(790, 5)
    halted.clock.run_for(10_000)
    assert halted.evaluate("typeof Bokeh") == "undefined"
    halted.locator("figure#curve svg[role=img]").hover()
    halted.clock.run_for(200)
    asked = (halted.evaluate("typeof Bokeh") for _ in range(100) if halted.wait_for_timeout(100) is None)
    assert any(kind != "undefined" for kind in asked)


def test_the_button_turns_a_figure_live_and_back(few):
    button = few.locator("figure#totals button.live")
    button.click()
    few.wait_for_selector("figure#totals.live")
    button.click()
    few.wait_for_selector("figure#totals:not(.live)")
    assert few.locator("figure#totals .static").is_visible()
    assert few.locator(".bk-host").count() == 0
    assert button.get_attribute("aria-pressed") == "false"
    assert few.evaluate("[Bokeh.documents.length, Bokeh.index.roots.length]") == [0, 0]


def test_enter_turns_the_focused_figure_live_and_escape_returns(few):
    few.locator("figure#surface").focus()
    few.keyboard.press("Enter")
    few.wait_for_selector("figure#surface.live")
    few.keyboard.press("Escape")
    few.wait_for_selector("figure#surface:not(.live)")
    assert few.locator("figure#surface svg[role=img]").is_visible()


def test_a_figure_can_be_turned_live_again_and_asked_for_twice_at_once(few):
    for _ in range(2):
        assert few.evaluate("Promise.all([anovaReport.liven('curve'), anovaReport.liven('curve')])") == [True, True]
        assert few.locator("figure#curve .bk-host").count() == 1
        few.keyboard.press("Escape")
    assert few.locator(".bk-host").count() == 0


def test_a_live_figure_takes_the_place_of_its_picture(few):
    still = few.locator("figure#totals svg[role=img]").bounding_box()
    few.evaluate("anovaReport.liven('totals')")
    host = few.locator("figure#totals .bk-host").bounding_box()
    assert (host["x"], host["y"], host["width"]) == pytest.approx((still["x"], still["y"], still["width"]), abs=1)
    assert host["height"] == pytest.approx(still["height"], abs=1)


def test_the_wheel_scrolls_the_page_and_dragging_moves_the_data(few):
    few.set_viewport_size({"width": 820, "height": 300})
    few.evaluate("anovaReport.liven('curve')")
    box = few.locator("figure#curve .bk-host").bounding_box()
    few.mouse.move(box["x"] + 200, box["y"] + 100)
    few.mouse.wheel(0, 60)
    few.wait_for_function("() => scrollY > 0")
    shown = "() => { const {start, end} = Bokeh.documents[0].roots()[0].x_range; return [start, end] }"
    before = few.evaluate(shown)
    few.mouse.down()
    few.mouse.move(box["x"] + 140, box["y"] + 100, steps=4)
    few.mouse.up()
    after = few.evaluate(shown)
    assert after[0] > before[0]
    assert after[1] - after[0] == pytest.approx(before[1] - before[0])


def test_every_kind_can_be_turned_live(page, folder):
    page.goto(written(folder, "rich.html", page_of([sample.rich for sample in SAMPLES.values()])))
    page.evaluate("anovaReport.livenAll()")
    assert page.locator(LIVE).count() == len(SAMPLES)
    assert page.warned == []


def test_names_that_users_gave_are_read_and_never_run(page, folder):
    page.goto((folder / "hostile.html").as_uri())
    page.evaluate("anovaReport.livenAll()")
    assert page.locator(LIVE).count() == len(SAMPLES)
    for key in SAMPLES:
        _sweep(page, page.locator(f"figure#{key} .bk-host").bounding_box())
    assert page.evaluate("window.pwned") is None
    assert page.evaluate(INSIDE, "img") == 0
    assert page.warned == []


def test_hover_text_shows_a_name_letter_by_letter(page, folder):
    page.goto((folder / "hostile.html").as_uri())
    edge = SAMPLES["curve"].edge
    page.evaluate("anovaReport.liven('curve')")
    box = page.locator("figure#curve .bk-host").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.4)
    page.mouse.move(box["x"] + box["width"] * 0.52, box["y"] + box["height"] * 0.4)
    page.wait_for_function("() => (" + TEXTS + ")().some(text => text.includes('effect'))")
    shown = [text.replace("\u200b", "") for text in page.evaluate(TEXTS)]  # which keep formulas from being set
    assert any(edge.data.x.label in text for text in shown)
    assert edge.data.x.label == TEX


INSIDE = """tag => { const count = root => [...root.querySelectorAll("*")].reduce((sum, element) =>
    sum + (element.localName === tag) + (element.shadowRoot ? count(element.shadowRoot) : 0), 0);
    return [...document.querySelectorAll(".bk-host")].reduce((sum, host) => sum + count(host), 0) }"""
TEXTS = """() => { const read = root => [...root.querySelectorAll("*")].flatMap(element =>
    [...(element.classList.contains("bk-Tooltip") ? [element.shadowRoot?.textContent ?? ""] : []),
     ...(element.shadowRoot ? read(element.shadowRoot) : [])]);
    return read(document) }"""


def _sweep(page, box, steps: int = 4) -> None:
    """Move the pointer over a plot, so that whatever can be said under it is said."""
    for row in range(1, steps):
        for column in range(1, steps):
            page.mouse.move(box["x"] + box["width"] * column / steps, box["y"] + box["height"] * row / steps)


def test_the_theme_button_repaints_what_is_live(few):
    assert few.evaluate(TICKS, "curve") == LIGHT["muted"]
    button = few.locator("#theme")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    few.wait_for_function(f"color => {AXIS}.major_label_text_color === color", arg=DARK["muted"])
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    few.wait_for_function(f"color => {AXIS}.major_label_text_color === color", arg=LIGHT["muted"])


def test_colors_of_cells_follow_the_theme(few):
    middle = "[...Bokeh.documents[0].all_models].find(model => model.type === 'LinearColorMapper').palette[32]"
    assert few.evaluate(f"anovaReport.liven('surface').then(() => {middle})") == "#f5f5f3"
    few.locator("#theme").click()
    few.wait_for_function(f"() => {middle} === '#252a31'")


def test_print_shows_the_picture_again(few):
    few.evaluate("anovaReport.liven('curve')")
    few.emulate_media(media="print")
    assert few.locator("figure#curve .static").is_visible()
    assert not few.locator("figure#curve .bk-host").is_visible()


BROKEN = {
    "nothing": {},
    "no plot": {"curve": {}},
    "a model that does not exist": {
        "curve": json.loads(json.dumps(plot_json(FEW[0])).replace('"Segment"', '"Nonsense"'))
    },
    "a text": {"curve": "plot"},
}


@pytest.mark.parametrize("plots", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plot_leaves_the_picture(page, folder, plots):
    page.goto(written(folder, "broken.html", page_of(FEW[:1], plots=plots)))
    assert page.evaluate("anovaReport.liven('curve')") is False
    assert page.locator("figure#curve svg[role=img]").is_visible()
    assert page.locator(".bk-host").count() == 0
    assert page.locator("button.live").get_attribute("aria-pressed") == "false"
    assert [text for text in page.warned if text.startswith("Figure curve stays as it is")]


def test_a_script_that_the_policy_does_not_know_does_not_run(page, folder):
    page.goto(written(folder, "foreign.html", page_of(FEW[:1], code="window.pwned = 1")))
    assert page.evaluate("anovaReport.liven('curve')") is False
    assert page.evaluate("window.pwned") is None
    assert page.locator("figure#curve svg[role=img]").is_visible()
    assert any("script-src" in text for text in page.trouble)
    page.trouble.clear()  # that the policy was violated is what this test wants


def test_what_bokehjs_adds_itself_is_what_bokeh_would_have_written(page, folder):
    """Leaving attributes out of a plot's JSON must change no property of any model."""
    page.goto(written(folder, "whole.html", page_of(FEW[:1])))
    page.evaluate("anovaReport.liven('curve')")
    for kind in ("curve", "surface", "slices", "matrix"):
        edge = SAMPLES[kind].edge
        full, short = serialize_json(json_item(build(edge.scene, edge.title))), json.dumps(plot_json(edge))
        assert page.evaluate(SAME, [full, short])


# Both as BokehJS holds them, with every default; ids, which count models, in the order they appear in.
SAME = """items => { const describe = text => {
    const written = JSON.stringify(Bokeh.require("document").Document.from_json(JSON.parse(text).doc).to_json(true));
    const ids = new Map();
    return written.replace(/"id":"[^"]+"/g, id => ids.get(id) ?? (ids.set(id, `#${ids.size}`), ids.get(id))) };
    return describe(items[0]) === describe(items[1]) }"""
