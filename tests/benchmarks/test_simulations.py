"""The benchmark of simulators in a small version: contestants, errors of indices, ratios and what is printed."""

import json

import numpy as np
import pytest

from anova_report import FunctionalANOVA
from benchmarks import simulations
from benchmarks.simulations import (
    CHAOS,
    EXPLAINED,
    INDICES,
    MEDIAN,
    NOTHING,
    OURS,
    WORST,
    Attempt,
    Trial,
    indices_of,
    try_once,
    verdicts,
)
from benchmarks.simulators import BY_NAME, Marginal

JOB = ("short column", "independent", 150, 0)


@pytest.fixture
def small(monkeypatch):
    """Judge on few rows, and explain from the rows alone; returns what `explain` was called with."""
    wanted = []

    def explain(model, X, ask, population, **settings):
        wanted.append((ask, population.shape))
        return FunctionalANOVA(**settings).fit(X, model(X)).decomposition_

    monkeypatch.setattr(simulations, "explain", explain)
    monkeypatch.setattr(simulations, "N_FRESH", 500)
    monkeypatch.setattr(simulations, "POPULATION_POWER", 10)
    monkeypatch.setattr(simulations, "run", lambda jobs, methods, _: (try_once(job, methods) for job in jobs))
    return wanted


def trial(n_calls: int, ours: float, chaos: float, law: str = "independent") -> Trial:
    return Trial("Welch", law, n_calls, 0, {OURS: Attempt(ours, 0.01, 0.02), CHAOS: Attempt(chaos, 0.001, 0.002)})


def test_indices_add_up_the_shares_of_all_terms_of_an_input():
    levels = np.linspace(-1, 1, 12)  # every combination once: the law of the rows is exactly that of independent inputs
    X = np.stack(np.meshgrid(*[levels / levels.std()] * 3), axis=-1).reshape(-1, 3)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, X[:, 0] + X[:, 0] * X[:, 1]).decomposition_
    found = indices_of(dec)
    assert found.first == pytest.approx([0.5, 0, 0], abs=0.005)
    assert found.total == pytest.approx([1, 0.5, 0], abs=0.005)


def test_simulators_are_explained_without_questions_under_a_larger_population(small):
    found = try_once(JOB, [OURS, EXPLAINED]).attempts
    assert small == [(0, (1024, 3))]
    assert found[OURS].unexplained == found[EXPLAINED].unexplained < 0.05
    assert 0 < found[OURS].first_error < 0.2


def test_dependent_inputs_have_no_indices_to_compare_with(small):
    attempt = try_once(("short column", "copula", 150, 0), [OURS]).attempts[OURS]
    assert (attempt.first_error, attempt.total_error) == (None, None)
    assert attempt.unexplained < 0.05
    assert not small


def test_samples_differ_and_the_same_sample_comes_again(small):
    first, again = (try_once(JOB, [OURS]).attempts[OURS].unexplained for _ in range(2))
    assert first == again != try_once((*JOB[:3], 1), [OURS]).attempts[OURS].unexplained
    assert not small


@pytest.mark.usefixtures("small")
def test_a_method_that_is_not_there_or_fails_leaves_a_reason(monkeypatch):
    def absent(*_):
        raise ModuleNotFoundError(name="openturns")

    def failing(*_):
        raise ValueError("too few\ncalls")

    monkeypatch.setitem(simulations.METHODS, CHAOS, absent)
    monkeypatch.setitem(simulations.METHODS, EXPLAINED, failing)
    found = try_once(JOB)
    assert found.attempts[CHAOS].reason == "not installed: openturns"
    assert found.attempts[EXPLAINED].reason == "ValueError: too few"
    assert found.ratio is None
    assert "–" in simulations.line(found)
    assert simulations.summary([found])[-2:] == [
        "chaos, short column: not installed: openturns",
        "explained, short column: ValueError: too few",
    ]


def test_ratios_of_shares_that_are_nothing_are_one():
    assert trial(500, 0.02, 0.01).ratio == pytest.approx(2)
    assert trial(500, NOTHING / 5, NOTHING / 100).ratio == 1


def test_the_worst_ratio_counts_with_enough_calls_only():
    words = simulations.summary([trial(200, 0.9, 0.01), trial(500, 0.01, 0.02), trial(2000, 0.03, 0.01)])
    assert words[:4] == [
        "independent, 200 calls: median ratio 90.00",
        "independent, 500 calls: median ratio 0.50",
        "independent, 2,000 calls: median ratio 3.00",
        "independent, 500 calls or more: median ratio 1.75, worst 3 (Welch, 2,000 calls, sample 0)",
    ]


@pytest.mark.usefixtures("small")
def test_the_command_prints_a_table_and_writes_json(capsys, tmp_path):
    path = tmp_path / "results" / "simulators.json"
    chosen = ["--only", "column", "--calls", "100", "--methods", "ours", "--json", str(path)]
    simulations.main(chosen)
    printed = capsys.readouterr().out
    assert "short column      independent      100" in printed
    assert "short column      copula           100" in printed
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [each["law"] for each in document["trials"]] == ["independent", "copula"]
    assert document["trials"][0]["ratio"] is None


def test_chaos_is_told_the_laws_of_the_inputs():
    pytest.importorskip("openturns")
    from benchmarks.chaos import marginal  # noqa: PLC0415 - openturns is optional

    levels = np.array([0.1, 0.5, 0.9])
    laws = [law for simulator in BY_NAME.values() for law in simulator.inputs.values()]
    for law in [*dict.fromkeys(laws), Marginal("normal", (0, 1), high=0.5)]:
        theirs = np.array([marginal(law).computeQuantile(float(level))[0] for level in levels])
        np.testing.assert_allclose(theirs, law.quantile(levels), rtol=1e-6)


@pytest.mark.parametrize("n_calls", [200, 600])
def test_chaos_finds_ishigami_from_few_and_from_many_calls(n_calls):
    pytest.importorskip("openturns")
    from benchmarks.chaos import fit_chaos  # noqa: PLC0415 - openturns is optional

    simulator = BY_NAME["Ishigami"]
    X, fresh = (simulator.draw(np.random.default_rng(seed), n) for seed, n in ((0, n_calls), (1, 1000)))
    found = fit_chaos(simulator, X, simulator.function(X))
    truth = simulator.function(fresh)
    assert np.var(truth - found.predict(fresh)) < 0.01 * np.var(truth)
    assert found.indices().first == pytest.approx(simulator.indices().first, abs=0.02)
    assert found.indices().total == pytest.approx(simulator.indices().total, abs=0.02)


def test_marks_compare_ours_with_chaos_where_calls_are_enough():
    few, same, worse = trial(200, 1.0, 1e-3), trial(500, 1e-3, 1e-3), trial(2000, 5e-2, 1e-3)
    found = {verdict.mark: verdict.value for verdict in verdicts([few, same, worse])}
    assert found == {MEDIAN: 25.5, WORST: 50.0, INDICES: None}
    assert [verdict.reached for verdict in verdicts([few, same, worse])] == [False, False, None]
    explained = {EXPLAINED: Attempt(1e-3, 0.003, 0.01), CHAOS: Attempt(1e-3, 0.002, 0.01)}
    assert verdicts([Trial("Welch", "independent", 500, 0, explained)])[-1].value == pytest.approx(1.5)
