"""The what-if panel in a real browser, from a file and without a network: what it answers is what Python says."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.input.features import Feature
from anova_report.measures import wording
from anova_report.measures.reasons import encoded_reasons, reason_claims
from anova_report.measures.sentences.groups import reason_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import value_text
from anova_report.report import Audit, build_audit, write_report
from anova_report.report.jobs.options import Job
from anova_report.report.page.assets import script
from anova_report.report.page.render import render
from anova_report.report.page.what_if_panel import given
from tests.report.fits import classes, mixed
from tests.report.samples import ALERT, EMOJI, IMAGE, RIGHT_TO_LEFT, SCRIPT

WRITERS = (wording.number, wording.signed, wording.percent, wording.factor, wording.factor_words)
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Page:
    """A page, and the decomposition that answers in it."""

    dec: Decomposition
    audit: Audit
    path: Path

    @property
    def order(self) -> list[int]:
        """Features in the order of their controls."""
        return given(self.audit, self.audit.what_if)["order"]

    @property
    def address(self) -> str:
        return f"{self.path.as_uri()}#what-if"


def log_page() -> tuple[Decomposition, pd.DataFrame, np.ndarray]:
    """Explain logarithms, with a folded feature, labels and units."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"km": rng.uniform(0, 100, 800), "age": rng.integers(18, 80, 800).astype(float)})
    kind = rng.integers(0, 3, 800)
    X = X.assign(**{f"kind_{name}": (kind == at).astype(float) for at, name in enumerate("abc")})
    claims = np.exp(0.01 * X["km"] - 0.01 * X["age"] + 0.3 * X["kind_b"])
    dec = explain(
        lambda rows: np.exp(0.01 * rows["km"] - 0.01 * rows["age"] + 0.3 * rows["kind_b"]),
        X,
        scale="log",
        progress=False,
        ask=0,
        labels={"km": "Distance"},
        units={"km": "km"},
        prediction_unit="€",
    )
    return dec, X, np.log(claims.to_numpy())


def hostile() -> tuple[Decomposition, pd.DataFrame, np.ndarray]:
    fit = mixed()
    X = fit.X.rename(columns={"income": SCRIPT, "age": IMAGE, "region": RIGHT_TO_LEFT, "owner": EMOJI})
    X[RIGHT_TO_LEFT] = X[RIGHT_TO_LEFT].map({"north": IMAGE, "south": ALERT, "west": SCRIPT})
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, fit.predictions).decomposition_
    return dec, X, fit.predictions


def logit_page() -> tuple[Decomposition, pd.DataFrame, np.ndarray]:
    X = pd.DataFrame(np.random.default_rng(5).normal(size=(700, 2)), columns=["a", "b"])
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, (X["a"] * X["b"] + X["a"]).to_numpy()).decomposition_
    return replace(dec, scale="logit"), X, (X["a"] * X["b"] + X["a"]).to_numpy()


def unit_page() -> tuple[Decomposition, pd.DataFrame, np.ndarray]:
    """Explain amounts in a long unit."""
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.uniform(0, 4, (500, 3)), columns=["carat", "length of the stone", "depth of the stone"])
    price = (4000 * X["carat"] + 900 * X["length of the stone"] * X["depth of the stone"]).to_numpy()
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, price).decomposition_
    return replace(dec, prediction_name="price", prediction_unit="US dollars a year"), X, price


MADE = {
    "mixed": lambda: (mixed().dec, mixed().X, mixed().predictions),
    "classes": lambda: (classes().dec, classes().X, classes().predictions),
    "log": log_page,
    "logit": logit_page,
    "hostile": hostile,
    "unit": unit_page,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Page]:
    folder, found = tmp_path_factory.mktemp("pages"), {}
    for name, make in MADE.items():
        dec, X, predictions = make()
        audit = build_audit(dec, X, predictions, title="A page", top_mains=4, top_pairs=3, progress=False)
        found[name] = Page(dec, audit, write_report(audit, folder / f"{name}.html"))
    return found


