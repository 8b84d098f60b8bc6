"""Predictions that come with rows: on the scale that was decomposed, and those of the fit where the rows are."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from anova_report import Decomposition, FunctionalANOVA, compare, measures
from anova_report.errors import InputError
from anova_report.figures.rows import Rows
from anova_report.report.audit.build_audit import build_audit

SEED = 4


def table(n_rows: int = 4000, seed: int = SEED) -> np.ndarray:
    return np.random.default_rng([seed, 31]).normal(size=(n_rows, 3))


def log_odds(X: np.ndarray) -> np.ndarray:
    """Prediction with more than pairs can explain, so that there is a residual."""
    return 1.5 * X[:, 0] + X[:, 1] * X[:, 2] - 1 + 0.4 * X[:, 0] * X[:, 1] * X[:, 2]


def fitted(predictions: np.ndarray, scale: str) -> Decomposition:
    return replace(FunctionalANOVA(random_state=0).fit(table(), predictions).decomposition_, scale=scale)


@pytest.fixture(scope="module")
def odds() -> Decomposition:
    return fitted(log_odds(table()), "logit")


@pytest.fixture(scope="module")
def chances() -> Decomposition:
    return fitted(expit(log_odds(table())), "probability")


@pytest.fixture(scope="module")
def prices() -> Decomposition:
    return fitted(np.exp(log_odds(table()) / 4 + 3), "identity")


def price(X: np.ndarray) -> np.ndarray:
    return np.exp(log_odds(X) / 4 + 3)


OTHER_ROWS = table(700, seed=8)
WRONG = {
    "probabilities": (
        "odds",
        lambda X: expit(log_odds(X)),
        "between 0 and 1 and look like probabilities, but log-odds",
    ),
    "labels": ("odds", lambda X: log_odds(X) > 0, "only the values 0 and 1 and look like labels .* but log-odds"),
    "labels for chances": ("chances", lambda X: log_odds(X) > 0, "look like labels .* but probabilities were"),
    "log-odds": ("chances", log_odds, "look like log-odds, but probabilities"),
    "percent": ("chances", lambda X: 100 * expit(log_odds(X)), "look like percent, but probabilities"),
    "logarithms": ("prices", lambda X: np.log(price(X)), "look like logarithms, but predictions with mean"),
    "logarithms to base 10": ("prices", lambda X: np.log10(price(X)), "logarithms to base 10, but predictions"),
    "standardized": (
        "prices",
        lambda X: (price(X) - price(X).mean()) / price(X).std(),
        "as standardized predictions do, but",
    ),
    "moved": ("prices", lambda X: price(X) + 30, "as if (29.[5-9]|30|30.[0-5]) had been added, but"),
    "other units": ("prices", lambda X: 1000 * price(X) + 5000, "as if multiplied by .*, with .* added, but"),
}


@pytest.mark.parametrize("rows", [table(), OTHER_ROWS], ids=["rows of the fit", "other rows"])
@pytest.mark.parametrize("case", WRONG)
def test_predictions_on_another_scale_are_refused_by_its_name(case, rows, request):
    name, prediction, words = WRONG[case]
    with pytest.raises(InputError, match=words):
        Rows.of(request.getfixturevalue(name), rows, prediction(rows))


@pytest.mark.parametrize("rows", [table(), OTHER_ROWS, table(5, seed=9)], ids=["of the fit", "others", "few"])
@pytest.mark.parametrize(
    ("name", "prediction"), [("odds", log_odds), ("chances", lambda X: expit(log_odds(X))), ("prices", price)]
)
def test_the_right_predictions_are_taken_without_a_word(name, prediction, rows, request):
    assert Rows.of(request.getfixturevalue(name), rows, prediction(rows)).note == ""


@pytest.mark.parametrize(
    "rounded",
    [lambda y: y.astype(np.float32), lambda y: [float(f"{value:.6g}") for value in y], lambda y: y.round(2)],
    ids=["single precision", "six digits", "two decimals"],
)
def test_rounded_predictions_are_at_most_noted(odds, rounded):
    note = Rows.of(odds, table(), rounded(log_odds(table()))).note
    assert note == "" or note.startswith("The predictions differ by up to")
    assert ("0.00" in note) == (rounded(np.array([0.123]))[0] == 0.12)


def test_predictions_of_another_model_to_the_rows_of_the_fit_are_refused_with_the_largest_difference(odds):
    X = table()
    others = log_odds(X) + 0.3 * X[:, 2]
    with pytest.raises(InputError, match="rows of the fit, but the predictions differ by up to") as caught:
        Rows.of(odds, X, others)
    largest = float(str(caught.value).split("by up to ")[1].split(", ")[0])
    # The largest of a hundred differences or so, each normal with standard deviation 0.3.
    assert 0.5 < largest < 1.2
    with pytest.raises(InputError, match="in the order of the rows"):
        Rows.of(odds, X, log_odds(X)[::-1])


def test_predictions_of_another_model_to_other_rows_are_noted(odds):
    note = Rows.of(odds, OTHER_ROWS, OTHER_ROWS[:, 1] * 3).note
    assert "may be predictions of another model" in note
    # The audit of another table has a residual to show, and says what it may come from.
    assert build_audit(odds, OTHER_ROWS, OTHER_ROWS[:, 1] * 3, rows=[0]).subject.notes == (note,)


@pytest.mark.parametrize("shift", [2, 3])
def test_rows_beyond_the_fit_with_predictions_of_the_same_model_are_taken(odds, shift):
    far = OTHER_ROWS + shift
    assert "or for rows of another kind" in Rows.of(odds, far, log_odds(far)).note
    far = OTHER_ROWS + 6
    assert Rows.of(odds, far, log_odds(far)).note == ""  # of which nothing is known


def test_a_weak_explanation_does_not_hide_another_scale():
    X = table()
    noisy = log_odds(X) + np.random.default_rng(3).normal(size=len(X), scale=3)
    dec = fitted(noisy, "logit")
    assert measures.fidelity(dec).best < 0.5
    assert Rows.of(dec, OTHER_ROWS, log_odds(OTHER_ROWS)).note == ""
    with pytest.raises(InputError, match="look like probabilities"):
        Rows.of(dec, OTHER_ROWS, expit(log_odds(OTHER_ROWS)))


def test_predictions_that_never_change_are_noted_not_named(odds):
    assert "may be predictions of another model" in Rows.of(odds, OTHER_ROWS, np.full(700, 9.0)).note


def test_the_fingerprint_is_saved_and_old_files_have_none(odds, tmp_path):
    X, path = table(), tmp_path / "dec.json"
    odds.save(path)
    loaded = Decomposition.load(path)
    assert Rows.of(loaded, X, log_odds(X)).note == ""
    with pytest.raises(InputError, match="rows of the fit"):
        Rows.of(loaded, X, log_odds(X)[::-1])
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["fingerprint"]
    path.write_text(json.dumps(document), encoding="utf-8")
    old = Decomposition.load(path)
    assert "may be predictions of another model" in Rows.of(old, X, log_odds(X)[::-1]).note
    with pytest.raises(InputError, match="look like probabilities"):
        measures.notable_rows(old, X, expit(log_odds(X)))


def test_each_output_is_judged_by_itself():
    X = table(600)
    predictions = np.column_stack([X[:, 0], 5 + X[:, 1]])
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, predictions).decomposition_
    assert Rows.of(dec, X[1:], predictions[1:]).note == ""
    with pytest.raises(InputError, match="The predictions of prediction 1 look like percent"):
        Rows.of(dec, X[1:], predictions[1:] * (1, 100))


def test_what_was_observed_may_be_noisy_but_not_on_another_scale(prices):
    X = table(600)
    like = replace(prices, settings={**prices.settings, "max_order": 1})
    observed = price(X) * np.exp(np.random.default_rng(0).normal(scale=0.3, size=len(X)))
    assert compare.phenomenon(X, observed, like).scale == "identity"
    with pytest.raises(InputError, match="look like logarithms"):
        compare.phenomenon(X, np.log(observed), like)
