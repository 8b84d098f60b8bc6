import math
from pathlib import Path

import numpy as np
import pytest

from anova_report.errors import InputError, InputTypeError
from anova_report.report.notebooks.parameters import check_parameters, from_text, json_value, known_parameters, literal
from tests.report.tiny_notebooks import tiny_notebook


@pytest.fixture
def notebook(tmp_path):
    return tiny_notebook(tmp_path / "tiny.ipynb", parameters="data = None  # a table\nmax_order = 2\nprediction = 'p'")


def test_the_parameters_of_a_notebook_are_those_of_its_tagged_cell_with_their_defaults(notebook):
    assert known_parameters(notebook) == {"data": "None", "max_order": "2", "prediction": "'p'"}


def test_a_misspelled_parameter_is_refused_with_the_one_that_was_meant(notebook):
    with pytest.raises(InputError, match=r"tiny.ipynb has no parameter 'predictoin'. Did you mean 'prediction'\?"):
        check_parameters(notebook, {"predictoin": "p"})


def test_a_notebook_without_a_tagged_cell_takes_no_parameters(tmp_path):
    untagged = tiny_notebook(tmp_path / "plain.ipynb", "x = 1", parameters=None)
    assert check_parameters(untagged, {}) == {}
    with pytest.raises(InputError, match=r"plain.ipynb takes no parameters, but 'x' was given. Tag a cell"):
        check_parameters(untagged, {"x": 1})


def test_a_notebook_that_names_no_language_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "bare.ipynb"
    path.write_text(
        '{"cells": [{"cell_type": "code", "source": "x = 1", "metadata": {"tags": ["parameters"]}, '
        '"outputs": [], "execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    )
    with pytest.raises(InputError, match=r"cannot be run: No .* Open and save it in Jupyter with a kernel"):
        known_parameters(path)


def test_braces_in_a_path_are_not_taken_for_names_of_parameters(tmp_path):
    folder = tmp_path / "{draft} {0}"
    folder.mkdir()
    assert list(known_parameters(tiny_notebook(folder / "{x}.ipynb"))) == ["x", "word"]
    assert literal(Path("{x}")).format(x="filled in") == "{x}"


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        ((1, (2, "b")), [1, [2, "b"]]),
        ({"k": (Path("x"),)}, {"k": ["x"]}),
        (None, None),
        (True, True),
        ("–", "–"),
    ],
)
def test_values_become_json_types(value, json):
    found = json_value(value, "p")
    assert found == json
    assert type(found) is type(json)


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float64("nan"), {1, 2}, b"bytes", object(), np.arange(3), 1j])
def test_values_that_are_not_json_are_refused_with_what_to_pass_instead(value):
    with pytest.raises(InputTypeError, match=r"The parameter p is .* which cannot be handed to a notebook\. Pass text"):
        json_value(value, "p")


def test_keys_of_mappings_must_be_text():
    with pytest.raises(InputTypeError, match=r"The parameter p has the key 1, which is not text"):
        json_value({1: "a"}, "p")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" -0.5 ", -0.5),
        ("TRUE", True),
        ("False", False),
        ("None", None),
        ("null", None),
        ('["a", 1]', ["a", 1]),
        ('{"a": null}', {"a": None}),
        ('"12"', "12"),
        ("007", "007"),
        ("NaN", "NaN"),
        ("a, b", "a, b"),
        ("2024-05-01", "2024-05-01"),
        ("no", "no"),
        ("[unclosed", "[unclosed"),
    ],
)
def test_typed_text_is_read_as_json_where_it_is_json_and_stays_text_elsewhere(text, value):
    found = from_text(text)
    assert found == value
    assert type(found) is type(value)
