import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LinearRegression

from anova_report.errors import InputError
from anova_report.report.jobs import job as job_module
from anova_report.report.jobs.job import ask_columns, ask_model, choose_rows
from anova_report.report.jobs.options import Job
from tests.report.jobs.model_here import ModelHere
from tests.report.small_tables import small_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return small_table()


def columns_job(**more: object) -> Job:
    return Job(**{"data": "folder/data.csv", "prediction": ("p",), "target": ("paid",), "id": ("customer",)} | more)


def model_job(monkeypatch, model: object, **more: object) -> Job:
    monkeypatch.setattr(job_module, "ChildModel", lambda *_, **__: ModelHere(model))
    return Job(**{"data": "data.csv", "model": "models:best", "target": ("paid", "p"), "id": ("customer",)} | more)


def test_without_an_identifier_rows_are_counted_from_one(table):
    rows = choose_rows(columns_job(id=(), rows=("1", "400")), table)
    assert rows.names[0] == "row 1"
    assert rows.cases == (0, 399)


def test_a_sample_keeps_the_rows_that_are_explained_and_says_so(table):
    rows = choose_rows(columns_job(sample=50, rows=("C0399", "C0007")), table)
    assert len(rows.frame) == 50
    assert [rows.names[case] for case in rows.cases] == ["customer C0399", "customer C0007"]
    assert rows.notes == ("A sample of 50 of the table's 400 rows, drawn with seed 0.",)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rows": ("C9999",)}, "There is no row with customer = C9999"),
        ({"rows": ("north",), "id": ("region",)}, r"There is \d+ rows with region = north"),
        ({"rows": ("0",), "id": ()}, "There is no row '0'; rows are numbered from 1 to 400"),
        ({"rows": ("C0007",), "id": ()}, "say which column identifies them: --id"),
    ],
)
def test_a_row_that_cannot_be_found_is_refused(table, more, words):
    with pytest.raises(InputError, match=words):
        choose_rows(columns_job(**more), table)


def test_prediction_target_and_identifier_are_no_inputs(table):
    job = columns_job()
    asked = ask_columns(job, choose_rows(job, table))
    assert list(asked.inputs.columns) == ["income", "age", "region"]
    np.testing.assert_array_equal(asked.predictions.values[:, 0], table["p"])
    assert asked.model == "Column 'p' of data.csv"
    assert [feature.kind for feature in asked.sample.features] == ["numeric", "numeric", "nominal"]


@pytest.mark.parametrize(("option", "unit", "n_units"), [("group", "group", 40), ("time", "time block", 20)])
def test_the_column_by_which_rows_are_held_out_is_no_input(table, option, unit, n_units):
    visits = table.assign(visit=[f"2024-{1 + at % 40:03d}" for at in range(len(table))])
    job = columns_job(sample=200, **{option: "visit"})
    rows = choose_rows(job, visits)
    assert list(ask_columns(job, rows).inputs.columns) == ["income", "age", "region"]
    assert (rows.units.kind, rows.units.n_units) == (unit, n_units)
    assert len(rows.units.codes) == 200
    together = rows.frame.groupby("visit").ngroup()
    assert (pd.Series(rows.units.codes).groupby(together.to_numpy()).nunique() == 1).all()


def test_the_column_of_weights_is_no_input_and_rows_without_weight_are_left_out(table):
    weighted = table.assign(exposure=np.arange(len(table)) % 4)
    job = columns_job(weight="exposure", rows=("C0003",), sample=200)
    rows = choose_rows(job, weighted)
    assert list(ask_columns(job, rows).inputs.columns) == ["income", "age", "region"]
    assert len(rows.frame) == 200
    assert rows.weights.total == rows.frame["exposure"].sum()
    assert rows.frame["exposure"].min() == 1
    assert rows.names[rows.cases[0]] == "customer C0003"
    assert rows.notes[1] == "Left out: 100 rows whose exposure is zero."
    with pytest.raises(InputError, match="The row 'C0004' has a weight of zero in 'exposure'"):
        choose_rows(columns_job(weight="exposure", rows=("C0003", "C0004")), weighted)
    with pytest.raises(InputError, match="Column 'income' is negative in 400 row"):
        choose_rows(columns_job(weight="income"), table.assign(income=-1.0))


def test_a_model_is_asked_with_its_columns_and_explained_by_them(table, monkeypatch):
    model = LinearRegression().fit(table[["income"]], table["p"])
    job = model_job(monkeypatch, model)
    asked = ask_model(job, choose_rows(job, table), progress=False)
    assert list(asked.inputs.columns) == ["income"]
    np.testing.assert_allclose(asked.predictions.values[:, 0], model.predict(table[["income"]]))
    assert asked.model == f"LinearRegression (scikit-learn {sklearn.__version__}) from models:best"
    assert asked.notes == ("Left out: 'age', 'region' (not taken by the model).",)


def test_inputs_of_the_model_that_are_not_explained_are_said(table, monkeypatch):
    model = LinearRegression().fit(table[["income", "paid"]], table["p"])
    job = model_job(monkeypatch, model)
    asked = ask_model(job, choose_rows(job, table), progress=False)
    assert "The model also takes 'paid', not explained here: what they do is part of the residual." in asked.notes


def test_bad_inputs_are_found_before_the_model_is_asked(table, monkeypatch):
    def never(rows: pd.DataFrame) -> None:
        raise AssertionError(f"asked about {len(rows)} rows")

    job = model_job(monkeypatch, never)
    spoilt = table.assign(income=[np.inf, *table["income"][1:]])
    with pytest.raises(InputError, match="'income' holds infinite values"):
        ask_model(job, choose_rows(job, spoilt), progress=False)
