"""The model of the demo: a neural network for real patients, asked about patients in between them."""

import warnings

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from anova_report.measures.wording import score

NEIGHBORS = 5
SEX = "sex"
PREDICTION = "predicted progression"
TITLE = "How a neural network predicts the progression of diabetes"
NAMES = {
    "bmi": "body mass index",
    "bp": "blood pressure",
    "s1": "total cholesterol",
    "s2": "LDL",
    "s3": "HDL",
    "s4": "cholesterol / HDL",
    "s5": "log triglycerides",
    "s6": "blood sugar",
}


def make_demo(n_rows: int = 4000, seed: int = 0) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Train the model on data that come with scikit-learn, and ask it about patients in between.

    Returns a table with its predictions, and what must be said about both.
    442 patients are enough to train on, but too few to tell apart what a model does with ten dependent inputs.
    """
    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    patients = X.rename(columns=NAMES).assign(**{SEX: np.where(X[SEX] == 1, "A", "B")})
    model = _model(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopped early on purpose, before it learns the noise
        reached = float(cross_val_score(model, patients, progression, cv=5).mean())
        model.fit(patients, progression)
    rows = in_between(patients, n_rows, np.random.default_rng(seed))
    notes = (
        f"The model is a neural network with one layer, trained on the {len(patients):,} patients of scikit-learn's "
        f"diabetes data to predict the progression of the disease one year later (R² = {score(reached)} in five-fold "
        "cross-validation).",
        f"It is asked about {n_rows:,} patients made for this demo: each lies at a random point between a real patient "
        f"and one of the {NEIGHBORS} most similar of the same sex, so inputs depend on each other as in reality.",
        "The source does not say which sex is which; they are called A and B.",
    )
    return rows.assign(**{PREDICTION: model.predict(rows).round(3)}), notes


def in_between(patients: pd.DataFrame, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows at random points between a row and one of its nearest neighbors of the same sex."""
    numbers = patients.drop(columns=SEX)
    first = rng.integers(len(patients), size=n_rows)
    second = _neighbors(patients)[first, rng.integers(NEIGHBORS, size=n_rows)]
    weight = rng.uniform(size=(n_rows, 1))
    values = numbers.to_numpy()
    made = pd.DataFrame(((1 - weight) * values[first] + weight * values[second]).round(2), columns=numbers.columns)
    made.insert(1, SEX, patients[SEX].to_numpy()[first])
    return made


def _model(seed: int) -> Pipeline:
    columns = make_column_transformer(
        ("passthrough", ["age"]), (OneHotEncoder(drop="first"), [SEX]), ("passthrough", list(NAMES.values()))
    )
    network = MLPRegressor(
        hidden_layer_sizes=(40,), alpha=0.01, learning_rate_init=0.02, max_iter=300, random_state=seed
    )
    return make_pipeline(columns, StandardScaler(), network)


def _neighbors(patients: pd.DataFrame) -> NDArray[np.intp]:
    """Positions of the most similar patients of the same sex, of shape (n_patients, NEIGHBORS)."""
    scaled = StandardScaler().fit_transform(patients.drop(columns=SEX))
    found = np.empty((len(patients), NEIGHBORS), dtype=np.intp)
    for sex in patients[SEX].unique():
        at = np.flatnonzero(patients[SEX] == sex)
        near = NearestNeighbors(n_neighbors=NEIGHBORS + 1).fit(scaled[at]).kneighbors(scaled[at])[1]
        found[at] = at[near[:, 1:]]  # the nearest of all is the patient itself
    return found
