"""The steps of the reproduction: their order, what they rest on, how long they should take, what they leave."""

import numpy as np
import pytest

from benchmarks import experiments, steps
from benchmarks.blackboxes import KINDS, Kind
from benchmarks.experiments import Experiment, decompose
from benchmarks.paper import TABLES
from benchmarks.results_store import ResultsStore, Training
from benchmarks.steps import Step, carry_out, plan
from tests.benchmarks.stand_ins import small_dataset


def step(name="ours", dataset="diabetes", model="ebm", **changes):
    return Step(Experiment(dataset, model, **changes), name)


@pytest.fixture
def made_up(monkeypatch):
    """Let every dataset be small, and an EBM be a sum."""
    monkeypatch.setattr(experiments, "load", small_dataset)
    adding = Kind("EBM", (), lambda loaded, _: (None, (loaded.X["a"] + np.tanh(loaded.X["b"])).to_numpy()))
    monkeypatch.setitem(KINDS, "ebm", adding)


def test_a_plan_has_three_steps_for_every_row_of_the_tables():
    found = list(plan(TABLES, ("xgb", "mlp", "ebm", "nam")))
    assert len(found) == 3 * 21
    assert len(set(found)) == len(found)
    assert [each.name for each in found[:3]] == ["model", "published", "ours"]
    assert [each.experiment.dataset for each in found[::3]] == [name for name, rows in TABLES.items() for _ in rows]


def test_a_model_rests_on_its_settings_rows_and_libraries(monkeypatch):
    known = step("model").key
    assert known["settings"]["outer_bags"] == 14
    assert step("model", bags=1).key != known
    assert step("model", rows=100).key != known
    monkeypatch.setattr(steps, "library_versions", lambda _: {"interpret": "99"})
    assert step("model").key != known


@pytest.mark.usefixtures("made_up")
def test_a_model_step_keeps_predictions_and_performance(tmp_path):
    one = step("model", rows=150)
    carry_out(one, tmp_path)
    record = ResultsStore(tmp_path).find(one.key)
    assert isinstance(record.training, Training)
    assert (record.training.n_rows, record.training.n_features) == (150, 3)
    X = one.experiment.load().X
    np.testing.assert_array_equal(ResultsStore(tmp_path).predictions(one.key), X["a"] + np.tanh(X["b"]))


@pytest.mark.usefixtures("made_up")
def test_a_decomposition_step_takes_the_predictions_that_were_kept(tmp_path):
    one = step("ours", rows=150)
    loaded = one.experiment.load()
    predictions = np.tanh(loaded.X["c"].to_numpy())  # not what the model would say
    ResultsStore(tmp_path).put_predictions(one.model.key, predictions)
    carry_out(one, tmp_path)
    found = ResultsStore(tmp_path).find(one.key).figures
    expected = decompose("diabetes", "ebm", "ours", loaded, predictions)
    assert (found.r2, found.held_out_r2, found.n_columns) == (expected.r2, expected.held_out_r2, expected.n_columns)
