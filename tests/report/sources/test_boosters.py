import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from anova_report.errors import InputError
from anova_report.report.sources.boosters import Booster, load_xgboost

N = 300


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=N),
            "color": pd.Categorical(rng.choice(["red", "blue", "gray"], N)),
            "age": rng.normal(size=N),
        }
    )


@pytest.fixture(scope="module")
def xgboost() -> ModuleType:
    return pytest.importorskip("xgboost")


def as_text(rows: pd.DataFrame) -> pd.DataFrame:
    """The same rows as a CSV file gives them: no declared levels, columns in another order."""
    return rows.assign(color=rows["color"].astype(str))[["age", "color", "size"]]


def test_a_regressor_predicts_as_it_did_before_it_was_saved(xgboost, rows, tmp_path):
    numbers = rows[["size", "age"]]
    model = xgboost.XGBRegressor(n_estimators=5).fit(numbers, rows["size"] * rows["age"])
    for name in ("m.json", "m.ubj"):
        model.save_model(tmp_path / name)
        loaded = load_xgboost(tmp_path / name)
        np.testing.assert_array_equal(loaded.predict(numbers[["age", "size"]]), model.predict(numbers))
        assert loaded.feature_names_in_ == ("size", "age")
        assert not hasattr(loaded, "predict_proba")


def test_levels_get_the_codes_of_the_training_in_batches_that_lack_some(xgboost, rows, tmp_path):
    target = (rows["size"] + 2 * (rows["color"] == "blue") > 0.5).astype(int)
    model = xgboost.XGBClassifier(n_estimators=5, enable_categorical=True).fit(rows, target)
    model.save_model(tmp_path / "m.ubj")
    loaded = load_xgboost(tmp_path / "m.ubj")
    expected = model.predict_proba(rows)
    np.testing.assert_allclose(loaded.predict_proba(as_text(rows)), expected, atol=1e-6)
    gray = (rows["color"] == "gray").to_numpy()
    np.testing.assert_allclose(loaded.predict_proba(as_text(rows)[gray]), expected[gray], atol=1e-6)
    assert loaded.classes_.tolist() == [0, 1]


def test_a_level_the_training_has_not_seen_is_refused(xgboost, rows, tmp_path):
    model = xgboost.XGBRegressor(n_estimators=2, enable_categorical=True).fit(rows, rows["size"])
    model.save_model(tmp_path / "m.ubj")
    with pytest.raises(InputError, match="Column 'color' holds 'pink', which the model has not seen"):
        load_xgboost(tmp_path / "m.ubj").predict(as_text(rows).assign(color="pink"))


def test_three_classes_give_the_probabilities_of_the_library(xgboost, rows, tmp_path):
    numbers = rows[["size", "age"]]
    model = xgboost.XGBClassifier(n_estimators=4).fit(numbers, np.digitize(rows["size"], [-0.5, 0.5]))
    model.save_model(tmp_path / "m.json")
    loaded = load_xgboost(tmp_path / "m.json")
    np.testing.assert_allclose(loaded.predict_proba(numbers), model.predict_proba(numbers), atol=1e-6)
    assert len(loaded.classes_) == 3


EARLY = {"n_estimators": 300, "learning_rate": 0.5, "early_stopping_rounds": 2, "enable_categorical": True, "n_jobs": 1}


def stopped(model, rows, target):
    """Train on half of the rows until the other half no longer gains."""
    half = N // 2
    model.fit(rows[:half], target[:half], eval_set=[(rows[half:], target[half:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    return model


@pytest.mark.parametrize("ending", ["json", "ubj"])
@pytest.mark.parametrize("settings", [{}, {"booster": "dart", "rate_drop": 0.1}, {"num_parallel_tree": 2}])
def test_after_an_early_stop_the_trees_behind_the_best_are_not_asked(xgboost, rows, tmp_path, ending, settings):
    noise = np.random.default_rng(1).normal(size=N)
    target = rows["size"] * (rows["color"] == "red") + 0.5 * noise
    model = stopped(xgboost.XGBRegressor(**EARLY, **settings), rows, target)
    model.save_model(tmp_path / f"m.{ending}")
    loaded = load_xgboost(tmp_path / f"m.{ending}")
    np.testing.assert_allclose(loaded.predict(as_text(rows)), model.predict(rows), rtol=1e-6, atol=1e-6)
    assert loaded.inside.num_boosted_rounds() == model.best_iteration + 1


def test_a_bare_booster_predicts_with_all_its_trees_as_it_does_in_memory(xgboost, rows, tmp_path):
    numbers, half = rows[["size", "age"]], N // 2
    parts = [xgboost.DMatrix(numbers[part], rows["size"][part] ** 2) for part in (slice(half), slice(half, None))]
    until = {"evals": [(parts[1], "rest")], "early_stopping_rounds": 2, "verbose_eval": False}
    booster = xgboost.train({"eta": 1.0}, parts[0], 100, **until)
    assert booster.best_iteration + 1 < booster.num_boosted_rounds()
    booster.save_model(tmp_path / "m.ubj")
    expected = booster.predict(xgboost.DMatrix(numbers))
    np.testing.assert_array_equal(load_xgboost(tmp_path / "m.ubj").predict(numbers), expected)


@pytest.mark.usefixtures("xgboost")
def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "m.json").write_text('{"schema": "something else"}')
    with pytest.raises(InputError, match=r"m\.json is not a model that XGBoost saved"):
        load_xgboost(tmp_path / "m.json")


def test_levels_that_the_file_does_not_tell_are_an_error_not_a_guess(monkeypatch, tmp_path):
    booster = SimpleNamespace(
        feature_names=["color"],
        feature_types=["c"],
        num_features=lambda: 1,
        attr=lambda _: None,
        save_config=lambda: (
            '{"learner": {"learner_train_param": {"objective": "reg:squarederror"}, '
            '"learner_model_param": {"num_class": "0"}}}'
        ),
    )
    stand_in = SimpleNamespace(Booster=lambda **_: booster, core=SimpleNamespace(XGBoostError=RuntimeError))
    monkeypatch.setitem(sys.modules, "xgboost", stand_in)
    with pytest.raises(InputError, match=r"does not hold the levels of 'color'. Save it with XGBoost 3\.1 or newer"):
        load_xgboost(tmp_path / "m.ubj")


def test_a_file_whose_names_are_no_text_is_refused(xgboost, rows, tmp_path):
    path = tmp_path / "m.json"
    numbers = rows[["size", "age"]].rename(columns={"size": "a name of a feature"})
    xgboost.XGBRegressor(n_estimators=2).fit(numbers, rows["size"]).save_model(path)
    path.write_bytes(path.read_bytes().replace(b"a name of", b"a \xff\xfe\xfd\xfc of"))
    with pytest.raises(InputError, match=r"m\.json is not a model that XGBoost saved"):
        load_xgboost(path)


def test_a_column_of_levels_may_have_any_name(rows):
    named = rows[["color"]].rename(columns={"color": "self"})
    levels = ["red", "blue", "gray"]
    made = Booster(None, lambda frame: frame, lambda _: None, ("self",), 1, {"self": levels}).formed(named)
    assert list(made["self"].cat.categories) == levels
    assert made["self"].tolist() == rows["color"].tolist()
