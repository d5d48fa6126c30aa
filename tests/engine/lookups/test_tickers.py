"""The ticker table: loaded as one version, seen soon, and by filings that were there before."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredEntity
from ingest.loading.entities import EntityWriter
from ingest.loading.retry import Retry
from ingest.loading.tickers import load_tickers
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE, GRAVEL = "0009990060", "0009990061"
SECONDS = 5  # by which an answer may be behind what is loaded
NUMBERS = ["0009990060-21-000001", "0009990060-21-000002"]


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A filing of each company and none of the tickers, before any ticker file."""
    documents = (MadeUpDocument("Stone and moss.\n"),)
    entities = (MadeUpEntity(MARBLE, "MARBLE"), MadeUpEntity(GRAVEL, "GRAVEL"))
    files = {
        f"{number}.txt": txt(MadeUp(number, (entity,), documents))
        for number, entity in zip(NUMBERS, entities, strict=True)
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


class Files:
    """Ticker files made up in EDGAR's forms."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def company_tickers(self, *rows: tuple[str, str]) -> Path:
        entries = [{"cik_str": int(cik), "ticker": ticker, "title": "X"} for ticker, cik in rows]
        content = {str(place): entry for place, entry in enumerate(entries)}
        return self._written("company_tickers.json", json.dumps(content))

    def exchanges(self, *rows: tuple[str, str]) -> Path:
        data = [[int(cik), "X", ticker, "NYSE"] for ticker, cik in rows]
        content = {"fields": ["cik", "name", "ticker", "exchange"], "data": data}
        return self._written("company_tickers_exchange.json", json.dumps(content))

    def text(self, content: str) -> Path:
        return self._written("ticker.txt", content)

    def _written(self, name: str, content: str) -> Path:
        path = self._folder / name
        path.write_text(content)
        return path


@pytest.fixture
def entities(engine: Engine, settings: Settings) -> EntityWriter:
    return EntityWriter(engine, settings.prefix, Retry(5))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture(autouse=True)
async def bare(engine: Engine, entities: EntityWriter, files: Files) -> None:
    """None of the companies has a ticker before a test."""
    other = ("OTHER", "0000000001")
    paths = [files.company_tickers(other), files.exchanges(other), files.text("other\t1\n")]
    assert list((await load_tickers(engine, entities, paths)).values()) == [1, 1, 1]


async def test_filings_loaded_before_have_the_tickers(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    await load_tickers(
        engine, entities, [files.company_tickers(("mrbl", MARBLE), ("MRBL-P", MARBLE))]
    )
    (filing,) = (await client.lookup(ticker="Mrbl"))["filings"]
    assert filing["accnum"] == NUMBERS[0]
    assert filing["tickers"] == ["MRBL", "MRBL-P"]
    assert filing["filer_details"] == {
        "cik": MARBLE,
        "name": "MARBLE",
        "tickers": ["MRBL", "MRBL-P"],
    }
    assert await client.found("moss", ticker="mrbl-p") == [f"{NUMBERS[0]}-1"]


async def test_unknown_ticker_is_an_error_beside_what_is_found(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    await load_tickers(engine, entities, [files.text(f"grvl\t{GRAVEL}\n")])
    reply = await client.lookup(ticker="NOPE,GRVL")
    assert reply["response_details"] == {"filings_found": 1, "errors": ["unknown ticker: NOPE"]}
    assert [filing["accnum"] for filing in reply["filings"]] == [NUMBERS[1]]


async def test_unknown_ticker_alone_matches_nothing(client: Client) -> None:
    reply = await client.lookup(ticker="NOPE", form_type="8-K")
    assert reply == {
        "response_details": {"filings_found": 0, "errors": ["unknown ticker: NOPE"]},
        "filings": [],
    }
    assert await client.found("moss", ticker="NOPE") == []


async def test_file_replaces_the_earlier_one_of_its_kind_only(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    await load_tickers(engine, entities, [files.exchanges(("KEPT", MARBLE))])
    await load_tickers(
        engine, entities, [files.company_tickers(("GONE", MARBLE), ("MOVED", MARBLE))]
    )
    await load_tickers(engine, entities, [files.company_tickers(("MOVED", GRAVEL))])
    filings = (await client.lookup(form_type="8-K"))["filings"]
    assert {filing["accnum"]: filing["tickers"] for filing in filings} == {
        NUMBERS[0]: ["KEPT"],
        NUMBERS[1]: ["MOVED"],
    }


async def test_running_service_sees_a_new_version_within_the_bound(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    await load_tickers(engine, entities, [files.company_tickers(("OLD", MARBLE), ("SAME", MARBLE))])
    assert await client.looked_up(ticker="OLD") == [NUMBERS[0]]
    await load_tickers(engine, entities, [files.company_tickers(("NEW", MARBLE), ("SAME", MARBLE))])
    loaded = time.monotonic()
    while (seen := await tickers(client)) == ["OLD", "SAME"]:
        assert time.monotonic() - loaded < SECONDS
        await asyncio.sleep(0.1)
    assert seen == ["NEW", "SAME"]


async def tickers(client: Client) -> list[str]:
    (filing,) = (await client.lookup(cik=MARBLE))["filings"]
    found: list[str] = filing["tickers"]
    return found


async def test_idle_service_sees_a_new_version_after_the_bound(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    await load_tickers(engine, entities, [files.company_tickers(("OLD", MARBLE))])
    assert await tickers(client) == ["OLD"]
    await load_tickers(engine, entities, [files.company_tickers(("NEW", MARBLE))])
    await asyncio.sleep(SECONDS)
    assert await tickers(client) == ["NEW"]


async def test_wrong_file_stores_none_of_the_files(
    engine: Engine, entities: EntityWriter, client: Client, files: Files
) -> None:
    good, wrong = files.company_tickers(("MRBL", MARBLE)), files.text("no table at all\n")
    with pytest.raises(SettingsError, match="is not a ticker file of EDGAR"):
        await load_tickers(engine, entities, [good, wrong])
    assert await tickers(client) == []


async def test_entities_have_tickers_and_exchanges_as_they_stand_now(
    engine: Engine, entities: EntityWriter, files: Files
) -> None:
    await load_tickers(engine, entities, [files.exchanges(("ONE", MARBLE), ("TWO", GRAVEL))])
    await load_tickers(engine, entities, [files.company_tickers(("TWO", MARBLE), ("ONE", MARBLE))])
    marble, gravel = await stored_entities(engine, [MARBLE, GRAVEL])
    assert (marble.tickers, marble.exchanges) == (["TWO", "ONE"], ["", "NYSE"])
    assert (gravel.tickers, gravel.exchanges) == (["TWO"], ["NYSE"])
    await load_tickers(engine, entities, [files.exchanges(("OTHER", "0000000001"))])
    marble, gravel = await stored_entities(engine, [MARBLE, GRAVEL])
    assert (marble.tickers, marble.exchanges) == (["TWO", "ONE"], ["", ""])
    assert (gravel.tickers, gravel.exchanges) == ([], [])


async def test_name_of_a_ticker_file_counts_only_where_there_is_no_other(
    engine: Engine, entities: EntityWriter, files: Files
) -> None:
    await load_tickers(engine, entities, [files.company_tickers(("A", MARBLE), ("B", "9990062"))])
    marble, unknown = await stored_entities(engine, [MARBLE, "0009990062"])
    assert (marble.name, unknown.name) == ("MARBLE", "X")


async def stored_entities(engine: Engine, ciks: list[str]) -> list[StoredEntity]:
    found = await engine.multi_get("entities", ciks, StoredEntity)
    return [entry.source for entry in found if entry.source is not None]