def opened(page, made: Page):
    """Open the panel."""
    page.goto(made.address)
    page.wait_for_selector("#what-if-panel:not([hidden])")
    page.wait_for_selector("#what-if-cards .value")
    return page


def answer(page) -> tuple[str, list[str]]:
    """Wait until the row is answered, and read the explained value and what stands below it."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    card = page.locator("#what-if-cards .after")
    return card.locator(".value").inner_text(), card.locator("dd:not(.value)").all_inner_texts()


def tab_to(page, name: str) -> None:
    """Press the tabulator until the element with this id has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == name:
            return
    raise AssertionError(f"The keyboard does not reach {name}.")


def explained(made: Page, row: dict, output: int = 0) -> tuple[str, str]:
    """Say what Python says of a row, in the words of the page."""
    X, names = pd.DataFrame([row]), Names.of(made.dec, output)
    band = measures.prediction_bands(made.dec, X, output=output)
    low, high = (names.value(float(end[0])) for end in (band.lower, band.upper))
    return names.value(float(band.value[0])), f"95% interval {low} to {high}"


def is_close(text: str, wanted: str) -> bool:
    """Compare the numbers of two texts: bands are known to a hundredth or two."""
    ours, theirs = (
        [float(found.replace("−", "-").replace(",", "")) for found in re.findall(r"[−\d][\d.,]*\d|\d", each)]
        for each in (text, wanted)
    )
    return len(ours) == len(theirs) and np.allclose(ours, theirs, rtol=0.02, atol=0.02)


@pytest.mark.filterwarnings("ignore::anova_report.errors.ExtrapolationWarning")
def test_thirty_rows_are_typed_on_the_keyboard_and_answered_as_python_does(page, pages):
    made, rng = pages["mixed"], np.random.default_rng(0)
    opened(page, made)
    for turn in range(30):
        income, age = round(float(rng.uniform(-2, 20)), 3), round(float(rng.uniform(20, 110)), 2)
        region, owner = str(rng.choice(["north", "south", "west"])), bool(rng.random() < 0.5)
        page.locator("#what-if-start").focus()
        page.keyboard.press("Home")  # nothing is missing there
        typed = {0: str(income), 1: str(age), 2: region, 3: str(owner)}
        for place in sorted(typed, key=made.order.index):
            tab_to(page, f"what-if-{place}")
            page.keyboard.type(typed[place])  # what a field holds is selected; a list goes to the level that is typed
        if turn % 5 == 4:
            page.locator("#what-if-start").focus()
            tab_to(page, "what-if-1-missing")
            page.keyboard.press("Space")
        row = {"income": income, "age": np.nan if turn % 5 == 4 else age, "region": region, "owner": owner}
        value, (interval, *_) = answer(page)
        wanted = explained(made, row)
        assert value == wanted[0], row
        assert is_close(interval, wanted[1]), (interval, wanted)
        outside = [name for name in ("income", "age") if measures.support(made.dec, pd.DataFrame([row])).outside]
        assert page.locator("#what-if-warned").is_visible() or not outside


def test_a_panel_is_used_by_the_keyboard_alone(page, pages):
    made = pages["mixed"]
    opened(page, made)
    page.locator("#what-if-start").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id").startswith("what-if-")
    page.keyboard.press("Control+A")
    page.keyboard.type("5.5")
    value, _ = answer(page)
    usual = page.evaluate(
        "[...document.querySelectorAll('.what-if .control')].map(box => box.querySelector('label').textContent)"
    )
    assert page.locator(".what-if .control.changed").count() == 1
    first = usual[0]
    start = made.audit.what_if.starts[-1].values
    row = dict(zip(("income", "age", "region", "owner"), start, strict=True))
    row |= {"region": ("north", "south", "west")[int(row["region"])], "owner": bool(row["owner"]), first: 5.5}
    assert value == explained(made, row)[0]
    said = page.locator("#what-if-said")
    page.wait_for_selector("#what-if-said:has-text('Before')", state="attached")
    assert value in said.text_content()


