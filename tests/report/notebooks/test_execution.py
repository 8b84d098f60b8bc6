"""Running a notebook: what is executed, what fails, and what is written."""

import os
import subprocess
import sys
import time

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError, RunError
from anova_report.io import files
from anova_report.report.notebooks import execution as module
from anova_report.report.notebooks.execution import execute, run_notebook
from anova_report.report.notebooks.notebook_export import read_notebook
from tests.report.tiny_notebooks import KERNEL, outside_addresses, tiny_notebook


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failed")
    source = tiny_notebook(
        folder / "{x}.ipynb",
        "print(x + 1)",
        "# Divide.\n1 / 0  # nobody can",
        "print('never')",
    )
    return execute(source, {"x": 41}, folder / "out.ipynb")


def test_cells_before_the_one_that_failed_keep_their_outputs(failed):
    executed, _ = failed
    outputs = [cell.outputs for cell in executed.cells if cell.cell_type == "code"]
    assert outputs[2][0].text == "42\n"
    assert outputs[4] == []


def test_the_failed_cell_is_named_by_its_execution_number_and_first_line_of_code(failed):
    executed, words = failed
    assert words == ("{x}.ipynb stopped in cell 4 (1 / 0  # nobody can) with ZeroDivisionError: division by zero.")
    raised = [cell for cell in executed.cells if any(item.output_type == "error" for item in cell.get("outputs", []))]
    assert [found.execution_count for found in raised] == [4]


def test_no_scratch_file_is_left_and_none_is_named(failed, tmp_path_factory):
    executed, _ = failed
    assert executed.metadata.papermill.input_path == "{x}.ipynb"
    assert executed.metadata.papermill.output_path == "out.ipynb"
    assert str(tmp_path_factory.getbasetemp()) not in str(executed.metadata)


def test_a_cell_that_takes_too_long_is_stopped_and_named(tmp_path, capfd):
    source = tiny_notebook(tmp_path / "slow.ipynb", "print(x)", "import time; time.sleep(60)", "print('never')")
    started = time.perf_counter()
    executed, words = execute(source, {}, tmp_path / "out.ipynb", timeout=1)
    assert time.perf_counter() - started < 30
    error = "CellTimeoutError: A cell timed out while it was being executed, after 1 seconds"
    assert words == f"slow.ipynb stopped in cell 3 (import time; time.sleep(60)) with {error}."
    assert executed.cells[2].outputs[0].text == "1\n"
    assert capfd.readouterr().err == ""
    assert [path.name for path in tmp_path.iterdir()] == ["slow.ipynb"]


def test_a_kernel_that_dies_names_the_cell_that_killed_it(tmp_path, capfd):
    source = tiny_notebook(tmp_path / "dead.ipynb", "import os; os._exit(1)", "print('never')")
    _, words = execute(source, {}, tmp_path / "out.ipynb")
    assert words == "dead.ipynb stopped in cell 2 (import os; os._exit(1)) with DeadKernelError: Kernel died."
    assert capfd.readouterr().err == ""


def test_paths_inside_the_notebook_start_where_the_run_says(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    source = tiny_notebook(tmp_path / "where.ipynb", "from pathlib import Path; Path('here').write_text(word)")
    here = os.getcwd()  # noqa: PTH109 what papermill changes
    _, cell = execute(source, {"word": 'quote " and \\ and {brace}'}, tmp_path / "out.ipynb", cwd=elsewhere)
    assert cell is None
    assert (elsewhere / "here").read_text() == 'quote " and \\ and {brace}'
    assert os.getcwd() == here  # noqa: PTH109


def test_a_kernel_that_is_not_installed_is_a_failed_run(tmp_path, monkeypatch, capfd):
    monkeypatch.setitem(KERNEL, "kernelspec", {"name": "no-such-kernel", "display_name": "?", "language": "python"})
    source = tiny_notebook(tmp_path / "odd.ipynb", "print(x)")
    assert read_notebook(source).metadata.kernelspec.name == "no-such-kernel"
    with pytest.raises(RunError, match=r"odd.ipynb could not be started: NoSuchKernel: .*no-such-kernel"):
        execute(source, {}, tmp_path / "out.ipynb")
    assert capfd.readouterr().err == ""
    assert [path.name for path in tmp_path.iterdir()] == ["odd.ipynb"]


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
    assert result.failed == sentence
    assert read_notebook(result.notebook).cells[2].outputs[0].text == "before\n"
    page = BeautifulSoup((tmp_path / "pages" / "p.html").read_text(encoding="utf-8"), "html.parser")
    assert page.select_one("[role=alert]").get_text() == f"This run did not finish. {sentence}"
    assert "before" in page.get_text()
    assert "All is well" not in page.get_text()
    assert read_notebook(result.notebook).cells[-1].source == "## All is well"
    assert "papermill" not in page.get_text()


def test_leaving_the_program_is_no_way_to_finish(tmp_path):
    source = tiny_notebook(tmp_path / "tiny.ipynb", "import sys\nsys.exit(0)", "print('never reached')")
    with pytest.raises(RunError, match=r"tiny\.ipynb stopped in cell 2 \(import sys\) with SystemExit: 0\."):
        run_notebook(source, {}, tmp_path / "out.ipynb", progress=False)


def test_nothing_that_lies_beside_the_data_is_imported(tmp_path, monkeypatch):
    for name in ("ipykernel_launcher", "colorsys", "anova_report"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w').close()")
    source = tiny_notebook(tmp_path / "tiny.ipynb", "import colorsys, anova_report; assert colorsys.rgb_to_hsv")
    monkeypatch.chdir(tmp_path)
    run_notebook(source, {}, tmp_path / "out.ipynb", progress=False, cwd=tmp_path)
    assert not (tmp_path / "imported").exists()


def test_what_a_killed_run_left_is_removed_by_the_next_one_in_its_place(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    target = tmp_path / "out.ipynb"
    name = files.passing_name(target).name.replace(f"-{os.getpid()}-", f"-{gone.pid}-")
    (tmp_path / name).mkdir()
    (tmp_path / name / "run.ipynb").touch()
    mine = files.passing_name(target)
    mine.mkdir()
    run_notebook(tiny_notebook(tmp_path / "tiny.ipynb"), {}, target, progress=False)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([mine.name, "out.html", "out.ipynb", "tiny.ipynb"])


@pytest.mark.parametrize("html", ["tiny.ipynb", "data.csv", "notes.txt"])
def test_a_page_replaces_neither_notebook_nor_data_nor_what_is_not_ours(tmp_path, html):
    source = tiny_notebook(tmp_path / "tiny.ipynb")
    for name in ("data.csv", "notes.txt"):
        (tmp_path / name).write_text("a\n1\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"is named for two things|anova_report did not write it"):
        run_notebook(source, {"word": str(tmp_path / "data.csv")}, tmp_path / "out.ipynb", html=tmp_path / html)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_notebook_never_overwrites_itself(tmp_path):
    source = tiny_notebook(tmp_path / "tiny.ipynb", "print(x)")
    before = source.read_bytes()
    for out in (source, tmp_path, tmp_path / "tiny"):
        with pytest.raises(InputError, match=r"tiny.ipynb is named for two things"):
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
