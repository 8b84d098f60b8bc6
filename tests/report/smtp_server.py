"""A real SMTP server on a free port of the loopback address, and a certificate for it."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd import smtp
from aiosmtpd.controller import Controller

NAME, SECRET = "validator", "s3cret-words"
HOST = "127.0.0.1"


class Mailbox:
    """Keeps what a server is handed, and refuses some recipients."""

    def __init__(self, verdict: str = "250 taken") -> None:
        self.received: list[smtp.Envelope] = []
        self.encrypted: list[bool] = []
        self.port = 0
        self.verdict = verdict

    async def handle_RCPT(
        self, server: smtp.SMTP, session: smtp.Session, envelope: smtp.Envelope, address: str, options: list[str]
    ) -> str:
        """Take every recipient but those who are called refused."""
        del server, session, options
        if address.startswith("refused"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server: smtp.SMTP, session: smtp.Session, envelope: smtp.Envelope) -> str:
        """Keep the mail."""
        del session
        self.received.append(envelope)
        self.encrypted.append(server.transport.get_extra_info("sslcontext") is not None)
        return self.verdict


class _OnFreePort(Controller):
    """Learns its port from the system, and is woken without speaking TLS, which a server's context cannot."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        socket.create_connection((HOST, self.port), timeout=5).close()


@contextmanager
def served(mailbox: Mailbox, **more: object) -> Iterator[Mailbox]:
    """Let a server hand its mails to a mailbox; `more` is for aiosmtpd."""
    controller = _OnFreePort(mailbox, hostname=HOST, port=0, **more)
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def check_login(
    server: smtp.SMTP, session: smtp.Session, envelope: smtp.Envelope, mechanism: str, data: object
) -> smtp.AuthResult:
    """Let in who knows the words."""
    del server, session, envelope, mechanism
    return smtp.AuthResult(success=data == smtp.LoginPassword(NAME.encode(), SECRET.encode()), handled=False)


def at_loopback(name: str) -> Callable[..., Any]:
    """Look addresses up as the system does, but that of a server by this name, which is here."""
    system = socket.getaddrinfo
    return lambda host, *more, **options: system(HOST if host == name else host, *more, **options)


def make_certificate(folder: Path, name: str = "localhost") -> tuple[Path, ssl.SSLContext]:
    """Make a certificate for a name and the loopback address, and the context of a server that has it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is needed to make a certificate")
    made, key = folder / "certificate.pem", folder / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", f"subjectAltName=IP:{HOST},DNS:{name}", "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 our own command
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context
