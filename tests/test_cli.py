import re

import pytest

from anova_report import __version__, cli
from anova_report.errors import InputError


def test_the_demo_prints_fidelity_shares_and_orthogonality(capsys):
    assert cli.main(["demo"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"on the rows of the fit +442 +0\.\d{3}", printed)
    assert re.search(r"^bmi( × \w+)? +\d+\.\d%", printed, flags=re.MULTILINE)
    assert re.search(r"^unexplained +\d+\.\d%", printed, flags=re.MULTILINE)
    assert "Orthogonality" in printed
    assert re.search(r"^AR002  (pass|warn)", printed, flags=re.MULTILINE)
    assert re.search(r"^Verdict: (pass|warn)$", printed, flags=re.MULTILINE)


def test_an_input_error_is_a_sentence_on_stderr_and_exit_code_2(monkeypatch, capsys):
    def fail() -> None:
        raise InputError("The table is empty.")

    monkeypatch.setattr(cli, "demonstrate", fail)
    assert cli.main(["demo"]) == 2
    assert capsys.readouterr().err == "anova-report: The table is empty.\n"


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"anova-report {__version__}\n"


def test_a_missing_command_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main([])
    assert stopped.value.code == 2
    assert "COMMAND" in capsys.readouterr().err
