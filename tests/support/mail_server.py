"""A mail server that keeps what it is sent, and refuses what it is told to."""

import email.policy
import socket
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class MailServer:
    """A handler of aiosmtpd that refuses some addresses for good."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.sent: list[bytes] = []
        self.tried: list[str] = []
        self.refusing: set[str] = set()
        self.connections: defaultdict[str, set[object]] = defaultdict(set)
        self.port = 0

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any
    ) -> str:
        self.connections[address].add(session.peer)
        self.tried.append(address)
        if address in self.refusing:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        parser: BytesParser[EmailMessage] = BytesParser(policy=email.policy.default)
        self.sent.append(envelope.content)
        self.messages.append(parser.parsebytes(envelope.content))
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        """Return the messages to an address, in order."""
        return [message for message in self.messages if message["To"] == address]


@contextmanager
def taking_mail() -> Iterator[MailServer]:
    """Yield a mail server on this machine, until this is left."""
    handler = MailServer()
    with socket.create_server(("127.0.0.1", 0)) as free:
        handler.port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=handler.port)
    controller.start()
    try:
        yield handler
    finally:
        controller.stop()


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
