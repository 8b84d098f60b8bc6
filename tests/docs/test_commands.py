"""Every command of the README and the site is run as it is written."""

import os
import re
import shutil
import socket
import subprocess
import sys
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from anova_report import cli
from anova_report.cli.parser import parser
from anova_report.report import mail, write_report
from anova_report.report.jobs.options import exit_code
from anova_report.report.page.paper import NAMED_BY
from tests.browser import executable
from tests.docs.conftest import N_ROWS
from tests.docs.reading import README, ROOT, SITE, commands
from tests.report.samples import sample_audit
from tests.report.smtp_server import Mailbox, at_loopback, make_certificate, served

PAGES = [README, *sorted(SITE.glob("*.md")), *sorted(SITE.glob("how_to/*.md"))]
ALL = {" ".join(command): command for page in PAGES for command in commands(page)}
MAILS, COMMANDS = ({name: ALL[name] for name in ALL if name.startswith("mail ") is so} for so in (True, False))
PAPERMILL = {" ".join(command): command for page in PAGES for command in commands(page, "papermill")}
AUDIT = ("audit", "clients.csv", "--prediction", "score", "--quiet")
KEPT = {"January.json": "--decomposition", "February.json": "--decomposition", "saved.json": "--save"}  # by one before
VERDICT = re.compile(r'(?:Verdict: .*\(|"verdict": ")(pass|warn|fail)')


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_is_one_and_runs_as_it_is_written(command, place, monkeypatch, capsys):
    options = parser().parse_args(command)
    monkeypatch.chdir(place)
    if "ebm" in " ".join(command):
        pytest.importorskip("interpret", reason="pip install 'anova_report[ebm]'")
        pytest.importorskip("shap", reason="pip install 'anova_report[shap]'")
    if "--pdf" in command:
        monkeypatch.setenv(NAMED_BY, executable())
    for name in KEPT.keys() & set(command):
        if options.command != "audit" and not (place / name).is_file():
            assert cli.main([*AUDIT, KEPT[name], name]) == 0
    code, printed = cli.main(command), capsys.readouterr()
    found = VERDICT.search(printed.out)
    limit = getattr(options, "fail_on", None) if options.command == "audit" else None
    assert code == exit_code(found and found[1], limit)
    assert not printed.err


@pytest.mark.parametrize("command", MAILS.values(), ids=MAILS)
def test_a_mail_goes_to_the_server_that_is_named(command, tmp_path, monkeypatch, capsys):
    """Only the name and the port of that server are ours: the network knows no example.org."""
    monkeypatch.chdir(tmp_path)
    options = parser().parse_args(command)
    written = write_report(sample_audit(), options.page)
    certificate, context = make_certificate(tmp_path, name=options.smtp)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(socket, "getaddrinfo", at_loopback(options.smtp))
    with served(Mailbox(), tls_context=context, require_starttls=True) as mailbox:
        monkeypatch.setitem(mail.PORTS, options.security, mailbox.port)
        assert cli.main(command) == 0
    [envelope] = mailbox.received
    assert envelope.rcpt_tos == options.to
    assert mailbox.encrypted == [True]
    found = message_from_bytes(envelope.content, policy=policy.default)
    assert next(found.iter_attachments()).get_payload(decode=True) == written.read_bytes()
    assert not capsys.readouterr().err


@pytest.mark.parametrize("command", PAPERMILL.values(), ids=PAPERMILL)
def test_the_stock_papermill_runs_a_notebook_as_it_is_written(command, place):
    notebook, executed = command[:2]
    (place / notebook).parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / notebook, place / notebook)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    client = Path(sys.executable).with_name("papermill")
    ended = subprocess.run(  # noqa: S603 the page's own line
        [client, *command], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert (place / executed).is_file()
    assert f"{N_ROWS} rows" in (place / "audit.html").read_text(encoding="utf-8")


def test_the_lines_that_are_looked_for_are_there():
    assert MAILS
    assert PAPERMILL
