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


def test_a_plan_leaves_out_models_that_are_not_asked_for_or_not_in_the_paper():
    found = list(plan(["bike_sharing", "diabetes"], ["nam"], rows=50, bags=2))
    assert {(each.experiment.dataset, each.experiment.model) for each in found} == {("diabetes", "nam")}
    assert found[0].experiment == Experiment("diabetes", "nam", 50, 2)


def test_a_model_rests_on_its_settings_rows_and_libraries(monkeypatch):
    known = step("model").key
    assert known["settings"]["outer_bags"] == 14
    assert step("model", bags=1).key != known
    assert step("model", rows=100).key != known
    monkeypatch.setattr(steps, "library_versions", lambda _: {"interpret": "99"})
    assert step("model").key != known


def test_a_decomposition_rests_on_its_model_its_settings_and_the_version(monkeypatch):
    known = step("published").key
    assert known["settings"]["K"] == 2
    assert step("published", bags=1).key != known
    assert step("ours").key != known
    monkeypatch.setattr(steps, "__version__", "99")
    assert step("published").key["anova_report"] == "99"


def test_a_title_says_what_is_done():
    assert step("published").title == "Diabetes (Pima), EBM: published method"
    assert step("ours", "bike_sharing", "mlp").title == "Bike Sharing, MLP: our default"


def test_large_tables_are_expected_to_take_longer_and_bags_to_cost_in_proportion():
    small, large = (step("model", name).expected_seconds for name in ("diabetes", "superconductivity"))
    assert small < large
    start = steps.START_SECONDS
    one, four = (step("model", bags=bags).expected_seconds - start for bags in (1, 4))
    assert four == pytest.approx(4 * one)
    assert step("model", rows=384).expected_seconds - start == pytest.approx(
        (step("model").expected_seconds - start) / 2
    )
    assert step("ours", rows=100).expected_seconds < step("ours").expected_seconds


def test_trees_and_boosting_on_all_datasets_are_expected_to_end_within_an_hour():
    expected = sum(each.expected_seconds for each in plan(TABLES, ("xgb", "ebm")))
    assert 600 < expected < 3600


def test_every_step_is_expected_to_take_some_time():
    assert all(each.expected_seconds > 1 for each in plan(TABLES, KINDS))


@pytest.mark.usefixtures("made_up")
def test_a_model_step_keeps_answers_and_performance(tmp_path):
    one = step("model", rows=150)
    carry_out(one, tmp_path)
    record = ResultsStore(tmp_path).find(one.key)
    assert isinstance(record.training, Training)
    assert (record.training.n_rows, record.training.n_features) == (150, 3)
    X = one.experiment.load().X
    np.testing.assert_array_equal(ResultsStore(tmp_path).answers(one.key), X["a"] + np.tanh(X["b"]))


@pytest.mark.usefixtures("made_up")
def test_a_decomposition_step_takes_the_answers_that_were_kept(tmp_path):
    one = step("ours", rows=150)
    loaded = one.experiment.load()
    answers = np.tanh(loaded.X["c"].to_numpy())  # not what the model would say
    ResultsStore(tmp_path).put_answers(one.model.key, answers)
    carry_out(one, tmp_path)
    found = ResultsStore(tmp_path).find(one.key).figures
    expected = decompose("diabetes", "ebm", "ours", loaded, answers)
    assert (found.r2, found.held_out_r2, found.n_columns) == (expected.r2, expected.held_out_r2, expected.n_columns)
