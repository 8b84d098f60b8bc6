"""Tables, a model and decompositions, as the README and the how-to pages name them."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from tests.docs.reading import SITE, blocks

N_ROWS = 300


@pytest.fixture(scope="session")
def rows() -> pd.DataFrame:
    """Draw three features of clients."""
    rng = np.random.default_rng(0)
    income = rng.normal(size=N_ROWS)
    region = rng.choice(["north", "south"], N_ROWS)
    return pd.DataFrame({"income": income, "age": income + rng.normal(size=N_ROWS), "region": region})


@pytest.fixture(scope="session")
def place(rows, tmp_path_factory) -> Path:
    """Write the tables, the model and the decompositions that the commands name."""
    xgboost = pytest.importorskip("xgboost", reason="pip install 'anova_report[models]'")
    folder = tmp_path_factory.mktemp("readme")
    numbers = rows[["income", "age"]]
    truth = rows["income"] * rows["age"] + rows["age"] > 0
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(numbers, truth)
    model.save_model(folder / "model.ubj")
    scored = rows.assign(score=rows["income"] + rows["income"] * (rows["region"] == "south"))
    scored.to_csv(folder / "clients.csv", index=False)
    scored.assign(patient=np.arange(N_ROWS) // 3).to_csv(folder / "visits.csv", index=False)
    scored.assign(exposure=1 + np.arange(N_ROWS) % 4).to_csv(folder / "survey.csv", index=False)
    cost, years = 100 * np.exp(0.3 * rows["income"]), 1 + np.arange(N_ROWS) % 4
    rows.assign(cost=cost, claims=cost * years / 1000, years=years).to_csv(folder / "policies.csv", index=False)
    numbers.assign(y=truth, client=[f"C{row}" for row in range(N_ROWS)]).to_parquet(folder / "data.parquet")
    (folder / "clients").mkdir()
    numbers.assign(y=truth.astype(float)).to_parquet(folder / "clients" / "part-0.parquet")
    scored.to_csv(folder / "rows.csv", index=False)
    for page in sorted(SITE.glob("how_to/*.md")):
        for lines in blocks(page, "yaml"):
            if named := re.match(r"# (\S+\.yaml)\n", lines):
                (folder / named[1]).write_text(lines, encoding="utf-8")
    runs = "defaults: {prediction: score, max_order: 1}\nruns:\n- {name: clients, data: clients.csv}\n"
    (folder / "runs.yaml").write_text(runs, encoding="utf-8")
    for name, factor in (("A.json", 1.0), ("B.json", 2.0)):
        predictions = factor * rows["income"] + rows["age"]
        FunctionalANOVA(max_order=1, progress=False).fit(rows, predictions).decomposition_.save(folder / name)
    return folder
