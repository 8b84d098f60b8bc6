from email import message_from_bytes, policy
from pathlib import Path

import pytest

from anova_report import cli
from anova_report.report.page.render import write_report
from tests.report.samples import sample_audit
from tests.report.smtp_server import HOST, NAME, SECRET, Mailbox, check_login, make_certificate, served

PEOPLE = ["--to", "Ada <ada@example.org>", "--to", "ben@example.org", "--from", "audits@example.org"]


@pytest.fixture
def page(tmp_path) -> Path:
    return write_report(sample_audit(), tmp_path / "audit.html")


def test_a_mail_file_holds_the_same_report(page, capsys):
    target = page.parent / "audit.eml"
    assert cli.main(["mail", str(page), *PEOPLE, "--eml", str(target)]) == 0
    found = message_from_bytes(target.read_bytes(), policy=policy.default)
    assert found["Subject"] == "[Do not rely on it] House prices"
    assert next(found.iter_attachments()).get_payload(decode=True) == page.read_bytes()
    assert f"Written: {target} (" in capsys.readouterr().out


def test_a_mail_goes_through_a_server_with_encryption_and_login_and_comes_out_whole(
    page, tmp_path, monkeypatch, capsys
):
    certificate, context = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("ANOVA_REPORT_SMTP_USER", NAME)
    monkeypatch.setenv("ANOVA_REPORT_SMTP_PASSWORD", SECRET)
    rules = {"require_starttls": True, "authenticator": check_login, "auth_required": True}
    with served(Mailbox(), tls_context=context, **rules) as mailbox:
        assert cli.main(["mail", str(page), *PEOPLE, "--subject", "New", "--smtp", f"{HOST}:{mailbox.port}"]) == 0
    [envelope] = mailbox.received
    assert envelope.rcpt_tos == ["ada@example.org", "ben@example.org"]
    found = message_from_bytes(envelope.content, policy=policy.default)
    assert found["Subject"] == "New"
    assert "0.881" in found.get_body(("plain",)).get_content()
    assert next(found.iter_attachments()).get_payload(decode=True) == page.read_bytes()
    printed = capsys.readouterr()
    assert printed.out.startswith("Sent to Ada <ada@example.org>, ben@example.org: New (")
    assert SECRET not in printed.out + printed.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--smtp", "host:many"], "'host:many' is not a server"),
        (["--eml", "nowhere/a.eml"], "There is no folder nowhere"),
        (["--eml", "a.eml", "--max-size", "0.001"], "MB are allowed"),
        (["--eml", "a.eml", "--subject", "a\nb"], "holds a line break"),
        (["--eml", "a.eml", "--to", "nobody"], "is not one mail address"),
    ],
)
def test_a_mistake_is_exit_code_2_and_leaves_no_mail(page, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(page.parent)
    assert cli.main(["mail", str(page), *PEOPLE, *arguments]) == 2
    assert words in capsys.readouterr().err
    assert [path.name for path in page.parent.iterdir()] == ["audit.html"]
