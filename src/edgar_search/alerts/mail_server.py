"""The mail server, and the connections to it that are kept open."""

import asyncio
import ssl
import time
from contextlib import suppress
from email.message import EmailMessage

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
)

from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings

# Concurrent connections, and the seconds after which an idle one is not used again.
CONNECTIONS, _IDLE_SECONDS = 4, 30.0
_SECONDS = 30.0
_PERMANENT = 500


class MailUnavailable(EdgarSearchError):
    """The mail server is unavailable, or accepts no mail from this service for now."""


class MailDelayed(EdgarSearchError):
    """The mail server accepts no mail for this address for now."""


class MailRefused(EdgarSearchError):
    """The mail server refuses mail to this address for good."""


class MailServer:
    """The mail server that the settings name."""

    def __init__(self, settings: Settings) -> None:
        assert settings.smtp_host is not None and settings.mail_from is not None
        self._settings = settings
        self._host = settings.smtp_host
        self.sender = settings.mail_from
        self._idle: list[tuple[SMTP, float]] = []
        self._slots = asyncio.Semaphore(CONNECTIONS)

    async def send(self, message: EmailMessage, address: str) -> None:
        """Send a message to one address.

        Raises MailRefused if the address or the message is refused for good, MailDelayed if it is
        refused for now, and MailUnavailable for any other failure.
        """
        async with self._slots:
            try:
                client = await self._connection()
                try:
                    await client.sendmail(self.sender, [address], bytes(message))
                except SMTPRecipientsRefused as refused:
                    self._keep(client)
                    first = refused.recipients[0]
                    raise _refusal(first.code, first.message) from None
                except SMTPDataError as error:
                    self._keep(client)
                    raise _refusal(error.code, error.message) from None
                except BaseException:
                    client.close()
                    raise
                self._keep(client)
            except (SMTPException, OSError, ValueError) as error:
                # ssl.SSLError is an OSError; a ValueError means that TLS cannot be set up.
                raise MailUnavailable(f"{self._host} takes no mail: {_words(error)}") from None

    async def check(self) -> None:
        """Connect, and log in if a user is set; MailUnavailable if that fails."""
        try:
            self._keep(await self._connection())
        except (SMTPException, OSError, ValueError) as error:
            raise MailUnavailable(f"{self._host} takes no mail: {_words(error)}") from None

    async def close(self) -> None:
        """Close all connections."""
        while self._idle:
            client, _ = self._idle.pop()
            with suppress(SMTPException, OSError):
                await client.quit()

    async def _connection(self) -> SMTP:
        """Return a working connection, kept or new."""
        while self._idle:
            client, since = self._idle.pop()
            if time.monotonic() - since < _IDLE_SECONDS:
                with suppress(SMTPException, OSError):
                    await client.noop()
                    return client
            client.close()
        settings = self._settings
        ca = None if settings.smtp_ca is None else str(settings.smtp_ca)
        context = ssl.create_default_context(cafile=ca)
        client = SMTP(
            hostname=self._host,
            port=settings.smtp_port,
            username=settings.smtp_user,
            password=settings.smtp_password,
            timeout=_SECONDS,
            use_tls=settings.smtp_tls == "tls",
            start_tls=settings.smtp_tls == "starttls",
            tls_context=None if settings.smtp_tls == "none" else context,
        )
        await client.connect()
        return client

    def _keep(self, client: SMTP) -> None:
        if client.is_connected:
            self._idle.append((client, time.monotonic()))


def _refusal(code: int, text: str) -> MailRefused | MailDelayed:
    kind = MailRefused if code >= _PERMANENT else MailDelayed
    return kind(f"the mail server answered {code} {_words(text)}")


def _words(text: object) -> str:
    return " ".join(str(text).split())[:200] or type(text).__name__
