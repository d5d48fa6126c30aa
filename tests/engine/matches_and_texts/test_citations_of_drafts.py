"""Citations of a draft whose filing was loaded anew, moved to new indices, or deleted."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter
from ingest.upkeep.rebuild import Rebuild
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
KILN = MadeUpEntity("0009991721", "KILN CORP")
WORDS = "burned for 38 days in the spring of 2020"
FIRST = f"The kiln at Burlington {WORDS}, as the board had planned. Its clay is dug in Vermont.\n"
LETTER = MadeUpDocument("A letter to the owners of the kiln.\n", "EX-99", "letter.htm")


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    return MadeUp(new_number(), (KILN,), (MadeUpDocument(FIRST, "10-K", "a.htm"), LETTER), "10-K")


def with_text(filing: MadeUp, text: str) -> dict[str, bytes]:
    """Return a later version of a filing, without its letter."""
    documents = (MadeUpDocument(text, "10-K", "a.htm"),)
    return {"later.txt": txt(msgspec.structs.replace(filing, documents=documents))}


async def checked(client: Client, *cited: str) -> list[dict[str, Any]]:
    """Return the citations of a draft as they are checked."""
    body = {"text": "\n\n".join(f"See [this]({each}), please." for each in cited)}
    reply = await client.http.post("/v1/check_draft", json=body)
    assert reply.status_code == 200, reply.text
    claims: list[dict[str, Any]] = reply.json()["claims"]
    assert [claim["kind"] for claim in claims] == ["citation"] * len(cited)
    return claims


async def addresses(client: Client, filing: MadeUp) -> list[str]:
    """Return addresses of the same words: with the words, of `/v1/text`, and by the hash alone."""
    document_id = f"{filing.accession_number}-1"
    start = FIRST.index(WORDS)
    text = await client.get(
        "/v1/text", document_id=document_id, start=start, length=len(WORDS), include="citation"
    )
    place = {"length": len(WORDS), "text_sha256": text["text_sha256"]}
    sides = {"prefix": text["prefix"], "quote": WORDS, "suffix": text["suffix"]}
    with_words = urlencode({"cited": start, **place, **sides})
    of_text = urlencode({"document_id": document_id, "start": start, **place, **sides})
    return [
        f"https://filings.example/document/{document_id}?{with_words}#at",
        f"/v1/text?{of_text}",
        f"/document/{document_id}/as-filed?{urlencode({'cited': start, **place})}",
    ]


async def test_words_that_an_address_cites_are_followed_through_later_versions(
    client: Client, loads: Loads, filing: MadeUp
) -> None:
    await loads({"first.txt": txt(filing)})
    cited = await addresses(client, filing)
    claims = await checked(client, *cited)
    assert [claim["verdict"] for claim in claims] == ["same"] * 3
    assert {claim["found"] for claim in claims} == {WORDS}

    later = f"A new chapter comes first. {FIRST}"
    await loads(with_text(filing, later))
    *claims, by_hash = await checked(client, *cited)
    for claim in claims:
        assert (claim["verdict"], claim["found"]) == ("moved", WORDS)
        assert later[claim["found_start"] : claim["found_end"]] == WORDS
        assert claim["reason"] == "the text has changed; it has the words at another position"
    assert by_hash["verdict"] == "gone"
    assert by_hash["reason"].endswith("has no words by which to find the position")

    await loads(with_text(filing, FIRST.replace("38", "83")))
    *claims, _ = await checked(client, *cited)
    for claim in claims:
        assert (claim["verdict"], claim["found"]) == ("changed", WORDS.replace("38", "83"))
        assert claim["differences"] == [{"draft": "38", "filed": "83"}]

    await loads(with_text(filing, "Nothing of it is left.\n"))
    *claims, _ = await checked(client, *cited)
    assert {(claim["verdict"], claim["found_start"]) for claim in claims} == {("gone", None)}


async def test_a_document_that_later_versions_lack_is_gone(
    client: Client, loads: Loads, filing: MadeUp
) -> None:
    number = filing.accession_number
    await loads({"first.txt": txt(filing)})
    cited = (number, f"{number}-2", f"{number}-3", f"/document/{number}-2?query=owners")
    claims = await checked(client, *cited)
    assert [claim["verdict"] for claim in claims] == ["same", "same", "unknown", "same"]
    await loads(with_text(filing, FIRST))
    claims = await checked(client, *cited)
    assert [claim["verdict"] for claim in claims] == ["same", "gone", "unknown", "gone"]
    assert claims[1]["reason"] == "the filing's present version has no such document"


async def test_new_indices_change_no_citation(
    client: Client, engine: Engine, settings: Settings, loads: Loads, filing: MadeUp
) -> None:
    await loads({"first.txt": txt(filing)})
    cited = await addresses(client, filing)
    rebuild = Rebuild(engine, settings)
    for kind in ("filings", "documents", "passages"):
        await rebuild.rebuild(kind, "all")
        await rebuild.switch(kind, "all")
    claims = await checked(client, filing.accession_number, *cited)
    assert [claim["verdict"] for claim in claims] == ["same"] * 4


async def test_a_deleted_filing_is_gone_and_one_that_never_was_here_is_unknown(
    client: Client, engine: Engine, settings: Settings, loads: Loads, filing: MadeUp
) -> None:
    number = filing.accession_number
    await loads({"first.txt": txt(filing)})
    cited = await addresses(client, filing)
    never = f"{number[:-6]}999999"
    with Owner(settings.absolute_home) as owner:
        deleter = Deleter(engine, settings, owner)
        await deleter.set_up()
        await deleter.delete(number)
        await deleter.delete(never)
    *claims, unknown = await checked(client, number, f"{number}-1", *cited, never)
    assert [claim["verdict"] for claim in claims] == ["gone"] * 5
    assert claims[0]["reason"].startswith("the filing was deleted here on 20")
    assert (unknown["verdict"], unknown["reason"]) == (
        "unknown",
        "no filing of this number is loaded",
    )
