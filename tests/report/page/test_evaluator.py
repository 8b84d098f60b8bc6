"""What a page evaluates by itself, against Python: the same numbers for rows of any kind."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.basis.marginals import NominalMarginal, NumericMarginal
from anova_report.core.fit.uncertainty import standard_error
from anova_report.errors import StorageError
from anova_report.io.documents import plain, read
from anova_report.measures.intervals import LEVEL, certain_quantile
from anova_report.measures.support import outside_rows, unseen_pairs
from anova_report.measures.variance import prediction_variance
from anova_report.report.audit.what_if import WhatIf
from anova_report.report.audit.what_if_numbers import evaluated
from anova_report.report.page.assets import script
from tests.report.fits import classes, mixed, published

N_ROWS = 1000
ASK = """async ([numbers, rows, others]) => {
    const model = await anovaEvaluator.open(numbers), real = row => row.map(value => value ?? NaN);
    return model.outputs.map((_, output) => rows.map((row, at) => {
        const found = model.explain(real(row), output), before = model.explain(real(others[at]), output);
        const {components, explained, shapley, reaches, reach} = found, change = model.change(before, found);
        return {components, explained, shapley, reaches, reach, own: model.inverse(explained),
                outside: model.outside(real(row)), unseen: model.unseenPairs(real(row)),
                changes: change.components, changed: change.reach};
    }));
}"""


def fitted(X: pd.DataFrame, predictions: np.ndarray, **settings: object) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False, **settings).fit(X, predictions).decomposition_


def numbers(n_rows: int = 600) -> pd.DataFrame:
    """Draw a feature with an atom, one with a gap, one with few values, and a skewed one with missing values."""
    rng = np.random.default_rng(3)
    skewed = rng.lognormal(size=n_rows)
    skewed[rng.random(n_rows) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "atom": np.where(rng.random(n_rows) < 0.4, 0.0, rng.gamma(2.0, size=n_rows)),
            "gap": rng.uniform(size=n_rows) + 5.0 * (rng.random(n_rows) < 0.5),
            "few": rng.integers(0, 5, n_rows).astype(float),
            "skewed": skewed,
        }
    )


def several(family: str) -> Decomposition:
    X = numbers()
    filled = X["skewed"].fillna(3.0)
    predictions = np.sin(X["gap"]) * (X["atom"] > 0) + X["few"] ** 2 / 8 + np.log(filled) * X["few"] / 4
    return fitted(X, predictions.to_numpy(), family=family)


def triples() -> Decomposition:
    X = pd.DataFrame(np.random.default_rng(5).uniform(-1, 1, size=(800, 3)), columns=list("abc"))
    return fitted(X, (X["a"] * X["b"] * X["c"] + X["a"]).to_numpy(), max_order=3)


def logits() -> Decomposition:
    X = numbers(500)[["atom", "gap"]]

    class Model:
        classes_ = np.array([0, 1])

        def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
            odds = np.exp(rows["gap"] / 3 - rows["atom"])
            return np.column_stack([1 / (1 + odds), odds / (1 + odds)])

    return explain(Model(), X, scale="logit", progress=False, ask=0)


def apart() -> Decomposition:
    """Decompose over two features that leave corners of their plane empty."""
    first = np.random.default_rng(6).uniform(size=3000)
    X = pd.DataFrame({"first": first, "second": first + np.random.default_rng(7).normal(0, 0.05, 3000)})
    X["level"] = np.where(first > 0.5, "high", "low")
    return fitted(X, (X["first"] ** 2 + X["second"]).to_numpy())


def exact_cells() -> Decomposition:
    X = pd.DataFrame(np.random.default_rng(8).integers(0, 3, size=(500, 3)), columns=list("abc")).astype(float)
    return fitted(X, (X["a"] * X["b"] + X["c"]).to_numpy())


CASES: dict[str, Callable[[], Decomposition]] = {
    "levels and missing": lambda: mixed().dec,
    "several outputs": lambda: classes().dec,
    "waves, atoms, gaps": lambda: several("waves"),
    "polynomials, atoms, gaps": lambda: several("polynomials"),
    "triples": triples,
    "logit": logits,
    "corners without rows": apart,
    "exact cells": exact_cells,
    "published": lambda: published().dec,
}


def drawn_rows(dec: Decomposition, seed: int) -> np.ndarray:
    """Draw rows: over the range and far beyond it, at breaks and heavy values, missing, and of unknown levels."""
    rng, columns = np.random.default_rng(seed), []
    for index in range(len(dec.features)):
        marginal = dec.expansion.reference.marginals[index] if hasattr(dec.expansion.reference, "marginals") else None
        if isinstance(marginal, NominalMarginal):
            columns.append(rng.choice([-1.0, np.nan, *range(len(marginal.cells))], N_ROWS))
            continue
        if not isinstance(marginal, NumericMarginal):
            columns.append(rng.uniform(-1.2, 1.2, N_ROWS))
            continue
        low, high = marginal.breaks[[0, -1]]
        anywhere = rng.uniform(low - (high - low), high + (high - low), N_ROWS)
        known = rng.choice([*marginal.breaks, *marginal.heavy, *marginal.heavy, np.nan], N_ROWS)
        columns.append(np.choose(rng.integers(0, 3, N_ROWS), [anywhere, known, rng.uniform(low, high, N_ROWS)]))
    return np.column_stack(columns)


@dataclass(frozen=True)
class Answers:
    """What the page's script said of some rows, as arrays whose first axis is that of outputs."""

    dec: Decomposition
    rows: np.ndarray
    others: np.ndarray
    said: list[list[dict]]

    def __getitem__(self, name: str) -> np.ndarray:
        return np.array([[row[name] for row in output] for output in self.said])


