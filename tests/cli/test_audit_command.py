import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
import yaml

from anova_report import Decomposition, cli
from anova_report.report.audit.audit import Audit
from tests.cli.quick import drawn
from tests.report.small_tables import small_table, write_small_table

__all__ = ["drawn"]

OPTIONS = ["--prediction", "p", "--target", "paid", "--id", "customer", "--max-order", "1"]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A working folder with a table in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    write_small_table(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("drawn")
def test_a_table_becomes_a_page_and_a_summary(here, capsys):
    assert cli.main(["audit", "data.csv", *OPTIONS, "-o", "a.html"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("Verdict: Use with care (warn)\n")
    for label in ("Fidelity (R²)", "Unexplained", "Overlap of terms"):
        assert re.search(rf"^{re.escape(label)} +\S+ +(Passed|Caution|Failed)$", captured.out, flags=re.MULTILINE)
    assert re.search(r"^Written: a\.html \(\d+ KB\)$", captured.out, flags=re.MULTILINE)
    assert sorted(path.name for path in here.iterdir()) == ["a.html", "data.csv"]


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [([], 0), (["--fail-on", "warn"], 1), (["--fail-on", "fail"], 0)],
    ids=["never", "warn", "fail"],
)
@pytest.mark.usefixtures("drawn")
def test_a_verdict_as_bad_as_fail_on_gives_exit_code_1_and_the_page(here, fail_on, code):
    assert cli.main(["audit", "data.csv", *OPTIONS, *fail_on]) == code
    assert (here / "audit.html").is_file()


@pytest.mark.usefixtures("drawn", "here")
def test_json_prints_the_findings_and_nothing_else(capsys):
    assert cli.main(["audit", "data.csv", *OPTIONS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "warn"
    assert found["page"] == "audit.html"
    [output] = found["outputs"]
    assert {item["code"] for item in output["findings"]} == {"AR001", "AR002", "AR004", "AR005", "AR009"}
    assert set(output["findings"][0]) == {
        "code",
        "title",
        "status",
        "value",
        "limit",
        "sentence",
        "advice",
        "claims",
        "waiver",
    }
    assert output["headlines"][0]["value"] == "0.881"


@pytest.mark.usefixtures("drawn")
def test_a_configuration_gives_what_the_same_options_give(here, drawn, capsys):
    (here / "conf").mkdir()
    config = {"data": "../data.csv", "prediction": "p", "target": "paid", "id": "customer", "max-order": 1}
    config |= {"title": "From a file", "out": "page.html", "fail_on": "warn", "quiet": True}
    (here / "conf" / "audit.yaml").write_text(yaml.safe_dump(config))
    assert cli.main(["audit", "--config", "conf/audit.yaml"]) == 1
    assert (here / "conf" / "page.html").is_file()
    assert capsys.readouterr().out == ""
    assert cli.main(["audit", "--config", "conf/audit.yaml", "--title", "Typed", "-o", "typed.html"]) == 1
    assert (here / "typed.html").is_file()
    assert [call["title"] for call in drawn] == ["From a file", "Typed"]
    assert drawn[0]["dec"].feature_names == ("income", "age", "region")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("predicton: p\n", "There is no option 'predicton'. Did you mean 'prediction'?"),
        ("prediction: [\n", "conf.yaml is not YAML"),
        ("- a\n- b\n", "conf.yaml should hold one 'name: value' per line."),
        ("", "conf.yaml should hold one 'name: value' per line."),
        ("1: a\n", "conf.yaml should hold one 'name: value' per line."),
        ("prediction: p\nmax_order: two\n", "max_order must be a whole number; got 'two'."),
        ("prediction: !!python/object/apply:os.system [ls]\n", "conf.yaml is not YAML"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_wrong_configuration_is_exit_code_2(capsys, content, words):
    Path("conf.yaml").write_text(content)
    assert cli.main(["audit", "data.csv", "--config", "conf.yaml"]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.csv", "--prediction", "p"], "There is no file absent.csv"),
        (["data.ods", "--prediction", "p"], "cannot be read by its ending"),
        (["empty.csv", "--prediction", "p"], "empty.csv is empty"),
        (["data.csv"], "got neither"),
        (["--prediction", "p"], "No table is named"),
        (["data.csv", "--prediction", "p", "--model", "m.skops"], "got both"),
        (["data.csv", "--prediction", "q"], "There is no column 'q'"),
        (["data.csv", "--prediction", "p", "--group", "q"], "There is no column 'q'"),
        (["data.csv", "--prediction", "p", "--time", "", "--sample", "50"], "There is no column ''"),
        (["data.csv", "--prediction", "p", "--weight", "q"], "There is no column 'q'"),
        (["data.csv", "--prediction", "region"], "must hold numbers"),
        (["data.csv", "--prediction", "age"], "missing or infinite in"),
        (["data.csv", "--prediction", "p", "--scale", "logit"], "holds no probabilities"),
        (["data.csv", "--prediction", "p", "--features", "agee"], "Did you mean 'age'?"),
        (["data.csv", "--prediction", "p", "--features", "p"], "cannot be a feature and be left out"),
        (["data.csv", "--prediction", "p", "--rows", "9999"], "There is no row '9999'"),
        (["data.csv", "--prediction", "p", "--sample", "1"], "sample must be at least 3"),
        (["data.csv", "--prediction", "p", "--max-order", "9"], "max_order must be one of 1, 2, 3"),
        (["data.csv", "--prediction", "p", "-o", "nowhere/a.html"], "There is no folder nowhere"),
        (["data.csv", "--prediction", "p", "-o", "."], "is a folder"),
        (["data.csv", "--prediction", "p", "-o", "data.csv"], "is named for two things"),
        (["data.csv", "--prediction", "p", "--encoding", "klingon"], "There is no encoding 'klingon'"),
        (["data.csv", "--model", "absent.ubj"], "There is no model file absent.ubj"),
        (["data.csv", "--model", "absent_module:model"], "There is no module 'absent_module'"),
        (["data.csv", "--model", "json:__doc__"], "which cannot be asked"),
        (["data.csv", "--prediction", "p", "--config", "absent.yaml"], "There is no file absent.yaml"),
    ],
)
def test_a_mistake_in_the_input_is_a_sentence_and_exit_code_2(here, capsys, arguments, words):
    (here / "empty.csv").write_text("")
    before = sorted(here.iterdir())
    assert cli.main(["audit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("anova-report: ")
    assert captured.err.count("\n") == 1
    assert words in captured.err
    assert sorted(here.iterdir()) == before


def test_one_command_from_a_plain_table_with_mixed_columns_and_missing_values(here):
    command = [sys.executable, "-m", "anova_report.cli", "audit", "data.csv", *OPTIONS, "-o", "a.html"]
    command += ["--save", "a.json", "--top-mains", "1", "--rows", "C0001", "--fail-on", "fail"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)  # noqa: S603 our own command
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Verdict: " in done.stdout
    page = (here / "a.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "--save a.json" in page
    audit = Audit.load(here / "a.json")
    assert {feature.name for feature in audit.features} == {"income", "age", "region"}
    assert {feature.kind for feature in audit.features} == {"numeric", "nominal"}
    assert audit.outputs[0].cases[0].row.endswith("customer C0001")


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM], ids=lambda kill: kill.name)
def test_a_run_that_is_killed_leaves_no_file(here, kill):
    slow = "import pathlib, time\ndef ask(rows):\n    pathlib.Path('asked').touch()\n    time.sleep(60)\n"
    (here / "my_slow_model.py").write_text(slow)
    command = [sys.executable, "-m", "anova_report.cli", "audit", "data.csv", "--model", "my_slow_model:ask"]
    command += ["--exclude", "p", "paid", "customer", "-o", "a.html", "--save", "a.json"]
    with subprocess.Popen(command, cwd=here) as process:  # noqa: S603 our own command
        for _ in range(600):
            if (here / "asked").exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        process.send_signal(kill)
        code = process.wait(timeout=30)
    assert code == {signal.SIGKILL: -9, signal.SIGTERM: 143}[kill]
    left = {path.name for path in here.iterdir()} - {"__pycache__"}
    assert left == {"data.csv", "my_slow_model.py", "asked"}


def test_what_is_left_out_or_guessed_is_in_the_terminal_and_a_finding_beyond_one_percent(here, capsys):
    lines = [line.split(",") for line in (here / "data.csv").read_text().splitlines()]
    income = lines[0].index("income")
    for at, line in enumerate(lines):
        line.append("code" if not at else f"unit {at}")
        line[income] = "n.a." if 0 < at <= len(lines) // 50 else line[income]
    (here / "data.csv").write_text("\n".join(",".join(line) for line in lines))
    drawing = ["--top-mains", "1", "--top-pairs", "0", "--fail-on", "warn"]
    assert cli.main(["audit", "data.csv", *OPTIONS, *drawing]) == 1
    said = capsys.readouterr().out
    assert "Read as missing: 8 cells of 'income' that say 'n.a.'." in said
    assert "Left out: 'code' (text that differs in nearly every row)." in said
    found = "AR015 Caution: Cells were left out or misread: 100% of 'code' (text that differs in nearly "
    assert f"{found}every row) and 2.0% of 'income' (read as missing)." in said
    capsys.readouterr()
    cli.main(["audit", "data.csv", *OPTIONS, "--exclude", "code", "income", *drawing])
    assert "AR015" not in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_a_sample_that_is_drawn_while_reading_holds_rows_of_the_table_by_its_seed(drawn):
    for more in (["--sample", "50", "--rows", "C0007"], ["--sample", "50", "--random-state", "1"]):
        assert cli.main(["audit", "data.csv", *OPTIONS, *more, "--quiet"]) == 0
    table = pd.read_csv("data.csv")
    first, second = (call["X"] for call in drawn)
    assert len(first) == len(second) == 50
    assert first.index.tolist() != second.index.tolist()
    assert table["customer"][first.index[drawn[0]["rows"][0]]] == "C0007"
    pd.testing.assert_frame_equal(first, table.loc[first.index, first.columns], check_dtype=False)


def test_a_table_is_decomposed_under_the_rows_of_another(here, drawn, capsys):
    rows = small_table(1000, seed=1)
    rows.loc[rows["region"] == "south", ["income"]] *= 2
    rows.drop(columns="p").to_csv(here / "population.csv", index=False)
    assert cli.main(["audit", "data.csv", *OPTIONS, "--population", "population.csv", "--decomposition", "d.json"]) == 0
    assert capsys.readouterr().err == ""
    [call] = drawn
    assert call["dec"].population.n_rows == 1000
    assert "--population population.csv" in call["command"]
    assert Decomposition.load(here / "d.json").population == call["dec"].population
    # The mean of the predictions, which is a known function, in the other table.
    truth = rows["income"] + np.where(rows["region"] == "south", 2.0, 0.0) + 0.05 * rows["age"].fillna(45)
    assert call["dec"].mean == pytest.approx(truth.mean(), rel=0.05)


@pytest.mark.usefixtures("drawn")
def test_a_population_that_is_not_there_or_lacks_a_column_is_refused(here, capsys):
    assert cli.main(["audit", "data.csv", *OPTIONS, "--population", "none.csv"]) == 2
    assert "none.csv" in capsys.readouterr().err
    small_table(50).drop(columns="age").to_csv(here / "short.csv", index=False)
    assert cli.main(["audit", "data.csv", *OPTIONS, "--population", "short.csv"]) == 2
    assert "There is no column 'age'" in capsys.readouterr().err
    assert cli.main(["audit", "data.csv", *OPTIONS, "--population", "data.csv", "-o", "data.csv"]) == 2


@pytest.mark.usefixtures("drawn")
def test_a_run_also_writes_what_a_pipeline_reads(here, capsys):
    files = ["audit.html", "checks.xml", "summary.md"]
    command = ["audit", "data.csv", *OPTIONS, "-o", files[0], "--junit", files[1], "--summary", files[2]]
    assert cli.main([*command, "--fail-on", "warn"]) == 1
    assert int(ET.parse(files[1]).getroot().get("failures")) > 0  # noqa: S314 written by ourselves
    assert (here / files[2]).read_text(encoding="utf-8").startswith("<!-- Made by anova_report -->\n# ")
    said = capsys.readouterr().out
    assert all(f"Written: {file}" in said for file in files)
    assert cli.main([*command, "--quiet"]) == 0  # files of our own are replaced
    assert ET.parse(files[1]).getroot().get("failures") == "0"  # noqa: S314 written by ourselves
