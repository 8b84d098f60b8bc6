from pathlib import Path

import pytest

from anova_report import cli
from anova_report.report.render import render
from tests.report.samples import sample_audit


@pytest.fixture
def saved(tmp_path) -> Path:
    return sample_audit().save(tmp_path / "audit.json")


def test_a_saved_audit_gives_the_same_page_without_model_or_data(saved, capsys):
    assert cli.main(["render", str(saved), "-o", str(saved.parent / "again.html")]) == 0
    assert (saved.parent / "again.html").read_text() == render(sample_audit())
    assert f"Written: {saved.parent / 'again.html'} (" in capsys.readouterr().out


def test_the_page_lies_beside_the_audit_by_default(saved, capsys):
    assert cli.main(["render", str(saved), "--quiet"]) == 0
    assert saved.with_suffix(".html").is_file()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no file"),
        ("", "is not JSON"),
        ("{}", "holds no audit"),
        ('{"schema": "anova_report.audit", "version": 99}', "reads up to 1"),
        ('{"schema": "anova_report.audit", "version": 1, "title": 3}', "Audit.title is 3"),
    ],
)
def test_what_is_no_audit_is_exit_code_2(tmp_path, capsys, content, words):
    if content is not None:
        (tmp_path / "x.json").write_text(content)
    assert cli.main(["render", str(tmp_path / "x.json")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


def test_a_place_that_cannot_be_written_is_exit_code_2(saved, capsys):
    assert cli.main(["render", str(saved), "-o", str(saved.parent / "nowhere" / "a.html")]) == 2
    assert "There is no folder" in capsys.readouterr().err
