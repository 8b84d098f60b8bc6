import shlex
from dataclasses import fields, replace

import pytest

from anova_report.cli.parser import parser
from anova_report.errors import InputError
from anova_report.report.jobs.options import PATHS, WORDLESS, Job

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
    top_mains=3,
    top_pairs=4,
    out="out dir/a.html",
    save="a.json",
    decomposition="d.json",
)


def parsed(command: str) -> Job:
    """Read a command as the command line does."""
    given = vars(parser().parse_args(shlex.split(command)[1:]))
    return Job.from_config({}, given={name: given[name] for name in given if name not in ("command", "traceback")})


@pytest.mark.parametrize(
    "job",
    [
        EVERYTHING,
        Job(data="d.csv", prediction=("p",)),
        Job(data="d.csv", model="m.skops", trust=("a.B", "c.D"), output="yes"),
        Job(data="d.csv", model="package.module:model", title="-dash"),
    ],
)
def test_the_command_makes_the_same_job_again(job):
    assert parsed(job.command()) == job


def test_the_command_leaves_out_what_only_changes_the_printing():
    job = Job(data="d.csv", prediction=("p",), json=True, quiet=True, fail_on="warn")
    assert job.command() == "anova-report audit d.csv --prediction p -o audit.html"


def test_every_option_of_the_command_line_is_a_key_and_the_other_way_round(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["audit", "--help"])
    described = capsys.readouterr().out
    for field in fields(Job):
        if field.name != "data":
            assert f"--{field.name.replace('_', '-')}" in described


def test_a_configuration_may_write_hyphens_one_name_for_a_list_and_numbers_for_rows():
    job = Job.from_config(
        {"data": "d.csv", "prediction": "p", "max-order": 1, "top_mains": 5, "features": ["a", "b"], "rows": [3, 4]}
    )
    assert job == Job(data="d.csv", prediction=("p",), max_order=1, top_mains=5, features=("a", "b"), rows=("3", "4"))


def test_empty_keys_mean_the_default():
    assert Job.from_config({"data": "d", "prediction": "p", "sample": None, "title": None, "target": None}) == Job(
        data="d", prediction=("p",)
    )


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
        ({"colour": "red"}, "There is no option 'colour'. There are 'data', 'prediction'"),
        ({"max_order": "two"}, "max_order must be a whole number; 'two' came"),
        ({"max_order": True}, "max_order must be a whole number; True came"),
        ({"max_order": 4}, "max_order must be one of 1, 2, 3; 4 came"),
        ({"sample": 2}, "sample must be at least 3; 2 came"),
        ({"sample": 0.5}, "sample must be a whole number; 0.5 came"),
        ({"scale": "log"}, "scale must be one of 'identity', 'logit', 'probability'; 'log' came"),
        ({"fail_on": "always"}, "fail_on must be one of 'warn', 'fail'; 'always' came"),
        ({"features": {"a": 1}}, "features must be a name or a list of names"),
        ({"json": "yes"}, "json must be true or false; 'yes' came"),
        ({"title": 5}, "title must be text; 5 came"),
        ({"top_mains": 0}, "top_mains must be at least 1; 0 came"),
        ({"random_state": -1}, "random_state must be at least 0; -1 came"),
        ({"output": "yes"}, "output chooses a class of a model"),
        ({"model": "m.skops"}, "both came. Name one of the two"),
        ({"prediction": None}, "neither came. Name one of the two"),
        ({"data": None}, "No table is named|data must be text"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(config, words):
    with pytest.raises(InputError) as refused:
        Job.from_config({"data": "d.csv", "prediction": "p"} | config)
    assert any(part in str(refused.value) for part in words.split("|"))


def test_a_job_without_data_says_how_to_name_it():
    with pytest.raises(InputError, match=r"No table is named\. Pass it: anova-report audit data\.csv"):
        Job.from_config({"prediction": "p"})


def test_what_is_not_printed_is_known_by_name():
    assert set(WORDLESS) <= {field.name for field in fields(Job)}
    assert replace(EVERYTHING, quiet=True).command() == EVERYTHING.command()
