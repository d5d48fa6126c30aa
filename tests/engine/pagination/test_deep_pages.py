"""A query with more than 20,000 hits, walked to its end by offset, by cursor, and exported."""

import json
from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.walking import by_cursor

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.long]

SUBMISSIONS, DOCUMENTS = 42, 500
FILER = MadeUpEntity("0009990001", "DEEP PAGES CORP")


def _submission(place: int) -> MadeUp:
    """Many documents of a few lengths, so that most scores are shared by many hits."""
    bodies = (f"Deep paging in exhibit {'x ' * (n % 5)}\n" for n in range(DOCUMENTS))
    day = date(2020, 1, 1) + timedelta(days=place % 7)
    number = f"0009990001-20-{place:06d}"
    return MadeUp(number, (FILER,), tuple(map(MadeUpDocument, bodies)), filing_date=day)


async def _walk(client: Client, size: int) -> Sequence[tuple[float, str, str]]:
    """Score, date and id of every hit, page by page."""
    rows: list[tuple[float, str, str]] = []
    while True:
        reply = await client.search("deep paging", limit=size, offset=len(rows))
        assert reply["total_count"] == SUBMISSIONS * DOCUMENTS
        if not reply["items"]:
            return rows
        rows += [(i["score"], i["filing_date"], i["document_id"]) for i in reply["items"]]


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The submissions, loaded."""
    made = [_submission(place) for place in range(SUBMISSIONS)]
    files = {f"{each.accession_number}.txt": txt(each) for each in made}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_pages_of_any_size_give_every_hit_once_in_one_order(client: Client) -> None:
    whole = await _walk(client, 100)

    numbers = [_submission(place).accession_number for place in range(SUBMISSIONS)]
    wanted = {f"{number}-{n}" for number in numbers for n in range(1, DOCUMENTS + 1)}
    assert {document for _, _, document in whole} == wanted
    assert len(whole) == len(wanted)
    by_id = sorted(whole, key=lambda row: row[2])
    by_date = sorted(by_id, key=lambda row: row[1], reverse=True)
    assert whole == sorted(by_date, key=lambda row: row[0], reverse=True)
    assert await _walk(client, 77) == whole
    assert await _walk(client, 33) == whole


async def test_walks_by_cursor_and_exports_have_the_same_rows(client: Client) -> None:
    whole = await _walk(client, 100)

    for snapshot in ("false", "true"):
        items = await by_cursor(
            client, "/v1/search", query="deep paging", limit=100, snapshot=snapshot
        )
        assert [(i["score"], i["filing_date"], i["document_id"]) for i in items] == whole
    reply = await client.http.get("/v1/export", params={"query": "deep paging"})
    lines = [json.loads(line) for line in reply.content.splitlines()]
    rows = [line for line in lines if "records" not in line]
    assert [(i["score"], i["filing_date"], i["document_id"]) for i in rows] == whole
    assert lines[-1] == {"records": len(whole), "complete": True}
    # The last thousand is followed by the end.
    assert sum("cursor" in line for line in lines) == len(whole) // 1_000 - 1
