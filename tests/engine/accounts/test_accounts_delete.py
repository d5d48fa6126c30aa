"""`edgar-search accounts delete`: nothing of a user is left, and all of every other user stays."""

import asyncio
import time
from typing import Any

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.tokens.bearer import account_id
from edgar_search.app import create_app
from edgar_search.commands import accounts as command
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.user_data import deletion
from tests.engine.accounts.furnished import furnish
from tests.support.commands import ONE_ACCOUNT, Run

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
SEARCH = "/v1/search?query=moss"


async def left(engine: Engine, account: str) -> list[str]:
    """The kinds of index that have the name of an account anywhere, read without its queries."""
    kinds: list[str] = []
    for kind in dict.fromkeys(part.kind for part in deletion.PARTS):
        await engine.refresh(kind)
        every: dict[str, Any] = {"query": {"match_all": {}}, "size": 10_000}
        hits = (await engine.search(kind, every, msgspec.Raw)).hits.hits
        kinds += [kind] * any(account.encode() in bytes(hit) for hit in hits)
    return kinds


@pytest.mark.long
async def test_nothing_is_left_of_a_user_deleted_while_calls_come_in(
    engine: Engine, made_settings: Settings, run: Run
) -> None:
    gone, stays = "hare of the moor", "stoat of the moor"
    keys = {name: await furnish(engine, made_settings, name) for name in (gone, stays)}
    refused_at = 0.0
    async with LifespanManager(create_app(made_settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            walk = f"{SEARCH}&cursor=*&snapshot=true"
            for key in keys.values():
                assert (await http.get(walk, headers={"X-API-Key": key})).status_code == 200

            async def call_forever() -> None:
                nonlocal refused_at
                while True:
                    reply = await http.get(SEARCH, headers={"X-API-Key": keys[gone]})
                    if reply.status_code == 401:
                        refused_at = refused_at or time.monotonic()
                    await asyncio.sleep(0.05)

            calling = asyncio.create_task(call_forever())
            await asyncio.sleep(1.0)
            began = time.monotonic()
            status, said, error = await run("delete", gone, "--yes")
            calling.cancel()
            assert status == 0, error
            for part in deletion.PARTS:
                if part.kind != "snapshots":  # a walk that found nothing has ended
                    assert f" {part.name}" in said
            assert 0 < refused_at - began < 5 + 3  # the deletion itself takes its time
            assert await left(engine, gone) == []
            assert (await http.get(SEARCH, headers={"X-API-Key": keys[stays]})).status_code == 200
    assert await left(engine, gone) == []
    assert {*await deletion.belongings(engine, stays)} >= {
        part.name for part in deletion.PARTS if part.kind != "snapshots"
    }
    status, said, error = await run("delete", gone, "--yes")
    assert (status, said) == (1, "")
    assert error.startswith(f"edgar-search: account {gone}: there is no such account")


async def test_user_of_an_issuer_is_named_by_issuer_and_subject(
    engine: Engine, made_settings: Settings, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "SETTLED_SECONDS", 0.1)
    account = account_id("https://login.example/", "user|7")
    await furnish(engine, made_settings, account)
    named = ["--issuer", "https://login.example", "--subject", "user|7", "--yes"]
    assert (await run("delete", *named))[0] == 0
    assert await left(engine, account) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (["--yes"], ONE_ACCOUNT),
        (["a", "--subject", "b"], ONE_ACCOUNT),
        (["--subject", "b"], ONE_ACCOUNT),
        (
            ["nobody at all", "--yes"],
            "account nobody at all: there is no such account, or it has",
        ),
    ],
)
async def test_account_that_cannot_be_told_is_refused(
    run: Run, line: list[str], reason: str
) -> None:
    status, said, error = await run("delete", *line)
    assert (status, said) == (1, "")
    assert error.startswith(f"edgar-search: {reason}")


async def test_nothing_is_deleted_unless_somebody_agrees(
    engine: Engine, made_settings: Settings, run: Run
) -> None:
    await furnish(engine, made_settings, "a careful one")
    before = await deletion.belongings(engine, "a careful one")
    status, _, error = await run("delete", "a careful one")
    assert (status, error) == (
        1,
        "edgar-search: accounts delete: give --yes, because there is no terminal to ask on\n",
    )
    assert await deletion.belongings(engine, "a careful one") == before