@pytest.fixture(params=CASES)
def answers(request, page) -> Answers:
    dec = CASES[request.param]()
    rows, others = drawn_rows(dec, 0), drawn_rows(dec, 1)
    page.goto("about:blank")
    page.add_script_tag(content=script("evaluator.js") + "window.anovaEvaluator = anovaEvaluator;")
    as_json = [np.where(np.isnan(each), None, each).tolist() for each in (rows, others)]
    return Answers(dec, rows, others, page.evaluate(ASK, [json.loads(json.dumps(plain(evaluated(dec)))), *as_json]))


def test_the_page_evaluates_what_python_does(answers):
    dec, spread = answers.dec, np.sqrt(answers.dec.in_sample.seconds[-1, -1].max() + np.ptp(answers["explained"]) ** 2)
    components = dec.expansion.evaluate(answers.rows).transpose(2, 0, 1)
    np.testing.assert_allclose(answers["components"], components, rtol=1e-9, atol=1e-9 * np.abs(components).max())
    explained = dec.expansion.predict(answers.rows).T
    np.testing.assert_allclose(answers["explained"], explained, rtol=1e-9, atol=1e-10 * spread)
    shapley = components @ dec.membership
    np.testing.assert_allclose(answers["shapley"], shapley, rtol=1e-9, atol=1e-9 * np.abs(shapley).max())
    changes = components - dec.expansion.evaluate(answers.others).transpose(2, 0, 1)
    np.testing.assert_allclose(answers["changes"], changes, rtol=1e-9, atol=1e-9 * np.abs(changes).max())
    own = 1 / (1 + np.exp(-explained)) if dec.scale == "logit" else explained
    np.testing.assert_allclose(answers["own"], own, rtol=1e-9, atol=1e-10 * spread)


def test_bands_are_those_of_python_to_a_hundredth(answers):
    dec = answers.dec
    if dec.uncertainty is None:
        assert answers.said[0][0]["reach"] is None
        return
    inside = ~(outside_rows(dec, answers.rows) | outside_rows(dec, answers.others)).any(axis=1)
    assert inside.sum() > 10
    for output, traced in enumerate(dec.uncertainty.components):
        spread = prediction_variance(dec, dec.in_sample, output) ** 0.5
        moved, before = traced.evaluate(answers.rows), traced.evaluate(answers.others)
        whole = moved.sum(axis=1) + traced.mean
        for name, each in (("reaches", moved), ("reach", whole), ("changed", (moved - before).sum(axis=1))):
            reach = standard_error(each, axis=-1) * certain_quantile(LEVEL, each)
            found = answers[name][output]
            # Of what is far smaller than predictions differ, rounding is all there is.
            off = np.abs(found - reach) / (reach + 0.2 * np.sqrt((reach**2).mean(axis=0)) + 1e-3 * spread)
            assert np.median(off) < 0.01, name
            assert np.quantile(off[inside], 0.99) < 0.03, name
            assert off[inside].max() < 0.1, name
            # Beyond the range bands are wide, and those of single terms known roughly.
            assert name == "reaches" or np.quantile(off, 0.95) < 0.1, name


def test_the_page_knows_what_the_fit_has_not_seen(answers):
    outside = outside_rows(answers.dec, answers.rows)
    assert answers["outside"][0].tolist() == outside.tolist()
    pairs, unseen = unseen_pairs(answers.dec, answers.rows)
    wanted = [[list(pairs[at]) for at in np.flatnonzero(row)] for row in unseen]
    assert [row["unseen"] for row in answers.said[0]] == wanted
    if answers.dec.feature_names == ("first", "second", "level"):
        assert sum(map(bool, wanted)) > 100


def test_what_a_page_evaluates_is_read_back_and_refused_where_it_does_not_fit():
    found = evaluated(mixed().dec)
    document = json.loads(json.dumps(plain(found)))
    assert read(document, WhatIf) == found
    damaged = [
        {"terms": document["terms"][1:]},
        {"functions": document["functions"] | {"data": "!"}},
        {"functions": document["functions"] | {"lengths": [1]}},
        {"outputs": []},
        {"n_replicates": 5},
    ]
    for change in damaged:
        with pytest.raises(StorageError):
            read(document | change, WhatIf)


def test_a_band_of_the_explained_value_averages_to_nothing_over_the_rows_of_the_fit():
    fit = mixed()
    traced = fit.dec.uncertainty.components[0]
    moved = traced.predict(fit.dec.encode(fit.X))
    lacking = np.sqrt((np.array([own.offset for own in traced.components]) ** 2).sum())
    assert np.abs(moved.mean(axis=0)).max() <= lacking
    band = measures.prediction_bands(fit.dec, fit.X)
    assert np.array_equal(band.value, fit.dec.predict(fit.X))
    assert ((band.lower <= fit.predictions) & (fit.predictions <= band.upper)).mean() > 0.9
