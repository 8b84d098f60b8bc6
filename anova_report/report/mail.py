"""Mailing a page: a body that every client shows, the page attached, and a server to hand it to."""

import contextlib
import getpass
import os
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email import policy
from email.errors import HeaderParseError, MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, getaddresses, make_msgid
from pathlib import Path
from typing import IO, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from anova_report.errors import InputError, RunError, StorageError
from anova_report.figures.style import LIGHT
from anova_report.io import files, sinks
from anova_report.measures.status import OUTCOMES, pressing
from anova_report.measures.wording import percent
from anova_report.report.audit.audit import Audit
from anova_report.report.page.page_facts import OutputFacts, PageFacts, read_facts
from anova_report.report.page.page_one import Driver
from anova_report.report.page.render import environment, render

Security: TypeAlias = Literal["starttls", "ssl", "plain"]

MAX_SIZE = 20.0  # megabytes; what most servers take is between 10 and 25
LONGEST_TITLE = 200  # characters of a title that make a subject
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
ENCODED = "=?"  # how an encoded word begins; mail programs read what is behind it
POLICY = policy.default.clone(refold_source="none")
PORTS: dict[Security, int] = {"starttls": 587, "ssl": 465, "plain": 25}
USER, PASSWORD = "ANOVA_REPORT_SMTP_USER", "ANOVA_REPORT_SMTP_PASSWORD"
TIMEOUT = 30.0  # seconds for one word of the server
DEADLINE = 300.0  # seconds for the whole conversation
READY = 220  # the code with which a server greets
MOST_LINES = 1000  # of all replies of a server


def compose(
    page: str | os.PathLike[str] | Audit,
    *,
    to: Sequence[str],
    sender: str,
    subject: str | None = None,
    max_size: float = MAX_SIZE,
) -> EmailMessage:
    """Write a mail whose body is the first page: verdict, numbers, drivers, what to do; and attach the page.

    Parameters
    ----------
    page : path or Audit
        A page that this package wrote, or an audit, whose page is made.
    to : sequence of str
        Addresses, with or without names: "Ada <ada@example.org>".
    subject : str, optional
        Verdict and title by default.
    max_size : float
        Megabytes that the whole mail may have.

    Raises
    ------
    InputError
        If there is no such page, an address or the subject is not one, or the mail is too large.
    """
    name, content = _content(page, max_size)
    try:
        facts = sinks.cleaned(read_facts(content.decode()))
    except (StorageError, UnicodeDecodeError) as error:
        raise InputError(f"{name} is no page that can be mailed: {error}") from error
    if subject is None:
        subject = f"[{facts.verdict_sign}] {facts.title[:LONGEST_TITLE]}"
    if sinks.clean(subject) != " ".join(subject.split(" ")).strip():
        raise InputError(f"The subject {subject!r} holds a line break or another control character. Leave it out.")
    if not to:
        raise InputError("The mail has no recipient. Name at least one address.")
    message, origin = EmailMessage(POLICY), _one_address(sender)
    # As they are: assigned, they would be read first, and an encoded word in them would be taken for what it says.
    message.set_raw("Subject", sinks.mail_header(subject))
    message["From"] = origin
    message["To"] = [_one_address(address) for address in to]
    message["X-Mailer"] = "anova_report"
    message["Date"] = formatdate(localtime=True)
    message["Message-ID"] = make_msgid(domain=origin.domain)
    name, size = sinks.file_name(name, "report.html"), files.size_in_words(len(content))
    message.set_content(plain_body(facts, name, size))
    message.add_alternative(html_body(facts, name, size), subtype="html")
    message.add_attachment(content, maintype="text", subtype="html", filename=name, params={"charset": "utf-8"})
    whole = len(message.as_bytes())
    if whole > max_size * files.MEGABYTE:
        raise _too_large(whole, max_size)
    return message


def html_body(facts: PageFacts, name: str, size: str) -> str:
    """Write the body for clients that show HTML: tables and inline styles, nothing to load."""
    contents = {
        "facts": facts,
        "name": name,
        "size": size,
        "colors": LIGHT,
        "status_colors": {status: LIGHT[status] for status in ("pass", "warn", "fail")}
        | {"not applicable": LIGHT["muted"], "not tested": LIGHT["untested"]},
        "concerns": [pressing(output.findings) for output in facts.outputs],
        "bars": [bars(output) for output in facts.outputs],
    }
    return environment().get_template("mail/body.html").render(contents)


def plain_body(facts: PageFacts, name: str, size: str) -> str:
    """Write the body for clients that show text only."""
    blocks = [f"{facts.title}\n{facts.subject}. {facts.created}"]
    for output in facts.outputs:
        blocks += _plain_output(output, named=len(facts.outputs) > 1)
    blocks.append(f"The full report is attached: {name} ({size}). Save it and open it in a browser.")
    return "\n\n".join(blocks) + "\n"


