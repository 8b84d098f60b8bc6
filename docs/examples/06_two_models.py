"""
A neural network against a boosted model
========================================

Two models predict about equally well. Do they say the same thing, and if not, about what?
"""

# %%
# Demand for bicycles by the hour, made up: temperature and season depend on each other, and the hour matters on
# working days in another way than on others.
import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
n_rows = 6000
hour, working, day = rng.integers(0, 24, n_rows), rng.random(n_rows) < 5 / 7, rng.integers(0, 365, n_rows)
temperature = (
    12 - 10 * np.cos(2 * np.pi * day / 365) + 4 * np.sin((hour - 9) / 24 * 2 * np.pi) + rng.normal(0, 3, n_rows)
)
humidity = np.clip(80 - 1.2 * temperature + rng.normal(0, 10, n_rows), 15, 100)
rush = np.exp(-((hour - 8) ** 2) / 3) + np.exp(-((hour - 17.5) ** 2) / 5)
leisure = np.exp(-((hour - 14) ** 2) / 18)
demand = (
    100 * np.where(working, rush + 0.3 * leisure, leisure)
    + 4 * temperature
    - 0.6 * humidity
    + rng.normal(0, 15, n_rows)
)
X = pd.DataFrame({"hour": hour, "working": working, "temperature": temperature, "humidity": humidity})

boosted = HistGradientBoostingRegressor(max_iter=150, random_state=0).fit(X, demand)
network = TransformedTargetRegressor(
    make_pipeline(
        StandardScaler(), MLPRegressor(hidden_layer_sizes=(32, 32), early_stopping=True, max_iter=400, random_state=0)
    ),
    transformer=StandardScaler(),
).fit(X, demand)
print(f"R² of demand: boosted {boosted.score(X, demand):.3f}, network {network.score(X, demand):.3f}")

# %%
# Both are asked about the same rows in the same order, so what chance did to these rows cancels in the
# difference.
from anova_report import explain
from anova_report.compare import compare_decompositions

first, second = (explain(model, X, progress=False) for model in (boosted, network))
found = compare_decompositions(first, second, X, names=("boosted", "network"))
found

# %%
# Effects that differ by more than chance, the largest distance first:
[effect.label for effect in found.differing()]

# %%
# The page shows them on the same axes, with the difference below.
from anova_report.report import build_comparison, write_comparison

page = build_comparison(first, second, X, names=("boosted", "network"), title="Boosted trees and a neural network")
path = write_comparison(page, "two_models.html")
# sphinx_gallery_thumbnail_path = "pictures/thumb_06_two_models.png"
