"""One SELECT that gives what `predict` gives, read back by the databases themselves."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain
from anova_report.core.export.sql import balanced_sum, chosen, identifier
from anova_report.errors import InputError

RNG = np.random.default_rng(0)
N = 600
DIALECTS = ("duckdb", "sqlite")


def answer(sql: str, dialect: str, table: pd.DataFrame, name: str = "rows") -> pd.DataFrame:
    """Put a table into a database, and read what a SELECT gives of it, in the order of its identifiers."""
    table = table.assign(id=np.arange(len(table)))
    if dialect == "duckdb":
        database = duckdb.connect()
        database.register("given", table)
        database.execute(f"CREATE TABLE {identifier(name)} AS SELECT * FROM given")  # noqa: S608 our own table
        found = database.execute(sql).df()
    else:
        database = sqlite3.connect(":memory:")
        table.to_sql(name, database, index=False)
        found = pd.read_sql(sql, database)
    database.close()
    assert list(found.columns[: table.shape[1]]) == list(table.columns)
    return found.sort_values("id")


def assert_reproduces(dec, new: pd.DataFrame, dialect: str, name: str = "rows") -> None:
    found = answer(dec.to_sql(dialect, name), dialect, new, name)
    wanted = dec.predict(new).reshape(len(new), -1)
    given = found.iloc[:, -wanted.shape[1] :].to_numpy(dtype=float)
    assert np.abs(given - wanted).max() <= 1e-9 * max(np.abs(wanted).max(), 1)


def hostile_rows() -> pd.DataFrame:
    """Columns of all kinds, with names and levels that a careless writer would stumble over."""
    made = pd.DataFrame(
        {
            'nu"mb; DROP TABLE rows; --er': RNG.normal(size=N),
            "select": RNG.integers(0, 7, N).astype(float),
            "order by": RNG.choice(
                ["no'rth", 'so"uth', "", "-- east", "rare", "rarer"], N, p=[0.4, 0.3, 0.1, 0.195, 0.003, 0.002]
            ),
            "flag": RNG.random(N) < 0.4,
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 10**6, N), "min"),
            "x0": np.where(RNG.random(N) < 0.3, 0, RNG.exponential(3, N)),
            "größe": pd.Categorical(RNG.choice(["low", "middle", "high"], N), ["low", "middle", "high"], ordered=True),
            "code": pd.Categorical(RNG.integers(1, 5, N)),
        }
    )
    made.loc[RNG.random(N) < 0.1, ['nu"mb; DROP TABLE rows; --er']] = np.nan
    made.loc[RNG.random(N) < 0.1, "order by"] = None
    return made


def hostile_predictions(X: pd.DataFrame) -> np.ndarray:
    first = X.iloc[:, 0].fillna(-1)
    smooth = np.sin(X["select"]) * X["x0"] + first * X["flag"] + (X["order by"] == "no'rth") * X["x0"] * X["flag"]
    steps = (X["größe"].astype(str) == "high") * 2.0 + (X["code"].astype(int) == 3) + X["when"].astype("int64") / 1e18
    return np.asarray(smooth + steps, dtype=float)


@pytest.fixture(scope="module")
def hostile():
    X = hostile_rows()
    dec = FunctionalANOVA(max_order=3, random_state=0, progress=False).fit(X, hostile_predictions(X)).decomposition_
    assert max(map(len, dec.terms)) == 3
    new = X.copy()
    new.loc[:20, "order by"] = "never seen"
    new.loc[5:30, new.columns[0]] *= 30
    new.loc[7:9, "x0"] = -5.0
    new.loc[10:12, "x0"] = 1e6
    new.loc[13, "select"] = np.nan  # missing, as it never was
    new["größe"] = new["größe"].cat.add_categories(["huge"])
    new.loc[14:15, "größe"] = "huge"
    return dec, new


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_kind_of_column_gives_what_predict_gives(hostile, dialect):
    assert_reproduces(*hostile, dialect, 'my "rows"; --')


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scatter", [0.0, 0.5])
def test_numbers_go_on_beyond_the_range_as_functions_do(dialect, scatter):
    X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "c"])
    smooth = X["a"] * X["b"] + X["c"] ** 2
    y = smooth if not scatter else np.sign(X["a"]) * (X["b"] > 0.3) + scatter * RNG.normal(size=N)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, np.asarray(y)).decomposition_
    families = {marginal.held for marginal in dec.expansion.reference.marginals}
    assert families == {bool(scatter)}  # polynomials go on as straight lines, waves hold their last value
    assert_reproduces(dec, X * 4, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_several_outputs_are_the_last_columns(dialect):
    X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
    y = np.stack([X["a"] * X["b"], X["a"], X["b"] ** 2], axis=1)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, y).decomposition_
    assert_reproduces(dec, X, dialect)
    found = answer(dec.to_sql(dialect), dialect, X)
    assert list(found)[-3:] == [f"explained_prediction_{name}" for name in dec.output_names]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_that_stand_for_levels_are_read_as_one_feature(dialect):
    which = RNG.integers(0, 4, N)  # the last level has no column
    X = pd.DataFrame({f"region_{name}": (which == at).astype(float) for at, name in enumerate(["n", "s", "e"])})
    X["a"] = RNG.normal(size=N)
    y = np.array([1.0, -2.0, 0.5, 3.0])[which] * X["a"]
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, np.asarray(y)).decomposition_
    assert dec.feature_names == ("region", "a")
    assert_reproduces(dec, X, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_of_exact_cells_is_reproduced(dialect):
    X = pd.DataFrame({name: RNG.integers(0, 4, N).astype(float) for name in ("a", "b", "c")})
    y = np.asarray(X["a"] * X["b"] + (X["c"] == 2) * X["a"], dtype=float)
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, y).decomposition_
    assert_reproduces(dec, X, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("scale", "own"), [("logit", lambda v: 1 / (1 + np.exp(-v))), ("log", np.exp)])
def test_predictions_are_also_given_on_their_own_scale(dialect, scale, own):
    X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])

    class Model:
        classes_ = np.array([0, 1])

        def predict(self, rows):
            return np.exp(rows["a"] + 0.1 * rows["b"])

    class Classifier(Model):
        def predict_proba(self, rows):
            p = 1 / (1 + np.exp(-rows["a"] * rows["b"]))
            return np.stack([1 - p, p], axis=1)

    model = Classifier() if scale == "logit" else Model()
    dec = explain(model, X, scale=scale, ask=0, progress=False)
    far = X * 300
    found = answer(dec.to_sql(dialect, own_scale=True), dialect, far)
    with np.errstate(over="ignore"):
        wanted = own(dec.predict(far))
    given = found["explained_prediction"].to_numpy()
    whole = np.isfinite(wanted)
    assert np.allclose(given[whole], wanted[whole], rtol=1e-9, atol=1e-12)
    assert np.array_equal(np.isfinite(given), whole)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_times_are_read_as_the_fit_reads_them(dialect):
    start = pd.Timestamp("1969-07-20")
    X = pd.DataFrame({"at": start + pd.to_timedelta(RNG.integers(0, 10**12, N), "ms"), "a": RNG.normal(size=N)})
    X["lasted"] = pd.to_timedelta(RNG.integers(0, 10**6, N), "s")
    y = np.asarray((X["at"] - start).dt.total_seconds() / 1e8 + X["a"] + X["lasted"].dt.total_seconds() / 1e6)
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, y).decomposition_
    stored = X.assign(lasted=X["lasted"].dt.total_seconds()) if dialect == "sqlite" else X
    found = answer(dec.to_sql(dialect), dialect, stored)
    assert np.abs(found["explained_prediction"].to_numpy() - dec.predict(X)).max() < 1e-9


def test_a_decomposition_that_was_read_back_writes_the_same_statement(hostile, tmp_path):
    dec, _ = hostile
    dec.save(tmp_path / "dec.json")
    assert type(dec).load(tmp_path / "dec.json").to_sql("duckdb") == dec.to_sql("duckdb")


def test_what_cannot_be_written_is_refused():
    X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["Age", "age"])
    y = np.asarray(X.sum(axis=1))
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, y).decomposition_
    with pytest.raises(InputError, match="'Age' and 'age' are the same name in SQL"):
        dec.to_sql("sqlite")
    with pytest.raises(InputError, match="dialect must be one of 'duckdb', 'sqlite'; got 'oracle'"):
        dec.to_sql("oracle")
    named = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X.set_axis(["a", "b\0"], axis=1), y)
    with pytest.raises(InputError, match="no database reads"):
        named.decomposition_.to_sql("sqlite")
    with pytest.raises(InputError, match="'identity' are on their own scale"):
        named.decomposition_.to_sql("sqlite", own_scale=True)
    published = FunctionalANOVA.published(K=1, d=3).fit(X.to_numpy(), y).decomposition_
    with pytest.raises(InputError, match="published method divides by densities"):
        published.to_sql("duckdb")


def test_a_model_that_never_changes_is_a_constant():
    X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["a", "b"])
    dec = explain(lambda rows: np.full(len(rows), 2.5), X, progress=False)
    for dialect in DIALECTS:
        assert (answer(dec.to_sql(dialect), dialect, X)["explained_prediction"] == 2.5).all()


def test_expressions_are_nested_no_deeper_than_need_be():
    parts = [f"a{at}" for at in range(1000)]
    for written in (balanced_sum(parts), chosen("x", parts[1:], parts)):
        depth = np.cumsum(
            [1 if s == "(" else -1 if s == ")" else 0 for s in written.replace("CASE", "(").replace("END", ")")]
        )
        assert depth.max() <= 11