def _content(page: str | os.PathLike[str] | Audit, max_size: float) -> tuple[str, bytes]:
    if isinstance(page, Audit):
        return "audit.html", render(page).encode()
    path = Path(page)
    if not files.is_file(path):
        raise InputError(f"There is no page {path!s:.200}. Pass one that `anova-report audit` or `compare` wrote.")
    size = path.stat().st_size
    if size > max_size * files.MEGABYTE:  # before it is read
        raise _too_large(size, max_size)
    return path.name, path.read_bytes()


def _too_large(size: int, max_size: float) -> InputError:
    return InputError(
        f"The mail would have {size / files.MEGABYTE:.1f} MB, and {max_size:g} MB are allowed. Draw fewer figures "
        "(--top-mains, --top-pairs), raise --max-size, or send a link instead."
    )


def _one_address(text: str) -> Address:
    found = getaddresses([text])
    if sinks.clean(text) != text or ENCODED in text or len(found) != 1 or not ADDRESS.fullmatch(found[0][1]):
        raise InputError(f"{text!r} is not one mail address. Write ada@example.org, or Ada <ada@example.org>.")
    name, _, domain = found[0][1].rpartition("@")
    try:
        return Address(display_name=found[0][0], addr_spec=f"{name}@{_in_ascii(domain)}")
    except UnicodeError as error:
        raise InputError(
            f"{text!r} has letters in its address that mail servers may take for others. Write its domain as servers "
            "know it: xn--…"
        ) from error
    except (ValueError, MessageError, HeaderParseError, IndexError) as error:
        raise InputError(f"{text!r} is not a mail address ({error}).") from error


def _in_ascii(domain: str) -> str:
    """Write a domain as servers know it; refused is one that would be read as another, as ß as ss."""
    written = domain.encode("idna").decode("ascii")
    if written.encode("ascii").decode("idna") != domain.lower():
        raise UnicodeError(domain)
    return written


def bars(output: OutputFacts) -> list[Driver]:
    """List the drivers of an output; of a page of an earlier version, the terms with the largest shares."""
    if output.drivers:
        return list(output.drivers)
    largest = max((abs(share.value) for share in output.shares), default=0.0) or 1.0
    return [
        Driver(share.label, percent(share.value), width=100 * abs(share.value) / largest) for share in output.shares
    ]


def _plain_output(output: OutputFacts, named: bool) -> list[str]:
    title = f"{output.name}: {output.verdict_sign}. " if named else f"{output.verdict_sign}. "
    blocks = [title + output.verdict_words]
    if output.headlines:
        blocks.append("\n".join(f"{item.label}: {item.value}. {item.words}" for item in output.headlines))
    if drivers := bars(output):
        known = [f" ({driver.interval})" if driver.interval else "" for driver in drivers]
        lines = [f"  {driver.share:>8}  {driver.label}{ends}" for driver, ends in zip(drivers, known, strict=True)]
        blocks.append("\n".join(["What drives the predictions (share of their variance, 95% interval):", *lines]))
    blocks += (
        ["\n".join(["The largest effects:", *(f"- {effect}" for effect in output.effects)])] if output.effects else []
    )
    concerns = [
        f"- {item.title} ({OUTCOMES[item.status].lower()}, {item.code}): {item.sentence} {item.advice}".rstrip()
        for item in pressing(output.findings)
    ]
    return [*blocks, "\n".join(["What to do:", *concerns])] if concerns else blocks


@dataclass(frozen=True)
class Server:
    """A server that takes mail, and how it is spoken to.

    It is encrypted after the greeting, encrypted from the start, or not at all; certificates are checked.
    """

    host: str
    port: int
    security: Security = "starttls"

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @classmethod
    def read(cls, text: str, security: Security = "starttls") -> Self:
        """Read "host" or "host:port", and refuse anything else; without a port it is the usual one.

        Examples
        --------
        >>> Server.read("mail.example.org")
        Server(host='mail.example.org', port=587, security='starttls')
        >>> Server.read("[::1]:2525", "plain").port
        2525
        """
        try:
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise InputError(f"{text!r} is not a server ({error}). Write host or host:port.") from error
        if not host or parts.path or parts.username or any(sign.isspace() for sign in text):
            raise InputError(f"{text!r} is not a server. Write host or host:port.")
        return cls(host, PORTS[security] if port is None else port, security)


