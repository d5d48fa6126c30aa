"""The mail server: TLS, logins, and what its answers mean."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from edgar_search.alerts.mail_messages import Addresses, trial
from edgar_search.alerts.mail_server import (
    MailDelayed,
    MailRefused,
    MailServer,
    MailUnavailable,
)
from edgar_search.settings import Settings
from tests.support import mail_server
from tests.support.fronts import write_certificate
from tests.support.mail_server import PASSWORD, USER, taking_mail

pytestmark = pytest.mark.anyio
TO = "me@mail.example"
MESSAGE = trial(Addresses("alerts@search.example", TO, "https://search.example"), "id")
Tls = Literal["starttls", "tls"]
EVERY_TLS = pytest.mark.parametrize("tls", ["starttls", "tls"])


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls") / "mail.pem", "127.0.0.1")


@pytest.fixture(scope="module")
def plain() -> Iterator[mail_server.MailServer]:
    with taking_mail() as running:
        yield running


async def send(running: mail_server.MailServer, **changes: Any) -> None:
    """Send a mail by this server, with a login over TLS unless that is changed."""
    usual = {"smtp_tls": "starttls", "smtp_user": USER, "smtp_password": PASSWORD}
    settings = Settings(
        smtp_host="127.0.0.1",
        smtp_port=running.port,
        mail_from="alerts@search.example",
        **{**usual, **changes},
    )
    server = MailServer(settings)
    try:
        await server.send(MESSAGE, TO)
    finally:
        await server.close()


async def send_plainly(running: mail_server.MailServer) -> None:
    await send(running, smtp_tls="none", smtp_user=None, smtp_password=None)


@EVERY_TLS
async def test_mail_is_handed_over_by_tls_after_a_login(tls: Tls, certificate: Path) -> None:
    with taking_mail(tls, certificate) as running:
        await send(running, smtp_tls=tls, smtp_ca=certificate)
    (session,) = running.sessions
    assert session.authenticated and (tls == "tls" or session.ssl is not None)
    (message,) = running.to(TO)
    assert message["Subject"] == "edgar-search can send mail"


@EVERY_TLS
async def test_wrong_password_is_said_without_it(tls: Tls, certificate: Path) -> None:
    with taking_mail(tls, certificate) as running:
        with pytest.raises(MailUnavailable, match="535") as refused:
            await send(running, smtp_tls=tls, smtp_ca=certificate, smtp_password="wrong word")
    assert "wrong word" not in str(refused.value)
    assert running.messages == []


@EVERY_TLS
async def test_certificate_that_is_not_trusted_gets_no_mail(tls: Tls, certificate: Path) -> None:
    with taking_mail(tls, certificate) as running:
        with pytest.raises(MailUnavailable, match="certificate verify failed"):
            await send(running, smtp_tls=tls)
    assert running.sessions == []


@EVERY_TLS
async def test_certificate_of_another_name_gets_no_mail(tls: Tls, tmp_path: Path) -> None:
    other = write_certificate(tmp_path / "other.pem", "other.example")
    with taking_mail(tls, other) as running:
        with pytest.raises(MailUnavailable, match="certificate verify failed"):
            await send(running, smtp_tls=tls, smtp_ca=other)
    assert running.sessions == []


async def test_server_without_starttls_gets_no_mail_in_the_clear(
    plain: mail_server.MailServer,
) -> None:
    before = len(plain.sessions)
    with pytest.raises(MailUnavailable, match="STARTTLS"):
        await send(plain)
    assert len(plain.sessions) == before


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("421 closing", MailDelayed),
        ("450 mailbox busy", MailDelayed),
        ("451 greylisted", MailDelayed),
        ("452 insufficient storage", MailDelayed),
        ("550 no such mailbox", MailRefused),
        ("552 mailbox full", MailRefused),
        ("554 rejected", MailRefused),
    ],
)
@pytest.mark.parametrize("of", ["address", "mail"])
async def test_refusal_is_for_now_or_for_good(
    plain: mail_server.MailServer, of: str, answer: str, error: type[Exception]
) -> None:
    refusals = plain.refusals if of == "address" else plain.refusals_of_mail
    refusals[TO] = answer
    try:
        with pytest.raises(error, match=f"answered {answer}"):
            await send_plainly(plain)
    finally:
        del refusals[TO]
    await send_plainly(plain)


@pytest.mark.parametrize("answer", ["451 slow down", "550 not from there"])
async def test_refused_sender_counts_for_no_address(
    plain: mail_server.MailServer, answer: str
) -> None:
    plain.refusal_of_sender = answer
    try:
        with pytest.raises(MailUnavailable, match=answer[:3]):
            await send_plainly(plain)
    finally:
        plain.refusal_of_sender = None


async def test_server_that_is_away_is_named() -> None:
    with taking_mail() as running:
        pass
    with pytest.raises(MailUnavailable, match="^127.0.0.1 takes no mail: "):
        await send_plainly(running)
