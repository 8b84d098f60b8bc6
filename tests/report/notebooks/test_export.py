"""Notebooks on disk, and an executed one as a page."""

import json

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_output

from anova_report import __version__
from anova_report.errors import InputError
from anova_report.io.files import is_own, write_text
from anova_report.report.notebooks.notebook_export import (
    find_notebook,
    inert,
    notebook_page,
    notebook_text,
    read_notebook,
    title,
)
from anova_report.report.page.assets import source_hash
from anova_report.report.page.notebook_views import verdict
from anova_report.report.page.what_if_panel import saved_code, saved_loader
from tests.report.samples import sample_audit
from tests.report.tiny_notebooks import executed_notebook, outside_addresses, tiny_notebook

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WIDGET = "application/vnd.jupyter.widget-view+json"


def shown(output_type="display_data", **forms):
    return new_output(output_type, {name.replace("_", "/", 1): form for name, form in forms.items()})


@pytest.fixture
def export():
    def made(*outputs, text="# Tiny", **options):
        node = executed_notebook(*outputs, text=text)
        node.metadata["papermill"] = {"parameters": options.pop("parameters", {})}
        return BeautifulSoup(notebook_page(node, **({"title": "Tiny"} | options)), "html.parser")

    return made


def test_code_is_hidden_and_outputs_are_shown(export):
    page = export(new_output("stream", name="stdout", text="printed\n"))
    assert "secret_code" not in page.get_text()
    assert page.main.find("pre").get_text() == "printed\n"
    assert page.h1.get_text() == "Tiny"


def test_a_page_allows_the_panel_of_a_saved_explorer_and_no_request(export):
    page = export()
    policy = page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"].split("; ")
    assert "default-src 'none'" in policy
    assert f"script-src {source_hash(saved_loader())} {source_hash(saved_code())}" in policy
    assert not page.find_all("script")
    assert page.html["lang"] == "en"


def test_a_page_has_no_address_outside_of_it(export):
    outputs = [
        shown(text_html='<img src="https://a.org/b.png"><link href="//c.org/d.css" rel="stylesheet"><p>kept</p>'),
        shown(text_html='<svg><image href="http://e.org/f.png"/><use href="#g"/></svg>'),
        shown(text_html='<iframe src="https://h.org"></iframe><script src="https://i.org/j.js"></script>'),
    ]
    page = export(*outputs, text="# Tiny\n\n![k](https://l.org/m.png) <script>alert(1)</script>")
    assert outside_addresses(str(page)) == []
    assert page.find("p", string="kept")
    assert page.find("use")["href"] == "#g"


def test_text_of_outputs_is_escaped(export):
    page = export(
        new_output("stream", name="stdout", text="<b>1</b>"),
        new_output("stream", name="stderr", text="<i>2</i>"),
        shown(text_plain="<u>3</u>"),
        new_output("error", ename="<s>", evalue="<q>", traceback=["\x1b[31m<em>4</em>\x1b[0m"]),
        title="<title>&",
        notice="<mark>",
        parameters={"<a>": "</code><a>"},
    )
    assert not page.main.find_all(["b", "i", "u", "s", "q", "em", "mark", "a"])
    words = page.get_text()
    for text in ("<b>1</b>", "<i>2</i>", "<u>3</u>", "<s>: <q>", "<em>4</em>", "<mark>", "<a>", "</code><a>"):
        assert text in words
    assert page.title.get_text() == "<title>&"
    assert "\x1b" not in words


def test_a_widget_is_replaced_by_its_static_form(export):
    both = new_output("display_data", {WIDGET: {"model_id": "1"}, "text/html": "<b>static</b>", "text/plain": "W()"})
    page = export(both)
    assert page.main.b.get_text() == "static"
    assert "W()" not in page.get_text()
    assert "model_id" not in str(page)


