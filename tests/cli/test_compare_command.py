import errno
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from anova_report.cli import main
from anova_report.io import files
from anova_report.report.comparison.comparison import ComparisonPage
from tests.report.samples import sample_audit
from tests.report.two_fits import decomposed, planted, planted_change


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place, two = tmp_path_factory.mktemp("compare"), planted_change()
    two.before.save(place / "before.json")
    two.after.save(place / "after.json")
    observed = two.before.predict(two.X) + planted(two.X) + np.random.default_rng(0).normal(0, 0.1, len(two.X))
    two.X.assign(y=observed, holes=np.where(np.arange(len(two.X)) < 3, np.nan, 1.0)).to_csv(
        place / "rows.csv", index=False
    )
    return place


@pytest.fixture(scope="module")
def mistaken(folder, tmp_path_factory):
    """Copy the files beside others that are no decompositions, or cannot be compared."""
    place = tmp_path_factory.mktemp("mistaken")
    for name in ("before.json", "after.json", "rows.csv"):
        (place / name).write_bytes((folder / name).read_bytes())
    two = planted_change()
    (place / "cut.json").write_bytes((folder / "before.json").read_bytes()[:2000])
    (place / "hollow.json").write_text(json.dumps({"schema": "anova_report.decomposition", "version": 1}))
    sample_audit().save(place / "audit.json")
    strange = two.X.rename(columns={name: f"other {name}" for name in two.X})
    decomposed(strange.head(300), two.before.predict(two.X)[:300], max_order=1).save(place / "strange.json")
    replace(two.before, scale="logit").save(place / "logits.json")
    replace(two.before, scale="probability").save(place / "odds.json")
    two.X.drop(columns="age").to_csv(place / "few.csv", index=False)
    (place / "folder.html").mkdir()
    return place


def compare(folder, *words):
    return main(
        ["compare", *(str(folder / word) if word.endswith((".json", ".csv", ".html")) else word for word in words)]
    )


def test_two_files_become_one_page(folder, capsys):
    assert compare(folder, "before.json", "after.json", "--data", "rows.csv", "-o", "diff.html") == 0
    said = capsys.readouterr().out
    assert "age" in said
    assert f"Written: {folder / 'diff.html'}" in said
    text = (folder / "diff.html").read_text()
    assert "before against after" in text
    assert "anova-report compare" in text


@pytest.mark.parametrize(("second", "code"), [("after.json", 1), ("same.json", 0)])
def test_fail_on_change_is_one_where_something_differs(folder, second, code):
    (folder / "same.json").write_bytes((folder / "before.json").read_bytes())
    words = ("before.json", second, "--data", "rows.csv", "-o", "d.html", "--quiet", "--fail-on", "change")
    assert compare(folder, *words) == code


@pytest.fixture(scope="module")
def months(tmp_path_factory):
    """Two months of other rows, whose explanations leave too much open to tell, and the predictions of both."""
    place = tmp_path_factory.mktemp("months")
    tables = [np.random.default_rng(seed).normal(size=(1500, 2)) for seed in (1, 2)]
    for name, rows in zip(("old.json", "new.json"), tables, strict=True):
        decomposed(pd.DataFrame(rows, columns=["a", "b"]), saw(rows), max_order=1).save(place / name)
    rows = np.vstack(tables)
    shifted = saw(rows) + 0.2 * rows[:, 0]
    pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "old": saw(rows), "new": saw(rows), "shifted": shifted}).to_csv(
        place / "rows.csv", index=False
    )
    return place


def saw(rows):
    return rows[:, 0] + np.sign(np.sin(4 * rows[:, 0]) * np.sin(4 * rows[:, 1]))


@pytest.mark.parametrize(
    ("words", "outcome", "codes"),
    [
        ((), "undetermined", (0, 1)),
        (("--predictions", "old", "new"), "same", (0, 0)),
        (("--predictions", "old", "shifted"), "different", (1, 1)),
        (("--predictions", "old", "shifted", "--limit", "0.5"), "same", (0, 0)),
    ],
)
def test_fail_on_distinguishes_what_changed_from_what_cannot_be_determined(months, capsys, words, outcome, codes):
    given = ("old.json", "new.json", "--data", "rows.csv", "-o", "d.html", "--json", *words)
    for fail_on, code in zip(("change", "unsure"), codes, strict=True):
        assert compare(months, *given, "--overwrite", "--fail-on", fail_on) == code
        printed = capsys.readouterr()
        found = json.loads(printed.out)
        assert found["outputs"][0]["outcome"] == outcome
        assert found["changed"] == {"same": False, "different": True, "undetermined": None}[outcome]
        assert ("--fail-on unsure fails then, too" in printed.err) == (
            outcome == "undetermined" and fail_on == "change"
        )
    command = BeautifulSoup((months / "d.html").read_text(), "html.parser").find("pre").get_text()
    assert set(words) <= set(command.split())


