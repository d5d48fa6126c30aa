"""Hits by filing, against all documents of the search, over years in indices of their own.

And the command that prints them.
"""

import json
import os
from collections.abc import Mapping
from datetime import date
from random import Random
from typing import Any

import msgspec
import pytest

from edgar_search import cli
from edgar_search.search import facets
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
SEED = 16
WORDS = ("granite", "marble", "slate", "chalk")
FILER = MadeUpEntity("0009990411", "GROUPED CORP", sic="3281")
SEARCHES: list[Mapping[str, str]] = [
    {"query": "granite"},
    {"query": "granite marble"},
    {"query": "granite OR slate", "sort": "newest"},
    {"query": "marble OR chalk", "sort": "oldest", "form_type": "10-K"},
    {"query": "quarries", "word_forms": "all"},
    {"query": "granite marble slate chalk", "operands": "most"},
    {"query": "granite marble basalt", "operands": "most"},
    {"query": "granite NOT chalk", "from_date": "2020-06-01", "include": "document_type,primary"},
    {"query": "basalt"},
]


def made_up(number: int, choose: Random) -> MadeUp:
    """Return a filing of up to eight documents, each with some of the words."""
    documents = []
    for place in range(1 + choose.randrange(8)):
        some = [choose.choice(WORDS) for _ in range(choose.randrange(6))]
        body = f"A quarry of {' and '.join(some)}.\n"
        documents.append(MadeUpDocument(body, f"EX-99.{place}" if place else "10-K"))
    day = date(2019 + choose.randrange(3), 1 + choose.randrange(12), 5)
    form = choose.choice(["10-K", "10-K/A"])
    return MadeUp(f"0009990411-21-{number:06d}", (FILER,), tuple(documents), form, day)


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """An index for each of the three years; few matches that closeness scores."""
    return msgspec.structs.replace(settings, partition="year", close_matches=60)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The filings, loaded."""
    choose = Random(SEED)
    made = [made_up(number, choose) for number in range(40)]
    files = {f"{each.accession_number}.txt": txt(each) for each in made}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def walked(client: Client, size: int, **parameters: str) -> list[dict[str, Any]]:
    """Return all items of a search, page by page."""
    items: list[dict[str, Any]] = []
    while page := (await client.search(**parameters, limit=size, offset=len(items)))["items"]:
        items += page
    return items


def grouped(documents: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return documents by filing, the filings in the order of their first ones, the best first."""
    filings: dict[str, list[dict[str, Any]]] = {}
    for document in documents:
        filings.setdefault(document["accnum"], []).append(document)
    for members in filings.values():
        members.sort(key=lambda each: (-each["score"], each["document_id"]))
    return filings


def members(hit: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents that a hit shows, each as a search has it."""
    best = {k: v for k, v in hit.items() if k not in ("matching_count", "other_documents")}
    return [best, *hit["other_documents"]]


@pytest.mark.parametrize("size", [3, 100])
@pytest.mark.parametrize("asked", SEARCHES, ids=lambda asked: asked["query"])
async def test_filings_are_those_of_all_documents(
    client: Client, asked: Mapping[str, str], size: int
) -> None:
    print(f"seed {SEED}")
    filings = grouped(await walked(client, 100, **asked))
    hits = await walked(client, size, **asked, group_by="filing")
    assert [hit["accnum"] for hit in hits] == list(filings)
    reply = await client.search(**asked, group_by="filing", limit=1)
    assert (reply["total_count"], reply["total_count_exact"]) == (len(filings), True)
    for hit in hits:
        wanted = filings[hit["accnum"]]
        assert hit["matching_count"] == len(wanted)
        shown = members(hit)
        assert [each.pop("score") for each in shown] == pytest.approx(
            [each.pop("score") for each in wanted][:5], rel=1e-5
        )
        assert shown == wanted[:5]


async def test_filings_with_all_operands_are_counted(client: Client) -> None:
    asked = {"query": "granite marble basalt", "group_by": "filing"}
    every = await client.search(**asked)
    most = await client.search(**asked, operands="most")
    assert most["total_with_all"] == every["total_count"] < most["total_count"]


async def test_total_is_marked_above_a_bound(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = (await client.search("granite", group_by="filing"))["total_count"]
    monkeypatch.setattr(facets, "MOST_COUNTED", exact - 1)
    reply = await client.search("granite", group_by="filing", limit=1)
    assert (reply["total_count"], reply["total_count_exact"]) == (exact - 1, False)
    assert len(await walked(client, 100, query="granite", group_by="filing")) == exact


async def test_hits_that_are_documents_have_nothing_new(client: Client) -> None:
    reply = await client.search("granite", group_by="document")
    assert reply == await client.search("granite")
    assert "total_count_exact" not in reply
    assert "matching_count" not in reply["items"][0]


@pytest.mark.parametrize("sort", ["relevance", "newest"])
async def test_filings_have_no_cursor(client: Client, sort: str) -> None:
    asked = {"query": "granite", "group_by": "filing", "cursor": "*", "sort": sort}
    reply = await client.http.get("/v1/search", params=asked)
    message = "`group_by=filing` may not be given with a cursor; use `offset`"
    assert (reply.status_code, reply.json()) == (400, {"error": message})


@pytest.fixture
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a command, with its settings."""
    names = ("es_url", "prefix", "home", "close_matches")
    values = {f"EDGAR_SEARCH_{name.upper()}": str(getattr(settings, name)) for name in names}
    monkeypatch.setattr(os, "environ", values)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert cli.main(["search", "granite OR chalk", "--format", "jsonl", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("environment")
def test_command_prints_all_that_pages_have(capsys: pytest.CaptureFixture[str]) -> None:
    pages = [printed(capsys, "--limit", "60", "--offset", offset) for offset in ("0", "60")]
    assert len(pages[0]) == 60 and 0 < len(pages[1]) < 60
    assert printed(capsys, "--all", "--limit", "7") == [*pages[0], *pages[1]]
    assert printed(capsys, "--all", "--snapshot") == [*pages[0], *pages[1]]


@pytest.mark.usefixtures("environment")
def test_command_prints_the_words_beside_a_snippet(capsys: pytest.CaptureFixture[str]) -> None:
    (item,) = printed(capsys, "--limit", "1", "--include", "citation")
    assert {"prefix", "suffix"} <= set(item["offsets"])


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--limit", "0"], "`limit` must be from 1 to 100, not 0"),
        (["--snapshot"], "`snapshot` needs `cursor=*`, which begins pagination by cursor"),
        (
            ["--all", "--group-by", "filing"],
            "`group_by=filing` may not be given with a cursor; use `offset`",
        ),
    ],
)
def test_command_refuses_what_a_request_is_refused_for(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert cli.main(["search", "granite", *arguments]) == 1
    assert capsys.readouterr() == ("", f"edgar-search: {said}\n")
