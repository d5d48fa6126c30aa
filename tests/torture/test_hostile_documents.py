"""Documents that are made to be slow to read, asked for by all endpoints that read a document.

Meanwhile another account searches. `python -m pytest -s tests/torture/test_hostile_documents.py`
prints what each document cost its reader, and the searches beside it.
"""

import asyncio
import html
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import msgspec
import pytest

from edgar_search.settings import Settings
from tests.support.odd_documents import ODD_FORMS, ODD_HTML, ODD_TEXTS
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.torture.service import Target, Times, command, new_key, serving, status, timed
from tests.unit.pages.test_growth import FILES, LINES, MARKUP

pytestmark = pytest.mark.anyio
ENTITY = MadeUpEntity("0009990403", "FELDSPAR CORP")
SHORT, LONG = 20_000, 400_000
IN_SHORT = ("formatting that is never closed", "short lines", "trades of huge numbers")
# What is odd is not slow by its length.
ODD_LENGTH = 60_000
# A search that waits so long was not answered beside the others.
MOST_SECONDS = 3.0
# What is refused, or not there, is an answer too; a fault is none.
ANSWERS = {200, 400, 404, 503}
QUERY = "feldspar OR moss"


def bodies(length: int) -> Iterator[tuple[str, str, str]]:
    """Yield names of attacks, with the names of files and their content."""
    for name, made in MARKUP.items():
        if length == LONG or name in IN_SHORT:
            yield name, "a.htm", f"<html><body><p>Feldspar.</p>{made(length)}\n"
    for name, made in LINES.items():
        if length == LONG or name in IN_SHORT:
            yield name, "a.txt", f"Feldspar.\n{made(length)}\n"
    for name, made in FILES.items():
        if length == LONG:
            yield name, "a.gif", f"begin 644 a.gif\n{made(length)}\nend\n"
    for file_name, odd in (("a.htm", ODD_HTML), ("a.txt", ODD_TEXTS), ("a.xml", ODD_FORMS)):
        for name, made in odd.items():
            if length == LONG or name in IN_SHORT:
                yield name, file_name, made(ODD_LENGTH)


def submission(number: int, file_name: str, body: str) -> bytes:
    documents = (
        MadeUpDocument("Feldspar and moss.\n", "10-K", "good.txt"),
        MadeUpDocument(body, "4" if file_name.endswith(".xml") else "EX-99", file_name),
    )
    return txt(MadeUp(accession(number), (ENTITY,), documents, "10-K"))


def accession(number: int) -> str:
    return f"0009990403-21-{number:06d}"


def requests_of(document_id: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the requests that read a document, by their paths and parameters."""
    good = f"{document_id[:-1]}1"
    yield "/v1/text", {"document_id": document_id}
    yield "/v1/tables", {"document_id": document_id}
    for form in ("json", "csv", "xlsx"):
        yield "/v1/tables", {"document_id": document_id, "table": "1", "format": form}
    yield "/v1/matches", {"document_id": document_id, "query": QUERY, "word_forms": "all"}
    yield "/v1/quote", {"document_id": document_id, "quote": "feldspar is a mineral of some kind"}
    yield "/v1/compare", {"from": good, "to": document_id}
    yield "/v2/document", {"document_id": document_id}
    json = {"document_id": document_id, "output_format": "json"}
    yield "/v2/document", {**json, "convert_xml_to_json": "true"}
    yield "/v2/filing_sections", {"document_id": document_id}
    yield "/v2/pdf", {"document_id": document_id}
    yield f"/document/{document_id}", {"query": QUERY}


async def read_everywhere(
    client: aiohttp.ClientSession, url: str, document_id: str
) -> Counter[str]:
    """Ask for a document everywhere; the statuses by path, of which a fault is none."""
    found: Counter[str] = Counter()
    for path, query in requests_of(document_id):
        answered = await status(client, url + path, **query)
        assert answered in ANSWERS, (path, query, answered)
        found[f"{path.split('/')[-1] if path.startswith('/v') else 'page'} {answered}"] += 1
    page = f"{url}/document/{document_id}/as-filed"
    async with client.get(page, params={"query": QUERY}) as reply:
        assert reply.status in ANSWERS, (page, reply.status)
        frame = re.search(r'<iframe src="([^"#]+)', await reply.text())
    if frame:
        answered = await status(client, url + html.unescape(frame[1]))
        assert answered in ANSWERS, (frame[1], answered)
        found[f"frame {answered}"] += 1
    return found


@pytest.fixture
async def open_service(settings: Settings, tmp_path: Path) -> AsyncIterator[Target]:
    """A worker with open pages, which must end when it is told to."""
    with serving(msgspec.structs.replace(settings, pages="open"), tmp_path) as target:
        yield target


@pytest.mark.parametrize("length", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
async def test_others_are_answered_while_hostile_documents_are_read_everywhere(
    settings: Settings, open_service: Target, tmp_path: Path, length: int
) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    attacks = list(bodies(length))
    for number, (_, file_name, body) in enumerate(attacks):
        (folder / f"{number}.txt").write_bytes(submission(number, file_name, body))
    command(settings, "ingest.cli", "load", str(folder), "--workers", "2")
    other = open_service._replace(key=new_key(settings, "asking"))
    beside = Times([], Counter())

    async def search(client: aiohttp.ClientSession) -> None:
        while True:
            await timed(client, beside, f"{other.url}/v1/search", query="marble")

    async with open_service.client() as reader, other.client() as searcher:
        searching = asyncio.create_task(search(searcher))
        for number, (name, *_) in enumerate(attacks):
            began = time.monotonic()
            found = await read_everywhere(reader, open_service.url, f"{accession(number)}-2")
            print(f"{name:40} {time.monotonic() - began:5.1f} s", dict(found))
        searching.cancel()
        await asyncio.gather(searching, return_exceptions=True)
    print(f"beside: {beside}")
    assert set(beside.ended) == {200}
    assert max(beside.seconds) < MOST_SECONDS
    assert not open_service.faults()
