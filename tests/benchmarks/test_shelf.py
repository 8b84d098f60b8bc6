"""The folder of finished steps: what is put there comes back, and nothing else does."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.experiments import Figures
from benchmarks.shelf import FOLDER, Record, Shelf, Training, as_json, digest, machine, stamped

KEY = {"step": "ours", "dataset": "diabetes", "model": "xgb", "settings": {"hidden": (4, 2), "rate": 0.1}, "rows": None}
FIGURES = Figures(0.9, 0.85, 0.0, 0.1, "a × b | a", 0.02, 1, 2.5, 40, 6)


@pytest.fixture
def shelf(tmp_path) -> Shelf:
    return Shelf(tmp_path / "results")


def test_what_is_put_on_the_shelf_comes_back_as_it_was(shelf):
    made = stamped(KEY, figures=FIGURES)
    shelf.put(made)
    assert shelf.find(KEY) == made
    trained = stamped(KEY | {"step": "model"}, training=Training(0.8, 1.5, 768, 8))
    shelf.put(trained)
    assert shelf.find(KEY | {"step": "model"}) == trained
    assert shelf.find(KEY) == made


@pytest.mark.parametrize(
    "change",
    [{"rows": 100}, {"settings": {"hidden": (4, 2), "rate": 0.2}}, {"model": "ebm"}, {"anova_report": "0.2.0"}],
)
def test_whatever_rests_on_something_else_is_not_found(shelf, change):
    shelf.put(stamped(KEY, figures=FIGURES))
    assert shelf.find(KEY | change) is None


def test_a_failure_is_kept_with_its_reason_and_replaced_by_what_comes_later(shelf):
    shelf.put(stamped(KEY, reason="no result within 3 s"))
    assert shelf.find(KEY).reason == "no result within 3 s"
    shelf.put(stamped(KEY, figures=FIGURES))
    assert shelf.find(KEY).reason is None
    assert len(list((shelf.folder / FOLDER).iterdir())) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": {}}', '{"key": {}, "made": 3, "machine": ""}'])
def test_a_file_that_cannot_be_read_counts_as_none(shelf, text):
    shelf.put(stamped(KEY, figures=FIGURES))
    (path,) = (shelf.folder / FOLDER).iterdir()
    path.write_text(text, encoding="utf-8")
    assert shelf.find(KEY) is None


def test_a_file_under_a_wrong_name_is_not_believed(shelf):
    shelf.put(stamped(KEY, figures=FIGURES))
    (path,) = (shelf.folder / FOLDER).iterdir()
    written = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(written | {"key": written["key"] | {"rows": 7}}), encoding="utf-8")
    assert shelf.find(KEY) is None


def test_names_say_what_is_inside(shelf):
    shelf.put(stamped(KEY, figures=FIGURES))
    (path,) = (shelf.folder / FOLDER).iterdir()
    assert path.name == f"diabetes-xgb-ours-{digest(KEY)}.json"
    assert shelf.answers_path(KEY).with_suffix(".json") == path


def test_answers_come_back_to_the_last_bit(shelf):
    answers = np.random.default_rng(0).normal(size=50)
    shelf.put_answers(KEY, answers)
    np.testing.assert_array_equal(shelf.answers(KEY), answers)
    assert shelf.find(KEY) is None  # the record says that they are complete


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
