"""Groups of features, one-hot columns, cohorts and reasons by options of a job."""

import csv

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, measures
from anova_report.errors import InputError
from anova_report.report import Audit
from anova_report.report.jobs.job import Job, run

LEVELS = ["north", "south", "west"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    columns = {"age": rng.uniform(20, 80, 400).round(), "lat": rng.normal(size=400), "long": rng.normal(size=400)}
    rows = pd.get_dummies(pd.DataFrame({**columns, "region": rng.choice(LEVELS, 400)}), dtype=int)
    made = rows.assign(p=rows["age"] / 20 * rows["region_north"] + rows["lat"] * rows["long"], id=range(400))
    made.to_csv(tmp_path / "d.csv", index=False)
    return made


def job(tmp_path, **options) -> Job:
    own = {"data": str(tmp_path / "d.csv"), "prediction": "p", "id": "id", "out": str(tmp_path / "a.html")}
    return Job.from_config({**own, "save": str(tmp_path / "a.json"), "top-mains": 2, "top-pairs": 1, **options})


def test_a_job_reads_groups_folds_columns_and_explains_a_cohort(table, tmp_path):
    paths = {name: str(tmp_path / name) for name in ("dec.json", "reasons.csv")}
    options = {"where": "age > 50", "feature_groups": {"location": ["lat", "long"]}, "reasons": paths["reasons.csv"]}
    run(job(tmp_path, decomposition=paths["dec.json"], **options), progress=False)
    dec, page = Decomposition.load(paths["dec.json"]), Audit.load(tmp_path / "a.json")
    assert dec.feature_names == ("age", "lat", "long", "region")
    assert dec.feature_groups == {"location": (1, 2)}
    rows = table[table["age"] > 50]
    assert (dec.population.n_rows, page.subject.n_rows) == (len(rows), len(rows))
    (output,) = page.outputs
    assert output.cohort.words.startswith(f"Effects and shares are those of the {len(rows)} of 400 rows where age > 50")
    assert [row[0] for row in output.groups.within.rows] == [
        own.member.name for own in measures.group_shares(dec).ranked()
    ]
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert all(f'id="{anchor}"' in text for anchor in ("cohort", "feature-groups"))
    with (tmp_path / "reasons.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    inputs = rows.drop(columns=["p", "id"])
    expected = measures.reasons(dec, inputs).rows
    assert [line["reason"] for line in lines] == [reason.name for own in expected for reason in own]
    values = [reason.value for own in expected for reason in own]
    assert [float(line["value"]) for line in lines] == pytest.approx(values, rel=1e-12, abs=1e-14)
    assert lines[0]["row"] == f"id {rows['id'].iloc[0]}"
    run(job(tmp_path, **options), progress=False)  # its own files may be replaced


def test_folding_can_be_switched_off(table, tmp_path):
    made = run(job(tmp_path, fold_one_hot=False), progress=False)
    assert [feature.name for feature in made.features] == [name for name in table if name not in ("p", "id")]


def test_the_command_makes_the_same_job_again(tmp_path):
    groups = {"location": ["lat", "long, east"]}
    made = job(tmp_path, where="age > 50", feature_groups=groups, fold_one_hot=False)
    assert made.feature_groups == (("location", ("lat", "long, east")),)
    assert "--no-fold" in made.command()
    assert "--feature-group 'location=lat,\"long, east\"'" in made.command()
    typed = Job.from_config({"data": "d", "prediction": "p", "feature_groups": ['location=lat,"long, east"']})
    assert typed.feature_groups == made.feature_groups


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"where": "agee > 50"}, "Did you mean 'age'"),
        ({"where": "age > 500"}, "0 of 400 rows fulfill"),
        ({"where": "age.max() > 5"}, "does not allow"),
        ({"where": "age > 50", "rows": ["0", "1", "2", "3"]}, "does not fulfill"),
        ({"feature_groups": {"location": ["lat", "lon"]}}, "Did you mean 'long'"),
        ({"feature_groups": {"region": ["lat", "long"]}}, "has the name of a feature"),
    ],
)
@pytest.mark.usefixtures("table")
def test_options_that_make_no_sense_write_nothing(tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        run(job(tmp_path, **options), progress=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv"]


def test_groups_and_cohorts_that_contradict_other_options_are_refused():
    for options in ({"feature_groups": 3}, {"feature_groups": ["lat"]}, {"feature_groups": ["=lat,long"]}):
        with pytest.raises(InputError, match="must name groups of columns"):
            Job.from_config({"data": "d", "prediction": "p", **options})
    with pytest.raises(InputError, match="population refers to others"):
        Job.from_config({"data": "d", "prediction": "p", "where": "a > 1", "population": "e"})


def test_the_file_of_reasons_holds_no_formula(table, tmp_path):
    table.assign(id=[f"=1+{at}" for at in range(len(table))]).rename(columns={"id": "@id"}).to_csv(tmp_path / "d.csv")
    labels = {"age": "=HYPERLINK(1)", "lat": "\u200b+cmd"}
    run(job(tmp_path, id="@id", labels=labels, reasons=str(tmp_path / "r.csv")), progress=False)
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert lines[7]["row"].startswith("'@id =1+")
    assert {"'=HYPERLINK(1)", "'\u200b+cmd"} <= {line["reason"] for line in lines}