def test_json_tells_what_differs(folder, capsys):
    words = ("before.json", "after.json", "--data", "rows.csv", "-o", "d.html", "--json", "--names", "A", "B")
    assert compare(folder, *words, "--save", "c.json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["changed"] is True
    assert found["outputs"][0]["different"][0] == "age"
    assert ComparisonPage.load(folder / "c.json").names == ("A", "B")


def test_a_model_is_held_against_what_was_observed(folder, capsys):
    words = ("before.json", "--data", "rows.csv", "--target", "y", "-o", "d.html", "--json", "--quiet")
    assert compare(folder, *words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["title"] == "Model against Data"
    assert found["outputs"][0]["different"][0] == "age"
    assert "noise and all" in (folder / "d.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("before.json", "-o", "d.html"), "got neither"),
        (("before.json", "after.json", "--target", "y", "--data", "rows.csv"), "got both"),
        (("before.json", "--target", "y"), "--data rows.csv"),
        (("before.json", "after.json", "--predictions", "a", "b", "-o", "d.html"), "names columns of --data"),
        (("before.json", "after.json", "--data", "rows.csv", "--predictions", "a", "b", "-o", "d.html"), "'a'"),
        (("before.json", "after.json", "--limit", "-1", "-o", "d.html"), "limit must be a share"),
        (("before.json", "--target", "z", "--data", "rows.csv", "-o", "d.html"), "There is no column 'z'"),
        (("before.json", "--target", "holes", "--data", "rows.csv", "-o", "d.html"), "is empty in 3 of"),
        (("before.json", "none.json", "-o", "d.html"), "There is no file"),
        (("none.json", "after.json", "-o", "d.html"), "There is no file"),
        (("before.json", "rows.csv", "-o", "d.html"), "rows.csv is not JSON"),
        (("before.json", "cut.json", "-o", "d.html"), "cut.json is not JSON"),
        (("before.json", "hollow.json", "-o", "d.html"), "damaged"),
        (("before.json", "audit.json", "-o", "d.html"), "does not hold a decomposition"),
        (("before.json", "strange.json", "-o", "d.html"), "no feature in common"),
        (("logits.json", "odds.json", "-o", "d.html"), "different units"),
        (("before.json", "after.json", "--data", "none.csv", "-o", "d.html"), "There is no file"),
        (("before.json", "after.json", "--data", "few.csv", "-o", "d.html"), "age"),
        (("before.json", "after.json", "-o", "nowhere/d.html"), "There is no folder"),
        (("before.json", "after.json", "-o", "d.html", "--save", "nowhere/d.json"), "There is no folder"),
        (("before.json", "after.json", "-o", "folder.html"), "is a folder"),
        (("before.json", "after.json", "-o", "before.json"), "named for two things"),
        (("before.json", "after.json", "-o", "after.json"), "named for two things"),
        (("before.json", "after.json", "-o", "d.html", "--save", "after.json"), "named for two things"),
        (("before.json", "after.json", "-o", "d.html", "--save", "d.html"), "named for two things"),
        (("before.json", "after.json", "--data", "rows.csv", "-o", "rows.csv"), "named for two things"),
        (("before.json", "after.json", "--names", "A", "A", "-o", "d.html"), "Two different names"),
        (("before.json", "after.json", "--output", "none", "-o", "d.html"), "none"),
    ],
)
def test_mistakes_are_explained_in_a_sentence_with_exit_code_two_and_nothing_is_written(mistaken, capsys, words, said):
    before = {path: path.read_bytes() for path in mistaken.iterdir() if path.is_file()}
    assert compare(mistaken, *words) == 2
    error = capsys.readouterr().err
    assert error.startswith("anova-report: ")
    assert error.count("\n") == 1
    assert said in error
    assert "Traceback" not in error
    assert {path: path.read_bytes() for path in mistaken.iterdir() if path.is_file()} == before


def test_a_result_that_cannot_be_kept_leaves_the_old_page(folder, capsys, monkeypatch):
    (folder / "old.html").write_text("the old page")

    def fail(target):
        if target.name == "full.json":
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "remove_leftovers", fail)
    assert compare(folder, "before.json", "after.json", "-o", "old.html", "--overwrite", "--save", "full.json") == 3
    assert "No space left on device" in capsys.readouterr().err
    assert (folder / "old.html").read_text() == "the old page"
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("unit", [1.0, 1e4])
def test_predictions_are_taken_as_the_model_makes_them_where_logarithms_were_decomposed(tmp_path, capsys, unit):
    rows = np.random.default_rng(3).uniform(size=(400, 2))
    amounts = unit * np.exp(rows[:, 0] + 0.5 * rows[:, 1])
    X = pd.DataFrame(rows, columns=["a", "b"])
    for name, change in (("before", 0.0), ("after", 0.2)):
        dec = decomposed(X, np.log(amounts) + change * rows[:, 0], max_order=1)
        replace(dec, scale="log").save(tmp_path / f"{name}.json")
    changed = amounts * np.exp(0.2 * rows[:, 0])
    X.assign(p=amounts, q=changed, log_p=np.log(amounts), log_q=np.log(changed)).to_csv(
        tmp_path / "rows.csv", index=False
    )
    found = []
    for columns in (("p", "q"), ("log_p", "log_q")):
        words = ("before.json", "after.json", "--data", "rows.csv", "-o", "d.html", "--overwrite", "--json")
        assert compare(tmp_path, *words, "--predictions", *columns, "--fail-on", "change") == 1
        found.append(json.loads(capsys.readouterr().out)["outputs"][0]["words"])
    assert found[0] == found[1]
