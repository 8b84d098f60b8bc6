"""The six datasets as their origins describe them; skipped where the folder is not at hand."""

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


def test_without_the_folder_the_message_says_what_to_set(monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=f"Set {FOLDER_VARIABLE} to a folder that holds diabetes"):
        load("diabetes")
