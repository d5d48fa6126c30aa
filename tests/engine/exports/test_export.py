"""Exports: the rows of a walk in their order, whole or said not to be, at the calls they take."""

import asyncio
import csv
import io
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date, timedelta
from itertools import groupby
from typing import Any, NamedTuple

import httpx
import msgspec
import pyarrow.parquet
import pytest
from asgi_lifespan import LifespanManager
from starlette.types import ASGIApp

from edgar_search.access.accounts import SUSPENDED, Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.api import export, screen
from edgar_search.api.files import records as record_files
from edgar_search.api.screen import read_rows
from edgar_search.app import create_app
from edgar_search.document import matches
from edgar_search.document.first_matches import first_matches
from edgar_search.document.matches import shown_matches
from edgar_search.engine import freshness
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable, SnapshotExpired
from edgar_search.search.pagination import Export
from edgar_search.search.snapshots import Snapshot, Snapshots
from edgar_search.settings import Settings
from edgar_search.web import exports, long_answers
from tests.support.asking import Client
from tests.support.loading import Loads, load_now
from tests.support.refusals import NO_QUERY
from tests.support.streaming import Streamed
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.walking import by_cursor, by_offset

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.one_client]
ENTITIES = (MadeUpEntity("0009990092", '=MARBLE, #1 "EXPORTS"'), MadeUpEntity("0009990093", "Ü"))
FILINGS, DOCUMENTS = 24, 3
TOTAL = FILINGS * DOCUMENTS
# Small, so that an export has many of them.
ROWS, RECORDS_OF_A_CALL = 7, 10
# What clients must read in a second: what one takes that pauses at each part is far below.
RATE, PAUSE = 1_000_000, 0.05
PLANS = "small=5/100000,medium=200/100000"


def _filing(place: int) -> MadeUp:
    texts = (
        f"Exported granite {'slate ' * (n % 2)} basalt{place % 5}.\n" for n in range(DOCUMENTS)
    )
    documents = tuple(MadeUpDocument(text, description='#1, "best"\n') for text in texts)
    day = date(2020, 1, 1) + timedelta(days=place // 2)
    return MadeUp(f"0009990092-20-{place:06d}", ENTITIES, documents, filing_date=day)


def _files(*filings: MadeUp) -> dict[str, bytes]:
    return {f"{filing.accession_number}.txt": txt(filing) for filing in filings}


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, plans=PLANS, default_plan="unlimited", alerts=False)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    made = map(_filing, range(FILINGS))
    load_now(settings, tmp_path_factory.mktemp("files"), _files(*made))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS", ROWS)
    monkeypatch.setattr(export, "ROWS_WITH_SNIPPETS", ROWS)
    monkeypatch.setattr(exports, "RECORDS_OF_A_CALL", RECORDS_OF_A_CALL)


class Service(NamedTuple):
    """The service, and a key of an account on a plan."""

    app: ASGIApp
    engine: Engine
    settings: Settings

    async def key(self, account: str, plan: str = "unlimited") -> str:
        plans = Plans.from_settings(self.settings)
        await Accounts(self.engine, plans).set_plan(account, plans.named(plan).name)
        key, _ = await ApiKeys(self.engine).create(account, account)
        return key

    def client(self, key: str) -> Client:
        transport = httpx.ASGITransport(self.app)
        headers = {"X-API-Key": key}
        return Client(
            httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)
        )


@pytest.fixture
async def service(engine: Engine, settings: Settings) -> AsyncIterator[Service]:
    async with LifespanManager(create_app(settings)) as manager:
        yield Service(manager.app, engine, settings)


async def _exported(client: Client, **given: Any) -> tuple[list[Any], list[Any]]:
    """Return the records of an export as lines of JSON, and its control records."""
    reply = await client.http.get("/v1/export", params=given)
    assert reply.status_code == 200, reply.text
    return _lines(reply.content)


def _lines(body: bytes) -> tuple[list[Any], list[Any]]:
    lines = [json.loads(line) for line in body.splitlines()]
    return [x for x in lines if "records" not in x], [x for x in lines if "records" in x]


