"""Notifications: made once, read, marked, removed for good."""

import asyncio
from collections import Counter

import msgspec
import pytest

from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.alerts.notifications import Notifications, document_notice
from edgar_search.engine.engine import Engine
from edgar_search.stored.user_items import DocumentMatch
from tests.support.users import User, Users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]


def item(number: int) -> DocumentMatch:
    """Return a document as it was when it matched."""
    accession_number = f"0009990501-21-{number:06d}"
    return DocumentMatch(
        related_company_names=["STAR CORP"],
        ciks=["0009990501"],
        accnum=accession_number,
        filename="a.txt",
        filing_date="2021-01-05",
        form_type="8-K",
        snippet="<mark>stars</mark>",
        score=0.5,
        document_id=f"{accession_number}-1",
    )


class Notified:
    """A user and its account, which the matcher reports documents."""

    def __init__(self, users: Users, engine: Engine, subject: str) -> None:
        self.user = users.named(subject)
        self.account = account_id(ISSUER, subject)
        self._engine = engine
        self._notifications = Notifications(engine)

    async def tell(self, *numbers: int, trigger: str = "t") -> list[bool]:
        """Write notifications; True for each that was new."""
        new = [
            await self._notifications.notify([document_notice(self.account, trigger, item(n))]) == 1
            for n in numbers
        ]
        await self._engine.refresh("user_items")
        return new

    async def ids(self, **parameters: object) -> list[str]:
        """Return the ids that are listed."""
        found = await self.user.get("notifications/get", **parameters)
        ids = [notification["id"] for notification in found["notifications"]]
        assert found["total_count"] == len(ids)
        return ids


@pytest.fixture
def notified(users: Users, engine: Engine, request: pytest.FixtureRequest) -> Notified:
    return Notified(users, engine, request.node.name)


async def test_notification_has_all_its_fields(notified: Notified) -> None:
    assert await notified.tell(1) == [True]
    found = await notified.user.get("notifications/get")
    (made,) = found["notifications"]
    assert found["total_count"] == 1
    assert made == {
        "id": made["id"],
        "alert_trigger_id": "t",
        "created_at": made["created_at"],
        "read_at": None,
        "document": msgspec.to_builtins(item(1)),
        "message": None,
    }


async def test_trigger_tells_of_a_document_once(notified: Notified) -> None:
    told = await asyncio.gather(*(notified.tell(1) for _ in range(10)))
    assert Counter(new for (new,) in told) == {True: 1, False: 9}
    assert await notified.tell(1, trigger="other") == [True]
    assert len(await notified.ids()) == 2


async def test_removed_notification_does_not_come_back(notified: Notified) -> None:
    await notified.tell(1)
    (made,) = await notified.ids()
    gone = await notified.user.ask("POST", "notifications/remove", {"id": made})
    assert gone == (200, {"changed": 1})
    assert await notified.ids() == []
    assert await notified.ids(unread="true") == []
    assert await notified.tell(1) == [False]
    assert await notified.ids() == []
    again = await notified.user.refused("DELETE", "notifications/remove", id=made)
    assert again == (404, "no notification has this id")


async def test_those_marked_as_read_are_not_unread(notified: Notified) -> None:
    await notified.tell(1, 2, 3)
    ids = await notified.ids()
    body = {"ids": [ids[0], ids[1], ids[0]]}
    assert await notified.user.post("notifications/mark_read", body) == {"changed": 2}
    assert await notified.ids(unread="true") == ids[2:]
    assert await notified.ids(unread="false") == ids
    assert await notified.user.post("notifications/mark_read", {"ids": ids}) == {"changed": 1}
    found = (await notified.user.get("notifications/get"))["notifications"]
    assert all(notification["read_at"] for notification in found)


async def test_time_of_the_first_reading_stays(notified: Notified) -> None:
    await notified.tell(1)
    ids = await notified.ids()
    await notified.user.post("notifications/mark_read", {"ids": ids})
    first = await notified.user.get("notifications/get")
    assert await notified.user.post("notifications/mark_read", {"ids": ids}) == {"changed": 0}
    assert await notified.user.post("notifications/mark_read", {"all": True}) == {"changed": 0}
    assert await notified.user.get("notifications/get") == first


async def test_all_are_marked_over_several_batches(
    notified: Notified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.alerts.notifications._BATCH", 3)
    await asyncio.gather(*(notified.tell(number) for number in range(8)))
    works = (notified.user.post("notifications/mark_read", {"all": True}) for _ in range(3))
    assert sum(answer["changed"] for answer in await asyncio.gather(*works)) == 8
    assert await notified.ids(unread="true") == []
    assert len(await notified.ids()) == 8


async def test_unknown_id_among_others_marks_nothing(notified: Notified) -> None:
    await notified.tell(1)
    (made,) = await notified.ids()
    refused = await notified.user.refused(
        "POST", "notifications/mark_read", {"ids": [made, "unknown"]}
    )
    assert refused == (404, "no notification has this id")
    assert await notified.ids(unread="true") == [made]


async def test_notification_of_another_user_is_unknown(notified: Notified, user: User) -> None:
    await notified.tell(1)
    (made,) = await notified.ids()
    not_found = (404, "no notification has this id")
    marked = await user.refused("POST", "notifications/mark_read", {"ids": [made]})
    removed = await user.refused("POST", "notifications/remove", {"id": made})
    assert (marked, removed) == (not_found, not_found)
    assert await user.post("notifications/mark_read", {"all": True}) == {"changed": 0}
    assert await notified.ids(unread="true") == [made]
