"""How plots stand on a page: side by side, hidden, captioned, in light and dark."""

import pytest

from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import draw
from anova_report.figures.style import DARK, LIGHT
from tests.explorer.conftest import HostMaker
from tests.explorer.hosted_widget import HostedWidget, built, show_on
from tests.figures.samples import HOSTILE, SAMPLES

LEVELS = SAMPLES["levels"].edge
TICKS = "doc => doc.roots()[0].below[0].major_label_text_color"
SHOWN = """() => [...document.querySelectorAll(".anova-plot")]
    .filter(plot => plot.checkVisibility()).map(plot => plot.dataset.plot)"""


def darken(hosted: HostedWidget, *, dark: bool = True) -> None:
    """Say that the page is dark, as JupyterLab does."""
    hosted.page.evaluate("light => { document.body.dataset.jpThemeLight = light }", str(not dark).lower())


def colour(hosted: HostedWidget, selector: str, name: str) -> str:
    return str(hosted.page.evaluate(f"() => getComputedStyle(document.querySelector('{selector}')).{name}"))


def test_plots_stand_side_by_side_in_two_columns_that_fill_the_width(host: HostMaker):
    plots = {name: built(SAMPLES[name].rich) for name in ("curve", "levels")}
    hosted = host(BokehView(plots))
    hosted.open()
    boxes = [hosted.page.locator(f"[data-plot={name}] canvas").first.bounding_box() for name in plots]
    whole = hosted.page.evaluate("() => document.querySelector('.anova-live').clientWidth")
    assert [box["width"] for box in boxes] == [(whole - 16) / 2] * 2
    assert boxes[0]["y"] == boxes[1]["y"]


def test_plots_shrink_with_a_narrow_page(host: HostMaker):
    hosted = host(BokehView(built(SAMPLES["curve"].rich)))
    hosted.open()
    hosted.page.evaluate("() => { document.getElementById('first').style.width = '300px' }")
    hosted.page.wait_for_function("() => document.querySelector('.anova-host').clientWidth === 300")
    hosted.wait_for_frame()
    assert hosted.page.locator("#first canvas").first.bounding_box()["width"] == 300


def test_hidden_plots_come_and_go(host: HostMaker):
    view = BokehView({name: built(SAMPLES[name].rich) for name in ("curve", "levels")})
    view.hidden = ("levels",)
    hosted = host(view)
    hosted.open()
    assert hosted.page.evaluate(SHOWN) == ["curve"]
    with view.batch():
        view.hidden = ("curve",)
        view.captions = {"levels": ("Weather", "Bars of levels.")}
    assert hosted.exchange() == 1
    hosted.wait_for_frame()
    assert hosted.page.evaluate(SHOWN) == ["levels"]
    room = hosted.page.evaluate("() => document.querySelector('[data-plot=levels] .anova-host').clientWidth")
    assert hosted.page.locator("[data-plot=levels] canvas").first.bounding_box()["width"] == room > 0


def test_captions_are_text_and_describe_the_plot_to_those_who_cannot_see_it(host: HostMaker):
    hosted = host(BokehView({"curve": built(SAMPLES["curve"].rich)}, captions={"curve": (HOSTILE, "It rises.")}))
    hosted.open()
    assert hosted.page.locator("figcaption").text_content() == HOSTILE
    assert hosted.page.get_by_role("group", name="It rises.").is_visible()
    assert hosted.page.evaluate("() => window.pwned") is None


def test_plots_follow_the_theme_of_the_page_and_python_knows_nothing_of_it(host: HostMaker):
    view = BokehView(built(LEVELS))
    hosted = host(view)
    hosted.open()
    bright = hosted.picture()
    darken(hosted)
    seen = hosted.picture()
    assert seen != bright
    assert hosted.bokeh(TICKS) == DARK["muted"]
    assert hosted.exchange() == 0
    assert view.plots["plot"].below[0].major_label_text_color == LIGHT["muted"]
    darken(hosted, dark=False)
    assert hosted.picture() == bright