@pytest.mark.parametrize(
    ("mime", "content", "address"),
    [
        ("image/png", PIXEL, f"data:image/png;base64,{PIXEL}"),
        ("image/jpeg", PIXEL, f"data:image/jpeg;base64,{PIXEL}"),
        ("image/svg+xml", "<svg/>", "data:image/svg+xml;base64,PHN2Zy8+"),
    ],
)
def test_pictures_are_part_of_the_page(export, mime, content, address):
    page = export(new_output("display_data", {mime: content, "text/plain": "a picture"}))
    assert page.main.img["src"].strip() == address
    assert page.main.img["alt"] == "Figure"


def test_the_page_says_when_it_was_run_if_that_is_known():
    node = executed_notebook()
    page = notebook_page(node, "Tiny")
    assert f"Made by anova_report {__version__}." in page
    node.metadata["papermill"] = {"start_time": "2024-05-01T12:34:56.789+02:00", "duration": 75.0}
    page = notebook_page(node, "Tiny")
    assert "Run on 2024-05-01 10:34 UTC in 1 min 15 s" in page


def test_the_parameters_of_the_run_are_listed_as_json(export):
    page = export(parameters={"data": "a.csv", "sample": None, "features": ["b", "c"]})
    cells = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in page.select(".given tr")]
    assert cells == [["data", '"a.csv"'], ["sample", "null"], ["features", '["b", "c"]']]
    assert not export().select(".given")


def test_our_own_outputs_take_their_styles_and_symbols_from_the_page(export):
    page = export(shown(text_html=verdict(sample_audit())._repr_html_()))
    assert page.select(".anova-report .verdict")
    assert not page.select(".needs")
    assert not page.body.find_all("style")
    assert len(page.select("#icon-fail")) == 1


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ('<p onclick="a()" onmouseover="b()" class="c">d</p>', '<p class="c">d</p>'),
        ('<a href=" JavaScript:a()">b</a>', "<a>b</a>"),
        ('<img src="data:image/png;base64,AA" alt="a"/>', '<img alt="a" src="data:image/png;base64,AA"/>'),
        ('<meta http-equiv="refresh" content="0;url=//a"><base href="//b">c', "c"),
        ('<form action="//a"><b>c</b></form>', ""),
        ('<video poster="a.png"><source src="b.mp4"></video>', "<video><source/></video>"),
        ('<svg><a xlink:href="javascript:a()">b</a></svg>', "<svg><a>b</a></svg>"),
    ],
)
def test_what_would_run_or_fetch_is_taken_out(html, left):
    assert BeautifulSoup(inert(html), "html.parser") == BeautifulSoup(left, "html.parser")


def test_a_notebook_is_found_by_its_path_which_may_start_in_another_folder(tmp_path):
    written = tiny_notebook(tmp_path / "own.ipynb")
    assert find_notebook(written) == written
    assert find_notebook("own.ipynb", tmp_path) == written


def test_a_notebook_that_is_not_there_is_refused_with_the_names_that_are():
    with pytest.raises(InputError, match=r"There is no notebook 'nowhere.ipynb'. .* comes with anova_report: 'audit'"):
        find_notebook("nowhere.ipynb")


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"cells": 3}', "\u0000\ufffe"])
def test_a_file_that_is_no_notebook_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "wrong.ipynb"
    path.write_text(content)
    with pytest.raises(InputError, match=r"wrong.ipynb is not a notebook that can be read \("):
        read_notebook(path)


def test_a_notebook_is_read_back_as_it_was_written(tmp_path):
    node = executed_notebook()
    path = write_text(tmp_path / "out.ipynb", notebook_text(node))
    assert read_notebook(path) == node
    assert json.loads(path.read_text())["nbformat"] == 4
    assert is_own(path)


def test_the_title_is_that_of_the_metadata_else_the_first_heading_else_the_name():
    node = executed_notebook(text="words\n# Heading\n# Second")
    assert title(node, "name") == "Heading"
    assert title(executed_notebook(text="## Smaller heading"), "name") == "name"
    node.metadata["title"] = "Given"
    assert title(node, "name") == "Given"
