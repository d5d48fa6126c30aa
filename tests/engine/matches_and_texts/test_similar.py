"""/v1/similar: passages like one of a document or like a text, with the words that differ."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from edgar_search.cli import main
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.commands import Run, runner
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
CLAUSE = (
    "The Lessee shall indemnify the Lessor against every claim that arises from kilns, except"
    " claims that the Lessor causes by gross negligence."
)
OTHERS = (
    CLAUSE.replace("every claim", "any claim"),
    CLAUSE.replace("gross ", ""),
    CLAUSE.upper(),
)
FILLER = "The clay is dug in spring. It is dried in summer and weighed in autumn.\n" * 60
LESSEE, BUYER = MadeUpEntity("0009991911", "LESSEE CORP"), MadeUpEntity("0009991912", "BUYER CORP")
NUMBERS = [f"0009991900-2{year}-00000{year}" for year in range(1, 6)]


def _filing(year: int, entity: MadeUpEntity, *texts: str) -> MadeUp:
    documents = tuple(
        MadeUpDocument(f"{FILLER}{text}\n{FILLER}", "EX-10.1", f"{place}.htm")
        for place, text in enumerate(texts)
    )
    return MadeUp(
        NUMBERS[year - 1], (entity,), documents, "8-K", filing_date=date(2020 + year, 3, 1)
    )


FILINGS = (
    _filing(1, LESSEE, CLAUSE),
    _filing(2, BUYER, OTHERS[0], OTHERS[1]),
    _filing(3, LESSEE, OTHERS[2]),
    _filing(4, BUYER, "The kilns of the Lessee were sold, and nobody was told."),
    _filing(5, BUYER, "Nothing of it is here."),
)


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"{each.accession_number}.txt": txt(each) for each in FILINGS}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def post(client: Client, **body: Any) -> httpx.Response:
    return await client.http.post("/v1/similar", json=body)


async def found(client: Client, **body: Any) -> list[str]:
    reply = await post(client, text=CLAUSE, **body)
    assert reply.status_code == 200, reply.text
    return [item["document_id"] for item in reply.json()["items"]]


async def test_passage_of_a_document_finds_those_like_it_with_the_words_that_differ(
    client: Client,
) -> None:
    place = {"document_id": f"{NUMBERS[0]}-1", "start": len(FILLER), "length": len(CLAUSE)}
    ids = ",".join(f"{number}-1" for number in NUMBERS)
    answer = await client.get("/v1/similar", **place, ids=ids)
    assert answer["given"]["text"] == CLAUSE
    assert answer["given"]["start"] == len(FILLER)
    first, second, third = answer["items"][:3]
    assert {first["document_id"], second["document_id"]} == {f"{NUMBERS[1]}-1", f"{NUMBERS[2]}-1"}
    near, same = sorted((first, second), key=lambda item: item["similarity"])
    # Upper case is no difference.
    assert (same["text"], same["changes"], same["share"]) == (OTHERS[2], [], 1.0)
    assert near["text"] == OTHERS[0]
    (change,) = near["changes"]
    assert (change["kind"], change["given"], change["found"]) == ("changed", "every", "any")
    text = await client.get(
        "/v1/text",
        document_id=near["document_id"],
        start=change["found_start"],
        length=change["found_end"] - change["found_start"],
    )
    assert (text["text"], text["text_sha256"]) == ("any", near["text_sha256"])
    assert third["document_id"] == f"{NUMBERS[3]}-1"
    assert third["share"] < 0.6


async def test_a_text_finds_one_passage_of_each_filing_or_of_each_document(client: Client) -> None:
    of_filings = await found(client, limit=3)
    assert set(of_filings) == {f"{NUMBERS[0]}-1", f"{NUMBERS[1]}-2", f"{NUMBERS[2]}-1"}
    assert f"{NUMBERS[1]}-1" in await found(client, group_by="document")


async def test_filters_of_searches_hold_and_the_newest_have_half_of_the_rarer_words(
    client: Client,
) -> None:
    assert await found(client, ciks=["9991911"]) == [f"{NUMBERS[0]}-1", f"{NUMBERS[2]}-1"]
    assert await found(client, from_date="2023-01-01", limit=1) == [f"{NUMBERS[2]}-1"]
    assert await found(client, document_type=["EX-99.1"]) == []
    assert await found(client, sort="newest") == [
        f"{NUMBERS[2]}-1",
        f"{NUMBERS[1]}-2",
        f"{NUMBERS[0]}-1",
    ]


async def test_usual_wording_is_the_sentence_that_most_have_in_its_most_common_form(
    client: Client,
) -> None:
    reply = await post(client, text=CLAUSE, group_by="document", limit=4)
    usual = reply.json()["usual_wording"]
    assert [each["count"] for each in usual if "negligence" in each["text"].lower()] == [4]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "give either `text` or `document_id`"),
        ({"text": CLAUSE, "document_id": f"{NUMBERS[0]}-1"}, "give either `text` or"),
        ({"text": CLAUSE, "start": 3}, "`start` and `length` are of a document"),
        ({"text": "kilns and clay"}, "`text` must have at least 4 words"),
        ({"text": "kiln " * 4_001}, "`text` must have at most 20,000 characters, not 20,005"),
        ({"document_id": f"{NUMBERS[0]}-1", "start": 10**6}, "start: 1000000 is not in the text"),
        ({"document_id": f"{NUMBERS[0]}-1", "length": 3}, "`length` must have at least 4 words"),
        ({"text": CLAUSE, "sort": "oldest"}, "`sort` must be"),
    ],
)
async def test_wrong_requests_are_refused_by_name(
    client: Client, body: dict[str, Any], error: str
) -> None:
    reply = await post(client, **body)
    assert reply.status_code == 400
    assert error in reply.json()["error"]


async def test_text_in_the_address_is_refused(client: Client) -> None:
    refused = await client.http.get("/v1/similar", params={"text": CLAUSE})
    assert refused.status_code == 400
    assert "must be in the body" in refused.json()["error"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('"' * 20_000, 400),
        ("the of and to " * 1_000, 200),
        ("kiln " * 4_000, 200),
        ("\u202e\u05e9\u05dc\u05d5\u05dd \u05d0\u05d1\u05d2\u05d3 \u05d4\u05d5\u05d6 " * 50, 200),
        ("\ufffd\ufffe word " * 1_000, 200),
        ("窯業株式会社 " * 2_000, 200),
    ],
    ids=["marks", "small words", "one word", "right to left", "noise", "without blanks"],
)
async def test_hostile_texts_are_answered(client: Client, text: str, status: int) -> None:
    assert (await post(client, text=text)).status_code == status


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the installation of the test."""
    return runner(settings, monkeypatch, capsys)


async def test_command_prints_passages_with_what_is_struck_and_added(
    run: Run, tmp_path: Path
) -> None:
    clause = tmp_path / "clause.txt"
    clause.write_text(CLAUSE)
    done = await run(main, "similar", str(clause), "--cik", "9991912", "--limit", "1")
    first, second = done.output.splitlines()[:2]
    assert first.startswith(f"BUYER CORP, 8-K EX-10.1, filed 2022-03-01, {NUMBERS[1]}-2 from")
    assert "causes by [-gross-] negligence" in second
    done = await run(
        main,
        *("similar", "--document-id", f"{NUMBERS[0]}-1", "--start", str(len(FILLER))),
        *("--length", str(len(CLAUSE)), "--format", "json", "--limit", "1"),
    )
    assert json.loads(done.output)["given"]["text"] == CLAUSE