def test_what_changed_stands_beside_what_was_before(page, pages):
    made = pages["mixed"]
    opened(page, made)
    assert page.locator("#what-if-changed").is_hidden()
    before, _ = answer(page)
    page.locator("#what-if-0").fill("9")
    after, _ = answer(page)
    assert page.locator("#what-if-cards .before .value").inner_text() == before
    assert "income from" in page.locator("#what-if-changes").inner_text()
    head = page.locator("#what-if-table thead th").all_text_contents()
    assert head[-2:] == ["Before", "Change"]
    page.locator("#what-if-keep").click()
    answer(page)
    assert page.locator("#what-if-changed").is_hidden()
    page.locator("#what-if-0").fill("1")
    answer(page)
    assert page.locator("#what-if-cards .before .value").inner_text() == after
    page.locator("#what-if-back").click()
    assert answer(page)[0] == after


def test_a_line_of_csv_is_a_row(page, pages):
    made = pages["mixed"]
    opened(page, made)
    page.locator(".what-if-row details:has(#what-if-line) summary").click()
    for line, row in (
        ("3.5,40,south,True", {"income": 3.5, "age": 40.0, "region": "south", "owner": True}),
        (
            'region;age;owner;income\n"west";;false;7.25',
            {"income": 7.25, "age": np.nan, "region": "west", "owner": False},
        ),
    ):
        page.locator("#what-if-line").fill(line)
        page.locator("#what-if-read").click()
        assert answer(page)[0] == explained(made, row)[0]
    for line, fault in (
        ("1,2", "The line has 2 cells, and there are 4 features."),
        ("x,40,south,True", "“x” is no value of income."),
        ("a,b\n1,2", "names no feature"),
        ("", "no line"),
    ):
        page.locator("#what-if-line").fill(line)
        page.locator("#what-if-read").click()
        assert fault in page.locator("#what-if-fault").inner_text()
        assert page.locator("#what-if-line").get_attribute("aria-invalid") == "true"
    page.locator("#what-if-write").click()
    assert page.locator("#what-if-line").input_value() == "income,age,region,owner\n7.25,,west,False"


def test_columns_that_were_folded_are_read_and_factors_are_those_of_python(page, pages):
    made = pages["log"]
    opened(page, made)
    page.locator(".what-if-row details:has(#what-if-line) summary").click()
    page.locator("#what-if-line").fill("km,age,kind_a,kind_b,kind_c\n50,30,0,1,0")
    page.locator("#what-if-read").click()
    value, (interval, own) = answer(page)
    row = {"km": 50.0, "age": 30.0, "kind_a": 0.0, "kind_b": 1.0, "kind_c": 0.0}
    wanted = explained(made, row)
    assert value == wanted[0]
    assert value.endswith("€")
    assert is_close(interval, wanted[1])
    mean = float(made.dec.mean)
    factor = wording.factor(float(made.dec.predict(pd.DataFrame([row]))[0]) - mean)
    assert own == f"{factor} the base rate of {Names.of(made.dec).value(mean)}"
    assert page.locator("label[for=what-if-0]").inner_text() == "Distance (km)"


def test_log_odds_are_said_as_probabilities(page, pages):
    made = pages["logit"]
    opened(page, made)
    page.locator("#what-if-0").fill("1.25")
    page.locator("#what-if-1").fill("-0.5")
    _, (_, own) = answer(page)
    odds = float(made.dec.predict(pd.DataFrame([{"a": 1.25, "b": -0.5}]))[0])
    assert own.startswith(f"As a probability: {wording.percent(1 / (1 + np.exp(-odds)))} ")


