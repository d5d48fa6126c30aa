"""`/v1/sets/`: the files of `edgar-search sets write` over HTTP, read by DuckDB."""

from collections.abc import AsyncIterator
from datetime import date
from hashlib import sha256
from pathlib import Path

import duckdb
import pytest
from msgspec import structs

from edgar_search.access import admission
from edgar_search.api.context import Context
from edgar_search.commands.sets import SETS, write_sets
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.serving import serving
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
KILN = MadeUpEntity("0009991701", "KILN CORP")


@pytest.fixture
async def served(
    engine: Engine, settings: Settings, loads: Loads, tmp_path: Path
) -> AsyncIterator[Client]:
    """The service with the sets of two filings of a year and one of another."""
    files = {}
    for number, day in enumerate((date(2021, 3, 1), date(2021, 4, 1), date(2022, 3, 1))):
        document = MadeUpDocument(f"Tiles {number}.\n", "8-K", "a.htm")
        made = MadeUp(f"0009991700-21-{number:06d}", (KILN,), (document,), "8-K", day)
        files[f"{made.accession_number}.txt"] = txt(made)
    await loads(files)
    await write_sets(Context.of_command(engine, settings, "sets"), tmp_path / "sets", SETS)
    async with serving(engine, structs.replace(settings, sets_folder=tmp_path / "sets")) as client:
        yield client


async def test_sets_are_listed_and_sent_byte_for_byte(served: Client, tmp_path: Path) -> None:
    manifest = await served.get("/v1/sets/")
    assert manifest == await served.get("/v1/sets/manifest.json")
    for each in manifest["files"]:
        reply = await served.http.get(f"/v1/sets/{each['name']}")
        assert (len(reply.content), reply.headers["content-length"]) == (
            each["bytes"],
            str(each["bytes"]),
        )
        assert sha256(reply.content).hexdigest() == each["sha256"]
        got = tmp_path / "got" / each["name"]
        got.parent.mkdir(parents=True, exist_ok=True)
        got.write_bytes(reply.content)
    found = duckdb.sql(
        "select year(filing_date), count(*) from"
        f" read_parquet('{tmp_path}/got/filings/*.parquet') group by 1 order by 1"
    )
    assert found is not None
    assert found.fetchall() == [(2021, 2), (2022, 1)]


async def test_a_reader_takes_parts(served: Client) -> None:
    path = "/v1/sets/filings/2021.parquet"
    whole = await served.http.get(path)
    head = await served.http.head(path)
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["content-length"] == whole.headers["content-length"]
    end = await served.http.get(path, headers={"Range": "bytes=-8"})
    assert (end.status_code, end.content) == (206, whole.content[-8:])
    known = {"If-None-Match": whole.headers["etag"]}
    assert (await served.http.get(path, headers=known)).status_code == 304
    beyond = {"Range": f"bytes={len(whole.content)}-"}
    assert (await served.http.get(path, headers=beyond)).status_code == 416


async def test_what_is_not_listed_is_not_sent(served: Client, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "sets" / "filings" / "2021.parquet.part").write_text("part")
    for name in ("filings/2020.parquet", "../secret", "%2e%2e/secret", "filings/2021.parquet.part"):
        reply = await served.http.get(f"/v1/sets/{name}")
        assert reply.status_code == 404, name
    # Between the new file and the manifest that names it.
    (tmp_path / "sets" / "filings" / "2021.parquet").write_bytes(b"newer")
    assert (await served.http.get("/v1/sets/filings/2021.parquet")).status_code == 503
    (tmp_path / "sets" / "manifest.json").unlink()
    assert (await served.http.get("/v1/sets/")).status_code == 404


async def test_large_files_are_several_calls(
    served: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(admission, "BYTES_OF_A_CALL", 1_000)

    async def counted(self: object, call: object, calls: int) -> None:
        asked.append(calls)

    monkeypatch.setattr("edgar_search.access.admission.Admission.reserve", counted)
    whole = await served.http.get("/v1/sets/filings/2021.parquet")
    await served.http.get("/v1/sets/filings/2021.parquet", headers={"Range": "bytes=0-999"})
    assert asked == [-(-len(whole.content) // 1_000) - 1]


async def test_a_key_is_needed_and_may_be_in_the_path(served: Client) -> None:
    key = served.http.headers.pop("x-api-key")
    assert (await served.http.get("/v1/sets/")).status_code == 401
    assert (await served.http.get(f"/efts/{key}/v1/sets/")).status_code == 200
