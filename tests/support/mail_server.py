"""A mail server that keeps what it is sent, and answers as it is told to."""

import email.policy
import socket
import ssl
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any, Literal

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

# The user and password of a server with a login.
USER, PASSWORD = "alerts", "a secret"


class MailServer:
    """A handler of aiosmtpd, with its answers to some addresses, or to the mails to them."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.sent: list[bytes] = []
        self.tried: list[str] = []
        self.refusals: dict[str, str] = {}
        self.refusals_of_mail: dict[str, str] = {}
        self.refusal_of_sender: str | None = None
        self.sessions: list[Session] = []
        self.connections: defaultdict[str, set[object]] = defaultdict(set)
        self.port = 0

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        self.sessions.append(session)
        if self.refusal_of_sender is not None:
            return self.refusal_of_sender
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        self.connections[address].add(session.peer)
        self.tried.append(address)
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        (address,) = envelope.rcpt_tos
        if address in self.refusals_of_mail:
            return self.refusals_of_mail[address]
        parser: BytesParser[EmailMessage] = BytesParser(policy=email.policy.default)
        self.sent.append(envelope.content)
        self.messages.append(parser.parsebytes(envelope.content))
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        """Return the messages to an address, in order."""
        return [message for message in self.messages if message["To"] == address]


@contextmanager
def taking_mail(
    tls: Literal["none", "starttls", "tls"] = "none", certificate: Path | None = None
) -> Iterator[MailServer]:
    """Yield a mail server on this machine, until this is left; with TLS it knows one login."""
    handler = MailServer()
    with socket.create_server(("127.0.0.1", 0)) as free:
        handler.port = free.getsockname()[1]
    given: dict[str, Any] = {}
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        given = {"authenticator": _authenticate}
        given |= {"ssl_context" if tls == "tls" else "tls_context": context}
        # It does not see a TLS from the beginning, and would take no login.
        names = ("require_starttls", "auth_required", "auth_require_tls")
        given |= dict.fromkeys(names, tls == "starttls")
    controller = Controller(handler, hostname="127.0.0.1", port=handler.port, **given)
    controller.start()
    try:
        yield handler
    finally:
        controller.stop()


def _authenticate(*given: Any) -> AuthResult:
    login = given[-1]
    known = isinstance(login, LoginPassword) and login == LoginPassword(
        USER.encode(), PASSWORD.encode()
    )
    return AuthResult(success=known, handled=known)


def text_of(message: EmailMessage) -> str:
    """Return the text of a message."""
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def html_of(message: EmailMessage) -> str:
    """Return the HTML of a message."""
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())