def test_outputs_are_switched(page, pages):
    made = pages["classes"]
    opened(page, made)
    row = {"income": 4.0, "age": 50.0, "region": "west", "owner": True}
    page.locator(".what-if-row details:has(#what-if-line) summary").click()
    page.locator("#what-if-line").fill("4,50,west,True")
    page.locator("#what-if-read").click()
    for output, name in enumerate(made.dec.output_names):
        page.locator("#what-if-output").select_option(label=name)
        assert answer(page)[0] == explained(made, row, output)[0]


def test_drawings_of_the_page_show_the_point(page, pages):
    made = pages["mixed"]
    opened(page, made)
    page.locator("#what-if-0").fill("6")
    answer(page)
    figure = next(main.figure for main in made.audit.outputs[0].mains if main.label == "income")
    data = made.audit.figures[figure].data
    panel = data.scene().panels[0]
    at = page.locator(f"#{figure} .what-if-mark circle")
    assert float(at.get_attribute("cx")) == pytest.approx(panel.across(6.0), abs=0.01)
    row = pd.DataFrame([{"income": 6.0, "age": 50.0, "region": "north", "owner": True}])
    effect = float(made.dec.component("income", row)[0])
    assert float(at.get_attribute("cy")) == pytest.approx(panel.down(effect), abs=0.01)
    assert page.locator("figure.surface .what-if-mark, figure.glance .what-if-mark").count() >= 1
    page.evaluate(f"anovaReport.liven('{figure}')")
    answer(page)
    shown = """() => Bokeh.documents[0].roots()[0].renderers.at(-1).data_source.data"""
    assert page.evaluate(shown) == {"x": [6.0], "y": [pytest.approx(effect, rel=1e-8)]}
    page.locator("#what-if-0").fill("7")
    answer(page)
    assert page.evaluate(shown)["x"] == [7.0]


@pytest.mark.parametrize("name", ["mixed", "classes", "log"])
def test_reasons_are_those_of_python(page, pages, name):
    made, rng = pages[name], np.random.default_rng(1)
    page.goto("about:blank")
    page.add_script_tag(content=script("evaluator.js") + "window.anovaEvaluator = anovaEvaluator;")
    numbers = given(made.audit, made.audit.what_if)["numbers"]
    marginals = made.dec.expansion.reference.marginals
    rows = np.column_stack(
        [
            rng.choice(own.breaks, 40) if hasattr(own, "breaks") else rng.integers(0, len(own.cells), 40)
            for own in marginals
        ]
    ).astype(float)
    asked = """async ([numbers, rows]) => { const model = await anovaEvaluator.open(numbers);
        return rows.map(row => model.reasons(model.explain(row, 0))); }"""
    said = page.evaluate(asked, [numbers, rows.tolist()])
    wanted = encoded_reasons(made.dec, rows).rows
    unlike = 0
    for ours, theirs in zip(said, wanted, strict=True):
        assert [own["name"] for own in ours] == [own.name for own in theirs]
        np.testing.assert_allclose([own["value"] for own in ours], [own.value for own in theirs], rtol=1e-8, atol=1e-9)
        unlike += [own["isRanked"] for own in ours] != [own.is_ranked for own in theirs]
        unlike += [own["hasDirection"] for own in ours] != [own.direction != "cannot be determined" for own in theirs]
    assert unlike <= 2  # bands are rounded, so a bound that all but touches zero may fall on its other side


def test_reasons_are_worded_as_those_of_single_cases(page, pages):
    made = pages["mixed"]
    opened(page, made)
    page.locator("#what-if-0").fill("9")
    page.locator("#what-if-1").fill("70")
    page.locator("#what-if-2").select_option(label="south")
    page.locator("#what-if-3").select_option(label="True")
    answer(page)
    row = pd.DataFrame([{"income": 9.0, "age": 70.0, "region": "south", "owner": True}])
    own, names = measures.reasons(made.dec, row).rows[0], Names.of(made.dec)
    claims = reason_claims(own, 0, 0)
    words = [f"{reason.name} {reason_words(claim, names)}" for reason, claim in zip(own, claims, strict=True)]
    for ours, theirs in zip(page.locator("#what-if-reasons li").all_inner_texts(), words, strict=True):
        assert re.sub(r"[−\d.,]+", "", ours) == re.sub(r"[−\d.,]+", "", theirs)


