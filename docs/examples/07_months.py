"""
Drift over months: did the function change, or the inputs?
==========================================================

A model is audited every month. In February the customers are others; in March the model was trained anew.
Components are relative to the distribution of the inputs, so both move the shares: a comparison says which of the two
it was.
"""

# %%
# Three months of customers, two models.
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor


def customers(seed: int, older: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(40 + older, 12, 4000), 18, 90)
    income = rng.gamma(4, 9, 4000) + 0.3 * (age - 40)
    visits = rng.poisson(3 + 0.04 * income.clip(0))
    return pd.DataFrame({"age": age, "income": income, "visits": visits})


def spending(rows: pd.DataFrame, per_visit: float) -> pd.Series:
    noise = np.random.default_rng(9).normal(0, 8, len(rows))
    return 0.8 * rows["income"] + per_visit * rows["visits"] + 0.02 * rows["age"] * rows["visits"] + noise


months = {"January": customers(1), "February": customers(2, older=8), "March": customers(3, older=8)}
settings = {"max_iter": 80, "min_samples_leaf": 60, "random_state": 0}
old = HistGradientBoostingRegressor(**settings).fit(months["January"], spending(months["January"], 5.0))
new = HistGradientBoostingRegressor(**settings).fit(months["February"], spending(months["February"], 6.5))
in_use = {"January": old, "February": old, "March": new}

# %%
# One decomposition a month is kept, as JSON; the rows need not be.
from anova_report import Decomposition, explain

for month, rows in months.items():
    explain(in_use[month], rows, progress=False).save(f"{month}.json")

# %%
# Each month is compared with the one before. Both models are at hand, so their predictions for the same rows decide
# whether the function changed; without them that often cannot be determined.
from itertools import pairwise

from anova_report.compare import compare_decompositions

kept = {month: Decomposition.load(f"{month}.json") for month in months}
for before, after in pairwise(kept):
    rows = months[after]
    predictions = [in_use[month].predict(rows) for month in (before, after)]
    found = compare_decompositions(kept[before], kept[after], rows, predictions=predictions, names=(before, after))
    moved = ", ".join(" and ".join(shift.features) for shift in found.moved()) or "none"
    print(f"{before} → {after}: function changed: {found.changed}; inputs that moved: {moved}")

# %%
# There is no monitor that does this by itself: a schedule (``anova-report compare January.json February.json
# --fail-on change``) is enough, since its exit code is 1 where the function changed. The page of the last two
# months:
from pathlib import Path

from anova_report.report import build_comparison, write_comparison

page = build_comparison(
    kept["February"],
    kept["March"],
    months["March"],
    predictions=[in_use[month].predict(months["March"]) for month in ("February", "March")],
    names=("February", "March"),
    title="Spending: February and March",
)
path = write_comparison(page, "months.html")
for month in months:
    Path(f"{month}.json").unlink()
# sphinx_gallery_thumbnail_path = "pictures/thumb_07_months.png"