def test_a_scale_of_colours_has_its_dark_form_on_a_dark_page(host: HostMaker):
    hosted = host(BokehView(built(SAMPLES["surface"].rich)))
    darken(hosted)
    hosted.open()
    palettes = """doc => [...doc.all_models].filter(model => model.type === "LinearColorMapper")
        .map(model => [Array.from(model.palette), model.tags[0][2]])"""
    found = hosted.bokeh(palettes)
    assert found
    assert all(palette == dark for palette, dark in found)


def test_what_python_changes_on_a_dark_page_is_dark(host: HostMaker):
    view = BokehView(built(SAMPLES["curve"].rich))
    hosted = host(view)
    darken(hosted)
    hosted.open()
    with view.batch():
        view.plots["plot"].below[0].major_label_text_color = LIGHT["accent"]
        show_on(view.plots["plot"], SAMPLES["curve"].edge)
    hosted.exchange()
    assert hosted.bokeh(TICKS) == DARK["muted"]


def test_the_still_picture_follows_the_theme(host: HostMaker):
    hosted = host(BokehView(built(LEVELS), still=lambda: draw(LEVELS)))
    hosted.start()
    assert colour(hosted, "svg.figure", "fill") == "rgb(27, 33, 40)"  # LIGHT["fg"]
    darken(hosted)
    hosted.wait_for_frame()
    assert colour(hosted, "svg.figure", "fill") == "rgb(231, 234, 238)"  # DARK["fg"]


@pytest.mark.parametrize(("kind", "theme"), [("vscode-dark", "dark"), ("vscode-high-contrast-light", "light")])
def test_the_theme_of_vs_code_is_understood(hosted: HostedWidget, kind: str, theme: str):
    hosted.page.evaluate("kind => { document.body.dataset.vscodeThemeKind = kind }", kind)
    hosted.start()
    assert hosted.page.locator(".anova-view").get_attribute("data-theme") == theme


def test_elsewhere_the_theme_of_the_screen_counts(hosted: HostedWidget):
    hosted.start()
    for theme in ("dark", "light"):
        hosted.page.emulate_media(color_scheme=theme)
        hosted.page.wait_for_selector(f".anova-view[data-theme={theme}]")


def display(hosted: HostedWidget, shown: str) -> None:
    hosted.page.evaluate("shown => { document.getElementById('first').style.display = shown }", shown)
    hosted.wait_for_frame()


def legend(hosted: HostedWidget) -> tuple[float, float]:
    """Return how far below the top of its place a legend begins, and its height."""
    found = hosted.bokeh("""doc => {
        const model = [...doc.all_models].find(found => found.type === "Legend");
        const legend = doc.views_manager.find_one(model).el.getBoundingClientRect();
        return [legend.top - document.querySelector(".anova-host").getBoundingClientRect().top, legend.height];
    }""")
    return found[0], found[1]


def test_a_plot_that_changes_while_it_is_not_displayed_is_laid_out_when_it_is(host: HostMaker):
    view = BokehView(built(SAMPLES["curve"].edge))
    hosted = host(view)
    hosted.open()
    display(hosted, "none")
    with view.batch():
        show_on(view.plots["plot"], SAMPLES["curve"].rich)
    darken(hosted)
    hosted.exchange()
    display(hosted, "block")
    top, height = legend(hosted)
    assert top >= 0
    assert height > 0


def test_a_page_that_hides_itself_while_it_changes_its_theme_gets_the_same_layout(host: HostMaker):
    hosted = host(BokehView(built(SAMPLES["curve"].rich)))
    hosted.open()
    before = legend(hosted)
    # As JupyterLab does: hidden, changed, displayed again before anything is drawn.
    hosted.page.evaluate("""async () => {
        document.body.style.display = "none";
        document.body.dataset.jpThemeLight = "false";
        await Promise.resolve();
        document.body.style.display = "";
    }""")
    hosted.wait_for_frame()
    assert hosted.bokeh(TICKS) == DARK["muted"]
    assert legend(hosted) == before
