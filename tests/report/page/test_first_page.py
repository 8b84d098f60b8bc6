"""A page in two: what its first screen says, folded sections below, and no two numbers of one name that differ."""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup, Tag

from anova_report import FunctionalANOVA
from anova_report.cli.demo_model import PREDICTION, make_demo
from anova_report.report import Audit, build_audit, write_report
from anova_report.report.audit.audit import OutputAudit
from anova_report.report.page.render import render
from tests.report import fits

DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# What is drawn wider than a phone and moved there, as the style sheet of figures has it, and its least width in pixels.
WIDE, LEGIBLE = ("waterfall", "totals", "shares", "regions", "ledger", "matrix", "network"), 26 * 16
SHARE = r"(?:[<>] |less than |more than |about )?−?\d+(?:\.\d)?%"


def audited(X: pd.DataFrame, predictions: object, **settings: object) -> Audit:
    dec = FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions).decomposition_
    names = [f"client C{at:06d}" for at in range(len(X))]
    return build_audit(dec, X, predictions, title="An audit", row_names=names, progress=False)


def demo() -> Audit:
    table, _ = make_demo(2000)
    return audited(table.drop(columns=PREDICTION), table[PREDICTION])


def dependent() -> Audit:
    """Two features that move against each other and a pair with a small structural share."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=3000)
    X = pd.DataFrame({"a": first, "b": first + 0.2 * rng.normal(size=3000), "c": rng.normal(size=3000)})
    return audited(X, 3 * X["a"] - 2.5 * X["b"] + X["c"] + 0.3 * X["a"] * X["b"])


def failing() -> Audit:
    """Interactions of three features: little is explained."""
    X = pd.DataFrame(np.random.default_rng(1).uniform(-1, 1, size=(1500, 4)), columns=list("abcd"))
    audit = audited(X, np.sign(X["a"] * X["b"] * X["c"]) + 0.3 * X["d"])
    assert audit.verdict == "fail"
    return audit


def classes() -> Audit:
    """Three outputs of mixed columns with missing values."""
    X = fits.table(900, seed=3)
    scores = pd.DataFrame(
        {"low": -fits.prediction(X), "high": np.sin(X["income"]), "west": 1.0 * (X["region"] == "west")}
    )
    return audited(X, scores)


AUDITS = {made.__name__: made for made in (demo, dependent, failing, classes)}


@dataclass(frozen=True)
class Page:
    """An audit, and the page that was made of it."""

    audit: Audit
    path: Path

    @property
    def address(self) -> str:
        return self.path.as_uri()


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Page]:
    folder = tmp_path_factory.mktemp("pages")
    audits = {name: make() for name, make in AUDITS.items()}
    return {name: Page(audit, write_report(audit, folder / f"{name}.html")) for name, audit in audits.items()}


# What a page claims


def plain(text: str) -> str:
    return " ".join(text.replace("less than", "<").replace("more than", ">").split())


def table_cells(figure: Tag) -> list[list[str]]:
    return [
        [plain(cell.get_text()) for cell in row.find_all(["th", "td"])] for row in figure.select("details.behind tr")
    ]


def column(tables: list[list[str]], head: str) -> dict[str, str]:
    """Read one column of a table, by the names in its first."""
    at = tables[0].index(head)
    return {row[0]: row[at] for row in tables[1:] if row[at]}


class Claims:
    """Every number that a page states about an output, by its name."""

    def __init__(self, soup: BeautifulSoup, output: OutputAudit, several: bool) -> None:
        self.found: dict[str, set[str]] = defaultdict(set)
        self.output = output
        self.part = soup.find(id=output.anchor) if several else soup.find("main")
        self.text = plain(self.part.get_text(" "))
        self.read_fidelity()
        self.read_checks(f"{output.anchor}-" if several else "")
        self.read_figures()
        self.read_first_page()
        self.read_tables()

    def claim(self, name: str, *values: str) -> None:
        self.found[name] |= set(map(plain, values))

    def stated(self, name: str, *patterns: str) -> None:
        for pattern in patterns:
            self.claim(name, *re.findall(pattern, self.text))

    def read_fidelity(self) -> None:
        headlines = {item.h3.get_text(): item.select_one(".value").get_text() for item in self.part.select(".headline")}
        r_squared = r"((?:> )?−?[\d.]+\d)"
        self.stated(
            "unexplained",
            rf"({SHARE}) is unexplained",
            rf"leaves ({SHARE}) of the variance of the predictions unexplained",
        )
        self.stated("explained", rf"reproduces ({SHARE}) of the variance")
        self.stated("R² held out", rf"reaches R² = {r_squared}", rf"and {r_squared} on held-out rows")
        self.stated("overlap of terms", r"deciding overlap is ([\d.]+\d) \(absolute cosine")
        for label, name in (("Unexplained", "unexplained"), ("Overlap of terms", "overlap of terms")):
            self.claim(name, *({headlines[label]} - {"–"}))
        self.claim("R² held out", headlines["Fidelity (R²)"])

    def read_checks(self, prefix: str) -> None:
        statuses = [row.select_one(".badge").get_text() for row in self.part.select(f'tr[id^="{prefix}AR"]')]
        applied = [status for status in statuses if status != "Not applicable"]
        self.claim("checks passed", f"{applied.count('Passed')} of {len(applied)} checks")
        self.stated("checks passed", r"(\d+ of \d+ checks) passed")

    def read_figures(self) -> None:
        """Read the tables behind figures."""
        columns = [
            (self.output.totals, "total", "share of feature"),
            (self.output.totals, "structural", "structural share of feature"),
            (self.output.shares, "total", "total share"),
            (self.output.shares, "structural", "structural share"),
            (self.output.network, "structural share of the variance", "structural share"),
            (self.output.totals, "95% interval of the total", "interval of feature"),
        ]
        for key, head, name in columns:
            cells = table_cells(self.part.find(id=key)) if key else [[head]]
            for label, value in column(cells, head).items():
                self.claim("unexplained" if label == "unexplained" else f"{name} {label}", value)

    def read_first_page(self) -> None:
        for row in self.part.select("table.drivers tbody tr"):
            self.claim(f"share of feature {row.th.get_text()}", row.select_one(".total").get_text())
            self.claim(f"structural share of feature {row.th.get_text()}", row.select_one(".own").get_text())
            self.claim(f"interval of feature {row.th.get_text()}", row.select_one(".between").get_text())
        for heading in self.part.select("h3, h4"):
            words = plain(heading.get_text())
            heads = rf"(main effect|interaction|joint effect), (?:structural ({SHARE}), total )?({SHARE})"
            if kind := re.search(heads, words):
                label = words[: kind.start()].strip()
                self.claim(f"{'joint' if kind[1] == 'joint effect' else 'total'} share {label}", kind[3])
                if kind[2] and kind[1] != "joint effect":
                    self.claim(f"structural share {label}", kind[2])
        for joint in self.output.joints:
            self.stated(f"joint share {joint.label}", rf"{re.escape(joint.label)} carry ({SHARE})")

    def read_tables(self) -> None:
        """Read the tables of sections."""
        names = {"Total share": "total share", "Total": "total share", "Structural share": "structural share"}
        for table in self.part.select("div.scroll table"):
            head = [cell.get_text() for cell in table.select("thead th")]
            rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.select("tbody tr")]
            for named in names.keys() & set(head):
                for row in rows:
                    self.claim(f"{names[named]} {row[0]}", row[head.index(named)])


@pytest.mark.parametrize("name", AUDITS)
def test_no_two_numbers_of_one_name_differ_on_a_page(pages, name):
    page = pages[name]
    soup = BeautifulSoup(page.path.read_text(encoding="utf-8"), "html.parser")
    several = len(page.audit.outputs) > 1
    facts = json.loads(soup.find("script", id="facts").string)
    for output, stated in zip(page.audit.outputs, facts["outputs"], strict=True):
        found = Claims(soup, output, several).found
        assert {name: values for name, values in found.items() if len(values) > 1} == {}
        assert sum(map(len, found.values())) > 15
        for share in stated["drivers"]:
            assert found[f"share of feature {share['label']}"] == {share["share"]}
        if found["explained"]:  # what is explained and what is not add up, and both agree with R²
            (explained,), (left,), (score,) = (found[name] for name in ("explained", "unexplained", "R² held out"))
            if not set("<>") & set(explained + left + score):
                values = [float(text.rstrip("%").replace("−", "-")) for text in (explained, left, score)]
                assert values[0] + values[1] == pytest.approx(100)
                assert values[0] == pytest.approx(100 * values[2])


@pytest.mark.parametrize("name", AUDITS)
def test_what_is_said_of_all_interactions_holds_for_each(pages, name):
    for output in pages[name].audit.outputs:
        text = " ".join(item.sentence for item in output.findings)
        pairs = {pair.label: pair.share for pair in output.pairs}
        if "No interaction has a structural or total share of 1%" in text:
            assert all(abs(share) < 0.01 for share in pairs.values())
        drawn = [pair.structural >= 0.01 for pair in output.pairs]
        assert all(drawn) or len(drawn) <= 3
        if output.verdict == "fail":
            assert re.match(r"\d+ of \d+ checks failed", output.verdict_words)


@pytest.mark.parametrize("name", AUDITS)
def test_a_row_has_one_name_in_headings_and_figures(pages, name):
    soup = BeautifulSoup(pages[name].path.read_text(encoding="utf-8"), "html.parser")
    for output in pages[name].audit.outputs:
        for case in output.cases:
            assert case.row.startswith("client C")
            for key in (case.force, case.waterfall, case.network):
                assert case.row in soup.find(id=key).find("title").get_text()
    assert not re.search(r"\brow \d", soup.find("main").get_text())


@pytest.mark.parametrize("name", AUDITS)
def test_a_finding_names_its_code_and_leads_to_its_text_and_to_the_reason_of_its_limit(pages, name):
    soup = BeautifulSoup(pages[name].path.read_text(encoding="utf-8"), "html.parser")
    for concern in soup.select(".to-do li"):
        line = soup.find(id=concern.find("a")["href"].removeprefix("#"))
        assert concern.select_one(".code").get_text() == line.select_one(".code").get_text()
        reason = soup.find(id=line.select_one("a.code")["href"].removeprefix("#"))
        assert reason.find("th").get_text() == line.select_one(".code").get_text()


# The page in a browser


def inside(box: dict[str, float], screen: dict[str, int]) -> bool:
    return box["y"] >= 0 and box["y"] + box["height"] <= screen["height"] and box["x"] + box["width"] <= screen["width"]


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_the_first_screen_tells_verdict_numbers_and_drivers(page, pages, screen):
    page.set_viewport_size(screen)
    page.goto(pages["demo"].address)
    for part in (".verdict", ".headline >> nth=0", ".headline >> nth=2", ".drivers tbody tr >> nth=0"):
        assert inside(page.locator(part).bounding_box(), screen), part
    assert inside(page.locator(".drivers tbody tr").nth(4).bounding_box(), screen)


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_several_outputs_tell_verdict_numbers_and_drivers_first(page, pages, screen):
    page.set_viewport_size(screen)
    page.goto(pages["classes"].address)
    assert inside(page.locator("table.verdicts").bounding_box(), screen)
    verdicts = page.locator("table.verdicts").inner_text()
    assert all(driver in verdicts for driver in ("Fidelity", "income", "region"))


def test_a_folded_page_is_short_and_small(page, pages):
    page.set_viewport_size(DESK)
    page.goto(pages["demo"].address)
    assert page.evaluate("document.documentElement.scrollHeight") <= 4000
    assert page.locator("details.fold[open]").count() == 0
    assert pages["demo"].path.stat().st_size <= 1_590_000  # of which all rows at a glance take 27,000
    bare = replace(pages["demo"].audit, what_if=None)
    assert len(render(bare).encode()) <= 1_070_000  # the same without the panel


@pytest.mark.parametrize("anchor", ["trust", "main-effects", "AR004", "o0-main-0", "more-pairs", "o0-totals"])
def test_a_link_opens_what_it_leads_into_with_and_without_scripts(page, scriptless_page, pages, anchor):
    for opened in (page, scriptless_page):
        opened.set_viewport_size(DESK)
        opened.emulate_media(reduced_motion="reduce")
        opened.goto(f"{pages['demo'].address}#{anchor}")
        target = opened.locator(f'[id="{anchor}"]')
        target.wait_for(state="visible")
        assert target.bounding_box()["y"] < DESK["height"]


def test_a_search_leads_to_a_term_and_all_sections_open_at_once(page, pages):
    page.goto(pages["demo"].address)
    page.locator("#search").fill("blood sugar")
    figure = next(main.figure for main in pages["demo"].audit.outputs[0].mains if main.label == "blood sugar")
    page.locator(f"#{figure} svg[role=img]").wait_for(state="visible")
    assert page.evaluate("location.hash") == f"#{figure}"
    page.locator("#unfold").click()
    assert page.locator("details.fold:not([open])").count() == 0
    page.locator("#unfold").click()
    assert page.locator("details.fold[open]").count() == 0


def test_on_paper_everything_is_there_or_the_summary_alone(scriptless_page, pages):
    opened = scriptless_page
    opened.goto(pages["demo"].address)
    opened.emulate_media(media="print")
    output = pages["demo"].audit.outputs[0]
    hidden = [f"#{output.scatter} svg", f"#{output.cases[0].anchor} .pairs", "#more-pairs table", "#provenance"]
    for part in (*hidden, f"#{output.cases[-1].force} svg"):
        assert opened.locator(part).first.bounding_box()["height"] > 20, part
    opened.emulate_media(media="screen")
    opened.locator("#paper-summary").check()
    opened.emulate_media(media="print")
    assert not any(opened.locator(part).first.is_visible() for part in hidden)
    assert opened.locator(".verdict").is_visible()
    assert opened.locator(".glance svg").first.is_visible()


@pytest.mark.parametrize("name", ["demo", "classes"])
def test_on_a_phone_nothing_but_tables_and_wide_figures_scrolls_sideways(page, pages, name):
    page.set_viewport_size(PHONE)
    page.goto(pages[name].address)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    wide = page.evaluate(
        """() => [...document.querySelectorAll('main *, header *')].filter(
            part => part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX)
        ).map(part => part.querySelector(':scope > table') ? 'table' : (part.closest('.plot') ?? part).className)"""
    )
    assert set(wide) <= {"table", "command", *(f"plot {kind}" for kind in WIDE)}
    drawn = page.locator(", ".join(f".plot.{kind} .static svg" for kind in WIDE))
    widths = drawn.evaluate_all("all => all.map(svg => svg.getBoundingClientRect().width)")
    assert min(width for width in widths if width) >= LEGIBLE
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_every_main_effect_has_a_sentence_that_can_be_seen(page, pages):
    page.goto(f"{pages['demo'].address}#main-effects")
    for main in pages["demo"].audit.outputs[0].mains:
        sentence = page.locator(f"#{main.figure} > .alt")
        assert sentence.is_visible()
        assert sentence.inner_text().startswith(f"The effect of {main.label} ")


def test_pages_of_an_old_document_say_first_what_they_can(pages):
    audit = pages["demo"].audit
    totals = audit.figures[audit.outputs[0].totals]
    bare = replace(totals, data=replace(totals.data, lower=(), upper=()))
    page = write_report(
        replace(audit, figures=audit.figures | {totals.key: bare}), pages["demo"].path.with_name("old.html")
    )
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    assert {cell.get_text() for cell in soup.select(".drivers .between")} == {""}
    assert soup.select_one(".drivers .amount")["style"].startswith("left:0.0%;width:100.0%")