QUESTIONS: list[dict[str, str]] = [
    {"query": "granite"},
    {"query": "granite slate", "include": "document_type,description,eight_k_items,primary,period"},
    {"query": "exported granite", "sort": "oldest", "cik": ENTITIES[1].cik},
    {"query": "granite", "sort": "newest"},
    {"query": "granite slate basalt3 nowhere", "operands": "most"},
    {"query": "basalt*", "word_forms": "all"},
]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_export_has_the_rows_of_the_pages_in_their_order(
    client: Client, question: dict[str, str]
) -> None:
    wanted = await by_offset(client, **question)
    assert wanted == await by_cursor(client, "/v1/search", snapshot="true", limit=9, **question)
    rows, notes = await _exported(client, snippet="true", **question)
    assert rows == wanted
    assert notes[-1] == {"records": len(wanted), "complete": True}
    for row in wanted:
        del row["snippet"]
    assert (await _exported(client, **question))[0] == wanted


async def test_nothing_is_an_export_too(client: Client) -> None:
    assert await _exported(client, query="nowhere") == ([], [{"records": 0, "complete": True}])


async def test_answer_says_what_it_is(client: Client) -> None:
    reply = await client.http.get("/v1/export", params={"query": "granite", "format": "csv"})
    names = ("content-type", "content-disposition", "x-total-count")
    assert [reply.headers[name] for name in names] == [
        "text/csv; charset=utf-8; header=present",
        'attachment; filename="edgar-search-documents.csv"',
        str(TOTAL),
    ]


@pytest.mark.parametrize("raw, apostrophe", [({}, "'"), ({"raw": "true"}, "")])
async def test_comma_separated_values_are_the_same_rows(
    client: Client, raw: dict[str, str], apostrophe: str
) -> None:
    question = {
        "query": "granite slate",
        "snippet": "true",
        "include": "description,primary,period",
    }
    wanted, notes = await _exported(client, **question)
    asked = {"format": "csv", **raw, **question}
    reply = await client.http.get("/v1/export", params=asked)
    text = reply.text
    controls = [json.loads(x[1:]) for x in text.split("\r\n") if x.startswith("#")]
    assert [control["records"] for control in controls] == [note["records"] for note in notes]
    assert controls[-1] == {"records": len(wanted), "complete": True}
    plain = "\r\n".join(line for line in text.split("\r\n") if not line.startswith("#"))
    rows = list(csv.DictReader(io.StringIO(plain, newline="")))
    assert len(rows) == len(wanted)
    for row, item in zip(rows, wanted, strict=True):
        as_text = {
            **item,
            # They begin as a formula does.
            "related_company_names": apostrophe + "; ".join(item["related_company_names"]),
            "ciks": "; ".join(item["ciks"]),
            "score": str(item["score"]),
            "primary": str(item["primary"]).lower(),
            "period": item["period"] or "",
        }
        assert row == as_text


async def test_parquet_has_the_same_rows(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_files, "_GROUP", 10)
    question = {
        "query": "granite slate",
        "snippet": "true",
        "include": "eight_k_items,primary,period",
    }
    wanted, _ = await _exported(client, **question)
    reply = await client.http.get("/v1/export", params={"format": "parquet", **question})
    file = pyarrow.parquet.ParquetFile(io.BytesIO(reply.content))
    assert file.metadata.metadata[b"records"] == str(len(wanted)).encode()
    assert file.metadata.num_row_groups > 1
    rows = file.read().to_pylist()
    for row in rows:
        row["filing_date"] = row["filing_date"].isoformat()
    assert rows == wanted


