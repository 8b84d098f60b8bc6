"""The page and the table of the reproduction, from made-up rows."""

import csv
import io
from collections import Counter

import pytest
from bs4 import BeautifulSoup

from benchmarks.paper import TABLES
from benchmarks.reproduction import Reproduction
from benchmarks.reproduction_page import render, write_page, write_table
from tests.benchmarks.figures import entry, figures, finished
from tests.report.tiny_notebooks import outside_addresses

TORCH = "needs the torch extra: pip install 'anova_report[torch]'"
HOSTILE = '<script>alert(1)</script> & "quotes"'
ROWS = (
    finished("california_housing", "xgb", ours_held_out_r2=0.94, ours_seconds=1.0, published_seconds=18.7),
    entry("california_housing", "mlp", reasons=dict.fromkeys(("model", "published", "ours"), TORCH)),
    finished("diabetes", "xgb", published_r2=0.846, published_max_corr=0.073),
    entry("diabetes", "ebm", training=finished().training, ours=figures(), reasons={"published": HOSTILE}),
)
FOUND = Reproduction(ROWS, ("A processor, 2 cores",))


@pytest.fixture(scope="module")
def html() -> str:
    return render(FOUND)


@pytest.fixture(scope="module")
def parsed(html) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def lines(parsed, anchor):
    rows = parsed.select(f"#{anchor} tbody tr:not(.model)")
    return [[cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in rows]


def test_every_row_shows_the_papers_figures_the_published_methods_and_ours(parsed):
    paper, published, ours = lines(parsed, "diabetes")[:3]
    assert paper[:7] == ["Paper", "0.85", "–", "0.096", "–", "0.24 s", "–"]
    assert published[:7] == ["Published method, by us", "0.846", "0.800", "0.073", "0.120 ± 0.06", "2.0 s", "65"]
    assert ours[0] == "Our default"


def test_differences_are_marked_in_words_and_by_a_shape(parsed):
    _, published, ours = lines(parsed, "california-housing")[:3]
    assert published[7].startswith("R² as in the paper, MaxCorr as in the paper")
    assert ours[7] == "Held-out R² 0.140 above the published method, 18.7 times as fast."
    icons = [use["href"] for use in parsed.select("#california-housing td.words use")]
    assert icons == ["#icon-pass", "#icon-pass"]
    assert {icon[1:] for icon in icons} <= {symbol["id"] for symbol in parsed.select("symbol")}


def test_what_is_missing_says_why_and_only_once_where_there_is_no_model(parsed):
    assert lines(parsed, "california-housing")[4] == ["By us", TORCH]
    assert len(lines(parsed, "california-housing")) == 5
    assert lines(parsed, "diabetes")[4] == ["Published method, by us", HOSTILE]


def test_reasons_are_text_and_never_markup(html, parsed):
    assert not parsed.find_all("script")
    assert "&lt;script&gt;alert(1)" in html
    assert not [tag for tag in parsed.find_all(True) if any(name.startswith("on") for name in tag.attrs)]


def test_the_page_runs_nothing_and_fetches_nothing(html, parsed):
    assert outside_addresses(html) == []
    policy = parsed.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    links = [link["href"] for link in parsed.find_all("a")]
    assert [link for link in links if not link.startswith("#")] == ["reproduce.csv"]


def test_anchors_are_unique_and_lead_somewhere(parsed):
    counts = Counter(tag["id"] for tag in parsed.find_all(id=True))
    assert set(counts.values()) == {1}
    assert {link["href"][1:] for link in parsed.select("a[href^='#']")} <= set(counts)


def test_the_table_holds_every_figure_of_every_row(tmp_path):
    path = write_table(FOUND, tmp_path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert [(row["dataset"], row["model"]) for row in rows] == [
        ("california_housing", "xgb"),
        ("california_housing", "mlp"),
        ("diabetes", "xgb"),
        ("diabetes", "ebm"),
    ]
    first, missing_model, _, last = rows
    assert float(first["paper_r2"]) == TABLES["california_housing"]["xgb"].r2
    assert float(first["published_r2"]) == 0.85
    assert float(first["ours_held_out_r2"]) == 0.94
    assert (first["performance"], first["performance_is"], first["training_seconds"]) == ("0.727", "R²", "1.5")
    assert missing_model["model_missing_because"] == TORCH
    assert missing_model["ours_r2"] == ""
    assert last["published_missing_because"] == HOSTILE


@pytest.mark.parametrize("width", [400, 1300])
def test_the_page_opens_without_scripts_requests_or_sideways_scrolling(tmp_path, scriptless_page, width):
    scriptless_page.set_viewport_size({"width": width, "height": 800})
    scriptless_page.goto(write_page(FOUND, tmp_path).as_uri())
    assert scriptless_page.locator("h2").count() == 5
    contents = scriptless_page.locator(".contents").bounding_box()
    assert contents is None or contents["width"] <= width  # phones have no room for it
    main = scriptless_page.locator("main").bounding_box()
    assert main["x"] + main["width"] <= width
