"""What is known of the reproduction, gathered from the store."""

import pytest

from benchmarks import reproduction
from benchmarks.reproduction import NO_ANSWERS, NOT_YET, gather
from benchmarks.results_store import ResultsStore, Training, stamped
from benchmarks.steps import plan
from tests.benchmarks.figures import entry, figures, finished

TRAINING = Training(0.7, 1.0, 100, 8)


@pytest.fixture
def store(tmp_path, monkeypatch) -> ResultsStore:
    monkeypatch.setattr(reproduction, "missing", lambda model: "needs the torch extra" if model == "mlp" else None)
    return ResultsStore(tmp_path)


@pytest.fixture
def steps():
    return list(plan(["diabetes"], ["mlp", "ebm"]))


def test_what_was_never_done_is_not_run_yet(store, steps):
    found = gather(store, steps)
    ebm = found.entries[1]
    assert set(ebm.reasons.values()) == {NOT_YET}
    assert (ebm.training, ebm.published, ebm.ours, ebm.finished) == (None, None, None, False)
    assert found.machines == ()


def test_a_missing_library_is_the_reason_for_all_three_steps(store, steps):
    mlp = gather(store, steps).entries[0]
    assert mlp.experiment.model == "mlp"
    assert dict(mlp.reasons) == dict.fromkeys(("model", "published", "ours"), "needs the torch extra")


def test_finished_steps_are_found_and_failed_ones_tell_why(store, steps):
    model, published, ours = steps[3:]
    store.put(stamped(model.key, training=TRAINING))
    store.put(stamped(published.key, reason="out of memory"))
    store.put(stamped(ours.key, figures=figures()))
    found = gather(store, steps)
    one = found.entries[1]
    assert (one.training, one.published, one.ours) == (TRAINING, None, figures())
    assert one.reasons == {"published": "out of memory"}
    assert not one.finished
    assert len(found.machines) == 1


def test_without_a_model_there_are_no_answers_to_decompose(store, steps):
    store.put(stamped(steps[3].key, reason="no result within 3 s"))
    one = gather(store, steps).entries[1]
    assert one.reasons == {"model": "no result within 3 s", "published": NO_ANSWERS, "ours": NO_ANSWERS}


def test_rows_come_in_the_order_of_the_plan(store, steps):
    assert [each.experiment.model for each in gather(store, steps).entries] == ["mlp", "ebm"]
    assert gather(store, steps).finished == ()


def test_a_row_is_finished_when_both_decompositions_are_there():
    assert finished().finished
    assert not entry(training=TRAINING, ours=figures()).finished
    one = finished(published_r2=0.1)
    assert one.figures("published").r2 == 0.1
    assert one.figures("ours").r2 == 0.85
