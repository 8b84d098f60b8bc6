"""Small tables with predictions, written to files, for tests that run the whole way from a table to a page."""

from pathlib import Path

import numpy as np
import pandas as pd


def small_table(n_rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """Draw mixed columns, some incomplete, an identifier, a target and predictions, a known function of the inputs."""
    rng = np.random.default_rng(seed)
    income = rng.gamma(4.0, 1.0, n_rows)
    region = rng.choice(["north", "south"], n_rows)
    age = rng.uniform(20, 70, n_rows).round()
    prediction = income + np.where(region == "south", 2.0, 0.0) + 0.05 * age
    table = pd.DataFrame({"customer": [f"C{number:04d}" for number in range(n_rows)], "income": income, "age": age})
    table.loc[rng.random(n_rows) < 0.05, "age"] = np.nan
    return table.assign(region=region, paid=(prediction > 8).astype(int), p=prediction)


def write_small_table(folder: Path, **changes: object) -> Path:
    """Write the small table as CSV, some columns replaced."""
    path = folder / "data.csv"
    small_table().assign(**changes).to_csv(path, index=False)
    return path
