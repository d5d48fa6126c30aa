"""Webhooks: what a receiver gets, however it answers, and what its user sees of that."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.alerts import deliverer
from edgar_search.alerts.deliverer import deliveries_status
from edgar_search.alerts.notifications import AREA, Notice, Notifications
from edgar_search.alerts.webhooks import Webhooks
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import EngineUnavailable
from edgar_search.events.log import EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, StoredEvent, alert_event_id
from edgar_search.stored.user_items import StoredNotification, item_key
from tests.support.alerting import SENDING, delivering, filing, hurry, match
from tests.support.loading import Loads
from tests.support.receiver import Receiver, receiving
from tests.support.users import Json, User, Users, serving_users
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


@pytest.fixture(scope="module")
def sending(made_settings: Settings) -> Settings:
    """Settings of an installation that sends to this machine."""
    return msgspec.structs.replace(made_settings, **SENDING)


@pytest.fixture(scope="module")
async def senders(anyio_backend: str, sending: Settings) -> AsyncIterator[Users]:
    async with serving_users(sending, 1) as users:
        yield users


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with receiving(tmp_path_factory.mktemp("receiver")) as running:
        yield running


class Sender:
    """A user with a webhook."""

    def __init__(self, user: User, webhook: Json) -> None:
        self.user = user
        self.webhook = webhook

    async def test(self) -> str:
        """Send a test; its id."""
        return str((await self.user.post("webhooks/test", {"id": self.webhook["id"]}))["id"])

    async def deliveries(self) -> list[Json]:
        """Return the log of deliveries, newest first."""
        return list((await self.user.get("webhooks/deliveries"))["deliveries"])

    async def until_tried(self, times: int, seconds: float = 15.0) -> Json:
        """Return the newest delivery, as soon as it was tried this often."""
        found: list[Json] = []

        async def tried() -> bool:
            found[:] = await self.deliveries()
            return bool(found) and len(found[0]["attempts"]) >= times

        await until(tried, seconds)
        return found[0]

    async def now(self) -> Json:
        """Return the webhook as it is."""
        return dict((await self.user.get("webhooks/get"))["webhooks"][0])


async def sender(user: User, receiver: Receiver, path: str) -> Sender:
    made = await user.post("webhooks/add", {"name": "mine", "url": receiver.base + path})
    return Sender(user, made)


async def test_match_is_sent_once_signed_and_with_links(
    senders: Users,
    engine: Engine,
    sending: Settings,
    loads: Loads,
    new_number: Callable[[], str],
    receiver: Receiver,
) -> None:
    mine = await sender(senders.new(), receiver, "/ok")
    trigger = await mine.user.post(
        "alert_triggers/add",
        {"name": "x", "query": "peridot", "webhooks": [mine.webhook["id"]]},
    )
    assert trigger["webhooks"] == [mine.webhook["id"]]
    number = new_number()
    await loads(filing(number, "peridot"))
    await match(engine, sending)
    for _ in range(2):
        async with delivering(engine, sending):
            delivery = await mine.until_tried(1)
            await asyncio.sleep(0.2)
    (got,) = receiver.received("/ok")
    assert got.is_signed_with(mine.webhook["secret"])
    assert (got.id, got.body) == (delivery["id"], delivery["body"])
    assert (delivery["state"], delivery["attempts"][0]["status"]) == ("delivered", 204)
    event = json.loads(got.body)
    assert event["type"] == "alert.matched"
    assert event["data"]["alert_trigger_id"] == trigger["id"]
    assert event["data"]["document"]["document_id"] == f"{number}-1"
    assert event["data"]["links"]["document"] == f"https://search.example/document/{number}-1"


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/500", 500, None),
        ("/301", 301, None),
        ("/half", None, "no usable answer from 127.0.0.1: the connection broke off"),
        ("/die", None, "no usable answer from 127.0.0.1: the connection broke off"),
        ("/long", None, "127.0.0.1 sent more than 65536 bytes"),
        ("/slow", None, "no usable answer from 127.0.0.1: no answer in time"),
    ],
)
async def test_failed_try_is_repeated_under_the_same_id_until_the_last(
    senders: Users,
    engine: Engine,
    sending: Settings,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    status: int | None,
    error: str | None,
) -> None:
    monkeypatch.setattr(deliverer, "WAITS", (0.01, 0.01))
    monkeypatch.setattr(deliverer, "_PAUSE", 0.01)
    monkeypatch.setattr(deliverer, "_REQUEST_SECONDS", 0.5 if path == "/slow" else 10.0)
    mine = await sender(senders.new(), receiver, path)
    sent = await mine.test()
    async with delivering(engine, sending):
        delivery = await mine.until_tried(3)
        await until(lambda: _has_failures(mine, 3))
    assert delivery["state"] == "failed"
    assert [(each["status"], each["error"]) for each in delivery["attempts"]] == [
        (status, error)
    ] * 3
    assert [each.id for each in receiver.received(path)] == [sent] * 3
    assert receiver.received("/ok") == []
    now = await mine.now()
    assert now["enabled"] and now["failing_since"] is not None


async def _has_failures(mine: Sender, count: int) -> bool:
    return bool((await mine.now())["failures"] == count)


async def test_receiver_that_is_gone_is_disabled_and_its_user_told(
    senders: Users, engine: Engine, sending: Settings, receiver: Receiver
) -> None:
    mine = await sender(senders.new(), receiver, "/410")
    await mine.test()
    await mine.test()
    async with delivering(engine, sending):
        await until(lambda: _all_ended(mine))
    assert len(receiver.received("/410")) == 1
    now = await mine.now()
    assert (now["enabled"], now["disabled_because"]) == (False, "its receiver answered 410 Gone")
    await engine.refresh("user_items")
    (told,) = (await mine.user.get("notifications/get"))["notifications"]
    assert told["message"] == "the webhook mine was disabled: its receiver answered 410 Gone"
    change = {"id": mine.webhook["id"], "enabled": True}
    again = await mine.user.post("webhooks/update", change)
    assert (again["enabled"], again["disabled_because"], again["failures"]) == (True, None, 0)


async def test_deliverer_that_is_killed_before_it_disables_a_webhook_tells_its_user(
    senders: Users,
    engine: Engine,
    sending: Settings,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def killed(*given: object) -> None:
        raise EngineUnavailable("killed before it was stored")

    mine = await sender(senders.new(), receiver, "/410")
    await mine.test()
    with monkeypatch.context() as patch:
        patch.setattr(Webhooks, "change", killed)
        async with delivering(engine, sending):
            await until(lambda: _all_ended(mine))
    assert (await mine.now())["enabled"]
    await engine.refresh("user_items")
    (told,) = (await mine.user.get("notifications/get"))["notifications"]
    assert told["message"] == "the webhook mine was disabled: its receiver answered 410 Gone"


async def _all_ended(mine: Sender) -> bool:
    return all(delivery["state"] == "failed" for delivery in await mine.deliveries())


async def test_receiver_that_fails_for_days_is_disabled(
    senders: Users,
    engine: Engine,
    sending: Settings,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliverer, "_DISABLED_AFTER", timedelta(0))
    mine = await sender(senders.new(), receiver, "/500")
    await mine.test()
    async with delivering(engine, sending):
        await until(lambda: _has_failures(mine, 1))
    assert (await mine.now())["disabled_because"] == "it has failed for 0 days"


async def test_both_secrets_sign_while_one_is_rotated(
    senders: Users, engine: Engine, sending: Settings, receiver: Receiver
) -> None:
    mine = await sender(senders.new(), receiver, "/ok")
    new = await mine.user.post("webhooks/rotate", {"id": mine.webhook["id"]})
    first = await mine.test()
    async with delivering(engine, sending):
        await mine.until_tried(1)
        await mine.user.post("webhooks/rotate", {"id": mine.webhook["id"], "overlap_seconds": 0})
        await mine.user.post("webhooks/replay", {"id": first})
        await until(lambda: _received(receiver, "/ok", 2))
    before, after = receiver.received("/ok")
    secrets = [mine.webhook["secret"], new["secret"]]
    assert [before.is_signed_with(secret) for secret in secrets] == [True, True]
    assert [after.is_signed_with(secret) for secret in secrets] == [False, False]
    assert before.id == after.id == first


async def _received(receiver: Receiver, path: str, count: int) -> bool:
    return len(receiver.received(path)) >= count


async def test_slow_receivers_delay_nobody_else(
    senders: Users, engine: Engine, sending: Settings, receiver: Receiver
) -> None:
    for number in range(4):
        slow = await sender(senders.new(), receiver, f"/slow/{number}")
        for _ in range(3):
            await slow.test()
    quick = await sender(senders.new(), receiver, "/ok")
    async with delivering(engine, sending):
        for number in range(4):
            path = f"/slow/{number}"
            await until(lambda path=path: _received(receiver, path, 1))  # type: ignore[misc]
        for _ in range(5):
            await quick.test()
        await until(lambda: _received(receiver, "/ok", 5), 5.0)
    assert len(receiver.received("/slow/0")) == 1


async def test_delivery_that_ends_while_others_are_looked_for_is_not_sent_again(
    senders: Users,
    engine: Engine,
    sending: Settings,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refresh = Engine.refresh

    async def slow_refresh(of: Engine, kind: Kind) -> None:
        await refresh(of, kind)
        if kind == "deliveries":
            await asyncio.sleep(0.1)

    monkeypatch.setattr(Engine, "refresh", slow_refresh)
    mine = [await sender(senders.new(), receiver, f"/ok/{number}") for number in range(4)]
    sent = [[await each.test() for _ in range(8)] for each in mine]
    async with delivering(engine, sending):
        for each in mine:
            await until(lambda each=each: _all_delivered(each, 8), 30.0)  # type: ignore[misc]
    for number, ids in enumerate(sent):
        assert sorted(got.id for got in receiver.received(f"/ok/{number}")) == sorted(ids)


async def test_deliverer_that_stops_at_any_point_sends_each_event_by_one_id(
    senders: Users,
    engine: Engine,
    sending: Settings,
    receiver: Receiver,
) -> None:
    mine = await sender(senders.named("stops"), receiver, "/ok")
    account = account_id(ISSUER, "stops")
    events = 20
    for number in range(events):
        content = StoredNotification("t", message="m", webhooks=(mine.webhook["id"],))
        notice = Notice(account, f"stops-{number}", content)
        await Notifications(engine).notify([notice])
        event = StoredEvent(ALERT, datetime.now(UTC), account=account, notification_id=notice.id)
        await EventLog(engine).append([(alert_event_id(item_key(account, AREA, notice.id)), event)])
    for stop in range(12):
        async with delivering(engine, sending):
            await asyncio.sleep(0.03 * stop)
    async with delivering(engine, sending):
        await until(lambda: _all_delivered(mine, events), 20.0)
    got = [each.id for each in receiver.received("/ok")]
    assert len({*got}) == events
    assert {delivery["id"] for delivery in await mine.deliveries()} == {*got}


async def _all_delivered(mine: Sender, count: int) -> bool:
    return [delivery["state"] for delivery in await mine.deliveries()] == ["delivered"] * count


async def test_status_tells_since_when_deliveries_wait(
    senders: Users, engine: Engine, sending: Settings, receiver: Receiver
) -> None:
    mine = await sender(senders.new(), receiver, "/ok")
    # Those of the tests above are tried again at some time.
    await engine.delete_where("deliveries", {"match_all": {}})
    async with delivering(engine, sending):
        await until(lambda: _none_waits(engine))
    before = datetime.now(UTC)
    await mine.test()
    waiting = await deliveries_status(engine)
    assert waiting.overdue == 1
    assert waiting.oldest is not None and waiting.oldest >= before
    async with delivering(engine, sending):
        await until(lambda: _none_waits(engine))


async def _none_waits(engine: Engine) -> bool:
    state = await deliveries_status(engine)
    return state.overdue == 0 and state.oldest is None


async def test_service_without_a_key_has_no_webhooks(users: Users) -> None:
    body = {"name": "x", "url": "https://example.com/"}
    refused = await users.new().refused("POST", "webhooks/add", body)
    assert refused == (
        403,
        "this service sends no webhooks: its operator has not set EDGAR_SEARCH_SECRETS_KEY",
    )


async def test_webhook_of_another_account_cannot_be_named(
    senders: Users, receiver: Receiver
) -> None:
    mine = await sender(senders.new(), receiver, "/ok")
    other, webhook = senders.new(), mine.webhook["id"]
    for path in ("webhooks/test", "webhooks/rotate", "webhooks/remove"):
        assert await other.refused("POST", path, {"id": webhook}) == (
            404,
            "no webhook has this id",
        )
    delivery = await mine.test()
    assert await other.refused("POST", "webhooks/replay", {"id": delivery}) == (
        404,
        "no delivery has this id",
    )
    trigger = {"name": "x", "query": "moss", "webhooks": [webhook]}
    status, _ = await other.refused("POST", "alert_triggers/add", trigger)
    assert status == 400
