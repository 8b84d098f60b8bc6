"""Comparing two decompositions: what changed is found, there and only there."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.compare import compare_decompositions
from anova_report.compare.versions.decompositions import NO_BANDS, WORDS
from anova_report.errors import InputError
from anova_report.measures import variance_shares
from tests.compare.conftest import Case, decompose
from tests.compare.methods.test_registry import TwoClasses


def inputs(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Four features, two of them dependent, and noise."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(1000, 4))
    z[:, 1] += 0.7 * z[:, 0]
    return pd.DataFrame(z, columns=["a", "b", "c", "d"]), 0.3 * rng.normal(size=1000)


def before(X: pd.DataFrame) -> Any:
    return np.sin(2 * X["a"]) + X["b"] * X["c"] + 0.5 * X["d"]


X, NOISE = inputs(0)
OTHER, OTHER_NOISE = inputs(1)


@pytest.fixture(scope="module")
def old() -> Decomposition:
    return decompose(X, before(X) + NOISE)


@pytest.fixture(scope="module")
def bent() -> Decomposition:
    """The same rows, with a change in d planted."""
    return decompose(X, before(X) + 0.3 * X["d"] ** 2 + NOISE)


@pytest.fixture(scope="module")
def elsewhere() -> Decomposition:
    """The same function, on other rows."""
    return decompose(OTHER, before(OTHER) + OTHER_NOISE)


def test_a_decomposition_does_not_differ_from_itself(old: Decomposition) -> None:
    found = compare_decompositions(old, old, X)
    assert found.differing() == ()
    assert all((effect.difference == 0).all() for effect in found.effects)
    assert not any(drift.exceeds for drift in (*found.term_shares, *found.feature_shares))
    assert found.means[0] == found.means[1]
    assert found.rows == "same replicates"


@pytest.mark.parametrize("table", [X, None], ids=["on rows", "without rows"])
def test_a_planted_change_is_found_there_and_only_there(
    old: Decomposition, bent: Decomposition, table: pd.DataFrame | None
) -> None:
    found = compare_decompositions(old, bent, table)
    assert [effect.label for effect in found.differing()] == ["d"]
    changed = found.differing()[0]
    planted = 0.3 * changed.values[:, 0] ** 2
    assert np.corrcoef(changed.difference, planted)[0, 1] > 0.97
    assert changed.exceeding > 0.5
    assert found.made_up is (table is None)


def test_other_rows_of_the_same_function_do_not_differ(old: Decomposition, elsewhere: Decomposition) -> None:
    found = compare_decompositions(old, elsewhere, X)
    assert found.differing() == ()
    assert found.rows == "different"
    # Single points may leave a 95% band; rows at large must not.
    assert all(effect.exceeding < 0.35 for effect in found.effects)


def test_the_share_of_what_changed_drifts(old: Decomposition, bent: Decomposition) -> None:
    found = compare_decompositions(old, bent, X)
    drifts = {drift.label: drift for drift in found.feature_shares}
    assert drifts["d"].exceeds
    assert drifts["d"].difference > 0
    for dec, side in ((old, "first"), (bent, "second")):
        shares = {share.label: share.total for share in variance_shares(dec).terms}
        for drift in found.term_shares:
            assert getattr(drift, side) == pytest.approx(shares.get(drift.label, 0.0))


def test_a_new_interaction_is_found_although_only_one_holds_it(old: Decomposition) -> None:
    new = decompose(X, before(X) + X["a"] * X["d"] + NOISE)
    (effect,) = [effect for effect in compare_decompositions(old, new, X).effects if effect.label == "a × d"]
    assert effect.held_by == "second"
    assert effect.differs


def test_the_order_of_the_two_turns_signs_only(old: Decomposition, bent: Decomposition) -> None:
    there, back = compare_decompositions(old, bent, X), compare_decompositions(bent, old, X)
    for one, two in zip(there.effects, back.effects, strict=True):
        np.testing.assert_allclose(one.difference, -two.difference)
        assert one.floor == pytest.approx(two.floor)
        assert one.differs == two.differs


def test_inputs_that_moved_are_not_a_change_of_an_additive_function() -> None:
    rng = np.random.default_rng(0)
    low = pd.DataFrame(rng.uniform(0, 2, size=(1200, 2)), columns=["a", "b"])
    high = low.assign(a=low["a"] + 0.5)
    first, second = (decompose(table, table["a"] ** 2 + table["b"], max_order=1) for table in (low, high))
    found = compare_decompositions(first, second)
    assert found.rows == "different"
    assert found.differing() == ()
    assert found.effects[0].distance < 0.02
    assert abs(found.means[0] - found.means[1]) > 0.5
    assert found.words == WORDS["different"]
    assert "inputs that moved" in found.words


def test_whether_rows_are_the_same_is_seen_and_can_be_denied(old: Decomposition, bent: Decomposition) -> None:
    seen, said = compare_decompositions(old, bent), compare_decompositions(old, bent, same_rows=False)
    assert (seen.rows, seen.words) == ("same replicates", WORDS["same replicates"])
    assert (said.rows, said.words) == ("different", WORDS["different"])
    for paired, apart in zip(seen.effects, said.effects, strict=True):
        if paired.held_by == "both":
            assert (paired.upper - paired.lower).mean() < (apart.upper - apart.lower).mean()


def test_the_same_rows_in_another_order_are_known_by_their_laws(old: Decomposition) -> None:
    order = np.random.default_rng(5).permutation(len(X))
    turned = decompose(X.iloc[order], (before(X) + NOISE).iloc[order])
    found = compare_decompositions(old, turned, X)
    assert (found.rows, found.words) == ("same", WORDS["same"])
    assert found.differing() == ()


def test_features_that_only_one_has_are_reported(old: Decomposition) -> None:
    wider = X.drop(columns="d").assign(e=np.random.default_rng(2).normal(size=len(X)))
    new = decompose(wider, np.sin(2 * wider["a"]) + wider["b"] * wider["c"] + wider["e"] + NOISE)
    found = compare_decompositions(old, new, X.assign(e=wider["e"]))
    assert (found.features, found.only_first, found.only_second) == (("a", "b", "c"), ("d",), ("e",))
    assert all("d" not in effect.features and "e" not in effect.features for effect in found.effects)


def test_columns_in_another_order_make_no_difference(old: Decomposition) -> None:
    turned = decompose(X[["d", "c", "b", "a"]], before(X) + NOISE)
    found = compare_decompositions(old, turned, X, same_rows=True)
    assert found.differing() == ()
    assert [effect.label for effect in found.effects][:4] == ["a", "b", "c", "d"]
    np.testing.assert_allclose(found.effects[0].first, found.effects[0].second, atol=0.05)


def test_without_uncertainty_differences_are_shown_and_nothing_is_claimed() -> None:
    rows = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    settings = {"K": 1, "d": 2, "d_density": 0, "scaling": None}
    a, b = (
        FunctionalANOVA.published(**settings).fit(rows, rows[:, 0] * slope + rows[:, 1]).decomposition_
        for slope in (1, 2)
    )
    found = compare_decompositions(a, b, rows)
    assert found.words == NO_BANDS
    assert found.effects[0].distance == pytest.approx(1 / np.sqrt(3), rel=0.1)
    assert (found.effects[0].differs, found.effects[0].lower, found.feature_shares[0].exceeds) == (None, None, None)
    assert found.differing() == ()


def test_outputs_can_be_chosen_and_called_differently() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 2))
    several = decompose(rows, pd.DataFrame({"u": rows[:, 0], "v": rows[:, 1]}), max_order=1)
    single = decompose(rows, pd.Series(rows[:, 1], name="w"), max_order=1)
    found = compare_decompositions(several, single, rows, output=("v", None))
    assert found.outputs == ("v", "w")
    assert found.differing() == ()
    assert compare_decompositions(several, several, rows, output="u").outputs == ("u", "u")
    with pytest.raises(InputError, match="Choose one of the outputs"):
        compare_decompositions(several, single, rows)


def test_a_column_called_like_a_pair_is_another_term_than_the_pair() -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(1500, 3)), columns=["a", "b", "a × b"])
    predictions = rows["a"] * rows["b"] + 0.3 * rows["a × b"]  # variances 1 and 0.09, other columns in another order
    first, second = decompose(rows, predictions), decompose(rows[["a × b", "b", "a"]], predictions)
    found = compare_decompositions(first, second, rows, same_rows=True)
    shares = {drift.features: (drift.first, drift.second) for drift in found.term_shares}
    assert shares["a × b",] == pytest.approx((0.083, 0.083), abs=0.015)
    assert shares["a", "b"] == pytest.approx((0.917, 0.917), abs=0.03)
    assert [drift.first for drift in found.feature_shares] == pytest.approx([0.459, 0.459, 0.083], abs=0.02)
    effects = {effect.features: effect for effect in found.effects}
    assert set(effects) == set(shares)
    np.testing.assert_allclose(effects["a × b",].first, 0.3 * effects["a × b",].values[:, 0], atol=0.05)
    assert found.differing() == ()


def test_what_cannot_be_compared_is_refused(old: Decomposition, independent: Case) -> None:
    with pytest.raises(InputError, match="no feature in common"):
        compare_decompositions(old, independent.dec)
    rows = np.random.default_rng(0).normal(size=(200, 2))
    logits, chances = (
        explain(TwoClasses(), rows, scale=scale, progress=False, max_order=1) for scale in ("logit", "probability")
    )
    with pytest.raises(InputError, match="'logit' and the second on 'probability'"):
        compare_decompositions(logits, chances)
    with pytest.raises(InputError, match="max_rows must be a whole number"):
        compare_decompositions(old, old, max_rows=0)


def test_frames_have_one_line_per_effect_and_per_share(old: Decomposition, bent: Decomposition) -> None:
    found = compare_decompositions(old, bent, X, max_rows=200)
    effects, shares = pd.DataFrame(found.frame()), pd.DataFrame(found.share_frame())
    assert effects.loc[effects["differs"], "effect"].tolist() == ["d"]
    assert len(effects) == len(found.effects)
    assert shares["kind"].value_counts().to_dict() == {"feature": 4, "term": len(found.term_shares)}
    assert len(found.effects[0].values) <= 200
