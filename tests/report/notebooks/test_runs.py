import re

import pytest

from anova_report.errors import InputError
from anova_report.report.notebooks.notebook_export import find_notebook
from anova_report.report.notebooks.runs import read_runs, safe_name
from tests.report.tiny_notebooks import tiny_notebook


@pytest.fixture
def spec(tmp_path):
    tiny_notebook(tmp_path / "tiny.ipynb")

    def written(text, name="runs.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def read(path):
    return read_runs(path, path.parent / "out")


def test_defaults_hold_for_every_run_that_says_nothing_else(spec):
    text = "defaults: {notebook: tiny.ipynb, x: 1, word: d}\nruns:\n- {name: a}\n- {name: b, x: 2, word: null}\n"
    runs = read(spec(text))
    assert [run.parameters for run in runs] == [{"x": 1, "word": "d"}, {"x": 2, "word": None}]


def test_without_a_notebook_the_shipped_audit_is_run(spec):
    (run,) = read(spec("- {name: a, data: d.csv, prediction: p}\n"))
    assert run.notebook == find_notebook("audit")
    assert run.parameters == {"data": "d.csv", "prediction": "p"}


def test_an_audit_is_written_into_the_folder_of_its_run_unless_it_says_where(spec):
    text = "- {name: A b, data: d.csv}\n- {name: c, data: d.csv, out: mine.html}\n"
    with pytest.raises(InputError, match=r"Run 'c': out: mine.html lies outside of .* --allow-outside"):
        read(spec(text))
    path = spec(text)
    first, second = read_runs(path, path.parent / "out", allow_outside=True)
    assert first.places == {"out": "out/A-b/audit.html", "save": "out/A-b/audit.json"}
    assert second.places == {"save": "out/c/audit.json"}


def test_a_pickle_is_allowed_beside_its_name_only(spec):
    text = """
    defaults: {data: d.csv, model: a.pkl, allow_pickle: true}
    runs:
    - {name: a}
    - {name: b, model: b.pkl}
    - {name: c, model: c.pkl, allow_pickle: true}
    """
    assert [run.parameters.get("allow_pickle") for run in read(spec(text))] == [True, None, True]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_csv_has_one_run_per_row_and_an_empty_cell_leaves_a_parameter_out(spec, delimiter):
    rows = [("name", "notebook", "x", "word"), ("007", "tiny.ipynb", "3", ""), ("b", "tiny.ipynb", "", "no")]
    text = "\ufeff" + "\n".join(delimiter.join(row) for row in rows) + "\n\n"
    runs = read(spec(text, "runs.csv"))
    assert [(run.name, run.parameters) for run in runs] == [("007", {"x": 3}), ("b", {"word": "no"})]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("runs.yaml", "", "asks for no run"),
        ("runs.yaml", "runs: []", "asks for no run"),
        ("runs.csv", "", "asks for no run"),
        ("runs.csv", "name,x\n", "asks for no run"),
        ("runs.yaml", "- {name: a", "is not YAML: while parsing"),
        ("runs.yaml", "!!python/object/apply:os.getcwd []", "is not YAML: could not determine a constructor"),
        ("runs.yaml", "run: []\nruns: []", "has the keys 'run', but only 'runs' and 'defaults' are known"),
        ("runs.yaml", "- a\n- b", "should hold a list of runs, each a mapping"),
        ("runs.yaml", "runs: {a: 1}", "should hold a list of runs"),
        ("runs.yaml", "- {x: 1}", "Run 1 of .*runs.yaml has no name"),
        ("runs.csv", "name,x\n ,1\n", "Run 1 of .*runs.csv has no name"),
        ("runs.csv", "name,x\na,1,2\n", "Line 2 of .*runs.csv has more cells than the heading"),
        ("runs.yaml", "- {name: a, notebook: no.ipynb}", "Run 'a': There is no notebook 'no.ipynb'"),
        ("runs.yaml", "- {name: a, notebook: tiny.ipynb, wrod: 1}", "Run 'a': tiny.ipynb has no parameter 'wrod'"),
        (
            "runs.yaml",
            "- {name: a, notebook: tiny.ipynb, x: 2024-05-01}",
            "Run 'a': The parameter x is .* in quotes",
        ),
        (
            "runs.yaml",
            "- {name: a b}\n- {name: a/b}",
            "Two runs, 'a b' and 'a/b', would be written to the folder 'a-b'",
        ),
        ("runs.yaml", "- {name: a}\n- {name: A}", "Two runs, 'a' and 'A'"),
        ("runs.yaml", "- {name: a}\n- {name: a}", "Two runs, 'a' and 'a'"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(spec, name, text, message):
    with pytest.raises(InputError, match=message):
        read(spec(text, name))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=re.escape(f"There is no file {tmp_path / 'no.yaml'}.")):
        read(tmp_path / "no.yaml")


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "a/b\\c:d*e?f",
        "…",
        "CON",
        "nul.txt",
        ".hidden",
        "x" * 500,
        "<script>",
        "a\n\t b",
        "رآمد 1",
        "-rf",
    ],
)
def test_a_name_becomes_one_part_of_a_path_that_any_system_accepts(name):
    safe = safe_name(name)
    assert re.fullmatch(r"[\w.-]{1,84}", safe)
    assert safe[0] not in ".-"
    assert safe.casefold().split(".")[0] not in {"con", "nul"}


def test_a_run_whose_folder_is_a_link_that_leads_away_is_refused_unless_that_is_allowed(tmp_path, spec):
    path, out = spec("- {name: a, data: d.csv, prediction: p}"), tmp_path / "out"
    (tmp_path / "elsewhere").mkdir()
    out.mkdir()
    (out / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"a link that leads outside of .*--allow-outside"):
        read_runs(path, out)
    assert len(read_runs(path, out, allow_outside=True)) == 1
