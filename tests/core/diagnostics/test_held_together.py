"""Rows that may belong together, held out together: against fits whose groups are known, and rows that are fresh."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.basis.design import ColumnBlock, Columns
from anova_report.core.diagnostics.held_together import ConsecutiveRows, FoldProducts
from anova_report.core.fit.row_blocks import GroupBlock


def fitted(X, predictions, **given) -> Decomposition:
    return FunctionalANOVA(random_state=3, progress=False).fit(X, predictions, **given).decomposition_


def visits(rng, n_rows: int, n_patients: int, *, smooth: bool = False):
    patient = np.arange(n_rows) * n_patients // n_rows
    own, effect = rng.uniform(-1, 1, size=(n_patients, 2)), rng.normal(size=n_patients)
    X = np.column_stack([own[patient], rng.normal(size=(n_rows, 2))])
    return X, (X[:, 0] + X[:, 1] if smooth else effect[patient]) + X[:, 2], patient


@pytest.mark.parametrize(("n_rows", "n_patients"), [(500, 30), (2000, 50), (2000, 200), (8000, 300)])
def test_values_that_recur_in_groups_of_rows_are_found_and_cost_what_fresh_groups_cost(n_rows, n_patients):
    X, y, patient = visits(np.random.default_rng(n_patients), n_rows, n_patients)
    dec = fitted(X, y)
    found = dec.partition.recurring
    assert (found.features, found.n_sets) == ((0, 1), n_patients)
    assert found.one_by_one[0] < 0.05
    assert found.together[0] > 0.3
    finding = measures.findings(dec)["AR013"]
    assert finding.status == "warn"
    assert f"share {n_patients} combinations of values of x0 and x1" in finding.sentence
    assert "groups=" in finding.advice
    named = fitted(X, y, groups=patient)
    assert named.partition.recurring is None
    assert measures.findings(named)["AR002"].status == "fail"


def test_sums_of_some_rows_after_others_are_those_of_all_rows_at_once():
    rng = np.random.default_rng(5)
    functions, predictions = [rng.normal(size=(3, 700)).astype(np.float32)], rng.normal(size=(700, 1))
    columns = Columns((ColumnBlock((0,), np.arange(3)[:, None]),))
    weights = rng.uniform(0.5, 2, size=700)
    design = np.vstack([np.ones(700), functions[0]])

    def block(at):
        codes = [np.arange(700, dtype=np.uint16)[at]]
        return GroupBlock(0, codes, predictions[at], functions, [], np.arange(700)[at], weights[at])

    found, later = (FoldProducts(columns, ConsecutiveRows(700), 2) for _ in range(2))
    for sums, start, stop in ((found, 0, 200), (found, 200, 450), (later, 450, 700)):
        sums.add(sums.sums(block(slice(start, stop))))
    found.merge(later)
    for fold, own in enumerate(found.folds()):
        at = np.flatnonzero(np.arange(700) * 20 // 700 % 5 == fold)
        gram = np.triu(design[:, at] * weights[at] @ design[:, at].T)  # below the diagonal nobody reads it
        np.testing.assert_allclose(np.triu(own.gram), gram, rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(own.cross, design[:, at] * weights[at] @ predictions[at], rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(own.squares, (weights[at, None] * predictions[at] ** 2).sum(axis=0))
        assert own.n_rows == pytest.approx(weights[at].sum())


def test_sums_of_more_spans_take_no_more_room():
    rng = np.random.default_rng(5)
    functions = [rng.normal(size=(30, 2000)).astype(np.float32)]
    columns, codes = Columns((ColumnBlock((0,), np.arange(30)[:, None]),)), [np.arange(2000, dtype=np.uint16)]
    block = GroupBlock(0, codes, rng.normal(size=(2000, 1)), functions, [], np.arange(2000))
    total, sizes = FoldProducts(columns, ConsecutiveRows(2000), 5), []
    for _ in range(40):
        span = FoldProducts(columns, ConsecutiveRows(2000), 5)
        span.add(span.sums(block))
        total.merge(span)
        sizes.append(len(pickle.dumps(total)))
    assert max(sizes[20:]) <= 1.1 * max(sizes[:20])
    assert sum(own.n_rows for own in total.folds()) == 40 * 2000


def test_groups_of_rows_do_no_harm_where_the_function_is_known_between_them():
    rng = np.random.default_rng(1)
    X, y, _ = visits(rng, 2000, 200, smooth=True)
    dec = fitted(X, y)
    finding = measures.findings(dec)["AR013"]
    assert finding.status == "pass"
    assert "share 200 combinations of values of x0 and x1, 10 rows each" in finding.sentence
    fresh, wanted, _ = visits(rng, 2000, 200, smooth=True)
    assert np.var(wanted - dec.predict(fresh)) < 0.01 * np.var(wanted)


def test_one_number_recurs_where_its_values_are_not_rounded():
    rng = np.random.default_rng(2)
    values, effect = rng.normal(size=60), rng.normal(size=60)
    at, others = rng.integers(60, size=2000), rng.normal(size=(2000, 2))
    dec = fitted(np.column_stack([values[at], others]), effect[at] + others[:, 0])
    assert dec.partition.recurring.features == (0,)
    assert "share 60 values of x0" in measures.findings(dec)["AR013"].sentence
    rounded = fitted(np.column_stack([at / 10, others]), effect[at] + others[:, 0])
    assert rounded.partition.recurring is None


def test_few_levels_that_go_together_are_no_groups():
    rng = np.random.default_rng(3)
    school = rng.integers(12, size=2000)
    X = pd.DataFrame({"school": np.char.add("s", school.astype(str)), "years": school, "a": rng.normal(size=2000)})
    assert fitted(X, np.cos(school**2) + X["a"]).partition.recurring is None


def in_time(n_rows: int, seed: int):
    noise = np.random.default_rng(seed).normal(size=(n_rows, 5))
    return lfilter([0.1], [1, -0.99], noise, axis=0)


def test_rows_in_order_of_time_do_no_harm_where_predictions_are_a_function_of_them():
    table, fresh = in_time(2000, 0), in_time(2000, 1)
    dec = fitted(table[:, :4], np.sin(3 * table[:, 0]) + table[:, 1])
    assert measures.findings(dec)["AR013"].status == "pass"
    inside = (np.abs(fresh[:, :4]) < np.abs(table[:, :4]).max(axis=0)).all(axis=1)
    wanted = np.sin(3 * fresh[:, 0]) + fresh[:, 1]
    assert np.var((wanted - dec.predict(fresh[:, :4]))[inside]) < 0.01 * np.var(wanted)


def test_rows_in_order_of_time_are_a_warning_where_predictions_only_drift_as_they_do():
    table = in_time(2000, 0)
    dec = fitted(table[:, :4], table[:, 4])
    finding = measures.findings(dec)["AR013"]
    assert finding.status == "warn"
    found = dec.partition.blocks
    assert found.together[0] > found.one_by_one[0] + 0.1
    assert "held out as wholes" in finding.sentence


def test_what_was_held_together_is_saved_and_older_files_know_nothing_of_it(tmp_path):
    X, y, _ = visits(np.random.default_rng(4), 600, 30)
    dec, path = fitted(X, y), tmp_path / "dec.json"
    dec.save(path)
    assert Decomposition.load(path).partition == dec.partition
    document = json.loads(path.read_text())
    del document["partition"]["recurring"], document["partition"]["blocks"]
    path.write_text(json.dumps(document))
    loaded = Decomposition.load(path)
    assert (loaded.partition.recurring, loaded.partition.blocks) == (None, None)
    assert measures.findings(loaded)["AR013"].status == "pass"