def test_numbers_are_written_as_python_writes_them(page):
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=2000) * 10 ** rng.uniform(-8, 10, 2000)
    ties = np.r_[np.arange(-100, 100) / 8, np.arange(0, 400) / 16 + 100]
    values = np.r_[drawn, ties, 0, 1e-4, 9.999e-5, 99.95, 0.9995, 1, -1, 999.5, 1e7, 9999999.5, 0.0005].tolist()
    spans = (10 ** rng.uniform(-6, 9, len(values))).tolist()
    page.goto("about:blank")
    page.add_script_tag(content=script("wording.js") + "window.words = anovaWording;")
    said = page.evaluate(
        """([values, spans]) => values.map((value, at) => [words.number(value), words.signed(value),
            words.percent(value), words.factor(value), words.factorWords(value),
            words.numberText(value, spans[at])])""",
        [values, spans],
    )
    feature = Feature("a", "numeric")
    wanted = [
        [*(write(value) for write in WRITERS), text]
        for value, span in zip(values, spans, strict=True)
        for text in [value_text(feature, value, span)]
    ]
    assert [pair for pair in zip(said, wanted, strict=True) if pair[0] != pair[1]] == []


def test_names_that_users_gave_are_read_and_never_run(page, pages):
    made = pages["hostile"]
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    opened(page, made)
    page.locator("#what-if-2").select_option(index=1)
    page.locator("#what-if-0").fill("3")
    page.locator(".what-if-row details:has(#what-if-line) summary").click()
    page.locator("#what-if-line").fill(f'"{SCRIPT}",1,2,3')
    page.locator("#what-if-read").click()
    answer(page)
    assert SCRIPT in page.locator("#what-if-fault").inner_text()
    assert SCRIPT in page.locator("#what-if-answer-title ~ *").all_inner_texts().__str__()
    assert page.evaluate("window.pwned") is None
    assert dialogs == []
    assert page.locator("img, #what-if script, #what-if b").count() == 0


def test_without_scripts_and_on_paper_the_section_says_that_nothing_is_there(page, scriptless_page, pages):
    scriptless_page.goto(pages["mixed"].address)
    assert "needs JavaScript" in scriptless_page.locator("#what-if-off").inner_text()
    assert scriptless_page.locator("#what-if-panel").is_hidden()
    opened(page, pages["mixed"])
    assert page.locator("#what-if-off").is_hidden()
    page.emulate_media(media="print")
    assert page.locator("#what-if-panel").is_hidden()
    assert page.locator("#what-if .on-paper").is_visible()
    assert not page.locator(".what-if-mark").first.is_visible()


