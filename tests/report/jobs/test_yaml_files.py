"""Configurations that are hostile by their size, their depth or their numbers are refused at once."""

import pytest

from anova_report.errors import InputError
from anova_report.report.jobs.options import Job
from anova_report.report.jobs.yaml_files import read_config

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{now}: &{now} [{', '.join([f'*{before}'] * 9)}]\n" for before, now in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "more than 100,000 values when its aliases are filled in"),
        ("a: &a [*a]\n", "more than 100,000 values"),
        ("a: " + "[" * 100_000, "nested too deeply"),
        ("data: 2001-99-99\n", "is not YAML: month must be in 1..12"),
        ("{!!int }\n", "is not YAML: string index out of range"),
        ("? [a]\n: b\n", "is not YAML|one 'name: value' per line"),
        ("- a\n" * 1_200_000, "more than 100,000 values"),
        (f"sample: {'9' * 5000}\n", "a number of 5,000 digits"),
        (f"sample: 0x{'f' * 5000}\n", "a number of 5,002 digits"),
        ("expectations: {income: increasing, income: convex}\n", "the key 'income' stands there twice"),
        ("sample: 5\nsample: 6\n", "the key 'sample' stands there twice"),
        ("a: b\n" * 1_000_001, "at most 5.0 MB are read"),
    ],
)
def test_a_configuration_that_explodes_is_refused_at_once(tmp_path, text, words):
    (tmp_path / "audit.yaml").write_text(text)
    with pytest.raises(InputError, match=words):
        read_config(str(tmp_path / "audit.yaml"))


def test_aliases_that_save_typing_are_read(tmp_path):
    (tmp_path / "audit.yaml").write_text("features: &names [a, b]\nexclude: *names\n")
    assert read_config(str(tmp_path / "audit.yaml")) == {"features": ["a", "b"], "exclude": ["a", "b"]}


def test_what_is_merged_may_be_overridden(tmp_path):
    (tmp_path / "audit.yaml").write_text("a: &a {x: 0, y: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, y: 3}\n")
    assert read_config(str(tmp_path / "audit.yaml"))["c"] == {"x": 2, "y": 3}


def test_times_are_text_and_numbers_of_base_60_take_no_longer_than_others(tmp_path):
    (tmp_path / "audit.yaml").write_text(f"rows: [12:30, 1:30.5, -7, 1.5e3]\nnote: {'1:' * 200_000}1\n")
    found = read_config(str(tmp_path / "audit.yaml"))
    assert found["rows"] == ["12:30", "1:30.5", -7, "1.5e3"]  # as YAML 1.1 has it, a number says the sign of its power
    assert found["note"].startswith("1:1:1:")


def test_devices_are_no_configurations():
    with pytest.raises(InputError, match="There is no file /dev/zero"):
        read_config("/dev/zero")


@pytest.mark.parametrize("option", ["expectations", "limits", "waivers", "about"])
def test_a_name_that_no_file_can_have_is_refused_in_a_sentence(option):
    with pytest.raises(InputError, match="There is no file"):
        Job.from_config({"data": "rows.csv", "prediction": "p", option: "a" * 5000})
    with pytest.raises(InputError, match="There is no file"):
        read_config("a" * 5000)
