"""
Prices of houses: inputs that depend on each other
==================================================

Latitude and longitude of Californian districts lie along a coast, so one says much about the other. What each
does *by itself* is then hard to say, and of little use; what they do *together* is a map.
"""

# %%
# The table: the census of 1990 where it is at hand in the folder named by ``ANOVA_REPORT_DATA``, else a coast
# made up with the same columns, since nothing is downloaded here.
import os
from pathlib import Path

import numpy as np
import pandas as pd


def made_up_coast(n_rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    longitude = rng.uniform(-124, -115, n_rows)
    inland = rng.exponential(1.2, n_rows)
    latitude = 38 - 0.8 * (longitude + 120) + 0.9 * inland
    income = rng.gamma(4, 1, n_rows) * np.exp(-0.1 * inland)
    rooms = 3 + 0.5 * income + rng.normal(0, 0.8, n_rows)
    town = np.exp(-((longitude + 118.3) ** 2)) + np.exp(-2 * (longitude + 122.2) ** 2)
    price = 0.4 * income + 1.2 * town * np.exp(-inland) - 0.2 * inland + rng.normal(0, 0.3, n_rows)
    names = ("MedInc", "AveRooms", "Latitude", "Longitude", "MedHouseVal")
    return pd.DataFrame(dict(zip(names, (income, rooms, latitude, longitude, price), strict=True)))


census = Path(os.environ.get("ANOVA_REPORT_DATA", ".")) / "california_housing.csv.gz"
houses = pd.read_csv(census).sample(6000, random_state=0) if census.is_file() else made_up_coast(6000)
print(f"{len(houses):,} districts, {'of the census' if census.is_file() else 'made up'}")

# %%
# A boosted model, and its explanation. Nothing is tuned.
from sklearn.ensemble import HistGradientBoostingRegressor

from anova_report import explain, measures

X, y = houses.drop(columns="MedHouseVal"), houses["MedHouseVal"]
model = HistGradientBoostingRegressor(random_state=0).fit(X, y)
dec = explain(model, X, progress=False)
dec

# %%
# Which effects should not be read alone? The joint effect of the two coordinates has one share, with an
# interval that holds although their separate shares are of little meaning.
measures.joint_effect(dec, ("Latitude", "Longitude"))

# %%
# The page draws it as a map: see *Joint effects*, or *Interactions* where the two can be distinguished.
from anova_report.report import build_audit, write_report

page = build_audit(dec, title="House prices: a boosted model", progress=False)
path = write_report(page, "houses.html")
# sphinx_gallery_thumbnail_path = "pictures/thumb_01_houses.png"
