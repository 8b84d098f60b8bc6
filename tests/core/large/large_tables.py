"""A table of some ten thousand rows that counts as large, and ways to cut it."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.core.input import fingerprint
from anova_report.core.large import dask_cluster, large_recipe, spans, survey
from anova_report.core.result import storage

SAMPLE = 6000
N_ROWS = 36_000


@contextmanager
def few_are_many() -> Iterator[None]:
    """Make tables of some ten thousand rows larger than what is read at once, of several spans."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_recipe, "SAMPLE_ROWS", SAMPLE)
        patch.setattr(fingerprint, "MOST_AT_ONCE", SAMPLE)
        for module in (spans, dask_cluster, survey):
            patch.setattr(module, "SPAN_BLOCKS", 1)
        for module in (spans, dask_cluster):
            patch.setattr(module, "TOGETHER", 2)
        yield


def mixed_table() -> pd.DataFrame:
    """Rows sorted by level: a level and missing values occur in some parts of the table only."""
    rng = np.random.default_rng(0)
    level = np.sort(rng.choice(["a", "b", "c"], size=N_ROWS, p=[0.6, 0.3, 0.1]))
    x, z = rng.normal(size=(2, N_ROWS))
    x = np.where((rng.random(N_ROWS) < 0.1) & (level == "c"), np.nan, x + (level == "b"))
    table = pd.DataFrame({"x": x, "level": level, "z": np.where(rng.random(N_ROWS) < 0.3, 0.0, z)})
    return table.assign(prediction=np.nan_to_num(x) * z + (level == "c"))


def fit(X, y, **known) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False).fit(X, y, **known).decomposition_


def bits(dec: Decomposition) -> str:
    return storage.dumps(dec)


def write_files(folder: Path, table: pd.DataFrame, cuts: list[int]) -> Path:
    """Write a table into Parquet files that end after these rows."""
    folder.mkdir()
    edges = [0, *cuts, len(table)]
    for at, (start, stop) in enumerate(pairwise(edges)):
        table.iloc[start:stop].to_parquet(folder / f"part-{at:03}.parquet", row_group_size=5000)
    return folder
