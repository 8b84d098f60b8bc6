"""The folder of finished steps: what is put there comes back, and nothing else does."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.experiments import Figures
from benchmarks.results_store import FOLDER, Record, ResultsStore, Training, as_json, digest, machine, stamped

KEY = {"step": "ours", "dataset": "diabetes", "model": "xgb", "settings": {"hidden": (4, 2), "rate": 0.1}, "rows": None}
FIGURES = Figures(0.9, 0.85, 0.0, 0.1, "a × b | a", 0.02, 1, 2.5, 40, 6)


@pytest.fixture
def store(tmp_path) -> ResultsStore:
    return ResultsStore(tmp_path / "results")


def test_what_is_put_on_the_shelf_comes_back_as_it_was(store):
    made = stamped(KEY, figures=FIGURES)
    store.put(made)
    assert store.find(KEY) == made
    trained = stamped(KEY | {"step": "model"}, training=Training(0.8, 1.5, 768, 8))
    store.put(trained)
    assert store.find(KEY | {"step": "model"}) == trained
    assert store.find(KEY) == made


@pytest.mark.parametrize(
    "change",
    [{"rows": 100}, {"settings": {"hidden": (4, 2), "rate": 0.2}}, {"model": "ebm"}, {"anova_report": "0.2.0"}],
)
def test_whatever_rests_on_something_else_is_not_found(store, change):
    store.put(stamped(KEY, figures=FIGURES))
    assert store.find(KEY | change) is None


def test_a_failure_is_kept_with_its_reason_and_replaced_by_what_comes_later(store):
    store.put(stamped(KEY, reason="no result within 3 s"))
    assert store.find(KEY).reason == "no result within 3 s"
    store.put(stamped(KEY, figures=FIGURES))
    assert store.find(KEY).reason is None
    assert len(list((store.folder / FOLDER).iterdir())) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": {}}', '{"key": {}, "made": 3, "machine": ""}'])
def test_a_file_that_cannot_be_read_counts_as_none(store, text):
    store.put(stamped(KEY, figures=FIGURES))
    (path,) = (store.folder / FOLDER).iterdir()
    path.write_text(text, encoding="utf-8")
    assert store.find(KEY) is None


def test_a_file_under_a_wrong_name_is_not_believed(store):
    store.put(stamped(KEY, figures=FIGURES))
    (path,) = (store.folder / FOLDER).iterdir()
    written = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(written | {"key": written["key"] | {"rows": 7}}), encoding="utf-8")
    assert store.find(KEY) is None


def test_names_say_what_is_inside(store):
    store.put(stamped(KEY, figures=FIGURES))
    (path,) = (store.folder / FOLDER).iterdir()
    assert path.name == f"diabetes-xgb-ours-{digest(KEY)}.json"
    assert store.answers_path(KEY).with_suffix(".json") == path


def test_answers_come_back_to_the_last_bit(store):
    answers = np.random.default_rng(0).normal(size=50)
    store.put_answers(KEY, answers)
    np.testing.assert_array_equal(store.answers(KEY), answers)
    assert store.find(KEY) is None  # the record says that they are complete


def test_a_digest_depends_on_contents_and_not_on_their_order():
    turned = dict(reversed(KEY.items()))
    assert digest(turned) == digest(KEY) == digest(as_json(KEY))
    assert digest(KEY | {"rows": 1}) != digest(KEY)
    assert len(digest(KEY)) == 12


def test_a_record_knows_its_time_and_machine_but_no_name_of_either():
    record = stamped(KEY, figures=FIGURES)
    assert record.made.endswith(" UTC")
    assert f"{os.cpu_count()} cores" in record.machine == machine()
    assert os.uname().nodename not in record.machine
    assert replace(record, figures=None) == Record(as_json(KEY), record.made, record.machine)
