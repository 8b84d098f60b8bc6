import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError, RunError
from anova_report.report.notebooks import execution as module
from anova_report.report.notebooks.execution import run_notebook
from anova_report.report.notebooks.notebook_export import read_notebook
from tests.report.tiny_notebooks import outside_addresses, tiny_notebook


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    source = tiny_notebook(folder / "tiny.ipynb", "print(word, x)", title="# A heading")
    return run_notebook(source, {"x": (1, 2), "word": "<b>"}, folder / "new" / "done.ipynb", progress=False)


def test_the_executed_notebook_and_its_page_are_written_side_by_side(run):
    assert (run.notebook.name, run.html.name) == ("done.ipynb", "done.html")
    assert {path.name for path in run.notebook.parent.iterdir()} == {"done.ipynb", "done.html"}
    assert run.failed is None
    assert run.seconds > 0


def test_the_page_shows_what_came_out_and_fetches_nothing(run):
    html = run.html.read_text(encoding="utf-8")
    page = BeautifulSoup(html, "html.parser")
    assert page.title.get_text() == "A heading"
    assert page.main.pre.get_text() == "<b> [1, 2]\n"
    assert "print(" not in page.get_text()
    assert outside_addresses(html) == []


def test_a_failing_run_keeps_its_partial_notebook_and_names_the_cell(tmp_path):
    source = tiny_notebook(
        tmp_path / "tiny.ipynb", "print('before')", "raise ValueError('The table is empty.')", after="## All is well"
    )
    with pytest.raises(RunError) as raised:
        run_notebook(source, {}, tmp_path / "out.ipynb", html=tmp_path / "pages" / "p.html", progress=False)
    sentence = (
        "tiny.ipynb stopped in cell 3 (raise ValueError('The table is empty.')) with ValueError: The table is empty."
    )
    assert str(raised.value) == f"{sentence} What was done until then is kept in {tmp_path / 'out.ipynb'}."
    result = raised.value.result
    assert result.failed.number == 3
    assert read_notebook(result.notebook).cells[2].outputs[0].text == "before\n"
    page = BeautifulSoup((tmp_path / "pages" / "p.html").read_text(encoding="utf-8"), "html.parser")
    assert page.select_one("[role=alert]").get_text() == f"This run did not finish. {sentence}"
    assert "before" in page.get_text()
    assert "All is well" not in page.get_text()
    assert read_notebook(result.notebook).cells[-1].source == "## All is well"
    assert "papermill" not in page.get_text()


def test_a_notebook_never_overwrites_itself(tmp_path):
    source = tiny_notebook(tmp_path / "tiny.ipynb", "print(x)")
    before = source.read_bytes()
    for out in (source, tmp_path, tmp_path / "tiny"):
        with pytest.raises(InputError, match=r"tiny.ipynb is the notebook itself"):
            run_notebook(source, {}, out)
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    ("out", "notebook", "html"),
    [
        ("made", "made/tiny.ipynb", "made/tiny.html"),
        ("a/b/done.ipynb", "a/b/done.ipynb", "a/b/done.html"),
        ("v1.2", "v1.2.ipynb", "v1.2.html"),
    ],
)
def test_a_folder_keeps_the_name_of_the_notebook_and_a_file_gets_its_suffix(tmp_path, monkeypatch, out, notebook, html):
    (tmp_path / "made").mkdir()
    source = tiny_notebook(tmp_path / "tiny.ipynb", "print(x)")
    monkeypatch.setattr(module, "execute", lambda source, *_, **__: (read_notebook(source), None))
    result = run_notebook(source, {}, tmp_path / out)
    assert (result.notebook, result.html) == (tmp_path / notebook, tmp_path / html)
    assert result.html.is_file()
