import pickle
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from anova_report.errors import InputError, ModelError
from anova_report.report.sources.models import load_model, names_file

MODULE = """
import pandas as pd

class Nested:
    model = staticmethod(lambda rows: rows["a"] * 2)

def double(rows: pd.DataFrame):
    return 2 * rows["a"]

number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A working folder whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith("my_"):
            del sys.modules[name]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).normal(size=(200, 2)), columns=["a", "b"])


@pytest.fixture(scope="module")
def linear(rows) -> LinearRegression:
    return LinearRegression().fit(rows, rows["a"] - 3 * rows["b"])


@pytest.mark.parametrize(
    ("spec", "is_file"),
    [
        ("credit.models:latest", False),
        ("models.py:best.one", False),
        ("model.ubj", True),
        ("a/b.joblib", True),
        ("C:\\models\\best.onnx", True),
        ("model.h5", True),
    ],
)
def test_a_colon_names_a_python_object_unless_it_ends_like_a_file(spec, is_file):
    assert names_file(spec) is is_file


def test_an_object_is_found_in_a_module_of_the_working_folder(here, rows):
    (here / "my_models.py").write_text(MODULE)
    np.testing.assert_array_equal(load_model("my_models:double")(rows), 2 * rows["a"])
    np.testing.assert_array_equal(load_model("my_models:Nested.model")(rows), 2 * rows["a"])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("my_models:trouble", r"my_models has no 'trouble'. It has .*'double', 'number'"),
        ("my_absent:double", "There is no module 'my_absent' for the model my_absent:double"),
        ("my_models:number", "my_models:number is of type int, which cannot be asked"),
        ("my_models:Nested", "is the class Nested, which cannot be asked"),
        ("model.h5", r"The model model\.h5 cannot be read by its ending; files end in \.json"),
        ("absent.ubj", r"There is no model file absent\.ubj"),
    ],
)
def test_what_is_no_model_is_refused_in_a_sentence(here, spec, words):
    (here / "my_models.py").write_text(MODULE)
    with pytest.raises(InputError, match=words):
        load_model(spec)


def test_a_module_that_fails_is_the_models_failure(here):
    (here / "my_broken.py").write_text("raise OSError('no disk')")
    with pytest.raises(ModelError, match="The module my_broken failed: OSError: no disk"):
        load_model("my_broken:model")
    (here / "my_needy.py").write_text("import my_missing_dependency")
    with pytest.raises(ModelError, match="The module my_needy needs my_missing_dependency, which is not installed"):
        load_model("my_needy:model")


class Sly:
    def __reduce__(self):
        return open, ("imported", "w")


@pytest.mark.parametrize("name", ["model.joblib", "model.pkl", "model.pickle"])
def test_a_pickle_is_loaded_only_with_consent(tmp_path, linear, rows, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(pickle.dumps(Sly()))
    with pytest.raises(InputError, match=r"is a pickle: loading it runs whatever code .* --allow-pickle"):
        load_model(tmp_path / name)
    assert not (tmp_path / "imported").exists()
    with (tmp_path / name).open("wb") as stream:
        (joblib if name.endswith("joblib") else pickle).dump(linear, stream)
    model = load_model(tmp_path / name, allow_pickle=True)
    np.testing.assert_array_equal(model.predict(rows), linear.predict(rows))


def test_a_skops_file_of_known_types_is_loaded(tmp_path, rows):
    skops = pytest.importorskip("skops.io")
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(rows, rows["a"])
    skops.dump(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").predict(rows), model.predict(rows))


def test_types_that_are_not_known_to_be_safe_are_named_with_the_option_that_allows_them(tmp_path, rows):
    skops = pytest.importorskip("skops.io")
    model = DecisionTreeRegressor(max_depth=2).fit(rows, rows["a"])
    skops.dump(model, tmp_path / "model.skops")
    [unknown] = skops.get_untrusted_types(file=tmp_path / "model.skops")
    with pytest.raises(InputError, match=f"not known to be safe: '{unknown}'.*allow them: --trust {unknown}$"):
        load_model(tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops", trust=[unknown])
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("m.json", "xgboost"),
        ("m.ubj", "xgboost"),
        ("m.txt", "lightgbm"),
        ("m.onnx", "onnxruntime"),
        ("m.cbm", "catboost"),
        ("m.skops", "skops.io"),
    ],
)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(tmp_path, monkeypatch, name, package):
    (tmp_path / name).write_text("{}")
    monkeypatch.setitem(sys.modules, package, None)
    needed = package.partition(".")[0]
    with pytest.raises(InputError, match=rf"needs the package {needed}: pip install 'anova_report\[models\]'"):
        load_model(tmp_path / name)
