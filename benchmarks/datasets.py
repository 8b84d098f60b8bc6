"""The six datasets of the paper, from the folder named by ANOVA_REPORT_DATA, else from their public loaders."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

FOLDER_VARIABLE = "ANOVA_REPORT_DATA"


@dataclass(frozen=True)
class Dataset:
    """Where a dataset is, and which of its columns mean what.

    Parameters
    ----------
    name : str
        Also the stem of its file.
    target : str
    positive : str or int, optional
        The class whose logit is explained; None for regression.
    features : tuple of str
        Columns used; empty for all but the target and `left_out`.
    left_out : tuple of str
        Columns that give the target away.
    missing : str, optional
        What stands for a missing value.
    uci : int, optional
        Number in the UCI repository, for its public loader.
    """

    name: str
    target: str
    positive: str | int | None = None
    features: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    missing: str | None = None
    uci: int | None = None


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "bike_sharing",
            "cnt",
            features=("hr", "weekday", "holiday", "season", "atemp", "hum", "windspeed", "weathersit"),
            uci=275,
        ),
        Dataset("california_housing", "MedHouseVal"),
        Dataset("census_income", "income", positive=">50K", missing="?", uci=2),
        Dataset("electrical_grid", "stabf", positive="unstable", left_out=("stab",), uci=471),
        Dataset("diabetes", "Outcome", positive=1),
        Dataset("superconductivity", "critical_temp", uci=464),
    )
}


@dataclass(frozen=True)
class Loaded:
    """A dataset in memory: features as they are, and the target (0/1 for classification)."""

    dataset: Dataset
    X: pd.DataFrame
    y: pd.Series

    @property
    def numbers(self) -> pd.DataFrame:
        """All features as numbers, text by the alphabetical position of its level, as the paper must have done."""
        coded = {
            column: values if pd.api.types.is_numeric_dtype(values) else pd.factorize(values, sort=True)[0]
            for column, values in self.X.items()
        }
        return pd.DataFrame(coded, index=self.X.index).astype(float)

    @property
    def mixed(self) -> pd.DataFrame:
        """Features as they mean: text stays text, and the sign for a missing value becomes a missing value."""
        return self.X if self.dataset.missing is None else self.X.replace(self.dataset.missing, None)


def available(name: str) -> bool:
    """Whether a dataset can be read from the folder, without network."""
    folder = os.environ.get(FOLDER_VARIABLE)
    return bool(folder) and _path(str(folder), name).is_file()


def load(name: str, features: tuple[str, ...] = ()) -> Loaded:
    """Read a dataset, with the features of the paper or others.

    Raises
    ------
    KeyError
        If there is no dataset of that name.
    """
    dataset = DATASETS[name]
    table = _read_table(dataset)
    own = [c for c in table.columns if c not in (dataset.target, *dataset.left_out)]
    chosen = list(features or dataset.features) or own
    y = table[dataset.target]
    if dataset.positive is not None:
        y = (y == dataset.positive).astype(int)
    return Loaded(dataset, table[chosen], y)


def _path(folder: str, name: str) -> Path:
    return Path(folder) / f"{name}.csv.gz"


def _read_table(dataset: Dataset) -> pd.DataFrame:
    if available(dataset.name):
        path = _path(os.environ[FOLDER_VARIABLE], dataset.name)
        return pd.read_csv(path, keep_default_na=dataset.missing is None)
    loader = _public_loader(dataset)
    return loader()


def _public_loader(dataset: Dataset) -> Callable[[], pd.DataFrame]:
    if dataset.name == "california_housing":
        return _from_sklearn
    if dataset.uci is not None:
        return lambda: _from_uci(dataset)
    raise FileNotFoundError(
        f"{dataset.name} has no public loader. Set {FOLDER_VARIABLE} to a folder that holds {dataset.name}.csv.gz."
    )


def _from_sklearn() -> pd.DataFrame:
    from sklearn.datasets import fetch_california_housing

    frame: pd.DataFrame = fetch_california_housing(as_frame=True).frame
    return frame


def _from_uci(dataset: Dataset) -> pd.DataFrame:
    try:
        from ucimlrepo import fetch_ucirepo
    except ImportError as error:
        raise ImportError(
            f"Set {FOLDER_VARIABLE} to a folder that holds {dataset.name}.csv.gz, or: pip install ucimlrepo."
        ) from error
    fetched: Any = fetch_ucirepo(id=dataset.uci)
    table = pd.concat([fetched.data.features, fetched.data.targets], axis=1)
    if dataset.name == "census_income":
        # The public copy keeps the full stop that the test part of the file has after its labels.
        table["income"] = table["income"].str.rstrip(".")
        table = table.fillna("?")
    return table