@dataclass(frozen=True)
class Login:
    """Name and password for a server; the password is never shown."""

    user: str
    password: str = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self | None:
        """Take the login from environment variables, None if they are not set; one of the two alone is refused."""
        user, password = environment.get(USER, ""), environment.get(PASSWORD, "")
        if bool(user) != bool(password):
            lacking = PASSWORD if user else USER
            raise InputError(f"{lacking} is not set, but its partner is. Set both to log in, or none.")
        return cls(user, password) if user else None


def default_sender(login: Login | None) -> str:
    """Say who sends a mail when nobody was named: the login where it is an address, else this user on this machine.

    Examples
    --------
    >>> default_sender(Login("audits@example.org", "…"))
    'audits@example.org'
    """
    if login is not None and "@" in login.user:
        return login.user
    return f"{getpass.getuser()}@{socket.getfqdn()}"


def deliver(message: EmailMessage, server: Server, login: Login | None = None) -> None:
    """Hand a mail to a server.

    Raises
    ------
    InputError
        If a password would travel without encryption.
    RunError
        If the server cannot be reached or trusted, or refuses the login, the mail or a recipient.
    """
    if login is not None and server.security == "plain":
        raise InputError("The password would travel unencrypted. Use --starttls or --ssl, or unset the login.")
    context = ssl.create_default_context()
    encrypted = server.security == "ssl"
    connection = _EncryptedLine(timeout=TIMEOUT, context=context) if encrypted else _Line(timeout=TIMEOUT)
    late = threading.Timer(DEADLINE, connection.hang_up)
    late.start()
    try:
        connection.meet(server)
        if server.security == "starttls":
            connection.starttls(context=context)
        if login is not None:
            connection.login(login.user, login.password)
        refused = connection.send_message(message)
        # The server has answered for the mail; what it replies to the farewell changes nothing.
        with contextlib.suppress(smtplib.SMTPException, OSError, ValueError):
            connection.quit()
    except smtplib.SMTPRecipientsRefused as error:
        raise RunError(f"{server} refused all recipients: {_refusals(error.recipients)}.") from error
    except (smtplib.SMTPException, OSError, ValueError) as error:
        reason = connection.ended or _reason(error)
        if connection.handed_over and not isinstance(error, smtplib.SMTPResponseException):
            raise RunError(f"Whether {server} took the mail is not known: {reason}.") from error
        raise RunError(f"The mail was not sent by {server}: {reason}.") from error
    finally:
        late.cancel()
        connection.hang_up()
        connection.close()
    if refused:
        raise RunError(f"{server} took the mail, but not for {_refusals(refused)}.")


class _Line(smtplib.SMTP):
    """A connection that can be ended at any moment: a server may drip letters, or greet for ever."""

    ended = ""  # why it was
    handed_over = False  # whether the server was given the mail, and has perhaps not answered for it
    _open: socket.socket | None = None

    def hang_up(self) -> None:
        """End the conversation, from whichever thread."""
        line, self._open = self._open, None  # another thread may be about to do the same
        if line is not None:
            self.ended = self.ended or f"it took longer than {DEADLINE:g} seconds"
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def meet(self, server: Server) -> None:
        """Connect, and let the server greet: one that does not want to talk says so with another code."""
        code, words = self.connect(server.host, server.port)
        if code != READY:
            raise smtplib.SMTPConnectError(code, words)

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Hand the mail over."""
        self.handed_over = True
        return super().data(msg)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        made: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]  # not in the stubs
        self._open = made.dup()  # encryption takes the first one over
        self._host = host  # whose certificate is checked
        return made

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _Counted(self.sock.makefile("rb"))
        return super().getreply()


class _EncryptedLine(smtplib.SMTP_SSL, _Line):
    """The same, encrypted from the start."""


class _Counted:
    """What a server says, until that is more than any server has to say."""

    def __init__(self, inside: IO[bytes]) -> None:
        self.inside, self.lines = inside, 0

    def readline(self, most: int) -> bytes:
        self.lines += 1
        if self.lines > MOST_LINES:
            raise smtplib.SMTPException(f"it said more than {MOST_LINES:,} lines")
        return self.inside.readline(most)

    def close(self) -> None:
        self.inside.close()


def _refusals(recipients: Mapping[str, tuple[int, bytes]]) -> str:
    return ", ".join(f"{who} ({code} {_text(words)})" for who, (code, words) in recipients.items())


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return f"{error} Use --ssl, or --plain if the way to the server is safe"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, TimeoutError):
        return f"it did not reply within {TIMEOUT:g} seconds"
    return str(error.strerror or error) if isinstance(error, OSError) else str(error)


def _text(words: bytes | str) -> str:
    return " ".join((words.decode(errors="replace") if isinstance(words, bytes) else words).split())
