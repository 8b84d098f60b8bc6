import json

import pytest

from anova_report.errors import InputError
from anova_report.report.notebooks.notebook_export import find_notebook, read_notebook, title, write_notebook
from tests.report.tiny_notebooks import executed_notebook, tiny_notebook


def test_a_notebook_is_found_by_its_path_which_may_start_in_another_folder(tmp_path):
    written = tiny_notebook(tmp_path / "own.ipynb")
    assert find_notebook(written) == written
    assert find_notebook("own.ipynb", tmp_path) == written


def test_a_notebook_that_is_not_there_is_refused_with_the_names_that_are():
    with pytest.raises(InputError, match=r"There is no notebook 'nowhere.ipynb'. .* comes with anova_report: 'audit'"):
        find_notebook("nowhere.ipynb")


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"cells": 3}', "\u0000\ufffe"])
def test_a_file_that_is_no_notebook_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "wrong.ipynb"
    path.write_text(content)
    with pytest.raises(InputError, match=r"wrong.ipynb is not a notebook that can be read \("):
        read_notebook(path)


def test_a_notebook_is_read_back_as_it_was_written(tmp_path):
    node = executed_notebook()
    path = write_notebook(node, tmp_path / "out.ipynb")
    assert read_notebook(path) == node
    assert json.loads(path.read_text())["nbformat"] == 4
    assert [found.name for found in tmp_path.iterdir()] == ["out.ipynb"]


def test_the_title_is_that_of_the_metadata_else_the_first_heading_else_the_name():
    node = executed_notebook(text="words\n# Heading\n# Second")
    assert title(node, "name") == "Heading"
    assert title(executed_notebook(text="## Smaller heading"), "name") == "name"
    node.metadata["title"] = "Given"
    assert title(node, "name") == "Given"
