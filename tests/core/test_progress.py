"""The bar of a fit, under a clock that is set by hand: nothing before two seconds, then what is being done."""

import re

import numpy as np
import pytest
from tqdm.notebook import tqdm as notebook_bar

from anova_report import FunctionalANOVA
from anova_report.core import progress
from anova_report.core.progress import DELAY, Steps


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


def test_in_a_notebook_success_takes_the_bar_away_and_an_error_leaves_it_red(monkeypatch):
    made = []
    monkeypatch.setattr("tqdm.notebook.display", lambda _container: None)
    monkeypatch.setattr(progress, "tqdm", lambda **options: made.append(notebook_bar(**options)) or made[-1])

    def work(divisor: float) -> None:
        with Steps(8, show=True) as steps:
            steps.start("main effects")
            steps.start(f"pairs {1 / divisor}")

    work(1.0)
    with pytest.raises(ZeroDivisionError):
        work(0.0)
    succeeded, failed = (bar.container for bar in made)
    assert succeeded.comm is None  # closed
    assert failed.comm is not None
    assert failed.children[1].bar_style == "danger"


@pytest.mark.parametrize("progress_wanted", [True, False])
def test_a_slow_fit_shows_its_bar_unless_told_not_to(monkeypatch, capfd, progress_wanted):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    X = np.random.default_rng(0).normal(size=(4000, 2))
    FunctionalANOVA(max_order=1, random_state=0, progress=progress_wanted).fit(X, X[:, 0])
    assert ("decomposing" in capfd.readouterr().err) is progress_wanted
