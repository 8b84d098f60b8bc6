"""How plots stand on a page: side by side, hidden, captioned, in light and dark."""

import pytest

from anova_report.explorer.bridge import BokehView
from anova_report.figures.live import build, update
from anova_report.figures.style import DARK, LIGHT
from anova_report.figures.svg import draw
from tests.explorer.conftest import Sheet
from tests.explorer.desk import Desk
from tests.figures.samples import HOSTILE, SAMPLES

LEVELS = SAMPLES["levels"].edge
TICKS = "doc => doc.roots()[0].below[0].major_label_text_color"
SHOWN = """() => [...document.querySelectorAll(".anova-plot")]
    .filter(plot => plot.checkVisibility()).map(plot => plot.dataset.plot)"""


def darken(desk: Desk, *, dark: bool = True) -> None:
    """Say that the page is dark, as JupyterLab does."""
    desk.page.evaluate("light => { document.body.dataset.jpThemeLight = light }", str(not dark).lower())


def colour(desk: Desk, selector: str, name: str) -> str:
    return str(desk.page.evaluate(f"() => getComputedStyle(document.querySelector('{selector}')).{name}"))


def test_plots_stand_side_by_side_as_wide_as_they_were_made(sheet: Sheet):
    plots = {name: build(SAMPLES[name].rich) for name in ("curve", "levels")}
    desk = sheet(BokehView(plots))
    desk.open()
    boxes = [desk.page.locator(f"[data-plot={name}] canvas").first.bounding_box() for name in plots]
    assert [box["width"] for box in boxes] == [plot.width for plot in plots.values()]
    assert boxes[0]["y"] == boxes[1]["y"]


def test_plots_shrink_with_a_narrow_page(sheet: Sheet):
    desk = sheet(BokehView(build(SAMPLES["curve"].rich)))
    desk.open()
    desk.page.evaluate("() => { document.getElementById('first').style.width = '300px' }")
    desk.page.wait_for_function("() => document.querySelector('.anova-host').clientWidth === 300")
    desk.settle()
    assert desk.page.locator("#first canvas").first.bounding_box()["width"] == 300


def test_hidden_plots_come_and_go(sheet: Sheet):
    view = BokehView({name: build(SAMPLES[name].rich) for name in ("curve", "levels")})
    view.hidden = ("levels",)
    desk = sheet(view)
    desk.open()
    assert desk.page.evaluate(SHOWN) == ["curve"]
    with view.batch():
        view.hidden = ("curve",)
        view.captions = {"levels": ("Weather", "Bars of levels.")}
    assert desk.carry() == 1
    desk.settle()
    assert desk.page.evaluate(SHOWN) == ["levels"]
    assert desk.page.locator("[data-plot=levels] canvas").first.bounding_box()["width"] == view.plots["levels"].width


def test_captions_are_text_and_describe_the_plot_to_those_who_cannot_see_it(sheet: Sheet):
    desk = sheet(BokehView({"curve": build(SAMPLES["curve"].rich)}, captions={"curve": (HOSTILE, "It rises.")}))
    desk.open()
    assert desk.page.locator("figcaption").text_content() == HOSTILE
    assert desk.page.get_by_role("group", name="It rises.").is_visible()
    assert desk.page.evaluate("() => window.pwned") is None


def test_plots_follow_the_theme_of_the_page_and_python_knows_nothing_of_it(sheet: Sheet):
    view = BokehView(build(LEVELS))
    desk = sheet(view)
    desk.open()
    bright = desk.picture()
    darken(desk)
    seen = desk.picture()
    assert seen != bright
    assert desk.bokeh(TICKS) == DARK["muted"]
    assert desk.carry() == 0
    assert view.plots["plot"].below[0].major_label_text_color == LIGHT["muted"]
    darken(desk, dark=False)
    assert desk.picture() == bright


def test_a_scale_of_colours_has_its_dark_form_on_a_dark_page(sheet: Sheet):
    desk = sheet(BokehView(build(SAMPLES["surface"].rich)))
    darken(desk)
    desk.open()
    palettes = """doc => [...doc.all_models].filter(model => model.type === "LinearColorMapper")
        .map(model => [Array.from(model.palette), model.tags[0][2]])"""
    found = desk.bokeh(palettes)
    assert found
    assert all(palette == dark for palette, dark in found)


def test_what_python_changes_on_a_dark_page_is_dark(sheet: Sheet):
    view = BokehView(build(SAMPLES["curve"].rich))
    desk = sheet(view)
    darken(desk)
    desk.open()
    with view.batch():
        view.plots["plot"].below[0].major_label_text_color = LIGHT["accent"]
        update(view.plots["plot"], SAMPLES["curve"].edge)
    desk.carry()
    assert desk.bokeh(TICKS) == DARK["muted"]


def test_the_still_picture_follows_the_theme(sheet: Sheet):
    desk = sheet(BokehView(build(LEVELS), fallback=draw(LEVELS)))
    desk.begin()
    assert colour(desk, "svg.figure", "fill") == "rgb(27, 33, 40)"  # LIGHT["fg"]
    darken(desk)
    desk.settle()
    assert colour(desk, "svg.figure", "fill") == "rgb(231, 234, 238)"  # DARK["fg"]


@pytest.mark.parametrize(("kind", "theme"), [("vscode-dark", "dark"), ("vscode-high-contrast-light", "light")])
def test_the_theme_of_vs_code_is_understood(desk: Desk, kind: str, theme: str):
    desk.page.evaluate("kind => { document.body.dataset.vscodeThemeKind = kind }", kind)
    desk.begin()
    assert desk.page.locator(".anova-view").get_attribute("data-theme") == theme


def test_elsewhere_the_theme_of_the_screen_counts(desk: Desk):
    desk.begin()
    for theme in ("dark", "light"):
        desk.page.emulate_media(color_scheme=theme)
        desk.page.wait_for_selector(f".anova-view[data-theme={theme}]")


def display(desk: Desk, shown: str) -> None:
    desk.page.evaluate("shown => { document.getElementById('first').style.display = shown }", shown)
    desk.settle()


def legend(desk: Desk) -> tuple[float, float]:
    """Return how far below the top of its place a legend begins, and its height."""
    found = desk.bokeh("""doc => {
        const model = [...doc.all_models].find(found => found.type === "Legend");
        const legend = doc.views_manager.find_one(model).el.getBoundingClientRect();
        return [legend.top - document.querySelector(".anova-host").getBoundingClientRect().top, legend.height];
    }""")
    return found[0], found[1]


def test_a_plot_that_changes_while_it_is_not_displayed_is_laid_out_when_it_is(sheet: Sheet):
    view = BokehView(build(SAMPLES["curve"].edge))
    desk = sheet(view)
    desk.open()
    display(desk, "none")
    with view.batch():
        update(view.plots["plot"], SAMPLES["curve"].rich)
    darken(desk)
    desk.carry()
    display(desk, "block")
    top, height = legend(desk)
    assert top >= 0
    assert height > 0


def test_a_page_that_hides_itself_while_it_changes_its_theme_gets_the_same_layout(sheet: Sheet):
    desk = sheet(BokehView(build(SAMPLES["curve"].rich)))
    desk.open()
    before = legend(desk)
    # As JupyterLab does: hidden, changed, displayed again before anything is drawn.
    desk.page.evaluate("""async () => {
        document.body.style.display = "none";
        document.body.dataset.jpThemeLight = "false";
        await Promise.resolve();
        document.body.style.display = "";
    }""")
    desk.settle()
    assert desk.bokeh(TICKS) == DARK["muted"]
    assert legend(desk) == before
