"""A user's API keys, history, limits and plan, together with the data calls that they are about."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from edgar_search.access import api_keys
from edgar_search.api.scopes import SCOPES
from edgar_search.settings import Settings
from tests.support.users import User, Users, serving_users
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]


async def call(users: Users, key: str, target: str) -> int:
    """Return the status of a data call."""
    reply = await users.instances[0].get(target, headers={"X-API-Key": key})
    return reply.status_code


async def calls(user: User, **parameters: Any) -> list[str]:
    """Return the listed calls as endpoint and status, newest first."""
    found = await user.get("history/get", **parameters)
    shown = [f"{entry['endpoint']} {entry['status']}" for entry in found["history"]]
    assert found["total_count"] == len(shown)
    return shown


async def listed(user: User, count: int) -> None:
    """Wait until this many calls are listed."""

    async def are_listed() -> bool:
        return len(await calls(user)) >= count

    await until(are_listed)


async def test_key_is_shown_once_and_works(users: Users, user: User) -> None:
    status, made = await user.ask("POST", "api_keys/create", {"name": "mine"})
    key = made.pop("key")
    assert status == 201
    assert made == {
        "id": made["id"],
        "name": "mine",
        "prefix": key[:12],
        "scopes": list(SCOPES),
        "created_at": made["created_at"],
        "expires_at": None,
        "last_used_at": None,
        "revoked_at": None,
    }
    assert await user.get("api_keys/get") == {"api_keys": [made], "total_count": 1}
    assert await call(users, key, "/v1/lookup?sic=1") == 200


async def test_key_has_the_scopes_and_expiry_asked_for(users: Users, user: User) -> None:
    expires_at = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    body = {"name": "x", "scopes": ["v1/search"], "expires_at": expires_at}
    made = await user.post("api_keys/create", body)
    assert made["scopes"] == ["v1/search"]
    assert datetime.fromisoformat(made["expires_at"]) == datetime.fromisoformat(expires_at)
    assert await call(users, made["key"], "/v1/lookup?sic=1") == 403
    assert await call(users, made["key"], "/v1/search?query=a") == 200


@pytest.mark.parametrize("path", ["revoke", "remove"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_revoked_key_stays_listed_and_works_no_more(
    users: Users, user: User, method: str, path: str
) -> None:
    made = await user.post("api_keys/create", {"name": "x"})
    sent: Any = {"body": {"id": made["id"]}} if method == "POST" else {"id": made["id"]}
    assert await user.ask(method, f"api_keys/{path}", **sent) == (200, {"changed": 1})
    assert await user.ask(method, f"api_keys/{path}", **sent) == (200, {"changed": 0})
    (listed,) = (await user.get("api_keys/get"))["api_keys"]
    assert listed["revoked_at"] is not None
    assert await call(users, made["key"], "/v1/lookup?sic=1") == 401


async def test_rotated_key_works_on_for_the_overlap(users: Users, user: User) -> None:
    old = await user.post("api_keys/create", {"name": "x", "scopes": ["v1/lookup"]})
    body = {"id": old["id"], "overlap_seconds": 3600}
    status, new = await user.ask("POST", "api_keys/rotate", body)
    assert status == 201
    assert (new["name"], new["scopes"]) == ("x", ["v1/lookup"])
    assert new["id"] != old["id"]
    for key in (old["key"], new["key"]):
        assert await call(users, key, "/v1/lookup?sic=1") == 200
    listed = {key["id"]: key for key in (await user.get("api_keys/get"))["api_keys"]}
    left = datetime.fromisoformat(listed[old["id"]]["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=59) < left < timedelta(minutes=61)


async def test_key_rotated_without_an_overlap_is_refused_at_once(users: Users, user: User) -> None:
    old = await user.post("api_keys/create", {"name": "x"})
    new = await user.post("api_keys/rotate", {"id": old["id"], "overlap_seconds": 0})
    assert await call(users, old["key"], "/v1/lookup?sic=1") == 401
    assert await call(users, new["key"], "/v1/lookup?sic=1") == 200


@pytest.mark.parametrize(("overlap", "status"), [(3600, 400), (0, 201)])
async def test_rotating_makes_no_more_valid_keys_than_an_account_may_have(
    users: Users, monkeypatch: pytest.MonkeyPatch, overlap: int, status: int
) -> None:
    monkeypatch.setattr(api_keys, "MAX_KEYS_OF_ACCOUNT", 2)
    user = users.new()
    first, _ = [await user.post("api_keys/create", {"name": "x"}) for _ in range(2)]
    body = {"id": first["id"], "overlap_seconds": overlap}
    assert (await user.ask("POST", "api_keys/rotate", body))[0] == status
    text = "api_keys: this account already has 2 valid keys; revoke one first"
    assert await user.refused("POST", "api_keys/create", {"name": "y"}) == (400, text)


async def test_key_of_another_user_is_unknown(users: Users) -> None:
    one, other = users.new(), users.new()
    made = await one.post("api_keys/create", {"name": "x"})
    not_found = (404, "no API key has this id")
    body = {"id": made["id"]}
    assert await other.refused("POST", "api_keys/revoke", body) == not_found
    assert await other.refused("POST", "api_keys/rotate", body) == not_found
    assert await other.refused("POST", "api_keys/rotate", {"id": "unknown"}) == not_found
    assert await other.get("api_keys/get") == {"api_keys": [], "total_count": 0}
    assert await call(users, made["key"], "/v1/lookup?sic=1") == 200


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({}, "`name` is missing; give 1 to 100 characters"),
        ({"name": "x", "scopes": ["all"]}, "scopes: all is not a scope; "),
        ({"name": "x", "scopes": []}, "`scopes` must have at least one; "),
        ({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at: must be in the future"),
        (
            {"name": "x", "expires_at": "2030-01-01"},
            "`expires_at` must be a date-time with a zone, such as 2030-01-31T00:00:00Z, not"
            ' `"2030-01-01"`',
        ),
    ],
)
async def test_wrong_key_is_refused(user: User, sent: dict[str, Any], text: str) -> None:
    status, found = await user.refused("POST", "api_keys/create", sent)
    assert (status, found[: len(text)]) == (400, text)
    assert (await user.get("api_keys/get"))["total_count"] == 0


async def test_history_has_a_call_as_soon_as_its_instance_is_asked(
    users: Users, user: User
) -> None:
    made = await user.post("api_keys/create", {"name": "x"})
    await call(users, made["key"], f"/v1/lookup?sic=1&api_key={made['key']}")
    found = await User([users.instances[0]], user.headers["Authorization"][7:]).get("history/get")
    (entry,) = found["history"]
    assert entry == {
        "id": entry["id"],
        "at": entry["at"],
        "endpoint": "v1/lookup",
        "parameters": {"sic": ["1"]},
        "status": 200,
        "result_count": 0,
        "duration_ms": entry["duration_ms"],
        "key_prefix": made["prefix"],
    }


async def test_history_follows_in_every_instance_within_two_seconds(
    users: Users, user: User
) -> None:
    made = await user.post("api_keys/create", {"name": "x"})
    for target in ("/v1/lookup?sic=1", "/v1/search?query=a", "/v1/search"):
        await call(users, made["key"], target)
        await asyncio.sleep(0.002)  # the order is by the millisecond
    await asyncio.sleep(1.5)
    expected = ["v1/search 400", "v1/search 200", "v1/lookup 200"]
    assert await calls(user) == expected
    assert await calls(user) == expected
    assert await calls(user, endpoint="/v1/search") == expected[:2]
    today = datetime.now(UTC).date()
    yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)
    assert await calls(user, from_date=yesterday, to_date=tomorrow) == expected
    assert await calls(user, from_date=tomorrow) == []
    assert await calls(user, to_date=yesterday) == []
    assert (await user.get("history/get", limit=1, offset=1))["total_count"] == 3


@pytest.mark.parametrize("day", ["0001-01-01", "0001-01-01T00:00:00+14:00", "0001-01-02"])
async def test_history_begins_on_any_day(users: Users, day: str) -> None:
    user = users.new()
    made = await user.post("api_keys/create", {"name": "x"})
    await call(users, made["key"], "/v1/lookup?sic=1")
    await listed(user, 1)
    assert await calls(user, from_date=day) == ["v1/lookup 200"]
    assert await calls(user, from_date=day, to_date="9999-12-31") == ["v1/lookup 200"]


async def test_cleared_history_is_gone_at_once_and_goes_on(users: Users, user: User) -> None:
    made = await user.post("api_keys/create", {"name": "x"})
    await call(users, made["key"], "/v1/lookup?sic=1")
    await call(users, made["key"], "/v1/lookup?sic=2")
    await listed(user, 2)
    assert await user.post("history/clear", {}) == {"changed": 2}
    assert await calls(user) == []
    assert await user.post("history/clear", {}) == {"changed": 0}
    await asyncio.sleep(0.002)
    await call(users, made["key"], "/v1/search?query=a")
    await listed(user, 1)
    assert await calls(user) == ["v1/search 200"]


async def test_history_of_another_user_is_not_shown(users: Users) -> None:
    one, other = users.new(), users.new()
    made = await one.post("api_keys/create", {"name": "x"})
    await call(users, made["key"], "/v1/lookup?sic=1")
    await listed(one, 1)
    assert await calls(other) == []
    assert await other.post("history/clear", {}) == {"changed": 0}
    assert await calls(one) == ["v1/lookup 200"]


async def test_limits_say_what_was_used(users: Users, user: User) -> None:
    made = await user.post("api_keys/create", {"name": "x"})
    for _ in range(3):
        await call(users, made["key"], "/v1/lookup?sic=1")
    only = User([users.instances[0]], user.headers["Authorization"][7:])
    limits = await only.get("usage_limits")
    start = datetime.fromisoformat(limits.pop("period_start"))
    end = datetime.fromisoformat(limits.pop("period_end"))
    assert start <= datetime.now(UTC) < end
    assert (start.day, end.day, start.utcoffset()) == (1, 1, timedelta(0))
    assert limits == {
        "plan": "free",
        "calls": {"limit": 1000, "used": 3, "remaining": 997},
        "rate": {"limit": 10, "window_seconds": 1},
    }


async def test_plan_is_shown_and_cannot_be_changed(user: User) -> None:
    found = await user.get("subscription/get")
    assert found == {"plan": "free", "since": found["since"], "status": "active"}
    assert await user.get("subscription/plans") == {
        "plans": [
            {"name": "free", "calls": 1000, "rate": 10, "searches": 2, "can_change_to": False},
            {
                "name": "unlimited",
                "calls": None,
                "rate": None,
                "searches": None,
                "can_change_to": False,
            },
        ],
        "total_count": 2,
    }
    refused = (403, {"error": "the plan can be changed by the operator only", "status": 403})
    assert await user.ask("POST", "subscription/change", {"plan": "unlimited"}) == refused
    assert await user.ask("POST", "subscription/change", {"x": 1}) == refused


@pytest.fixture
async def free_users(made_settings: Settings) -> AsyncIterator[Users]:
    """The service where users may change to some of its plans."""
    changed = msgspec.structs.replace(made_settings, plans="pro=5000/-", plan_changes="pro,free")
    async with serving_users(changed) as users:
        yield users


async def test_plan_is_changed_where_the_operator_allows_it(free_users: Users) -> None:
    user = free_users.new()
    changed = await user.post("subscription/change", {"plan": "pro"})
    assert (changed["plan"], await user.get("subscription/get")) == ("pro", changed)
    limits = await user.get("usage_limits")
    assert (limits["calls"]["limit"], limits["rate"]["limit"]) == (5000, None)
    assert (await user.ask("POST", "subscription/change", {"plan": "unlimited"}))[0] == 403
    unknown = await user.refused("POST", "subscription/change", {"plan": "gold"})
    assert unknown == (400, "plan: gold is not a plan; plans are free, unlimited, pro")
    missing = await user.refused("POST", "subscription/change", {})
    assert missing == (400, "`plan` is missing; give 1 to 100 characters")


async def test_plan_that_is_chosen_again_keeps_its_time(free_users: Users) -> None:
    user = free_users.new()
    changed = await user.post("subscription/change", {"plan": "pro"})
    assert await user.post("subscription/change", {"plan": "pro"}) == changed
