import shlex

import numpy as np
import pandas as pd
import pytest

from anova_report.cli.commands import OWN
from anova_report.cli.parser import parser
from anova_report.errors import InputError
from anova_report.report.jobs.options import PATHS, Job, example_options

EVERYTHING = Job(
    data="my data.csv",
    prediction=("p one", "--p"),
    scale="logit",
    target=("y",),
    id=("customer",),
    features=("a", "b"),
    exclude=("c",),
    sample=500,
    encoding="latin-1",
    max_order=1,
    random_state=7,
    title='It\'s -- "quoted"',
    note=("First.", "Second."),
    rows=("C1", "C2"),
    group="patient",
    weight="w",
    top_mains=3,
    top_pairs=4,
    out="out dir/a.html",
    save="a.json",
    decomposition="d.json",
)


def parsed(command: str) -> Job:
    """Read a command as the command line does."""
    given = vars(parser().parse_args(shlex.split(command)[1:]))
    return Job.from_config({}, given={name: given[name] for name in given if name not in OWN})


@pytest.mark.parametrize(
    "job",
    [
        EVERYTHING,
        Job(data="d.csv", prediction=("p",), time="day"),
        Job(data="d.csv", model="m.skops", trust=("a.B", "c.D"), output="yes"),
        Job(data="d.csv", model="package.module:model", title="-dash", ask=2000),
        Job(data="d.csv", model="m.skops", ask=0),
    ],
)
def test_the_command_makes_the_same_job_again(job):
    assert parsed(job.command()) == job


@pytest.mark.parametrize("name", ["region=north", 'size 3"', '"quoted"', " blank", "a,b", "=", '"=a', "two\nlines"])
def test_columns_of_any_name_are_typed_and_read_again(name):
    held = {"feature_groups": {name: [name, "other"]}, "labels": {name: ' Size, in "=" '}, "units": {name: "m"}}
    job = Job.from_config({"data": "d.csv", "prediction": "p"} | held)
    assert job.labels == ((name, 'Size, in "="'),)
    assert parsed(job.command()) == job


def test_the_command_leaves_out_what_only_changes_the_printing():
    job = Job(data="d.csv", prediction=("p",), json=True, quiet=True, fail_on="warn")
    assert job.command() == "anova-report audit d.csv --prediction p -o audit.html"


def test_a_configuration_may_write_hyphens_one_name_for_a_list_and_numbers_for_rows():
    job = Job.from_config(
        {"data": "d.csv", "prediction": "p", "max-order": 1, "top_mains": 5, "features": ["a", "b"], "rows": [3, 4]}
    )
    assert job == Job(data="d.csv", prediction=("p",), max_order=1, top_mains=5, features=("a", "b"), rows=("3", "4"))


def test_relative_paths_start_where_the_configuration_lies_and_typed_ones_where_one_stands(tmp_path):
    config = {name: f"{name}.x" for name in PATHS if name not in ("data", "model")}
    config |= {"data": "d.csv", "model": "m.skops", "out": "/abs/out.html"}
    job = Job.from_config(config, folder=tmp_path, given={"save": "typed.json"})
    assert job.data == str(tmp_path / "d.csv")
    assert job.model == str(tmp_path / "m.skops")
    assert job.decomposition == str(tmp_path / "decomposition.x")
    assert job.out == "/abs/out.html"
    assert job.save == "typed.json"


def test_the_name_of_a_python_object_is_no_path(tmp_path):
    job = Job.from_config({"data": "d.csv", "model": "package.module:model"}, folder=tmp_path)
    assert job.model == "package.module:model"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"predicton": "p"}, "There is no option 'predicton'. Did you mean 'prediction'?"),
        ({"hue": "red"}, "There is no option 'hue'. There are 'data', 'prediction'"),
        ({"max_order": "two"}, "max_order must be a whole number; got 'two'"),
        ({"max_order": True}, "max_order must be a whole number; got True"),
        ({"max_order": 4}, "max_order must be one of 1, 2, 3; got 4"),
        ({"sample": 2}, "sample must be at least 3; got 2"),
        ({"sample": 0.5}, "sample must be a whole number; got 0.5"),
        ({"scale": "ln"}, "scale must be one of 'identity', 'log', 'logit', 'probability'; got 'ln'"),
        ({"weight": "a", "exposure": "b"}, "by a weight or by their exposure; got both"),
        ({"target": ("p",)}, "'p' cannot be the observed target, and what predicts it"),
        ({"protected": ("age", "p")}, "'p' cannot be protected, and what it is held against"),
        ({"target": ("y",), "split": "y"}, "'y' cannot be the observed target, and what says where it was used"),
        ({"top groups": "y"}, "There is no option 'top groups'. Did you mean 'group'?"),
        ({"labels": ["a=b", "a=c"]}, "labels names 'a' twice"),
        ({"feature_groups": ["g=a,b", "g=c,d"]}, "feature_groups names 'g' twice"),
        ({"feature_groups": ["g=a\nb"]}, "feature_groups cannot be read"),
        ({"feature_groups": ["g=" + "a" * 200_000]}, "feature_groups cannot be read"),
        ({"max-order": 1, "max_order": 2}, "The option 'max_order' stands there twice"),
        ({"labels": ["a"]}, 'labels must give texts for columns, such as MedInc="Median income"'),
        ({"fail_on": "always"}, "fail_on must be one of 'warn', 'fail'; got 'always'"),
        ({"features": {"a": 1}}, "features must be a name or a list of names"),
        ({"json": "yes"}, "json must be true or false; got 'yes'"),
        ({"title": 5}, "title must be text; got 5"),
        ({"top_mains": 0}, "top_mains must be at least 1; got 0"),
        ({"random_state": -1}, "random_state must be at least 0; got -1"),
        ({"group": "a", "time": "b"}, "held out by group or by time; got both"),
        ({"group": ["a", "b"]}, "group must be text"),
        ({"output": "yes"}, "output chooses a class of a model"),
        ({"model": "m.skops"}, "got both. Name one of the two"),
        ({"prediction": None}, "got neither. Name one of the two"),
        ({"data": None}, "No table is named|data must be text"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(config, words):
    with pytest.raises(InputError) as refused:
        Job.from_config({"data": "d.csv", "prediction": "p"} | config)
    assert any(part in str(refused.value) for part in words.split("|"))


def test_the_example_is_a_table_with_the_predictions_of_a_model_and_the_options_to_audit_it(tmp_path):
    job = Job.from_config(example_options(tmp_path))
    table = pd.read_csv(job.data)
    assert list(table.columns) == ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6", "prediction"]
    assert len(table) == 442
    assert job.prediction == ("prediction",)
    assert 0.5 < np.corrcoef(table["prediction"], table["bmi"])[0, 1] < 1


def test_the_example_is_the_same_every_time(tmp_path):
    first = example_options(tmp_path)
    before = (tmp_path / "anova-report-example.csv").read_bytes()
    assert example_options(tmp_path) == first
    assert (tmp_path / "anova-report-example.csv").read_bytes() == before


def test_questions_are_for_a_model_and_not_fewer_than_none():
    with pytest.raises(InputError, match=r"the predictions come from a column\. Name the model itself"):
        Job(data="d.csv", prediction=("p",), ask=0)
    with pytest.raises(InputError, match="ask must be at least 0; got -1"):
        Job(data="d.csv", model="m.skops", ask=-1)
    with pytest.raises(InputError, match="ask must be a whole number"):
        Job.from_config({"data": "d.csv", "model": "m.skops", "ask": "many"})
