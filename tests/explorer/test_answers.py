"""The panel of the row as a widget: the real script in a real browser, and messages that the tests pass on."""

import time
from typing import Any

import pandas as pd
import pytest

from anova_report.explorer.answers import Answers
from anova_report.measures.wording import number
from tests.explorer import examples
from tests.explorer.hosted_widget import FakeComm, HostedWidget
from tests.report.fits import mixed

VALUE = "#what-if-cards .after .value"


class Panel:
    """A panel on a page; its two views show the same row."""

    def __init__(self, page: Any, example: Any, **choices: Any) -> None:
        self.example, self.notices = example, []
        self.views = example.views(model=example.model, **choices)
        self.answers = Answers(self.views, self.notices.append)
        page.goto("about:blank")
        self.page, self.hosted = page, HostedWidget(self.answers, page)
        self.views.state.observe(lambda _change: self.answers.follow())

    def open(self, name: str = "first") -> "Panel":
        """Open a view, and wait until it shows the row."""
        self.hosted.start(name)
        self.page.locator(f"#{name}").scroll_into_view_if_needed()  # it is asked for when it is looked at
        self.wait(lambda: self.page.locator(f"#{name} {VALUE}").count() == 1)
        return self

    def wait(self, is_done: Any) -> None:
        """Pass messages on until something is so."""
        for _ in range(200):
            self.hosted.exchange()
            if is_done():
                return
            time.sleep(0.05)
        raise AssertionError("It never was so.")

    def value(self, name: str = "first") -> str:
        self.hosted.wait_for_frame()
        return str(self.page.locator(f"#{name} {VALUE}").inner_text())

    def asked(self, name: str = "first") -> str:
        return str(self.page.locator(f"#{name} #what-if-asked").inner_text())

    def type(self, at: int, text: str, name: str = "first") -> None:
        self.page.locator(f"#{name} #what-if-{at}").fill(text)

    def explained(self, **edits: float) -> str:
        row = self.example.X.iloc[[self.views.state.row]].assign(**edits)
        return number(float(self.example.dec.predict(row)[0]))


@pytest.fixture
def panel(page) -> Panel:
    return Panel(page, examples.known()).open()


def test_what_is_typed_is_answered_at_once_and_then_the_model_is_asked(panel):
    assert panel.value() == panel.explained()
    panel.type(0, "0.5")
    assert panel.value() == panel.explained(a=0.5)  # before any message was passed on
    assert "Explained, not asked" in panel.asked()
    panel.wait(lambda: panel.views.state.edits == {"a": 0.5})
    panel.wait(lambda: "the model itself predicts" in panel.asked())
    assert panel.value() == panel.explained(a=0.5)
    panel.page.locator("#what-if-back").click()
    panel.wait(lambda: panel.views.state.edits == {})


def test_without_its_kernel_the_panel_still_answers(panel):
    panel.page.evaluate("() => { hosted.isCut = true; }")
    panel.type(1, "-0.25")
    panel.page.wait_for_timeout(400)
    assert panel.value() == panel.explained(b=-0.25)
    assert "Explained, not asked" in panel.asked()
    assert panel.views.state.edits == {}


def test_a_row_that_python_chooses_shows_in_every_view_with_its_edits(panel):
    panel.open("second")
    panel.type(0, "0.5", "second")
    panel.wait(lambda: panel.value("first") == panel.value("second") == panel.explained(a=0.5))
    panel.views.state.row = 11
    panel.views.state.edit("c", -1.0)
    panel.wait(lambda: panel.value("first") == panel.value("second") == panel.explained(c=-1.0))
    assert panel.page.locator("#first .control.changed").count() == 1


def test_what_answers_an_older_turn_does_not_take_back_what_was_typed_since(panel):
    panel.type(0, "0.5")
    panel.wait(lambda: panel.views.state.edits == {"a": 0.5})
    panel.type(0, "0.25")  # while the answer is on its way
    panel.hosted.exchange()
    assert panel.value() == panel.explained(a=0.25)
    panel.wait(lambda: panel.views.state.edits == {"a": 0.25})


def test_what_python_refuses_is_said_and_the_panel_answers_by_itself(page):
    fit = mixed()
    panel = Panel(page, examples.Example(fit.dec, fit.X, fit.predictions)).open()
    panel.page.locator("#what-if-2").select_option(label="another level, not seen in the fit")
    panel.wait(lambda: any("not a value of 'region'" in words for words in panel.notices))
    assert panel.views.state.edits == {}
    row = fit.X.iloc[[3]].astype({"region": object}).assign(region="elsewhere")
    assert panel.value() == number(float(fit.dec.predict(pd.DataFrame(row))[0]))


def test_a_saved_notebook_holds_neither_numbers_nor_rows_of_the_panel():
    answers = Answers(examples.known().views(), lambda _words: None)
    assert set(answers.get_state()) - {"_esm", "_css"} <= {name for name in answers.get_state() if name[0] == "_"} | {
        "layout",
        "shown",
        "tabbable",
        "tooltip",
    }
    assert answers.shown == {}


@pytest.mark.parametrize("message", [{"kind": "row", "row": "all", "turn": ["a", 1]}, {"kind": "row"}, {}, "row", None])
def test_messages_that_make_no_sense_change_nothing(message):
    answers = Answers(examples.known().views(), lambda _words: None)
    answers.comm = comm = FakeComm()
    comm.deliver({"kind": "open"})
    before = answers.shown
    comm.deliver(message)
    assert answers.shown == before


@pytest.mark.parametrize("row", [[], ["x", 1.0, 2.0], [{}, [], None], [1e400, 0.0, 0.0]])
def test_rows_that_make_no_sense_are_refused_in_words(row):
    notices: list[str] = []
    answers = Answers(examples.known().views(), notices.append)
    answers.comm = comm = FakeComm()
    comm.deliver({"kind": "open"})
    comm.deliver({"kind": "row", "row": row, "turn": ["a", 1]})
    assert notices != [""]
    assert len(notices) == 1
