"""/v1/compare: changes with their places, equal texts, bounds, clients that leave, refusals."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from edgar_search.document import compared_documents
from edgar_search.document.compared_documents import Side, compare_sides
from edgar_search.errors import BadRequest
from tests.support.alerting import filing
from tests.support.asking import Client
from tests.support.loading import Loads

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.usefixtures("made_settings"),
]
NewNumber = Callable[[], str]


async def test_changes_have_places_that_can_be_cited(
    client: Client, loads: Loads, new_number: NewNumber
) -> None:
    first, second = f"{(one := new_number())}-1", f"{(other := new_number())}-1"
    await loads(filing(one, "<p>Quartz is here.</p><p>We own 12 mines in Peru.</p>"))
    await loads(filing(other, "<p>Opals were found.</p><p>We own 14 mines in Peru.</p>"))
    asked = {"from": first, "to": second}
    found = await client.get("/v1/compare", **asked)
    assert (found["equal"], found["total_count"]) == (False, 3)
    assert found["from"]["document_id"] == first
    change = next(each for each in found["changes"] if each["kind"] == "changed")
    assert (change["from"]["text"], change["to"]["text"]) == ("12", "14")
    for side, document_id in asked.items():
        place = change[side]
        cited = {"start": place["start"], "length": place["end"] - place["start"]}
        text = await client.get("/v1/text", document_id=document_id, **cited)
        assert (text["text"], text["text_sha256"]) == (place["text"], found[side]["text_sha256"])
    last = await client.get("/v1/compare", **asked, offset=2, limit=5)
    assert last["changes"] == found["changes"][2:]
    same = await client.get("/v1/compare", **{"from": first, "to": first})
    assert (same["equal"], same["changes"]) == (True, [])


@pytest.mark.parametrize(
    ("parameters", "status", "words"),
    [
        ({"from": ""}, 400, "`from` is missing"),
        ({"to": "x"}, 400, "`to` must be"),
        ({"to": "0009990190-21-999999-1"}, 404, "there is no document"),
        ({"section": "item9"}, 404, "section: there is no item9"),
        ({"limit": "10001"}, 400, "`limit` must be from 1 to 10000"),
    ],
)
async def test_bad_request_is_refused(
    client: Client,
    loads: Loads,
    new_number: NewNumber,
    parameters: dict[str, str],
    status: int,
    words: str,
) -> None:
    key = f"{(number := new_number())}-1"
    await loads(filing(number, "Quartz."))
    sent = {"from": key, "to": key, **parameters}
    reply = await client.http.get("/v1/compare", params=sent)
    assert (reply.status_code, words in reply.json()["error"]) == (status, True), reply.text


async def test_text_that_is_too_long_is_refused(
    client: Client, loads: Loads, new_number: NewNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_documents, "MOST_CHARS", 20)
    key = f"{(number := new_number())}-1"
    await loads(filing(number, "Quartz was sorted by size and hue."))
    reply = await client.http.get("/v1/compare", params={"from": key, "to": key})
    assert reply.status_code == 400
    assert "`from`: compared texts may have at most 20 characters" in reply.json()["error"]


def side(content: str) -> Side:
    return Side("1-1", "", 0, len(content), "", content)


async def test_comparison_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_documents, "_SECONDS", 0.01)
    with pytest.raises(BadRequest, match="too much memory to compare"):
        await compare_sides(side("a\n" * 400_000), side("b\n" * 400_000))


async def test_process_ends_with_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[asyncio.subprocess.Process] = []
    is_there = asyncio.Event()
    create = asyncio.create_subprocess_exec

    async def noted(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        begun.append(await create(*args, **options))
        is_there.set()
        return begun[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    asking = asyncio.create_task(compare_sides(side("a\n" * 400_000), side("b\n" * 400_000)))
    async with asyncio.timeout(30):
        await is_there.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert begun[0].returncode == -9
