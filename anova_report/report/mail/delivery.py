"""Handing a mail to a server."""

import getpass
import os
import smtplib
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Literal, Self, TypeAlias
from urllib.parse import urlsplit

from anova_report.errors import InputError, RunError

Security: TypeAlias = Literal["starttls", "ssl", "plain"]

PORTS: dict[Security, int] = {"starttls": 587, "ssl": 465, "plain": 25}
USER, PASSWORD = "ANOVA_REPORT_SMTP_USER", "ANOVA_REPORT_SMTP_PASSWORD"
TIMEOUT = 30.0  # seconds


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
    try:
        with _connected(server) as connection:
            if login is not None:
                connection.login(login.user, login.password)
            refused = connection.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        raise RunError(f"{server} refused all recipients: {_refusals(error.recipients)}.") from error
    except (smtplib.SMTPException, OSError) as error:
        raise RunError(f"The mail was not sent by {server}: {_reason(error)}.") from error
    if refused:
        raise RunError(f"{server} took the mail, but not for {_refusals(refused)}.")


def _connected(server: Server) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.security == "ssl":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT, context=context)
    connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT)
    if server.security == "starttls":
        try:
            connection.starttls(context=context)
        except BaseException:
            connection.close()
            raise
    return connection


def _refusals(recipients: Mapping[str, tuple[int, bytes]]) -> str:
    return ", ".join(f"{who} ({code} {_text(words)})" for who, (code, words) in recipients.items())


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return f"{error} Use --ssl, or --plain if the way to the server is safe"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, TimeoutError):
        return f"it did not answer within {TIMEOUT:g} seconds"
    return str(error.strerror or error) if isinstance(error, OSError) else str(error)


def _text(words: bytes | str) -> str:
    return " ".join((words.decode(errors="replace") if isinstance(words, bytes) else words).split())
