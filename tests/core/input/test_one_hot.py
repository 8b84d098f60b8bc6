"""Columns of zeros and ones that are levels of one feature, and those that are not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.compare import Attribution, agreement
from anova_report.core.input.features import Feature
from anova_report.core.input.table import encode_rows, read_sample
from anova_report.errors import InputError

N_ROWS = 600
EFFECTS = {"far-off": 0.0, "north": 1.0, "south": -1.0, "w_est": 0.5}


def draw(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    region = rng.choice(list(EFFECTS), N_ROWS)
    return pd.DataFrame({"x": rng.normal(size=N_ROWS) + (region == "north"), "region": region})


def by_level(rows: pd.DataFrame) -> np.ndarray:
    return rows["region"].map(EFFECTS).to_numpy() + (rows["x"] * (rows["region"] == "north")).to_numpy()


def by_columns(rows: pd.DataFrame) -> np.ndarray:
    own = rows[[f"region_{level}" for level in EFFECTS]].to_numpy(float)
    assert (own.sum(axis=1) == 1).all(), "the model was asked at a row that is of no level, or of two"
    return own @ np.array(list(EFFECTS.values())) + rows["x"].to_numpy() * rows["region_north"].to_numpy(float)


def folded(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    return {own.name: own.levels for own in read_sample(frame, fold_one_hot=True).features if own.columns}


def test_one_hot_columns_give_the_decomposition_of_the_nominal_column(tmp_path):
    rows = draw()
    one_hot = pd.get_dummies(rows)
    expected = explain(by_level, rows, progress=False)
    found = explain(by_columns, one_hot, progress=False)
    assert found.feature_names == expected.feature_names
    np.testing.assert_array_equal(found.components(one_hot), expected.components(rows))
    assert found.asking.n_asked == expected.asking.n_asked > 0
    assert [note for note in found.notes if "region (4 columns)" in note]
    found.save(tmp_path / "dec.json")
    np.testing.assert_array_equal(Decomposition.load(tmp_path / "dec.json").predict(one_hot), found.predict(one_hot))
    apart = explain(by_columns, one_hot, progress=False, fold_one_hot=False)
    assert apart.feature_names == tuple(one_hot.columns)


def test_an_estimator_keeps_the_names_of_the_table():
    one_hot = pd.get_dummies(draw())
    fitted = FunctionalANOVA(progress=False).fit(one_hot, by_columns(one_hot))
    assert fitted.feature_names_in_.tolist() == list(one_hot.columns)
    np.testing.assert_array_equal(fitted.predict(one_hot), fitted.predict(one_hot[one_hot.columns[::-1]]))


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("kind", [bool, int, float])
def test_columns_of_any_type_are_folded_and_new_rows_are_read_by_them(form, kind):
    table = form(pd.get_dummies(draw()).astype(dict.fromkeys([f"region_{level}" for level in EFFECTS], kind)))
    sample = read_sample(table, fold_one_hot=True)
    assert sample.features[1].levels == tuple(EFFECTS)
    np.testing.assert_array_equal(encode_rows(table, sample.features), sample.values)
    assert sample.values[:, 1].tolist() == [list(EFFECTS).index(level) for level in draw()["region"]]


def test_a_level_without_a_column_is_one_more_level():
    dropped = pd.get_dummies(draw(), drop_first=True)
    sample = read_sample(dropped, fold_one_hot=True)
    assert sample.features[1].levels == ("north", "south", "w_est", "none of these")
    np.testing.assert_array_equal(sample.values[:, 1] == 3, draw()["region"] == "far-off")


def test_columns_that_stand_for_no_levels_stay_as_they_are():
    rng = np.random.default_rng(1)
    flags = pd.DataFrame(rng.integers(2, size=(N_ROWS, 3)), columns=["has_dog", "has_cat", "has_car"])
    assert not folded(flags)  # some rows have two
    rare = pd.DataFrame({"has_gout": np.arange(N_ROWS) == 3, "has_mumps": np.arange(N_ROWS) == 5, "age": range(N_ROWS)})
    assert not folded(rare)  # no row has both, which proves nothing
    one_hot = pd.get_dummies(draw())
    assert not folded(one_hot.assign(region=1.5))  # the name is taken
    assert folded(pd.get_dummies(rows := draw().assign(region=(draw()["region"] == "north").astype(str)))) == {
        "region": ("False", "True")
    }
    assert not folded(rows)


def test_two_features_whose_names_begin_alike_are_told_apart():
    rows = draw().drop(columns="x")
    both = pd.get_dummies(rows.assign(region_of_birth=draw(1)["region"]))
    assert {name: len(levels) for name, levels in folded(both).items()} == {"region": 4, "region_of_birth": 4}


def test_a_new_row_of_two_levels_is_refused():
    one_hot = pd.get_dummies(draw())
    sample = read_sample(one_hot, fold_one_hot=True)
    with pytest.raises(InputError, match=r"stand for levels of 'region'.* 600 row"):
        encode_rows(one_hot.assign(region_north=True, region_south=True), sample.features)
    assert (
        encode_rows(one_hot.iloc[:1].assign(**dict.fromkeys(one_hot.columns[1:], False)), sample.features)[0, 1] == -1
    )


def test_other_explanations_of_the_columns_are_added_up():
    one_hot = pd.get_dummies(draw())
    dec = explain(by_columns, one_hot, progress=False, ask=0)
    names = list(one_hot.columns)
    values = one_hot.to_numpy(float)
    contributions = np.random.default_rng(2).normal(size=values.shape)
    about = {"output": "prediction", "scale": "identity", "counterpart": "ANOVA-Shapley value"}
    features = tuple(Feature(name, "numeric") for name in names)
    given = Attribution("treeshap", "TreeSHAP", features, np.arange(N_ROWS), values, contributions, **about)
    found = given.folded(dec.features)
    assert found.feature_names == ("x", "region")
    np.testing.assert_array_equal(found.values, dec.encode(one_hot))
    np.testing.assert_allclose(found.column("region")[1], contributions[:, 1:].sum(axis=1))
    assert np.isnan(replace(given, method="pdp").folded(dec.features).column("region")[1]).all()
    assert [item.feature for item in agreement(dec, one_hot, given).features] == ["x", "region"]
