"""A saved explorer in a real browser, without a kernel and without a network: it answers as Python does."""

from pathlib import Path
from xml.etree.ElementTree import fromstring

import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from anova_report.explorer import Explorer
from anova_report.explorer.controls import Keyboard
from anova_report.explorer.downloads import file_links, svg_document
from anova_report.explorer.fragments import static_html
from anova_report.measures.wording import number
from anova_report.report.notebooks.notebook_export import notebook_page
from anova_report.report.page.what_if_panel import saved
from tests.accessibility import violations
from tests.explorer.examples import HOSTILE, Example, known, mixed

ALIVE = ".anova-living[data-state=alive]"
VALUE = "#what-if-cards .after .value"
FRAME = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title><main>{}</main></html>'


def twin(example: Example) -> str:
    explorer = Explorer(example.dec, example.X, example.predictions, row=3)
    try:
        return static_html(explorer.views)
    finally:
        explorer.close()


def exported(html: str) -> str:
    """Export a notebook that holds this output."""
    output = new_output("display_data", {"text/html": html, "text/plain": ""})
    cells = [new_markdown_cell("# A notebook\n\n## An explorer"), new_code_cell("explorer", outputs=[output])]
    return notebook_page(new_notebook(cells=cells), "A notebook")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("living")
    html = twin(known())
    written = {
        "known": FRAME.format(html),
        "two": FRAME.format(html + html),
        "mixed": FRAME.format(twin(mixed())),
        "exported": exported(html),
        "tampered": exported(html.replace(saved_part(html), saved("window.tampered = true;"))),
    }
    for name, text in written.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in written}


def saved_part(html: str) -> str:
    return html.partition('data-part="code">')[2].partition("<")[0]


def alive(page, path: Path):
    """Open a file, look at its panels one by one, and wait until they live."""
    page.goto(path.as_uri())
    for box in page.locator(".anova-living").all():
        box.scroll_into_view_if_needed()
        box.locator(VALUE).wait_for()
    page.wait_for_selector(ALIVE)
    return page


def typed(panel) -> pd.DataFrame:
    return pd.DataFrame([{name: float(panel.locator(f"#what-if-{at}").input_value()) for at, name in enumerate("abc")}])


def settle(page) -> None:
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", ["known", "exported"])
def test_sliders_of_a_saved_explorer_answer_as_python_does(page, files, name):
    alive(page, files[name])
    for at, key in ((0, "End"), (2, "Home"), (1, "ArrowRight")):
        page.get_by_role("slider", name=f"{'abc'[at]}, over the range of the fit").press(key)
        settle(page)
        assert page.locator(VALUE).inner_text() == number(float(known().dec.predict(typed(page))[0]))
    assert "Explained, not asked" in page.locator("#what-if-asked").inner_text()
    assert page.locator("figure.surface .what-if-mark").count() == 1
    assert page.locator("figure.curve .what-if-mark").count() == 3


def test_two_saved_explorers_on_a_page_answer_apart(page, files):
    alive(page, files["two"])
    first, second = page.locator(".anova-living").all()
    before = second.locator(VALUE).inner_text()
    first.locator("#what-if-0").fill("0.5")
    settle(page)
    assert first.locator(VALUE).inner_text() == number(float(known().dec.predict(typed(first))[0])) != before
    assert second.locator(VALUE).inner_text() == before


def test_code_that_is_not_ours_does_not_run_in_an_exported_notebook(page, files):
    page.goto(files["tampered"].as_uri())
    page.locator(".anova-living").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('.anova-living').dataset.state === 'waiting'")
    page.wait_for_timeout(300)
    assert page.evaluate("window.tampered") is None
    assert all("Content Security Policy" in words for words in page.trouble)
    page.trouble.clear()
    assert page.locator(".anova-still .static").first.is_visible()


def test_without_scripts_the_still_pictures_are_all_there_is(scriptless_page, files):
    scriptless_page.goto(files["known"].as_uri())
    assert scriptless_page.locator(".anova-still img").count() >= 3
    assert scriptless_page.locator("#what-if-panel").count() == 0
    assert "H4sI" not in scriptless_page.locator("body").inner_text()


def test_names_that_users_gave_are_read_and_never_run(page, files):
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    alive(page, files["mixed"])
    assert dialogs == []
    assert HOSTILE in page.locator("#what-if-panel").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["known", "exported"])
def test_axe_finds_nothing_on_a_saved_explorer(page, files, name, theme):
    page.emulate_media(color_scheme=theme)
    alive(page, files[name])
    page.locator("#what-if-0").fill("30")
    page.wait_for_selector("#what-if-warned:visible")
    assert violations(page, ".anova-still" if name == "known" else None) == []


LINK = """async ([esm, picture]) => {
    document.body.innerHTML = '<div class="anova-explorer"><div></div><a data-png download="row.png">PNG</a></div>';
    document.querySelector("a").href = picture;
    const module = await import(URL.createObjectURL(new Blob([esm], {type: "text/javascript"})));
    module.default.render({el: document.querySelector(".anova-explorer > div")});
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def test_a_link_to_png_paints_the_picture_twice_as_sharp(page):
    figures = {"shares": known().views().overview()["shares"]}
    [link] = file_links("overview", figures, "png")
    page.goto("about:blank")
    page.evaluate(LINK, [Keyboard._esm, link.address])
    with page.expect_download() as waited:
        page.locator("a").click()
    written = Path(waited.value.path()).read_bytes()
    assert (waited.value.suggested_filename, written[:8]) == ("row.png", b"\x89PNG\r\n\x1a\n")
    wide = int(fromstring(svg_document(figures)).get("width"))  # noqa: S314 drawn by ourselves
    assert int.from_bytes(written[16:20], "big") == 2 * wide


def test_nothing_is_wider_than_a_phone(page, files):
    page.set_viewport_size({"width": 390, "height": 844})
    alive(page, files["mixed"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
