from pathlib import Path

import pytest

from anova_report import cli
from anova_report.report.comparison.comparison import render_comparison
from anova_report.report.page.render import render
from tests.report.samples import sample_audit
from tests.report.two_fits import planted_change


@pytest.fixture
def saved(tmp_path) -> Path:
    return sample_audit().save(tmp_path / "audit.json")


def test_a_saved_audit_gives_the_same_page_without_model_or_data(saved, capsys):
    assert cli.main(["render", str(saved), "-o", str(saved.parent / "again.html")]) == 0
    assert (saved.parent / "again.html").read_text() == render(sample_audit())
    assert f"Written: {saved.parent / 'again.html'} (" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no file"),
        ("", "is not JSON"),
        ("\x00\x01", "is not JSON"),
        ("{}", "holds neither an audit nor a comparison"),
        ("[1, 2]", "holds neither an audit nor a comparison"),
        ('{"schema": ["anova_report.audit"], "version": 1}', "holds neither an audit nor a comparison"),
        ('{"schema": "anova_report.decomposition", "version": 1}', "compare --save` wrote"),
        ('{"schema": "anova_report.comparison", "version": 99}', "reads up to version 1"),
        ('{"schema": "anova_report.comparison", "version": 1, "title": "x"}', "not complete"),
        ('{"schema": "anova_report.audit", "version": 99}', "reads up to version 1"),
        ('{"schema": "anova_report.audit", "version": 1, "title": 3}', "Audit.title is 3"),
    ],
)
def test_what_is_neither_audit_nor_comparison_is_exit_code_2(tmp_path, capsys, content, words):
    if content is not None:
        (tmp_path / "x.json").write_text(content)
    assert cli.main(["render", str(tmp_path / "x.json")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


def test_a_saved_comparison_gives_the_same_page_without_decompositions_or_data(tmp_path, capsys):
    comparison = planted_change().page()
    saved = comparison.save(tmp_path / "comparison.json")
    assert cli.main(["render", str(saved)]) == 0
    assert saved.with_suffix(".html").read_text() == render_comparison(comparison)
    assert f"Written: {tmp_path / 'comparison.html'} (" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["audit.json", "audit.html"])
def test_the_page_never_replaces_what_it_is_made_from(saved, capsys, name):
    source = saved.rename(saved.with_name(name))
    before = source.read_bytes()
    out = ["-o", str(source)] if name == "audit.json" else []
    assert cli.main(["render", str(source), *out]) == 2
    assert "is named for two things" in capsys.readouterr().err
    assert source.read_bytes() == before
