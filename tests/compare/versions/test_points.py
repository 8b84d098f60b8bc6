"""Points of comparison: rows of a table, or rows made from the laws of both."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.compare.versions.points import common_features, points_of
from anova_report.core.input.features import UNSEEN
from anova_report.errors import InputError
from tests.compare.conftest import Case, decompose


def towns(names: list[str], shares: list[float], seed: int) -> tuple[pd.DataFrame, Decomposition]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"town": rng.choice(names, 2000, p=shares), "hour": rng.integers(0, 4, 2000)})
    return frame, decompose(frame, frame["town"].map(len) + frame["hour"], max_order=1)


@pytest.fixture(scope="module")
def north() -> tuple[pd.DataFrame, Decomposition]:
    return towns(["Bergen", "Oslo", "Umea"], [0.6, 0.3, 0.1], seed=0)


@pytest.fixture(scope="module")
def south() -> tuple[pd.DataFrame, Decomposition]:
    return towns(["Bari", "Oslo", "Umea"], [0.2, 0.2, 0.6], seed=1)


def test_features_are_common_by_name_and_kind() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=50), "b": rng.integers(0, 2, 50), "c": rng.choice(["u", "v"], 50)})
    first = decompose(frame, frame["a"], max_order=1)
    other = pd.DataFrame({"c": rng.normal(size=50), "b": rng.random(50) < 0.5, "a": rng.normal(size=50)})
    second = decompose(other, other["a"], max_order=1)
    # Flags and numbers are interchangeable, levels and numbers are not.
    assert common_features(first, second) == ("a", "b")


def test_rows_of_a_table_are_read_by_each_in_its_own_codes(north: Any, south: Any) -> None:
    frame, first = north
    _, second = south
    points = points_of(first, second, frame, max_rows=300, seed=0)
    assert not points.made_up
    levels = np.array([*second.features[0].levels, "unknown"])
    as_second = levels[np.where(points.second[:, 0] == UNSEEN, 3, points.second[:, 0]).astype(int)]
    as_first = np.array(first.features[0].levels)[points.first[:, 0].astype(int)]
    np.testing.assert_array_equal(as_second, np.where(as_first == "Bergen", "unknown", as_first))
    np.testing.assert_array_equal(points.second_outside[:, 0], as_first == "Bergen")
    assert not points.first_outside.any()


def test_without_a_table_half_of_the_points_follow_each_law(north: Any, south: Any) -> None:
    first, second = north[1], south[1]
    points = points_of(first, second, None, max_rows=1000, seed=0)
    assert points.made_up
    levels = np.array([*first.features[0].levels, "unknown"])
    shown = levels[np.where(points.first[:, 0] == UNSEEN, 3, points.first[:, 0]).astype(int)]
    shares = {name: float(np.mean(shown == name)) for name in levels}
    assert shares == pytest.approx({"Bergen": 0.3, "Oslo": 0.25, "Umea": 0.35, "unknown": 0.1}, abs=0.02)
    hours = [float(np.mean(points.first[:, 1] == hour)) for hour in range(4)]
    assert hours == pytest.approx([0.25] * 4, abs=0.02)
    np.testing.assert_array_equal(points.first[:, 1], points.second[:, 1])


def test_made_up_features_are_independent(independent: Case) -> None:
    points = points_of(independent.dec, independent.dec, None, max_rows=2000, seed=0)
    correlations = np.corrcoef(points.first, rowvar=False) - np.eye(3)
    assert np.abs(correlations).max() < 0.07
    np.testing.assert_allclose(
        np.quantile(points.first, 0.9, axis=0), np.quantile(independent.X, 0.9, axis=0), atol=0.1
    )


def test_missing_values_come_as_often_as_in_the_sample(mixed: Case) -> None:
    points = points_of(mixed.dec, mixed.dec, None, max_rows=900, seed=0)
    assert np.isnan(points.first[:, 2]).mean() == pytest.approx(mixed.X["age"].isna().mean(), abs=0.01)
    assert not points.first_outside.any()


def test_an_estimator_that_keeps_no_laws_needs_a_table() -> None:
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    settings = {"K": 1, "d": 2, "d_density": 0, "scaling": None}
    dec = FunctionalANOVA.published(**settings).fit(X, X[:, 0]).decomposition_
    with pytest.raises(InputError, match=r"PublishedANOVA does not keep how its features are distributed.*Pass X"):
        points_of(dec, dec, None, max_rows=50, seed=0)
    assert points_of(dec, dec, X, max_rows=50, seed=0).first.shape == (50, 2)