@pytest.mark.parametrize("name", ["mixed", "hostile"])
def test_nothing_is_wider_than_a_phone(page, pages, name):
    page.set_viewport_size(PHONE)
    opened(page, pages[name])
    page.locator("#what-if-0").fill("9")
    answer(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("#what-if-brief").is_visible()


@pytest.mark.parametrize("width", [390, 800, 1280])
@pytest.mark.parametrize("name", ["unit", "log", "mixed"])
def test_no_word_of_the_waterfall_is_cut_or_lies_on_another(page, pages, name, width):
    page.set_viewport_size({"width": width, "height": 844})
    opened(page, pages[name])
    answer(page)
    drawn = page.evaluate(
        """[...document.querySelectorAll('#what-if-steps text')].map(text => {
            const [own, all] = [text.getBBox(), text.ownerSVGElement.viewBox.baseVal];
            return {words: text.textContent, left: own.x, right: own.x + own.width, wide: all.width, y: own.y};
        })"""
    )
    numbers = [text for text in drawn if re.match(r"[−+×\d]", text["words"]) and text["left"] > 0.38 * text["wide"]]
    assert len(numbers) >= 4
    assert not [text["words"] for text in numbers if "…" in text["words"]]
    assert all(text["left"] >= -1 and text["right"] <= text["wide"] + 1 for text in drawn), drawn
    for at, text in enumerate(drawn):
        for other in drawn[:at]:
            if abs(text["y"] - other["y"]) < 6:
                assert min(text["right"], other["right"]) <= max(text["left"], other["left"]) + 1, (text, other)


@pytest.mark.parametrize("name", ["mixed", "classes"])
def test_every_control_has_a_name_and_no_id_stands_twice(page, pages, name):
    opened(page, pages[name])
    unnamed = """[...document.querySelectorAll('#what-if :is(input, select, textarea, button)')]
        .filter(part => !(part.labels?.length || part.getAttribute('aria-label') || part.textContent.trim()))
        .map(part => part.outerHTML)"""
    assert page.evaluate(unnamed) == []
    twice = """[...document.querySelectorAll('[id]')].map(part => part.id)
        .filter((id, at, all) => all.indexOf(id) !== at)"""
    assert page.evaluate(twice) == []


def test_the_panel_holds_no_row_but_those_that_the_page_explains(pages):
    made = pages["mixed"]
    written = given(made.audit, made.audit.what_if)
    shown = len(made.audit.outputs[0].cases)
    assert len(written["numbers"]["starts"]) == shown + 1
    # Of as many numbers in one list as there are rows there is none.
    lengths: list[int] = []

    def look(value: object) -> None:
        if isinstance(value, list):
            lengths.append(len(value))
            for item in value:
                look(item)
        elif isinstance(value, dict):
            for item in value.values():
                look(item)

    look(written)
    assert max(lengths) < len(mixed().X) / 2


def test_a_page_without_a_panel_holds_nothing_of_it(pages):
    page = render(replace(pages["mixed"].audit, what_if=None))
    soup = BeautifulSoup(page, "html.parser")
    assert soup.select('[id^="what-if"], [class^="what-if"], a[href="#what-if"]') == []
    fit = mixed()
    bare = build_audit(fit.dec, fit.X, fit.predictions, what_if=False, progress=False)
    assert bare.what_if is None


def test_an_option_leaves_the_panel_out():
    job = Job(data="rows.csv", prediction=("score",), what_if=False)
    assert "--no-what-if" in job.command()
    assert "--no-what-if" not in replace(job, what_if=True).command()


def test_an_audit_with_a_panel_comes_back_from_its_file(pages, tmp_path):
    audit = pages["log"].audit
    again = Audit.load(audit.save(tmp_path / "audit.json"))
    assert again == audit
    assert render(again) == render(audit)
    assert json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["what_if"]["scale"] == "log"


def test_a_level_that_few_rows_have_is_not_named_among_many():
    rng = np.random.default_rng(2)
    levels = np.array([f"level {at}" for at in range(30)] + ["Smith"])
    X = pd.DataFrame({"level": rng.choice(levels[:30], 1500), "x": rng.normal(size=1500)})
    X.loc[7, "level"] = "Smith"
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, X["x"] + (X["level"] == "level 1")).decomposition_
    audit = build_audit(dec, X, rows=[7], progress=False)
    known = audit.what_if.inputs[0]
    assert "Smith" not in known.levels
    assert len(known.cells) == len(known.levels) + 1
    assert audit.what_if.starts[0].values[0] == len(known.levels)


def test_a_page_of_twelve_features_and_forty_terms_stays_small():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(3000, 12)), columns=[f"f{at}" for at in range(12)])
    pairs = [(first, second) for first in range(12) for second in range(first + 1, 12)][:42:2]
    predictions = sum(np.sin(X[f"f{at}"]) for at in range(12)) + sum(0.4 * X[f"f{a}"] * X[f"f{b}"] for a, b in pairs)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    assert len(dec.terms) >= 40
    assert len(render(build_audit(dec, X, predictions, progress=False)).encode()) <= 1_600_000
