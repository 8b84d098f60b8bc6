"""Models on which the laws of the fit are tested: trees, forests, networks and smooth functions, each from a seed."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import norm
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.tree import DecisionTreeRegressor

KINDS = ("boosting", "forest", "network", "smooth", "products", "tree")
N_FEATURES, N_TRAINING = 4, 3000
SEEDS = 90_000  # of these models: far from those of the benchmarks


def draw(n_rows: int, seed: int) -> np.ndarray:
    """Draw correlated inputs within bounds: two uniform, one skewed, one of ten values."""
    rng = np.random.default_rng([SEEDS, seed])
    mixing = np.random.default_rng([SEEDS, seed // 1000]).normal(size=(N_FEATURES, N_FEATURES))
    z = rng.normal(size=(n_rows, N_FEATURES)) @ (mixing + 2 * np.eye(N_FEATURES))
    z /= np.sqrt(((mixing + 2 * np.eye(N_FEATURES)) ** 2).sum(axis=0))
    return np.column_stack(
        [4 * norm.cdf(z[:, 0]) - 2, norm.cdf(z[:, 1]), norm.cdf(z[:, 2]) ** 2, np.floor(10 * norm.cdf(z[:, 3]))]
    )


def target(X: np.ndarray, seed: int) -> np.ndarray:
    """Evaluate a function of main effects and products with random coefficients."""
    rng = np.random.default_rng([SEEDS, seed, 1])
    a = rng.normal(size=8)
    return (
        a[0] * np.sin(2 * X[:, 0])
        + a[1] * np.cos(3 * X[:, 1])
        + a[2] * X[:, 2]
        + a[3] * X[:, 3] / 5
        + a[4] * X[:, 0] * X[:, 1]
        + a[5] * X[:, 2] * np.sin(X[:, 0])
        + a[6] * X[:, 1] * X[:, 3] / 5
    )


def model_of(kind: str, seed: int) -> Callable[[np.ndarray], np.ndarray]:
    """Make a model of one of the kinds."""
    if kind in ("smooth", "products"):
        far = 1.0 if kind == "smooth" else 0.0
        return lambda X: target(X, seed) + far * np.tanh(X[:, 0] * X[:, 2]) * np.sqrt(1 + X[:, 3])
    X = draw(N_TRAINING, 1000 * seed + 999)
    y = target(X, seed) + 0.3 * np.random.default_rng([SEEDS, seed, 2]).normal(size=N_TRAINING)
    made = {
        "boosting": GradientBoostingRegressor(n_estimators=100, max_depth=3, random_state=seed),
        "forest": RandomForestRegressor(n_estimators=30, min_samples_leaf=5, random_state=seed),
        "network": MLPRegressor(hidden_layer_sizes=(24, 24), max_iter=150, random_state=seed),
        "tree": DecisionTreeRegressor(min_samples_leaf=30, random_state=seed),
    }[kind]
    center, spread = X.mean(axis=0), X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network need not have converged to be explained
        made.fit((X - center) / spread, y)
    return lambda Z: made.predict((Z - center) / spread)
