"""Audits that ask a model at recombined rows, or not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report import audit, explain
from anova_report.cli import main
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs import job as job_module
from anova_report.report.jobs.job import Job, run
from tests.cli.quick import drawn as built
from tests.report.jobs.model_here import ModelHere
from tests.report.small_tables import small_table, write_small_table

__all__ = ["built"]

INPUTS = ["income", "age", "region"]


class Counting:
    """A model that reads income and region, and remembers the rows it was asked about."""

    def __init__(self) -> None:
        self.asked: list[pd.DataFrame] = []

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        self.asked.append(rows)
        return np.asarray(rows["income"] * np.where(rows["region"] == "south", 2.0, 1.0))


@pytest.fixture
def model(monkeypatch) -> Counting:
    found = Counting()
    monkeypatch.setattr(job_module, "ChildModel", lambda *_, **__: ModelHere(found))
    return found


def model_job(folder: Path, **more: object) -> Job:
    known = {"target": ("paid", "p"), "id": ("customer",), "out": str(folder / "a.html")}
    return Job(**{"data": str(write_small_table(folder)), "model": "models:best"} | known | more)


def test_the_model_is_asked_at_rows_that_combine_the_columns_of_two(built, model, tmp_path):
    run(model_job(tmp_path, ask=500), progress=False)
    first, recombined, *_ = model.asked
    assert (len(first), len(recombined)) == (400, 500)
    assert list(recombined.columns) == INPUTS
    known = set(first.astype(str).itertuples(index=False))
    assert sum(row not in known for row in recombined.astype(str).itertuples(index=False)) > 250
    [call] = built
    assert (call["dec"].asking.n_asked, call["dec"].asking.unread) == (500, (1,))
    assert "--ask 500" in call["command"]


@pytest.mark.usefixtures("model")
def test_the_same_rows_are_asked_and_the_same_function_found_as_by_explain(built, tmp_path):
    run(model_job(tmp_path, ask=500), progress=False)
    dec, X = built[0]["dec"], small_table()[INPUTS]
    expected = explain(Counting(), pd.read_csv(tmp_path / "data.csv")[INPUTS], ask=500, progress=False)
    assert dec.asking == expected.asking
    np.testing.assert_array_equal(dec.predict(X), expected.predict(X))


def test_without_questions_the_model_is_asked_about_the_rows_once(built, model, tmp_path):
    run(model_job(tmp_path, ask=0), progress=False)
    assert [len(rows) for rows in model.asked] == [400]
    assert built[0]["dec"].asking is None


def test_predictions_of_a_column_cannot_be_asked_for(tmp_path, capsys):
    path = write_small_table(tmp_path)
    code = main(["audit", str(path), "--prediction", "p", "--ask", "100", "-o", str(tmp_path / "a.html")])
    assert code == 2
    assert "ask says how often a model is asked" in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()


def test_a_page_says_how_often_the_model_was_asked_and_what_it_does_not_read(tmp_path):
    X = small_table(200)[INPUTS].assign(age=lambda own: own["age"].fillna(40))
    found = audit(Counting(), X, tmp_path / "a.html", ask=500, top_mains=1, top_pairs=1, progress=False)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "The model was asked at 200 rows of the data and at 500 recombined rows" in page
    assert "were fitted to the rows and predictions alone" not in page
    assert any(note.startswith("The model does not read &#39;age&#39;") for note in page.split("<li>"))
    assert ("ask", "500") in found.provenance.settings
    assert Audit.load(found.save(tmp_path / "a.json")) == found
    silent = audit(Counting(), X, tmp_path / "b.html", ask=0, top_mains=1, top_pairs=1, progress=False)
    assert silent.provenance.asking == ()
    assert "were fitted to the rows and predictions alone" in (tmp_path / "b.html").read_text(encoding="utf-8")
