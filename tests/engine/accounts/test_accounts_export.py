"""`edgar-search accounts export`: all that is stored of an account, and nothing that lets in."""

import hashlib
import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from edgar_search.access.call_log import CallLog
from edgar_search.access.sessions import AtIssuer, Sessions
from edgar_search.alerts.notifications import Notice, Notifications
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredCall, StoredUsage, usage_id
from edgar_search.stored.installation import StoredSnapshot
from edgar_search.stored.user_items import StoredNotification
from edgar_search.user_data import export
from edgar_search.user_data.deletion import PARTS, belongings
from tests.engine.accounts.furnished import furnish
from tests.support.commands import ONE_ACCOUNT, Run

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
NOW = datetime.now(UTC)
CALLS = 5


async def furnish_wholly(engine: Engine, settings: Settings, account: str) -> list[str]:
    """Give an account something of every part; what must never be printed of it."""
    key = await furnish(engine, settings, account)
    at_issuer = AtIssuer(f"token of {account}", f"issuer's session of {account}")
    session = await Sessions(engine, settings).begin(account, "Somebody", at_issuer)
    log = CallLog(engine, settings)
    for number in range(CALLS):
        query = {"query": [f"moss {number} of {account}"]}
        log.record(StoredCall(log.new_id(), account, NOW, "v1/search", query, 200, 1.0, key[:12]))
    await log.flush()
    await engine.create("usage", usage_id(account, "2026-11"), StoredUsage(account, "2026-11", 7))
    point = f"point of {account}"
    await engine.create("snapshots", account, StoredSnapshot(account, NOW, NOW, {"filings": point}))
    hashes = [hashlib.sha256(each.encode()).hexdigest() for each in (key, session)]
    return [key, session, *hashes, at_issuer.id_token, f"issuer's session of {account}", point]


def parts_of(records: list[dict[str, Any]]) -> dict[str, int]:
    return dict(Counter(record["part"] for record in records))


async def test_export_has_every_entry_of_one_account_and_none_of_its_secrets(
    engine: Engine, made_settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PAGE", 2)
    asks, other = "lapwing of the fen", "curlew of the fen"
    secrets = await furnish_wholly(engine, made_settings, asks)
    await furnish_wholly(engine, made_settings, other)
    status, said, error = await run("export", asks)
    assert (status, error) == (0, "")
    *records, last = [json.loads(line) for line in said.splitlines()]
    found = await belongings(engine, asks)
    assert list(found) == [part.name for part in PARTS]
    assert parts_of(records) == found
    assert last == {"account": asks, "complete": True, "entries": found}
    entries = [record["entry"] for record in records if record["part"] == "calls in the history"]
    queries = {entry["parameters"]["query"][0] for entry in entries}
    assert queries == {f"moss {number} of {asks}" for number in range(CALLS)}
    assert other not in said
    assert [secret for secret in secrets if secret in said] == []
    (webhook,) = [record["entry"] for record in records if record["part"] == "webhooks"]
    assert webhook["content"] == {"name": "mine", "url": "https://example.com/hook"}
    sessions = [record["entry"] for record in records if record["part"] == "sessions"]
    assert all(entry["name"] == "Somebody" for entry in sessions)
    assert not any({"id_token", "issuer_session", "pending"} & entry.keys() for entry in sessions)


async def test_export_has_a_notification_that_its_user_has_removed(
    engine: Engine, run: Run
) -> None:
    notifications = Notifications(engine)
    await notifications.notify([Notice("dunlin", "gone", StoredNotification("7"))])
    await notifications.remove("dunlin", "gone")
    _, said, _ = await run("export", "dunlin")
    record, _ = [json.loads(line) for line in said.splitlines()]
    assert (record["part"], record["entry"]["content"]["alert_trigger_id"]) == (
        "notifications",
        "7",
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [([], ONE_ACCOUNT), (["nobody here"], "account nobody here: there is no such account")],
)
async def test_account_without_data_has_no_export(run: Run, line: list[str], reason: str) -> None:
    status, said, error = await run("export", *line)
    assert (status, said) == (1, "")
    assert error.startswith(f"edgar-search: {reason}")
