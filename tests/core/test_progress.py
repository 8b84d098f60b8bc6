"""The bar of a fit, under a clock that is set by hand: nothing before two seconds, then what is being done."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from anova_report import FunctionalANOVA
from anova_report.core import progress
from anova_report.core.progress import DELAY, Steps

ROOT = Path(__file__).parents[2]


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("tqdm.std.time", clock)
    return clock


def run(clock: Clock, seconds: float, names: tuple[str, ...] = ("main effects", "pairs", "smoothness")) -> None:
    with Steps(4, show=True) as steps:
        for name in names:
            steps.start(name)
            clock.now += seconds


def test_what_takes_less_than_two_seconds_shows_nothing(clock, capfd):
    run(clock, seconds=(DELAY - 0.1) / 3)
    assert capfd.readouterr() == ("", "")


def test_what_takes_longer_shows_how_far_it_has_come_and_what_it_does(clock, capfd):
    run(clock, seconds=1.5)
    out, err = capfd.readouterr()
    assert out == ""
    assert "decomposing" in err
    # After three seconds the third of four steps begins: two are done.
    assert "2/4" in err
    assert re.search("pairs|smoothness", err)
    assert "main effects" not in err


def test_no_bar_is_shown_to_who_wants_none(clock, capfd):
    with Steps(2, show=False) as steps:
        for name in ("main effects", "pairs"):
            steps.start(name)
            clock.now += 100
    assert capfd.readouterr() == ("", "")


def test_an_error_passes_through_and_takes_the_bar_away(clock, capfd):
    def fail() -> None:
        with Steps(4, show=True) as steps:
            steps.start("main effects")
            clock.now += 10
            steps.start("pairs")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert re.search(r"\r *\r$", capfd.readouterr().err)


@pytest.mark.parametrize("divisor", [1.0, 0.0], ids=["success", "error"])
def test_an_executed_notebook_keeps_nothing_of_a_bar(divisor):
    source = f"""
from anova_report.core import progress
progress.DELAY = 0.0
with progress.Steps(4, show=True) as steps:
    steps.start("main effects")
    steps.start("pairs")
    1 / {divisor}
"""
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, allow_errors=True).execute(env=os.environ | {"PYTHONPATH": str(ROOT)})
    outputs = notebook.cells[0].outputs
    assert [output.output_type for output in outputs] == ["display_data"] + ["error"] * (divisor == 0)
    assert dict(outputs[0].data) == {"text/plain": ""}  # it was there, and has gone


@pytest.mark.parametrize("progress_wanted", [True, False])
def test_a_slow_fit_shows_its_bar_unless_told_not_to(monkeypatch, capfd, progress_wanted):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    X = np.random.default_rng(0).normal(size=(4000, 2))
    FunctionalANOVA(max_order=1, random_state=0, progress=progress_wanted).fit(X, X[:, 0])
    assert ("decomposing" in capfd.readouterr().err) is progress_wanted
