"""
Insurance: rows that count by their exposure
============================================

A policy that ran for a month holds less information than one that ran for a year. Weights say so, to the model and
to its explanation.
"""

# %%
# Claims of motor policies, made up: young drivers of strong cars have more of them, and the strong cars are in
# towns.
import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
n_rows = 8000
town = rng.choice(["town", "suburb", "country"], n_rows, p=[0.4, 0.35, 0.25])
age = rng.integers(18, 85, n_rows)
power = np.clip(rng.normal(90, 25, n_rows) + 20 * (town == "town"), 40, 220)
bonus = np.clip(100 - 1.2 * (age - 18) + rng.normal(0, 15, n_rows), 50, 150)
exposure = rng.uniform(0.05, 1, n_rows)
young = np.exp(-(age - 18) / 8)
rate = np.exp(
    -2.3 + 0.9 * young + 0.004 * (power - 90) * (1 + 3 * young) + 0.25 * (town == "town") + 0.006 * (bonus - 80)
)
claims = rng.poisson(rate * exposure)
X = pd.DataFrame({"age": age, "power": power, "bonus": bonus, "area": pd.Categorical(town)})

# %%
# The model learns claims a year, weighted by exposure. We explain the **logarithm** of its frequency, in which
# a tariff of factors is a sum; any function of the table can be asked.
from sklearn.ensemble import HistGradientBoostingRegressor

from anova_report import audit

model = HistGradientBoostingRegressor(
    loss="poisson", max_depth=3, max_iter=60, categorical_features="from_dtype", random_state=0
).fit(X, claims / exposure, sample_weight=exposure)


def log_frequency(rows: pd.DataFrame) -> np.ndarray:
    return np.log(model.predict(rows))


# %%
# ``sample_weight`` makes shares, effects, fidelity and intervals those of the policies as they were exposed.
# The page states the total weight, and as how many rows of equal weight they count.
made = audit(
    log_frequency,
    X,
    "insurance.html",
    sample_weight=exposure,
    title="Motor insurance: logarithm of the claim frequency",
    progress=False,
)
made.outputs[0].verdict_words
# sphinx_gallery_thumbnail_path = "pictures/thumb_03_insurance.png"
