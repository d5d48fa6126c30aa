"""Mail: what arrives by a mail server, when, and how it ends."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import msgspec
import pytest

from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.alerts import mail_deliveries
from edgar_search.alerts.mail_deliveries import MailDeliveries
from edgar_search.alerts.mailboxes import Mailboxes
from edgar_search.alerts.notifications import AREA, Notice, Notifications
from edgar_search.doctor.doctor import look_at_mail
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, EngineUnavailable
from edgar_search.events.log import EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, StoredEvent, alert_event_id
from edgar_search.stored.user_items import MailRate, StoredNotification, item_key
from tests.support.alerting import SENDING, count, delivering, filing, hurry, match
from tests.support.loading import Loads
from tests.support.mail_server import MailServer, html_of, taking_mail, text_of
from tests.support.receiver import Receiver, receiving
from tests.support.users import User, Users, serving_users
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with taking_mail() as running:
        yield running


@pytest.fixture(scope="module")
def mailing(made_settings: Settings, server: MailServer) -> Settings:
    """Settings of an installation that sends mail to this machine."""
    return msgspec.structs.replace(
        made_settings,
        **SENDING,
        smtp_host="127.0.0.1",
        smtp_port=server.port,
        smtp_tls="none",
        mail_from="alerts@search.example",
        pages="open",
    )


@pytest.fixture(scope="module")
async def readers(anyio_backend: str, mailing: Settings) -> AsyncIterator[Users]:
    async with serving_users(mailing, 1) as users:
        yield users


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_deliveries, "MAIL_PAUSE", 0.01)
    hurry(monkeypatch)


class Reader:
    """A user with an address."""

    def __init__(self, users: Users, kept: Mailboxes, word: str = "reader") -> None:
        subject = secrets.token_hex(8)
        self.user: User = users.named(subject)
        self.account = account_id(ISSUER, subject)
        self.address = f"{word}-{subject}@mail.example"
        self.kept = kept

    async def confirmed(self, engine: Engine, settings: Settings, server: MailServer) -> "Reader":
        """Return the reader, whose address is confirmed by the link of the mail."""
        await self.kept.set(self.account, self.address, 7, "Europe/Berlin")
        async with delivering(engine, settings):
            await until(lambda: _stored(engine, self.account))
        await self.kept.confirm(self.account, token_of(server.to(self.address)[0]))
        return self


def token_of(message: object) -> str:
    """Return the token of the link in a confirmation."""
    found = re.search(r"\?token=(\S+)", text_of(message))  # type: ignore[arg-type]
    assert found is not None
    return found[1]


async def _stored(engine: Engine, account: str) -> bool:
    return await count(engine, "deliveries", account=account, state="waiting") == 0


async def _arrived(server: MailServer, address: str, count: int) -> bool:
    return len(server.to(address)) >= count


async def tell(
    engine: Engine, account: str, count: int = 1, rate: MailRate = "at_once", **more: object
) -> None:
    """Make notifications of an account, as the matcher does."""
    for _ in range(count):
        content = StoredNotification("t", message=f"m {secrets.token_hex(4)}", mail=rate)
        notice = Notice(account, secrets.token_hex(12), msgspec.structs.replace(content, **more))
        await Notifications(engine).notify([notice])
        event = StoredEvent(ALERT, datetime.now(UTC), account=account, notification_id=notice.id)
        await EventLog(engine).append([(alert_event_id(item_key(account, AREA, notice.id)), event)])


@pytest.fixture
def kept(engine: Engine, mailing: Settings) -> Mailboxes:
    return Mailboxes(engine, mailing)


async def test_match_is_mailed_once_with_its_snippet_and_link(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    loads: Loads,
    new_number: Callable[[], str],
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    trigger = await reader.user.post(
        "alert_triggers/add", {"name": "olivine, 8-K", "query": "olivine", "mail": "at_once"}
    )
    assert trigger["mail"] == "at_once"
    number = new_number()
    await loads(filing(number, "an olivine <b> quarry"))
    await match(engine, mailing)
    for _ in range(2):
        async with delivering(engine, mailing):
            await until(lambda: _arrived(server, reader.address, 2))
            await asyncio.sleep(0.2)
    _, message = server.to(reader.address)
    assert message["Subject"] == "1 new: olivine, 8-K"
    assert message["From"] == "alerts@search.example"
    text, html = text_of(message), html_of(message)
    assert "an *olivine* <b> quarry" in text
    assert "olivine</mark> &lt;b&gt; quarry" in html
    assert f"https://search.example/document/{number}-1" in text
    assert "ALERT CORP" in text and "8-K" in text
    assert "src=" not in html and "url(" not in html


async def test_nothing_is_sent_before_the_address_is_confirmed(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = Reader(readers, kept)
    await kept.set(reader.account, reader.address, 7, "Europe/Berlin")
    await tell(engine, reader.account, 3)
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 1))
        await asyncio.sleep(0.3)
    (asked,) = server.to(reader.address)
    assert asked["Subject"] == "Confirm this address for alerts of search.example"
    other = Reader(readers, kept)
    with pytest.raises(BadRequest, match="sent to another user"):
        await kept.confirm(other.account, token_of(asked))


async def test_address_is_asked_once_a_day_whoever_gives_it(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    stranger = Reader(readers, kept).address
    for _ in range(5):
        await kept.set(Reader(readers, kept).account, stranger, 7, "Europe/Berlin")
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, stranger, 1))
        await asyncio.sleep(0.3)
    assert len(server.to(stranger)) == 1
    one = Reader(readers, kept)
    for number in range(3):
        await kept.set(one.account, f"{number}-{one.address}", 7, "Europe/Berlin")
    with pytest.raises(BadRequest, match="changed 3 times in a day"):
        await kept.set(one.account, one.address, 7, "Europe/Berlin")


async def test_all_that_is_due_is_one_mail(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mail_deliveries, "SHOWN", 3)
    monkeypatch.setattr(mail_deliveries, "_MARKED", 2)
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    await tell(engine, reader.account, 8)
    await tell(engine, reader.account, 2, rate="weekly")
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 2))
        await asyncio.sleep(0.3)
    _, message = server.to(reader.address)
    assert message["Subject"].startswith("8 new: ")
    text = text_of(message)
    assert "8 are new; the first 3 are here." in text
    assert len(re.findall(r"^m ", text, re.MULTILINE)) == 3


async def test_one_click_without_a_session_ends_the_mails(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 2))
    message = server.to(reader.address)[1]
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert b"\r\nList-Unsubscribe: <https://search.example/mail/unsubscribe?" in server.sent[-1]
    place = message["List-Unsubscribe"].strip("<>").removeprefix("https://search.example")
    client: httpx.AsyncClient = readers.instances[0]
    assert (await client.get(place)).status_code == 200
    still = await kept.read(reader.account)
    assert still is not None and still.confirmed_at is not None
    assert (await client.post(place[:-4])).status_code == 404
    ended = await client.post(place, data={"List-Unsubscribe": "One-Click"})
    assert (ended.status_code, reader.address in ended.text) == (200, True)
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await asyncio.sleep(0.5)
    assert len(server.to(reader.address)) == 2


async def test_address_that_is_refused_three_times_is_ended(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    server.refusals[reader.address] = "550 no such mailbox"
    for tries in (2, 3, 4):
        await tell(engine, reader.account)
        async with delivering(engine, mailing):
            await until(lambda tries=tries: _tried(server, reader, tries))  # type: ignore[misc]
            await until(lambda: _stored(engine, reader.account))
    async with delivering(engine, mailing):
        await tell(engine, reader.account)
        await asyncio.sleep(0.3)
    assert server.tried.count(reader.address) == 1 + 3
    ended = await kept.read(reader.account)
    assert ended is not None
    reason = "the mail server refused it 3 times"
    assert (ended.confirmed_at, ended.ended_because) == (None, reason)
    with pytest.raises(BadRequest, match=reason):
        await kept.set(reader.account, reader.address, 7, "Europe/Berlin")


async def test_mail_that_is_put_off_is_tried_again_and_ends_no_address(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    server.refusals[reader.address] = "451 try again later"
    await tell(engine, reader.account, 2)
    async with delivering(engine, mailing):
        await until(lambda: _tried(server, reader, 1 + 5))
        assert await count(engine, "deliveries", account=reader.account, state="waiting") == 2
        del server.refusals[reader.address]
        server.refusals_of_mail[reader.address] = "452 insufficient storage"
        tried = server.tried.count(reader.address)
        await until(lambda: _tried(server, reader, tried + 5))
        del server.refusals_of_mail[reader.address]
        await until(lambda: _arrived(server, reader.address, 2))
    assert server.to(reader.address)[1]["Subject"].startswith("2 new: ")
    still = await kept.read(reader.account)
    assert still is not None and still.confirmed_at is not None


async def test_mail_that_is_put_off_for_days_is_given_up(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mail_deliveries, "_GIVEN_UP_AFTER", timedelta(0))
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    server.refusals[reader.address] = "451 try again later"
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await until(lambda: _ended(engine, reader.account, "failed", 1))
    del server.refusals[reader.address]
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 2))


async def test_mail_that_is_taken_ends_the_count_of_refusals(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    failed, arrived = 0, 1
    for refused in (True, True, False, True, True, False):
        if refused:
            server.refusals_of_mail[reader.address] = "554 rejected"
            failed += 1
        else:
            server.refusals_of_mail.pop(reader.address)
            arrived += 1
        await tell(engine, reader.account)
        async with delivering(engine, mailing):
            await until(lambda count=failed: _ended(engine, reader.account, "failed", count))  # type: ignore[misc]
            await until(lambda count=arrived: _arrived(server, reader.address, count))  # type: ignore[misc]
            await until(lambda: _stored(engine, reader.account))
    still = await kept.read(reader.account)
    assert still is not None and still.confirmed_at is not None


async def _ended(engine: Engine, account: str, state: str, number: int) -> bool:
    return await count(engine, "deliveries", account=account, state=state) >= number


async def _tried(server: MailServer, reader: Reader, count: int) -> bool:
    return server.tried.count(reader.address) >= count


async def test_operator_takes_an_address_out(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    await kept.block(reader.address.upper())
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await asyncio.sleep(0.5)
    assert len(server.to(reader.address)) == 1
    await kept.allow(reader.address)
    await tell(engine, reader.account)
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 2))


async def test_mail_server_that_is_away_delays_no_webhook_and_loses_nothing(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    tmp_path: Path,
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    with receiving(tmp_path) as receiver:
        webhook = await reader.user.post(
            "webhooks/add", {"name": "mine", "url": f"{receiver.base}/ok"}
        )
        await tell(engine, reader.account, 5, webhooks=(webhook["id"],))
        async with delivering(engine, msgspec.structs.replace(mailing, smtp_port=1)):
            await until(lambda: _received(receiver, 5))
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 2))
    assert server.to(reader.address)[1]["Subject"].startswith("5 new: ")


async def test_disabling_of_a_webhook_is_mailed(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    tmp_path: Path,
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    with receiving(tmp_path) as receiver:
        webhook = await reader.user.post(
            "webhooks/add", {"name": "mine", "url": f"{receiver.base}/410"}
        )
        await reader.user.post("webhooks/test", {"id": webhook["id"]})
        async with delivering(engine, mailing):
            await until(lambda: _arrived(server, reader.address, 2))
    assert server.to(reader.address)[1]["Subject"] == (
        "about your alerts: the webhook mine was disabled: its receiver answered 410 Gone"
    )


async def _received(receiver: Receiver, count: int) -> bool:
    return len(receiver.received("/ok")) >= count


async def test_mail_that_is_sent_again_after_a_kill_has_the_same_id(
    readers: Users,
    engine: Engine,
    mailing: Settings,
    server: MailServer,
    kept: Mailboxes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    await tell(engine, reader.account, 5)

    async def killed(*given: object) -> None:
        raise EngineUnavailable("killed before it was stored")

    with monkeypatch.context() as patch:
        patch.setattr(MailDeliveries, "_mark", killed)
        async with delivering(engine, mailing):
            await until(lambda: _arrived(server, reader.address, 2))
    await tell(engine, reader.account, 2)
    async with delivering(engine, mailing):
        await until(lambda: _arrived(server, reader.address, 3))
    _, first, again = server.to(reader.address)
    assert first["Message-ID"] == again["Message-ID"]
    assert (first["Subject"][:2], again["Subject"][:2]) == ("5 ", "7 ")


async def test_connections_to_the_mail_server_are_kept(
    readers: Users, engine: Engine, mailing: Settings, server: MailServer, kept: Mailboxes
) -> None:
    reader = await Reader(readers, kept).confirmed(engine, mailing, server)
    before = {*server.connections[reader.address]}
    async with delivering(engine, mailing):
        for number in range(4):
            await tell(engine, reader.account)
            await until(lambda count=number + 2: _arrived(server, reader.address, count))  # type: ignore[misc]
    assert len(server.connections[reader.address] - before) == 1


async def test_doctor_sends_a_test_mail(mailing: Settings, server: MailServer) -> None:
    (finding,) = await look_at_mail(mailing, "operator@mail.example")
    assert finding.level == "ok"
    assert server.to("operator@mail.example")[0]["Subject"] == "edgar-search can send mail"
    gone = msgspec.structs.replace(mailing, smtp_port=1)
    (finding,) = await look_at_mail(gone, None)
    assert finding.level == "wrong"