async def test_parquet_that_is_not_installed_is_said_to_be(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    reply = await client.http.get("/v1/export", params={"query": "granite", "format": "parquet"})
    assert (reply.status_code, reply.json()) == (
        400,
        {
            "error": "format: parquet is not installed here; the operator's next step is"
            " `pip install 'edgar-search[parquet]'`; jsonl and csv are possible"
        },
    )


@pytest.mark.parametrize("sort", ["newest", "oldest", ""])
async def test_filings_come_by_date_with_all_their_documents(client: Client, sort: str) -> None:
    items = await by_offset(client, "granite slate")
    backwards = sort != "oldest"
    order = sorted(items, key=lambda item: (item["filing_date"], item["accnum"]), reverse=backwards)
    rows, notes = await _exported(client, query="granite slate", what="filings", sort=sort)
    assert notes[-1] == {"records": len(rows), "complete": True}
    groups = [list(group) for _, group in groupby(order, lambda item: item["accnum"])]
    assert [row["accnum"] for row in rows] == [group[0]["accnum"] for group in groups]
    for row, group in zip(rows, groups, strict=True):
        assert row["document_ids"] == sorted(item["document_id"] for item in group)
        assert row["document_count"] == len(group)
        assert row["best_document_id"] in row["document_ids"]
        assert (row["ciks"], row["filing_date"]) == (group[0]["ciks"], group[0]["filing_date"])


async def _matches(client: Client, ids: list[str], query: str) -> list[Any]:
    """Return all matches of documents one after the other, by `/v1/matches`."""
    found = []
    for document_id in ids:
        reply = await client.get("/v1/matches", document_id=document_id, query=query, limit=100)
        assert reply["total_count"] == len(reply["items"])
        found += [(document_id, item, reply["text_sha256"]) for item in reply["items"]]
    return found


async def test_matches_are_those_of_each_document_in_order(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_WITH_MATCHES", 5)
    monkeypatch.setattr(matches, "_AT_ONCE", 1)
    key = await service.key("matches", "medium")
    client = service.client(key)
    ids = [row["document_id"] for row in await by_offset(client, "granite slate", sort="oldest")]
    other = service.client(await service.key("matches-one-by-one"))
    wanted = await _matches(other, ids, "granite slate")
    before = await client.http.get("/v1/search", params={"query": "granite"})
    reply = await client.http.get(
        "/v1/export", params={"query": "granite slate", "what": "matches", "sort": "oldest"}
    )
    rows, notes = _lines(reply.content)
    assert notes[-1] == {"records": len(wanted), "complete": True}
    assert len(wanted) > len(ids)
    names = ("start", "end", "text", "before", "after", "section")
    assert [
        (row["document_id"], {name: row[name] for name in names}, row["text_sha256"])
        for row in rows
    ] == wanted
    # A call for each ten documents here, however many matches they have.
    calls = -(-len(ids) // RECORDS_OF_A_CALL)
    after = await client.http.get("/v1/search", params={"query": "granite"})
    assert _remaining(before) - _remaining(after) == calls + 1


async def test_matches_that_fail_for_a_while_are_all_there(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = {"query": "granite slate", "what": "matches"}
    monkeypatch.setattr(matches, "_AT_ONCE", 1)
    wanted, _ = await _exported(client, **question)
    shown, times = shown_matches, 0

    async def failing(*args: Any) -> Any:
        nonlocal times
        times += 1
        if times % 5 == 2:
            raise EngineUnavailable("busy")
        return await shown(*args)

    monkeypatch.setattr(EngineUnavailable, "retry_after", 0)
    monkeypatch.setattr(matches, "shown_matches", failing)
    assert (await _exported(client, **question))[0] == wanted


def _remaining(reply: httpx.Response) -> int:
    return int(reply.headers["RateLimit"].partition("r=")[2].partition(";")[0])


@pytest.mark.parametrize(
    "given, refusal",
    [
        ({}, NO_QUERY),
        ({"query": "a", "limit": "5"}, "`limit` is not a parameter"),
        (
            {"query": "a", "format": "xml"},
            "`format` must be one of jsonl, csv, xlsx, parquet, not `xml`",
        ),
        ({"query": "a", "what": "filings", "sort": "relevance"}, "`sort` must be newest or oldest"),
        ({"query": "a", "what": "filings", "snippet": "true"}, "`snippet` needs `what=documents`"),
        ({"query": "a", "what": "matches", "include": "url"}, "`include` needs `what=documents`"),
        (
            {"query": "a", "what": "filings", "operands": "most"},
            "`operands=most` needs `what=documents` or `what=matches`",
        ),
        ({"query": "a", "snippets": "2"}, "`snippets` is not a parameter"),
        ({"query": "a", "snippet": "1"}, "`snippet` must be true or false, not 1"),
        ({"query": "a", "include": "section"}, "`include=section` needs `snippet=true`"),
        ({"query": "a", "include": "offsets"}, "`include` may have document_type"),
        ({"cursor": "nonsense"}, "`cursor` was not made by this service"),
        (
            {"cursor": "nonsense", "query": "a"},
            "`query` may not be given with a cursor, which contains its query",
        ),
    ],
)
async def test_what_is_wrong_is_named(client: Client, given: dict[str, str], refusal: str) -> None:
    reply = await client.http.get("/v1/export", params=given)
    assert reply.status_code == 400
    assert reply.json()["error"].startswith(refusal)


async def test_cursor_of_a_search_is_refused(client: Client) -> None:
    page = await client.search("granite", cursor="*", limit=3)
    reply = await client.http.get("/v1/export", params={"cursor": page["next_cursor"]})
    assert reply.json() == {"error": "`cursor` belongs to /v1/search; begin without a cursor"}


def _leave_after_a_cursor() -> Any:
    """Return a client that goes away once it has a control record with a cursor."""

    def watch(streamed: Streamed) -> None:
        if b'"cursor"' in streamed.body:
            streamed.gone.set()
            streamed.reading.clear()

    return watch


async def _in_parts(
    service: Service, key: str, question: dict[str, str], after_first: Callable[[], Awaitable[Any]]
) -> tuple[list[Any], int]:
    """Return the records of an export that is left at every cursor, and how often it was left."""
    rows: list[Any] = []
    given, cuts = question, 0
    while True:
        streamed = await Streamed().ask(
            service.app, "/v1/export", key, given, _leave_after_a_cursor()
        )
        part, notes = _lines(streamed.body[: streamed.body.rindex(b"\n") + 1])
        if streamed.whole:
            rows += part
            assert notes == [{"records": len(rows), "complete": True}]
            return rows, cuts
        (note,) = notes
        rows += part[: note["records"] - len(rows)]
        given, cuts = {"cursor": note["cursor"]}, cuts + 1
        if cuts == 1:
            # One that continues and is left before there is a later cursor leaves this one good.
            head = await service.client(key).http.head("/v1/export", params=given)
            assert head.status_code == 200
            await after_first()


SCREEN = {"query": "granite", "what": "screen", "columns": "accnum,match:granite"}


@pytest.mark.parametrize(
    ("what", "later", "least_cuts"),
    [("documents", 101, 2), ("filings", 102, 2), ("matches", 103, 2), ("screen", 104, 1)],
)
async def test_export_goes_on_after_a_cut_while_filings_are_loaded(
    service: Service, loads: Loads, what: str, later: int, least_cuts: int
) -> None:
    key = await service.key(f"cut-{what}")
    question = SCREEN if what == "screen" else {"query": "granite", "what": what}
    wanted, _ = await _exported(service.client(key), **question)
    documents = (MadeUpDocument("Exported granite.\n"),)
    files = _files(msgspec.structs.replace(_filing(later), documents=documents))
    rows, cuts = await _in_parts(service, key, question, lambda: loads(files))
    assert cuts >= least_cuts
    assert rows == wanted


async def test_export_of_matches_goes_on_within_a_document(service: Service, loads: Loads) -> None:
    texts = ["porphyry " * count + "ends.\n" for count in (3, 25, 11, 1, 10)]
    documents = tuple(map(MadeUpDocument, texts))
    files = _files(MadeUp("0009990092-21-000001", ENTITIES, documents))
    await loads(files)
    key = await service.key("cut-within")
    question = {"query": "porphyry", "what": "matches", "sort": "oldest"}
    wanted, notes = await _exported(service.client(key), **question)
    assert [note["records"] for note in notes] == [10, 20, 30, 40, 50, 50]
    rows, cuts = await _in_parts(service, key, question, lambda: loads(files))
    assert (rows, cuts) == (wanted, 5)


async def test_calls_are_counted_by_thousands_of_rows(service: Service) -> None:
    key = await service.key("counted", "medium")
    client = service.client(key)
    total = (await client.search("granite"))["total_count"]
    calls = -(-total // RECORDS_OF_A_CALL)
    reply = await client.http.get("/v1/export", params={"query": "granite"})
    assert f"r={200 - 1 - calls};" in reply.headers["RateLimit"]
    reply = await client.http.get("/v1/export", params={"query": "nowhere"})
    assert f"r={200 - 1 - calls - 1};" in reply.headers["RateLimit"]


async def test_what_was_not_sent_does_not_count(service: Service) -> None:
    key = await service.key("not-sent", "medium")
    given = {"query": "granite"}
    streamed = await Streamed().ask(service.app, "/v1/export", key, given, _leave_after_a_cursor())
    part, _ = _lines(streamed.body[: streamed.body.rindex(b"\n") + 1])
    assert not streamed.whole
    calls = -(-len(part) // RECORDS_OF_A_CALL)
    reply = await service.client(key).http.get("/v1/search", params={"query": "granite"})
    assert f"r={200 - calls - 1};" in reply.headers["RateLimit"]


async def test_filings_count_by_their_own_number(service: Service) -> None:
    key = await service.key("by-filings", "medium")
    rows, _ = await _exported(service.client(key), query="granite", what="filings")
    calls = -(-len(rows) // RECORDS_OF_A_CALL)
    reply = await service.client(key).http.get("/v1/search", params={"query": "granite"})
    assert f"r={200 - calls - 1};" in reply.headers["RateLimit"]


async def test_rows_of_a_screen_count_as_any_records(service: Service) -> None:
    key = await service.key("by-screens", "medium")
    rows, _ = await _exported(service.client(key), **SCREEN)
    calls = -(-len(rows) // RECORDS_OF_A_CALL)
    reply = await service.client(key).http.get("/v1/search", params={"query": "granite"})
    assert f"r={200 - calls - 1};" in reply.headers["RateLimit"]


async def test_export_beyond_the_quota_is_refused_before_it_begins(service: Service) -> None:
    key = await service.key("beyond", "small")
    client = service.client(key)
    reply = await client.http.get("/v1/export", params={"query": "granite"})
    assert reply.status_code == 429
    assert reply.json()["error"].startswith("this request needs ")
    assert "only 4 of this month's 5 calls are left" in reply.json()["error"]
    assert 'month";r=0' in reply.headers["RateLimit"]
    # Neither was the refused one counted, nor has it left a snapshot.
    for _ in range(5):
        await client.search("granite")
    await service.engine.refresh("snapshots")
    body = {"query": {"term": {"account": "beyond"}}, "track_total_hits": True}
    assert (await service.engine.search("snapshots", body, msgspec.Struct)).total == 0


async def test_client_that_goes_away_stops_the_work_within_a_second(service: Service) -> None:
    key = await service.key("away")
    streamed = Streamed()
    streamed.reading.clear()
    asking = asyncio.create_task(streamed.ask(service.app, "/v1/export", key, {"query": "granite"}))
    await streamed.begun.wait()
    began = time.monotonic()
    streamed.gone.set()
    await asyncio.wait_for(asking, 1.0)
    assert time.monotonic() - began < 1.0
    assert not streamed.whole


async def test_client_that_goes_away_ends_the_reading_of_cells(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = "away-from-cells"
    key = await service.key(account, "medium")
    ended = asyncio.Event()

    async def hanging_after_a_page(*asked: Any) -> Any:
        if streamed.body:
            streamed.gone.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
        return await read_rows(*asked)

    monkeypatch.setattr(exports, "read_rows", hanging_after_a_page)
    streamed = Streamed()
    await asyncio.wait_for(streamed.ask(service.app, "/v1/export", key, SCREEN), 10.0)
    rows, notes = _lines(streamed.body)
    assert (len(rows), notes, streamed.whole, ended.is_set()) == (ROWS, [], False, True)
    # What it had is paid for, and there is no snapshot that it left.
    reply = await service.client(key).http.get("/v1/search", params={"query": "granite"})
    assert f"r={200 - 1 - 1};" in reply.headers["RateLimit"]
    await service.engine.refresh("snapshots")
    body = {"query": {"term": {"account": account}}, "track_total_hits": True}
    assert (await service.engine.search("snapshots", body, msgspec.Struct)).total == 0


async def test_cells_that_fail_for_a_while_are_all_there(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = service.client(await service.key("cells-fail"))
    wanted, _ = await _exported(client, **SCREEN)
    failures = iter([True, False, True, True])

    async def failing(*asked: Any) -> Any:
        if next(failures, False):
            raise EngineUnavailable("away")
        return await first_matches(*asked)

    monkeypatch.setattr(screen, "first_matches", failing)
    rows, notes = await _exported(client, **SCREEN)
    assert rows == wanted
    assert notes[-1] == {"records": len(rows), "complete": True}


async def test_client_that_does_not_read_holds_no_share(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await service.key("unread")
    # More than an account may have under way.
    unread = [Streamed() for _ in range(9)]
    pages, ahead = 0, asyncio.Event()
    page = Export.page

    async def counted(self: Export[Any], *args: Any, **more: Any) -> Any:
        nonlocal pages
        found = await page(self, *args, **more)
        pages += 1
        if pages == 2 * len(unread):
            ahead.set()
        return found

    monkeypatch.setattr(Export, "page", counted)
    asking = []
    for each in unread:
        each.reading.clear()
        work = each.ask(service.app, "/v1/export", key, {"query": "granite"})
        asking.append(asyncio.create_task(work))
        await each.begun.wait()
        assert each.status == 200
    # The first page of each, and one ahead: then nothing more is requested, and others are served.
    await ahead.wait()
    for _ in range(9):
        assert len((await service.client(key).search("granite"))["items"]) == 20
    assert pages == 2 * len(unread)
    for each in unread:
        each.reading.set()
    for done in await asyncio.gather(*asking):
        assert done.whole


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that ends soon where it is read too slowly, and can in the middle of a page."""
    monkeypatch.setattr(long_answers, "BEHIND_SECONDS", 4 * PAUSE)
    for module in (exports, long_answers):
        monkeypatch.setattr(module, "READ_RATE", RATE)
    monkeypatch.setattr(exports, "_BATCH", 3)
    monkeypatch.setattr(exports, "RECORDS_OF_A_CALL", 1_000)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("given_format", ["jsonl", "csv"])
@pytest.mark.parametrize("what", ["documents", "filings", "matches"])
async def test_export_that_is_read_too_slowly_ends_where_it_can_go_on(
    service: Service, what: str, given_format: str
) -> None:
    key = await service.key(f"slow-{what}-{given_format}")
    question = {"query": "granite OR slate", "what": what, "format": given_format}
    whole = (await service.client(key).http.get("/v1/export", params=question)).content
    slow = Streamed()
    slow.pause = PAUSE
    await slow.ask(service.app, "/v1/export", key, question)
    end = json.loads(slow.body.splitlines()[-1].removeprefix(b"#"))
    assert not slow.whole
    assert (end["complete"], end["error"].partition(":")[0]) == (
        False,
        "the export was read slower than 1,000,000 bytes a second",
    )
    rest = await Streamed().ask(service.app, "/v1/export", key, {"cursor": end["cursor"]})
    assert rest.whole
    began = slow.body[: slow.body.rstrip().rindex(b"\n") + 1]
    assert 0 < len(began) < len(whole)
    assert began + rest.body == whole


@pytest.mark.usefixtures("hurried")
async def test_parquet_that_is_read_too_slowly_ends_and_leaves_no_snapshot(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_files, "_GROUP", 3)
    key = await service.key("slow-parquet")
    slow = Streamed()
    slow.pause = PAUSE * 2
    await slow.ask(service.app, "/v1/export", key, {"query": "granite", "format": "parquet"})
    assert not slow.whole
    await service.engine.refresh("snapshots")
    body = {"query": {"term": {"account": "slow-parquet"}}}
    assert (await service.engine.search("snapshots", body, msgspec.Raw)).total == 0


async def test_export_that_is_read_keeps_its_snapshot_in_use(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = 0
    keep = Snapshots.keep

    async def counted(self: Snapshots, snapshot: Snapshot) -> Snapshot:
        nonlocal kept
        kept += 1
        return await keep(self, snapshot)

    monkeypatch.setattr(Snapshots, "keep", counted)
    monkeypatch.setattr(exports, "_BATCH", 3)
    monkeypatch.setattr(export, "ROWS", 1_000)
    key = await service.key("in-use")
    rows, _ = await _exported(service.client(key), query="granite")
    # After each batch but the last, and for the one page.
    assert kept == -(-len(rows) // 3)


async def test_page_that_fails_for_a_while_is_tried_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, _ = await _exported(client, query="granite")
    page, times = Export.page, 0

    async def failing(self: Export[Any], *args: Any, **more: Any) -> Any:
        nonlocal times
        times += 1
        if times == 3:
            raise EngineUnavailable("busy")
        return await page(self, *args, **more)

    monkeypatch.setattr(Export, "page", failing)
    assert (await _exported(client, query="granite"))[0] == wanted


async def test_export_that_cannot_go_on_says_so_and_has_no_end(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await service.key("failing")
    page, times = Export.page, 0

    async def failing(self: Export[Any], *args: Any, **more: Any) -> Any:
        nonlocal times
        times += 1
        if times > 4:
            raise SnapshotExpired
        return await page(self, *args, **more)

    monkeypatch.setattr(Export, "page", failing)
    streamed = await Streamed().ask(service.app, "/v1/export", key, {"query": "granite"})
    rows, notes = _lines(streamed.body)
    assert not streamed.whole
    assert len(rows) == 4 * ROWS
    assert notes[-1] == {
        "records": len(rows),
        "complete": False,
        "cursor": notes[-2]["cursor"],
        "error": str(SnapshotExpired()),
    }


async def test_head_sends_and_keeps_nothing(service: Service) -> None:
    key = await service.key("head", "medium")
    client = service.client(key)
    reply = await client.http.head("/v1/export", params={"query": "granite"})
    assert (reply.status_code, reply.content) == (200, b"")
    assert int(reply.headers["X-Total-Count"]) >= TOTAL
    reply = await client.http.get("/v1/search", params={"query": "granite"})
    assert "r=198;" in reply.headers["RateLimit"]


@pytest.mark.parametrize("what", ["documents", "filings", "matches"])
async def test_export_of_an_account_that_is_suspended_is_cut_off(
    engine: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(freshness, "MAX_AGE", 1.0)
    monkeypatch.setattr(freshness, "REFRESH_AGE", 0.5)
    monkeypatch.setattr(exports, "_BATCH", 1)
    monkeypatch.setattr(exports, "RECORDS_OF_A_CALL", 1_000)
    account = f"suspended-{what}"
    asked = {"query": "granite", "what": what}
    streamed = Streamed()
    streamed.pause = 0.2
    async with LifespanManager(create_app(settings)) as manager:
        service = Service(manager.app, engine, settings)
        key = await service.key(account)
        asking = asyncio.create_task(streamed.ask(service.app, "/v1/export", key, asked))
        await streamed.begun.wait()
        await Accounts(engine, Plans.from_settings(settings)).suspend(account)
        began = time.monotonic()
        await asking
        took = time.monotonic() - began
        refused = await service.client(key).http.get("/v1/export", params=asked)
    # What is known of an account is that old at most, and a part takes a while.
    assert took < freshness.MAX_AGE + 1
    assert (refused.status_code, refused.json()["error"]) == (403, SUSPENDED)
    records, (note,) = _lines(streamed.body)
    assert not streamed.whole
    assert 0 < len(records) < (FILINGS if what == "filings" else TOTAL)
    assert note == {"records": len(records), "complete": False, "error": SUSPENDED}
