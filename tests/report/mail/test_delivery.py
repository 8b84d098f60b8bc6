import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from anova_report.errors import InputError, RunError
from anova_report.report import mail
from anova_report.report.mail import Login, Server, deliver
from tests.report.smtp_server import HOST, NAME, SECRET, Mailbox, check_login, make_certificate, served


@pytest.fixture(scope="module")
def certified(tmp_path_factory) -> tuple[Path, ssl.SSLContext]:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def context(certified) -> ssl.SSLContext:
    """What a server needs to encrypt."""
    return certified[1]


@pytest.fixture
def _vouched(certified, monkeypatch) -> None:
    """Lets this machine trust the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certified[0]))


PAGE = b"<!doctype html>\r\n.\r\n<p>\xc3\xa9</p>\n"


def message(*recipients: str) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"] = "audits@example.org", "Größe"
    made["To"] = ", ".join(recipients or ("ada@example.org",))
    made.set_content("Hello ☃")
    made.add_attachment(PAGE, maintype="text", subtype="html", filename="a.html")
    return made


def test_a_mail_arrives_as_it_was_written():
    with served(Mailbox()) as mailbox:
        deliver(message("ada@example.org", "ben@example.org"), Server(HOST, mailbox.port, "plain"))
    [envelope] = mailbox.received
    assert envelope.mail_from == "audits@example.org"
    assert envelope.rcpt_tos == ["ada@example.org", "ben@example.org"]
    found = message_from_bytes(envelope.content, policy=policy.default)
    assert found["Subject"] == "Größe"
    assert next(found.iter_attachments()).get_payload(decode=True) == PAGE


@pytest.mark.usefixtures("_vouched")
def test_starttls_encrypts_before_the_login_and_the_mail(context):
    rules = {"require_starttls": True, "authenticator": check_login, "auth_required": True}
    with served(Mailbox(), tls_context=context, **rules) as mailbox:
        deliver(message(), Server(HOST, mailbox.port), Login(NAME, SECRET))
    assert mailbox.encrypted == [True]


@pytest.mark.usefixtures("_vouched")
def test_ssl_encrypts_from_the_start(context):
    with served(Mailbox(), ssl_context=context) as mailbox:
        deliver(message(), Server(HOST, mailbox.port, "ssl"))
    assert mailbox.encrypted == [True]


@pytest.mark.parametrize("security", ["starttls", "ssl"])
def test_a_certificate_that_nobody_vouches_for_is_refused(context, security):
    kind = "tls_context" if security == "starttls" else "ssl_context"
    with served(Mailbox(), **{kind: context}) as mailbox, pytest.raises(RunError, match="certificate verify failed"):
        deliver(message(), Server(HOST, mailbox.port, security))
    assert mailbox.received == []


def test_a_server_without_encryption_is_not_spoken_to_by_default():
    with (
        served(Mailbox()) as mailbox,
        pytest.raises(RunError, match=r"STARTTLS .*not supported.* Use --ssl, or --plain"),
    ):
        deliver(message(), Server(HOST, mailbox.port))
    assert mailbox.received == []


@pytest.mark.usefixtures("_vouched")
def test_a_wrong_password_is_a_sentence_that_does_not_repeat_it(context):
    with (
        served(Mailbox(), tls_context=context, authenticator=check_login, auth_required=True) as mailbox,
        pytest.raises(RunError, match="535") as refused,
    ):
        deliver(message(), Server(HOST, mailbox.port), Login(NAME, "wr0ng-words"))
    assert "wr0ng" not in str(refused.value)


def test_recipients_that_are_refused_are_named():
    with served(Mailbox()) as mailbox:
        server = Server(HOST, mailbox.port, "plain")
        with pytest.raises(RunError, match=r"took the mail, but not for refused@example\.org \(550 no such user\)"):
            deliver(message("ada@example.org", "refused@example.org"), server)
        with pytest.raises(RunError, match=r"refused all recipients: refused@example\.org \(550"):
            deliver(message("refused@example.org"), server)
    assert len(mailbox.received) == 1


def test_a_password_never_travels_in_the_clear():
    with pytest.raises(InputError, match="The password would travel unencrypted"):
        deliver(message(), Server("127.0.0.1", 1, "plain"), Login(NAME, SECRET))


def test_the_login_comes_from_the_environment_and_is_whole_or_absent():
    both = {"ANOVA_REPORT_SMTP_USER": NAME, "ANOVA_REPORT_SMTP_PASSWORD": SECRET}
    assert Login.from_environment(both) == Login(NAME, SECRET)
    assert Login.from_environment({}) is None
    for name in both:
        with pytest.raises(InputError, match=f"{name} is not set"):
            Login.from_environment({key: value for key, value in both.items() if key != name})


@pytest.mark.parametrize("text", ["", ":25", "host:many", "host:70000", "user@host:25", "host/path", "a b"])
def test_what_is_no_server_is_refused(text):
    with pytest.raises(InputError, match="is not a server"):
        Server.read(text)


@contextmanager
def rude_server(talk: Callable[[socket.socket], object]) -> Iterator[int]:
    """Listen on a free port, and talk to whoever calls until he hangs up."""
    with socket.create_server((HOST, 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                caller, _ = listening.accept()
                with caller:
                    while True:
                        talk(caller)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


def drip(caller: socket.socket) -> None:
    caller.sendall(b"2")
    time.sleep(0.05)


@pytest.mark.parametrize("security", ["plain", "starttls", "ssl"])
@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (drip, "it took longer than 0.5 seconds|SSL"),
        (lambda caller: caller.sendall(b"220-welcome\r\n"), "it said more than 1,000 lines|SSL"),
    ],
)
def test_a_server_that_never_comes_to_an_end_is_left(monkeypatch, security, talk, words):
    monkeypatch.setattr(mail, "DEADLINE", 0.5)
    started = time.monotonic()
    with rude_server(talk) as port, pytest.raises(RunError, match=words):
        deliver(message(), Server(HOST, port, security))
    assert time.monotonic() - started < 5


def scripted(replies: dict[bytes, bytes], greeting: bytes = b"220 hello\r\n") -> Callable[[socket.socket], object]:
    """Talk as a server that replies to each command as it is told, else with 250."""

    def talk(caller: socket.socket) -> None:
        caller.sendall(greeting)
        with caller.makefile("rb") as heard:
            for line in heard:
                command = line.split()[0].upper() if line.split() else b""
                if command == b"DATA" and b"DATA" not in replies:
                    caller.sendall(b"354 go on\r\n")
                    while heard.readline() != b".\r\n":
                        pass
                    caller.sendall(replies.get(b".", b"250 taken\r\n"))
                else:
                    refused = b"RCPT" in command and b"refused" in line
                    caller.sendall(b"550 no such user\r\n" if refused else replies.get(command, b"250 fine\r\n"))
        raise OSError

    return talk


@pytest.mark.parametrize("farewell", [b"421 busy\r\n", b"500 what?\r\n", b"250 bye\r\n", b"nonsense\r\n"])
def test_a_mail_that_was_taken_is_sent_whatever_the_server_says_at_the_end(farewell):
    with rude_server(scripted({b"QUIT": farewell})) as port:
        deliver(message(), Server(HOST, port, "plain"))
    with (
        rude_server(scripted({b"QUIT": farewell})) as port,
        pytest.raises(RunError, match=r"took the mail, but not for refused@example\.org \(550 no such user\)"),
    ):
        deliver(message("ada@example.org", "refused@example.org"), Server(HOST, port, "plain"))


@pytest.mark.parametrize("replies", [{b".": b"451 try later\r\n"}, {b"DATA": b"451 try later\r\n"}])
def test_why_a_mail_was_not_taken_is_told_whatever_the_server_says_at_the_end(replies):
    with (
        rude_server(scripted(replies | {b"QUIT": b"421 busy\r\n"})) as port,
        pytest.raises(RunError, match=r"was not sent by .*: 451 try later"),
    ):
        deliver(message(), Server(HOST, port, "plain"))


def test_a_server_that_greets_with_a_refusal_is_not_spoken_to():
    with (
        rude_server(scripted({}, b"554 not today\r\n")) as port,
        pytest.raises(RunError, match=r"was not sent by .*: 554 not today"),
    ):
        deliver(message(), Server(HOST, port, "plain"))


def test_a_server_that_hangs_up_on_the_mail_may_have_taken_it():
    talk = scripted({b".": b""})

    def hang_up(caller: socket.socket) -> None:
        caller.settimeout(1)
        talk(caller)

    with rude_server(hang_up) as port, pytest.raises(RunError, match="took the mail is not known"):
        deliver(message(), Server(HOST, port, "plain"))
