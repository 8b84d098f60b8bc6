"""The benchmark of asking in a small version: samples, distances, planted cases, marks and what is printed."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from benchmarks import ask
from benchmarks.ask import ASKED, FIDELITY, ROWS_ONLY, AskResult
from benchmarks.ask_cases import CASES, AskCase, Counted, fitted, smooth, table, to_numbers
from benchmarks.ask_planted import DEPENDENCES, DETECTED, TOLERANCE, UNREAD, suspects
from benchmarks.datasets import DATASETS, Loaded
from benchmarks.results import Mark
from tests.benchmarks.stand_ins import small_dataset


def product_and_line(_loaded):
    return lambda rows: (rows["a"] * rows["b"] + rows["c"]).to_numpy()


SMALL = AskCase("small", "california_housing", product_and_line, (60, 150))


@pytest.fixture
def rows_only(monkeypatch):
    """Explain from the rows alone whatever is asked for; returns what was asked for."""
    wanted = []

    def explain(model, X, ask="default", **settings):
        wanted.append(ask)
        return FunctionalANOVA(**settings).fit(X, model(X)).decomposition_

    monkeypatch.setattr(ask, "explain", explain)
    return wanted


def recombined(X: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.where(rng.random(X.shape) < 0.5, X, rng.permutation(X))


def result(cell: str, n_rows: int, way: str, **figures) -> AskResult:
    return AskResult(cell, n_rows, way, **figures)


def test_samples_are_disjoint_and_none_holds_a_fresh_row():
    trained = SMALL.prepare(small_dataset("california_housing", 200))
    (one, other), fresh = trained.draw(60)
    assert len({*one, *other, *fresh}) == 60 + 60 + 40
    (whole,), same = trained.draw(160)
    assert {*whole, *fresh} == set(range(200))
    assert {*same} == {*fresh} != {*trained.draw(60, seed=1)[1]}


def test_calls_are_counted_in_rows():
    counted = Counted(np.sum)
    counted(np.ones((3, 2)))
    counted(np.ones((4, 2)))
    assert counted.calls == 7


def test_levels_are_explained_as_levels_and_the_model_gets_their_numbers():
    X = pd.DataFrame({"age": [30, 40, 50, 60], "work": ["state", "?", "private", "state"]})
    loaded = Loaded(DATASETS["census_income"], X, pd.Series([0, 1, 0, 1]))
    shown = table(loaded)
    assert shown["work"].isna().tolist() == [False, True, False, False]
    pd.testing.assert_frame_equal(to_numbers(loaded)(shown), loaded.numbers)
    swapped = shown.assign(work=shown["work"].to_numpy()[::-1])
    assert to_numbers(loaded)(swapped)["work"].tolist() == [2.0, 1.0, 0.0, 2.0]


def test_a_smooth_model_is_trained_on_rows_it_may_see():
    loaded = small_dataset("electrical_grid", 200)
    function = fitted(smooth, 100)(loaded)
    agreement = np.corrcoef(function(loaded.numbers), loaded.y)[0, 1]
    assert agreement > 0.8


def test_the_distance_is_zero_for_equals_and_counts_what_one_lacks():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    one = {(0,): X[:, 0], (1,): X[:, 1]}
    model = X.sum(axis=1)
    assert ask.distance(one, one, model) == 0
    lacking = np.sqrt(np.mean(X[:, 1] ** 2)) / model.std()
    assert ask.distance(one, {(0,): X[:, 0]}, model) == pytest.approx(lacking)
    assert ask.distance({(0,): X[:, 0]}, one, model) == pytest.approx(lacking)


def test_a_model_is_explained_from_both_samples_and_judged_on_fresh_rows(rows_only):
    trained = SMALL.prepare(small_dataset("california_housing", 400))
    found = ask.measure(SMALL, trained, 150, 0)
    assert rows_only == [0, 0]
    assert (found.way, found.calls, len(found.r2), len(found.shares)) == (ROWS_ONLY, 150, 2, 3)
    assert min(found.r2) > 0.9
    assert 0 < found.apart < 0.3
    assert {share.label for share in found.shares[:2]} == {"c", "a × b"}
    assert ask.measure(SMALL, trained, 320, None).apart is None
    assert rows_only[2:] == ["default"]
    often = ask.measure(replace(SMALL, n_splits=3), trained, 60, 5)
    assert (len(often.r2), often.calls, rows_only[3:]) == (6, 60, [5] * 6)
    assert f"{np.mean(often.r2[::2]):.4f} {np.mean(often.r2[1::2]):.4f}" in ask.line(often)


@pytest.mark.usefixtures("rows_only")
def test_a_model_that_fails_leaves_a_reason():
    def failing(_loaded):
        return lambda rows: (rows["a"] if len(rows) > 100 else rows["none"]).to_numpy()

    case = AskCase("failing", "california_housing", failing, (60,))
    found = ask.measure(case, case.prepare(small_dataset("california_housing")), 60, 10)
    assert "none" in found.reason
    assert found.reason in ask.line(found)


@pytest.mark.parametrize("case", UNREAD, ids=lambda case: case.name)
def test_models_never_read_their_unread_columns(case):
    X = case.draw(300)
    changed = pd.DataFrame(X).copy()
    for column in changed.columns[list(case.unread)]:
        changed[column] = changed[column].to_numpy()[::-1]
    asked = changed if isinstance(X, pd.DataFrame) else changed.to_numpy()
    np.testing.assert_array_equal(case.function(X), case.function(asked))


@pytest.mark.usefixtures("rows_only")
def test_the_share_of_unread_columns_adds_up_all_their_terms():
    case = UNREAD[0]
    found = ask.unread_share(case, 0)
    assert 0.2 < found < 1  # rows alone cannot tell cost from debt × rate
    assert ask.unread_share(type(case)("none", case.law, case.function, ()), 0) == 0


@pytest.mark.parametrize("dependence", DEPENDENCES, ids=lambda each: each.name)
def test_detectors_know_rows_of_the_data_from_recombined_ones(dependence):
    X = dependence.law(np.random.default_rng(1), 4000)
    assert (dependence.distance(X) <= DETECTED * TOLERANCE).mean() > 0.999
    assert (dependence.distance(recombined(X)) > DETECTED * TOLERANCE).mean() > 0.3


def test_fooling_models_and_their_twins_agree_on_the_data_and_differ_elsewhere():
    found = suspects()
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert len(pairs) == 20
    for fooling, honest in pairs:
        assert (fooling.fooling, honest.fooling) == (True, False)
        X = fooling.draw(0, 1000)
        made_up = recombined(X)
        gap, elsewhere = (np.std(fooling.function(rows) - honest.function(rows)) for rows in (X, made_up))
        assert gap < 0.35 * elsewhere  # trees are not exact


@pytest.mark.usefixtures("rows_only")
def test_nothing_is_found_off_the_data_where_nobody_asked_there():
    assert ask.behaves_otherwise(suspects()[0], 0, 0) is False


def test_marks_compare_means_over_samples_and_medians_over_cells():
    results = [
        result("California XGB", 2000, ROWS_ONLY, r2=(0.90, 0.90), apart=0.4),
        result("California XGB", 2000, ASKED, r2=(0.93, 0.92), apart=0.2),
        result("Bike XGB", 600, ROWS_ONLY, r2=(0.90, 0.90), apart=0.4),
        result("Bike XGB", 600, ASKED, r2=(0.93, 0.94), apart=0.4),
        result("Diabetes XGB", 614, ASKED, reason="TypeError"),
    ]
    found = {verdict.mark.dataset: verdict for verdict in ask.verdicts(results, {"honest models": 0.05})}
    assert found["California XGB, 2,000 rows"].reached is True
    assert found["Bike XGB, 600 rows"].reached is False
    assert found["Diabetes XGB, 614 rows"].reached is None
    assert found["median over cells"].value == pytest.approx(0.75)
    assert found["honest models"].reached is True


def test_every_mark_of_a_cell_names_one_that_is_measured():
    cells = {result(case.name, n_rows, ASKED).cell for case in CASES for n_rows in case.rows}
    assert {mark.dataset for mark in ask.MARKS if mark.figure == FIDELITY} <= cells


def test_the_command_prints_a_table_and_marks_and_writes_json(rows_only, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("benchmarks.ask_cases.load", lambda name: small_dataset(name, 200))
    monkeypatch.setattr(ask, "CASES", (SMALL,))
    monkeypatch.setattr(ask, "MARKS", (Mark("small, 60 rows", FIDELITY, ">=", 2.0),))
    path = tmp_path / "results" / "ask.json"
    assert ask.main(["--rows", "60", "--ask", "90", "--json", str(path)]) == 1
    printed = capsys.readouterr().out
    assert "small                        60  rows only" in printed
    assert "small, 60 rows" in printed
    assert "unread" not in printed
    assert rows_only == [0, 0, 90, 90]
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [each["way"] for each in document["results"]] == [ROWS_ONLY, ASKED]
    assert document["marks"][0]["reached"] is False


@pytest.mark.usefixtures("rows_only")
def test_the_planted_cases_can_be_run_alone(monkeypatch, capsys):
    monkeypatch.setattr(ask, "UNREAD", UNREAD[:1])
    monkeypatch.setattr(ask, "suspects", lambda: suspects()[:2])
    assert ask.main(["--planted"]) == 1
    printed = capsys.readouterr().out
    assert "fooling models: AR016 in 0 of 1\n  wrong: a sum, another line\n" in printed
    assert "honest models: AR016 in 0 of 1\n" in printed
    assert ask.HEAD not in printed
