"""A table with the answers of a small model, for a notebook that is run without one."""

import os
from pathlib import Path
from typing import Any

from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor

from anova_report.core import files

FILE = "anova-report-example.csv"
ANSWERS = "prediction"


def example_options(folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
    """Train a small model, write its inputs and answers to a table, and return the options that audit it.

    The data come with scikit-learn: nothing is fetched.
    """
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = GradientBoostingRegressor(random_state=0).fit(X, y)
    table = X.assign(**{ANSWERS: model.predict(X)})
    path = files.write_text(Path(folder) / FILE, table.to_csv(index=False))
    title = "A gradient boosting model of the progression of diabetes"
    return {"data": str(path), "prediction": ANSWERS, "title": title}
