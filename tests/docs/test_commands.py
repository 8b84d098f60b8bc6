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
KEPT = ("January.json", "February.json")  # which commands before wrote


VERDICT = re.compile(r'(?:Verdict: .*\(|"verdict": ")(pass|warn|fail)')


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_is_one_and_runs_as_it_is_written(command, place, monkeypatch, capsys):
    options = parser().parse_args(command)
    if options.command in ELSEWHERE:
        return
    monkeypatch.chdir(place)
    if KEPT[0] in command and options.command == "compare":
        for name, table in zip(KEPT, ("clients.csv", "rows.csv"), strict=True):
            assert cli.main(["audit", table, "--prediction", "score", "--decomposition", name, "--quiet"]) == 0
    code, printed = cli.main(command), capsys.readouterr()
    found = VERDICT.search(printed.out)
    limit = getattr(options, "fail_on", None) if options.command == "audit" else None
    assert code == exit_code(found and found[1], limit)
    assert not printed.err
