"""The folder of finished steps: what is put there comes back, and nothing else does."""

import numpy as np
import pytest

from benchmarks.experiments import Figures
from benchmarks.results_store import FOLDER, ResultsStore, Training, stamped

KEY = {"step": "ours", "dataset": "diabetes", "model": "xgb", "settings": {"hidden": (4, 2), "rate": 0.1}, "rows": None}
FIGURES = Figures(0.9, 0.85, 0.0, 0.1, "a × b | a", 0.02, 1, 2.5, 40, 6)


@pytest.fixture
def store(tmp_path) -> ResultsStore:
    return ResultsStore(tmp_path / "results")


def test_what_is_kept_comes_back_as_it_was(store):
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


def test_predictions_come_back_to_the_last_bit(store):
    predictions = np.random.default_rng(0).normal(size=50)
    store.put_predictions(KEY, predictions)
    np.testing.assert_array_equal(store.predictions(KEY), predictions)
    assert store.find(KEY) is None  # the record says that they are complete
