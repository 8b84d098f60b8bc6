"""Every command of the README and the site is run as it is written."""

import re

import pytest

from anova_report import cli
from anova_report.cli.parser import parser
from anova_report.report.jobs.options import exit_code
from tests.docs.reading import README, SITE, commands

PAGES = [README, *sorted(SITE.glob("*.md")), *sorted(SITE.glob("how_to/*.md"))]
COMMANDS = {" ".join(command): command for page in PAGES for command in commands(page)}
ELSEWHERE = ("mail",)  # takes a server, which a test of its own has
AUDIT = ("audit", "clients.csv", "--prediction", "score", "--quiet")
KEPT = {"January.json": "--decomposition", "February.json": "--decomposition", "saved.json": "--save"}  # by one before


VERDICT = re.compile(r'(?:Verdict: .*\(|"verdict": ")(pass|warn|fail)')


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_is_one_and_runs_as_it_is_written(command, place, monkeypatch, capsys):
    options = parser().parse_args(command)
    if options.command in ELSEWHERE:
        return
    monkeypatch.chdir(place)
    if "ebm" in " ".join(command):
        pytest.importorskip("interpret", reason="pip install 'anova_report[ebm]'")
        pytest.importorskip("shap", reason="pip install 'anova_report[shap]'")
    for name in KEPT.keys() & set(command):
        if options.command != "audit" and not (place / name).is_file():
            assert cli.main([*AUDIT, KEPT[name], name]) == 0
    code, printed = cli.main(command), capsys.readouterr()
    found = VERDICT.search(printed.out)
    limit = getattr(options, "fail_on", None) if options.command == "audit" else None
    assert code == exit_code(found and found[1], limit)
    assert not printed.err
