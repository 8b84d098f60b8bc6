"""The six datasets as their origins describe them, where the folder is available; made-up ones where it is not."""

import sys
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from benchmarks.datasets import DATASETS, FOLDER_VARIABLE, available, load

SHAPES = {
    "bike_sharing": (17_379, 8),
    "california_housing": (20_640, 8),
    "census_income": (48_842, 14),
    "electrical_grid": (10_000, 12),
    "diabetes": (768, 8),
    "superconductivity": (21_263, 81),
}
TARGET_MEANS = {
    "bike_sharing": 189.463088,
    "california_housing": 2.068558169,
    "census_income": 11_687 / 48_842,
    "electrical_grid": 0.6380,
    "diabetes": 268 / 768,
    "superconductivity": 34.421219,
}


@pytest.fixture(params=DATASETS)
def loaded(request):
    if not available(request.param):
        pytest.skip(f"set {FOLDER_VARIABLE} to the folder that holds {request.param}.csv.gz")
    return load(request.param)


def test_a_dataset_has_the_rows_features_and_target_of_its_origin(loaded):
    assert loaded.X.shape == SHAPES[loaded.dataset.name]
    assert loaded.y.mean() == pytest.approx(TARGET_MEANS[loaded.dataset.name], abs=1e-6)


def test_numbers_are_complete_and_mixed_keeps_what_a_column_means(loaded):
    assert loaded.numbers.notna().all(axis=None)
    assert {str(dtype) for dtype in loaded.numbers.dtypes} == {"float64"}
    if loaded.dataset.name == "census_income":
        assert loaded.mixed["workclass"].isna().sum() == 2_799
        assert set(loaded.mixed["sex"]) == {"Female", "Male"}


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def no_folder(monkeypatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)


def write(folder, name: str, table: dict[str, list]) -> None:
    pd.DataFrame(table).to_csv(folder / f"{name}.csv.gz", index=False)


def test_a_class_becomes_one_and_the_others_zero_and_what_gives_it_away_is_left_out(folder):
    write(folder, "electrical_grid", {"tau": [1.0, 2.0], "stab": [0.3, -0.3], "stabf": ["unstable", "stable"]})
    loaded = load("electrical_grid")
    assert loaded.X.columns.tolist() == ["tau"]
    assert loaded.y.tolist() == [1, 0]


CENSUS = {"age": [30, 40, 50], "job": ["cook", "?", "baker"], "income": ["<=50K", ">50K", ">50K"]}


def test_text_is_coded_by_the_alphabet_or_kept_with_its_gaps(folder):
    write(folder, "census_income", CENSUS)
    loaded = load("census_income")
    assert loaded.numbers.to_numpy().tolist() == [[30, 2], [40, 0], [50, 1]]
    assert loaded.mixed["job"].isna().tolist() == [False, True, False]
    assert loaded.mixed["job"].dropna().tolist() == ["cook", "baker"]
    assert loaded.X["job"].tolist() == ["cook", "?", "baker"]
    assert loaded.y.tolist() == [0, 1, 1]


@pytest.mark.usefixtures("no_folder")
def test_california_is_asked_of_scikit_learn(monkeypatch):
    table = pd.DataFrame({"MedInc": [3.0, 5.0], "MedHouseVal": [1.0, 2.0]})
    monkeypatch.setattr("sklearn.datasets.fetch_california_housing", lambda **_: SimpleNamespace(frame=table))
    loaded = load("california_housing")
    assert loaded.X.columns.tolist() == ["MedInc"]
    assert loaded.y.tolist() == [1.0, 2.0]


@pytest.mark.usefixtures("no_folder")
def test_the_others_are_asked_of_uci_by_their_number_and_cleaned(monkeypatch):
    asked = []

    def fetch(id: int) -> SimpleNamespace:  # noqa: A002 - as the loader names it
        asked.append(id)
        features = pd.DataFrame({"age": [30, 40], "job": ["cook", None]})
        return SimpleNamespace(
            data=SimpleNamespace(features=features, targets=pd.DataFrame({"income": ["<=50K.", ">50K"]}))
        )

    library = ModuleType("ucimlrepo")
    library.fetch_ucirepo = fetch
    monkeypatch.setitem(sys.modules, "ucimlrepo", library)
    loaded = load("census_income")
    assert asked == [DATASETS["census_income"].uci] == [2]
    assert loaded.y.tolist() == [0, 1]
    assert loaded.X["job"].tolist() == ["cook", "?"]
