"""The benchmark of false alarms in a small version: what it compares, what it prints."""

import numpy as np
import pytest

from benchmarks import alarms

SMALL = 4000  # from here on one fit serves all rows, which is fast


def trial(name: str, noise: float) -> alarms.Trial:
    """Find a trial by the beginning of its name and by its noise."""
    (found,) = [each for each in alarms.TRIALS if each.name.startswith(name) and each.noises[1] == noise]
    return found


def test_the_first_two_features_depend_on_each_other():
    correlations = np.corrcoef(alarms.draw(np.random.default_rng(0), 20_000).T)
    assert correlations[0, 1] == pytest.approx(0.7 / np.sqrt(1.49), abs=0.02)
    assert np.abs(correlations[2:, :2]).max() < 0.03


def test_a_bend_is_found_on_the_same_rows():
    found = trial("a bend", 0.3).compare(0, SMALL)
    assert found.rows == "same replicates"
    assert "x3" in [effect.label for effect in found.differing()]


def test_equal_functions_on_other_rows_are_not_called_different():
    found = trial("steps", 0.0).compare(1, SMALL)
    assert found.rows == "different"
    assert found.differing() == ()


def test_alarms_are_counted_over_samples(monkeypatch):
    class Effect:
        def __init__(self, label: str) -> None:
            self.label = label

    class Found:
        def __init__(self, seed: int) -> None:
            self.seed = seed

        def differing(self) -> list[Effect]:
            return [Effect(f"x{index}") for index in range(self.seed)]

    monkeypatch.setattr(alarms.Trial, "compare", lambda _self, seed, _rows: Found(seed))
    line = alarms.measure(alarms.TRIALS[0], 3, 100)
    assert line.endswith("noise 0: in 2 of 3 samples; effects: x0 2, x1 1")


def test_the_command_prints_a_line_for_every_trial(monkeypatch, capsys):
    monkeypatch.setattr(alarms, "measure", lambda trial, n_samples, n_rows: f"{trial.name} {n_samples} {n_rows}")
    alarms.main(["--samples", "2", "--rows", "50"])
    _, *lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{each.name} 2 50" for each in alarms.TRIALS]
