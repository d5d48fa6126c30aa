"""EDGAR's own addresses: submissions, filed bytes, index files, the latest, tickers, facts."""

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest
from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredTickers, TickerRow
from edgar_search.web.edgar.lists import IndexRow, index_text
from ingest.fetching.index_files import IndexFile
from tests.support.asking import Client
from tests.support.loading import Hit, load_now
from tests.support.made_up_xbrl import MadeUpFact, report, report_facts
from tests.support.serving import serving
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
CIK, OWNER = "0009991501", "0009991502"
KILN = MadeUpEntity(
    CIK, "KILN & CLAY CORP", sic="3250", state="DE", address=Address("1 ROAD", "BURLINGTON", "VT")
)
REPORT = MadeUpDocument("Terracotta.\n", "10-K", "report.htm", "ANNUAL <REPORT>")
EXHIBIT = MadeUpDocument("<b>Tiles</b>\n", "EX-99.1", "tiles 50%.htm")
ANNUAL = MadeUp(
    "0009991500-21-000001",
    (KILN,),
    (REPORT, EXHIBIT),
    "10-K",
    date(2021, 3, 1),
    date(2020, 12, 31),
    "20210301161500",
)
OWNED = MadeUp(
    "0009991500-21-000002",
    (
        structs.replace(KILN, role="ISSUER"),
        MadeUpEntity(OWNER, "KILNER ADA", "REPORTING OWNER"),
    ),
    (MadeUpDocument("<a/>\n", "4", "form4.xml"),),
    "4",
    date(2021, 3, 2),
)
FACTS = "0009991500-24-000003"
END_2023 = date(2023, 12, 31)
NORTH = (("us-gaap:StatementBusinessSegmentsAxis", "moss:NorthMember"),)
FACTS_FILES = report(
    FACTS,
    CIK,
    [
        *report_facts(2023),
        MadeUpFact("us-gaap:Assets", "30000000", END_2023, members=NORTH),
        MadeUpFact("moss:StonesInStock", "12", END_2023),
    ],
    date(2024, 2, 1),
)


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"{each.accession_number}.txt": txt(each) for each in (ANNUAL, OWNED)}
    load_now(settings, tmp_path_factory.mktemp("files"), {**files, **FACTS_FILES})


@pytest.fixture
async def mirror(engine: Engine, settings: Settings) -> AsyncIterator[Client]:
    """The service with EDGAR's addresses, for keys."""
    async with serving(engine, structs.replace(settings, mirror="keys")) as client:
        yield client


def folder(filing: MadeUp, name: str = "", cik: str = CIK) -> str:
    """Return the address of a file of a filing."""
    number = filing.accession_number.replace("-", "")
    return f"/Archives/edgar/data/{int(cik)}/{number}/{name}"


async def test_submissions_have_columns_of_one_length_newest_first(mirror: Client) -> None:
    reply = await mirror.get(f"/submissions/CIK{CIK}.json")
    recent = reply["filings"]["recent"]
    assert {len(column) for column in recent.values()} == {3}
    rows = [{name: column[place] for name, column in recent.items()} for place in range(3)]
    assert [row["accessionNumber"][-6:] for row in rows] == ["000003", "000002", "000001"]
    assert rows[2] == {
        "accessionNumber": ANNUAL.accession_number,
        "filingDate": "2021-03-01",
        "reportDate": "2020-12-31",
        "acceptanceDateTime": "2021-03-01T21:15:00.000Z",
        "act": rows[2]["act"],
        "form": "10-K",
        "fileNumber": rows[2]["fileNumber"],
        "filmNumber": rows[2]["filmNumber"],
        "items": "",
        "core_type": "10-K",
        "size": len(txt(ANNUAL)),
        "isXBRL": 0,
        "isInlineXBRL": 0,
        "primaryDocument": "report.htm",
        "primaryDocDescription": "ANNUAL <REPORT>",
    }
    assert rows[0]["isXBRL"] == 1
    known = (reply["cik"], reply["insiderTransactionForIssuerExists"])
    assert known == (CIK, 1)
    assert reply["insiderTransactionForOwnerExists"] == 0
    assert reply["filings"]["files"] == []
    owner = await mirror.get(f"/submissions/CIK{OWNER}.json")
    assert owner["insiderTransactionForOwnerExists"] == 1


async def test_older_filings_are_in_files_that_stay(
    mirror: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.web.edgar.submissions._OLDER", 1)
    monkeypatch.setattr("edgar_search.web.edgar.submissions._LEAST_RECENT", 1)
    filings = (await mirror.get(f"/submissions/CIK{CIK}.json"))["filings"]
    assert [number[-1] for number in filings["recent"]["accessionNumber"]] == ["3"]
    assert [filing["name"][-8:] for filing in filings["files"]] == ["002.json", "001.json"]
    oldest = await mirror.get(f"/submissions/{filings['files'][1]['name']}")
    assert oldest["accessionNumber"] == [ANNUAL.accession_number]
    missing = await mirror.http.get(f"/submissions/CIK{CIK}-submissions-003.json")
    assert missing.status_code == 404


async def test_bytes_are_as_filed(mirror: Client) -> None:
    number, http = ANNUAL.accession_number, mirror.http
    for path in (f"/Archives/edgar/data/{int(CIK)}/{number}.txt", folder(ANNUAL, f"{number}.txt")):
        whole = await http.get(path)
        assert (whole.status_code, whole.content) == (200, txt(ANNUAL))
        assert whole.headers["content-length"] == str(len(txt(ANNUAL)))
        again = await http.get(path, headers={"If-None-Match": whole.headers["etag"]})
        assert again.status_code == 304
    path = folder(ANNUAL, "tiles%2050%25.htm")
    head = await http.head(path)
    assert (head.content, head.headers["content-length"]) == (b"", "13")
    document = await http.get(path)
    assert document.content == b"<b>Tiles</b>\n"
    assert document.headers["content-security-policy"] == "sandbox"
    assert document.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("name", [f"{ANNUAL.accession_number}.txt", "report.htm"])
async def test_a_download_is_resumed_with_ranges(mirror: Client, name: str) -> None:
    http, path = mirror.http, folder(ANNUAL, name)
    whole = await http.get(path)
    size, etag = len(whole.content), whole.headers["etag"]
    assert whole.headers["accept-ranges"] == "bytes"

    middle = await http.get(path, headers={"Range": "bytes=3-9"})
    assert (middle.status_code, middle.content) == (206, whole.content[3:10])
    assert middle.headers["content-range"] == f"bytes 3-9/{size}"
    assert middle.headers["content-length"] == "7"
    rest = await http.get(path, headers={"Range": f"bytes={size - 4}-", "If-Range": etag})
    assert (rest.status_code, rest.content) == (206, whole.content[-4:])
    other = await http.get(path, headers={"Range": "bytes=0-0", "If-Range": '"older"'})
    assert (other.status_code, other.content) == (200, whole.content)
    beyond = await http.get(path, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{size}")
    key = http.headers["x-api-key"]
    behind = await http.get(f"/efts/{key}{path}", headers={"Range": "bytes=1-2"})
    assert (behind.status_code, behind.content) == (206, whole.content[1:3])
    assert "content-encoding" not in behind.headers


@pytest.mark.parametrize(
    "path",
    [
        "/Archives/edgar/full-index/2021/QTR1/form.idx",
        "/Archives/edgar/full-index/2021/QTR1/master.gz",
        "/Archives/edgar/daily-index/2021/QTR1/company.20210301.idx",
        f"/submissions/CIK{CIK}.json",
        f"/api/xbrl/companyfacts/CIK{CIK}.json",
    ],
)
async def test_lists_are_sent_in_ranges_too(mirror: Client, path: str) -> None:
    whole = await mirror.http.get(path)
    assert (whole.status_code, whole.headers["accept-ranges"]) == (200, "bytes")
    asked = {"Range": "bytes=5-", "If-Range": whole.headers["etag"]}
    rest = await mirror.http.get(path, headers=asked)
    assert (rest.status_code, rest.content) == (206, whole.content[5:])
    assert rest.headers["content-type"] == whole.headers["content-type"]
    same = await mirror.http.get(path, headers={"If-None-Match": whole.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")


async def test_pages_list_the_files_of_a_filing(mirror: Client) -> None:
    http, number = mirror.http, ANNUAL.accession_number
    listed = (await http.get(folder(ANNUAL, "index.json"))).json()["directory"]["item"]
    names = [f"{number}.txt", "report.htm", "tiles 50%.htm"]
    assert [each["name"] for each in listed] == names
    # A blank and a percent sign are encoded in addresses.
    names[2] = "tiles%2050%25.htm"
    for path in (
        folder(ANNUAL),
        folder(ANNUAL, f"{number}-index.html"),
        f"/Archives/edgar/data/{int(CIK)}/{number}-index.htm",
    ):
        page = (await http.get(path)).text
        assert all(f'href="{folder(ANNUAL, name)}"' in page for name in names)
    assert "ANNUAL &lt;REPORT&gt;" in page
    for ending in ("html", "htm"):
        headers = (await http.get(folder(ANNUAL, f"{number}-index-headers.{ending}"))).text
        assert "&lt;SEC-HEADER&gt;" in headers
        assert "CENTRAL INDEX KEY:" in headers
        assert f'&lt;FILENAME&gt;<a href="{folder(ANNUAL, names[2])}">tiles 50%.htm</a>' in headers
        assert "Terracotta" not in headers
    assert 'summary="Document Format Files"' in page


@pytest.mark.parametrize("kind", ["master", "form", "company"])
async def test_index_files_are_read_by_our_own_reader(mirror: Client, kind: str) -> None:
    path = f"/Archives/edgar/full-index/2021/QTR1/{kind}"
    plain = (await mirror.http.get(f"{path}.idx")).content
    index = IndexFile(plain)
    found = {(each.accession_number, each.form_type, each.cik, each.company_name) for each in index}
    assert index.unknown == 0
    # As many lines before the first entry as EDGAR's files have, which some programs skip.
    assert plain.splitlines()[{"master": 10}.get(kind, 9)].startswith(b"-----")
    assert found == {
        (ANNUAL.accession_number, "10-K", CIK, "KILN & CLAY CORP"),
        (OWNED.accession_number, "4", CIK, "KILN & CLAY CORP"),
        (OWNED.accession_number, "4", OWNER, "KILNER ADA"),
    }
    assert gzip.decompress((await mirror.http.get(f"{path}.gz")).content) == plain
    packed = zipfile.ZipFile(io.BytesIO((await mirror.http.get(f"{path}.zip")).content))
    assert packed.read(f"{kind}.idx") == plain


async def test_daily_index_and_crawler(mirror: Client) -> None:
    daily = await mirror.http.get("/Archives/edgar/daily-index/2021/QTR1/master.20210301.idx")
    (entry,) = IndexFile(daily.content)
    assert (entry.accession_number, entry.filing_date) == (
        ANNUAL.accession_number,
        date(2021, 3, 1),
    )
    crawler = (await mirror.http.get("/Archives/edgar/full-index/2021/QTR1/crawler.idx")).text
    assert f"/{int(CIK)}/{ANNUAL.accession_number}-index.htm" in crawler
    empty = (await mirror.http.get("/Archives/edgar/full-index/2019/QTR4/form.idx")).content
    assert list(IndexFile(empty)) == []


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("full-index/2021/QTR1", ["company.idx", "master.gz", "form.zip"]),
        ("daily-index/2021/QTR1", ["master.20210301.idx", "form.20210302.idx"]),
    ],
)
async def test_folders_of_index_files_are_listed(
    mirror: Client, folder: str, names: list[str]
) -> None:
    path = f"/Archives/edgar/{folder}"
    listed = (await mirror.get(f"{path}/index.json"))["directory"]
    assert (listed["name"], listed["parent-dir"]) == (path, path.rpartition("/")[0])
    assert {each["name"] for each in listed["item"]} >= {*names}
    page = (await mirror.http.get(f"{path}/")).text
    assert all(f'href="{name}"' in page for name in names)
    for name in (each["name"] for each in listed["item"]):
        assert (await mirror.http.get(f"{path}/{name}")).status_code == 200, name


async def test_the_index_of_a_quarter_that_is_not_over_ends_today(mirror: Client) -> None:
    today = datetime.now(UTC).date()
    path = f"/Archives/edgar/full-index/{today.year}/QTR{(today.month + 2) // 3}/master.idx"
    received = IndexFile((await mirror.http.get(path)).content).received
    # In Washington it may still be yesterday.
    assert received is not None
    assert today - timedelta(days=1) <= received <= today


def test_long_names_and_forms_keep_two_blanks_between_columns() -> None:
    row = IndexRow(
        1, "A" * 59 + " LONGER NAME", "SCHEDULE 13D/A", date(2025, 1, 2), ANNUAL.accession_number
    )
    for kind in ("form", "company", "crawler"):
        text = index_text(kind, [row], row.day, daily=False)
        columns = re.split(r"\s{2,}", text.splitlines()[-1].strip())
        form, name = (columns[0], columns[1]) if kind == "form" else (columns[1], columns[0])
        assert (form, name, columns[2:4]) == ("SCHEDULE 13D/A", "A" * 59, ["1", "2025-01-02"])


async def test_latest_filings_as_atom(mirror: Client) -> None:
    browse = "/cgi-bin/browse-edgar"
    latest = (await mirror.http.get(browse, params={"action": "getcurrent"})).text
    assert latest.index(FACTS) < latest.index(OWNED.accession_number)
    assert "<title>4 - KILNER ADA (0009991502) (Reporting)</title>" in latest
    assert "<title>4 - KILN &amp; CLAY CORP (0009991501) (Issuer)</title>" in latest
    asked = {"action": "getcompany", "CIK": OWNER, "output": "atom"}
    own = (await mirror.http.get(browse, params=asked)).text
    assert own.count("<entry>") == 1
    assert f"<accession-number>{OWNED.accession_number}</accession-number>" in own
    assert "<filing-date>2021-03-02</filing-date>" in own
    assert "<conformed-name>KILNER ADA</conformed-name>" in own
    only_insiders = {**asked, "CIK": CIK, "owner": "only"}
    assert (await mirror.http.get(browse, params=only_insiders)).text.count("<entry>") == 1
    until = {**asked, "CIK": CIK, "dateb": "20210301"}
    first = ElementTree.fromstring((await mirror.http.get(browse, params=until)).content)
    numbers = [each.text for each in first.iter("{http://www.w3.org/2005/Atom}accession-number")]
    assert numbers == [ANNUAL.accession_number]
    only = (await mirror.http.get(browse, params={"type": "10-K"})).text
    assert OWNED.accession_number not in only
    for wrong in (
        {"action": "x"},
        {"start": "-1"},
        {"output": "html5"},
        {"owner": "me"},
        {"dateb": "20210231"},
    ):
        assert (await mirror.http.get(browse, params=wrong)).status_code == 400


async def test_filings_of_a_company_as_a_page(mirror: Client) -> None:
    asked = {"action": "getcompany", "CIK": CIK, "count": "2"}
    reply = await mirror.http.get("/cgi-bin/browse-edgar", params=asked)
    assert reply.headers["content-type"] == "text/html; charset=iso-8859-1"
    page = reply.text
    assert 'summary="Results"' in page
    assert f"</acronym>#: {CIK} " in page
    assert page.index(FACTS) < page.index(OWNED.accession_number)
    assert f'href="{folder(OWNED, f"{OWNED.accession_number}-index.htm")}"' in page
    following = re.findall(r'<a href="([^"]*)">Next 2</a>', page)
    second = (await mirror.http.get(unescape(following[0]))).text
    assert "ANNUAL &lt;REPORT&gt;" in second
    assert "Next 2" not in second


async def test_ticker_files(mirror: Client, engine: Engine) -> None:
    assert (await mirror.http.get("/files/company_tickers.json")).status_code == 404
    rows = [TickerRow("KLN", CIK, "NYSE")]
    for name in ("company_tickers", "company_tickers_exchange"):
        await engine.put("tickers", name, StoredTickers(name, datetime.now(UTC), rows))
    reply = await mirror.get("/files/company_tickers.json")
    named = reply["0"]["title"]
    assert reply == {"0": {"cik_str": int(CIK), "ticker": "KLN", "title": named}}
    assert named
    exchange = await mirror.get("/files/company_tickers_exchange.json")
    assert exchange["data"] == [[int(CIK), named, "KLN", "NYSE"]]
    funds = [TickerRow("KLNX", CIK, None, "S000000001", "C000000001")]
    name = "company_tickers_mf"
    await engine.put("tickers", name, StoredTickers(name, datetime.now(UTC), funds))
    assert await mirror.get("/files/company_tickers_mf.json") == {
        "fields": ["cik", "seriesId", "classId", "symbol"],
        "data": [[int(CIK), "S000000001", "C000000001", "KLNX"]],
    }
    assert (await mirror.http.get("/include/ticker.txt")).text == f"kln\t{int(CIK)}\n"


async def test_facts_of_a_company_a_concept_and_a_frame(mirror: Client) -> None:
    facts = (await mirror.get(f"/api/xbrl/companyfacts/CIK{CIK}.json"))["facts"]
    assert set(facts) <= {"us-gaap", "dei"}
    assets = facts["us-gaap"]["Assets"]["units"]["USD"]
    assert [(asset["end"], asset.get("frame")) for asset in assets] == [
        ("2022-12-31", "CY2022Q4I"),
        ("2023-12-31", "CY2023Q4I"),
    ]
    assert assets[1]["accn"] == FACTS
    assert (assets[1]["fy"], assets[1]["fp"], assets[1]["form"]) == (2023, "FY", "10-K")
    concept = await mirror.get(f"/api/xbrl/companyconcept/CIK{CIK}/us-gaap/Assets.json")
    assert concept["units"]["USD"] == assets
    frame = await mirror.get("/api/xbrl/frames/us-gaap/Assets/USD/CY2023Q4I.json")
    assert [(each["cik"], each["val"]) for each in frame["data"]] == [(int(CIK), assets[1]["val"])]
    assert frame["pts"] == 1


async def test_all_facts_are_those_that_edgar_leaves_out_too(mirror: Client) -> None:
    path = f"/api/xbrl/companyfacts/CIK{CIK}.json"
    plain = (await mirror.get(path))["facts"]
    every = (await mirror.get(path, all="true"))["facts"]
    assert (await mirror.get(path, all="false"))["facts"] == plain
    assert "moss" not in plain
    assert every["moss"]["StonesInStock"]["units"]["USD"][0]["val"] == 12
    values = every["us-gaap"]["Assets"]["units"]["USD"]
    assert [value for value in values if "dimensions" not in value] == plain["us-gaap"]["Assets"][
        "units"
    ]["USD"]
    (north,) = [value for value in values if "dimensions" in value]
    assert (north["val"], "frame" in north) == (30000000, False)
    assert north["dimensions"] == ["us-gaap:StatementBusinessSegmentsAxis=moss:NorthMember"]
    refused = await mirror.http.get(f"{path}?all=yes")
    assert (refused.status_code, "`all`" in refused.json()["error"]) == (400, True)


async def test_bulk_files_have_what_the_single_ones_have(mirror: Client) -> None:
    below = "/Archives/edgar/daily-index"
    for path, single in (
        (f"{below}/bulkdata/submissions.zip", "/submissions"),
        (f"{below}/xbrl/companyfacts.zip", "/api/xbrl/companyfacts"),
    ):
        reply = await mirror.http.get(path)
        assert reply.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
            assert packed.testzip() is None
            assert f"CIK{CIK}.json" in packed.namelist()
            for name in packed.namelist():
                assert json.loads(packed.read(name)) == await mirror.get(f"{single}/{name}")
    listed = (await mirror.http.get("/Archives/edgar/cik-lookup-data.txt")).text.splitlines()
    assert f"KILNER ADA:{OWNER}:" in listed
    # As the last filing names it.
    assert f"MOSS QUARRIES CORP:{CIK}:" in listed


async def test_bulk_files_have_continuation_files(
    mirror: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.web.edgar.submissions._OLDER", 1)
    monkeypatch.setattr("edgar_search.web.edgar.submissions._LEAST_RECENT", 1)
    reply = await mirror.http.get("/Archives/edgar/daily-index/bulkdata/submissions.zip")
    with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
        older = json.loads(packed.read(f"CIK{CIK}-submissions-001.json"))
    assert older["accessionNumber"] == [ANNUAL.accession_number]


async def test_the_feed_has_the_submissions_of_a_day(mirror: Client) -> None:
    below = "/Archives/edgar/Feed/2021/QTR1"
    listed = (await mirror.get(f"{below}/index.json"))["directory"]["item"]
    assert [each["name"] for each in listed] == ["20210301.nc.tar.gz", "20210302.nc.tar.gz"]
    assert 'href="20210302.nc.tar.gz"' in (await mirror.http.get(f"{below}/")).text
    reply = await mirror.http.get(f"{below}/20210301.nc.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(reply.content), mode="r:gz") as packed:
        (member,) = packed.getmembers()
        file = packed.extractfile(member)
        assert file is not None
        assert (member.name, file.read()) == (f"{ANNUAL.accession_number}.txt", txt(ANNUAL))
    for name in ("20210401.nc.tar.gz", "20210303.nc.tar.gz", "20210231.nc.tar.gz", "x.zip"):
        assert (await mirror.http.get(f"{below}/{name}")).status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/submissions/CIK0000000007.json", 404),
        ("/submissions/CIK7.json", 404),
        ("/Archives/edgar/data/7/0009991500-21-000001.txt", 404),
        ("/Archives/edgar/data/x/0009991500-21-000001.txt", 404),
        ("/Archives/edgar/data/9991501/0009991500-21-999999.txt", 404),
        ("/Archives/edgar/data/9991501/0009991500-21-000001.pdf", 404),
        ("/Archives/edgar/data/9991501/000999150021000001/none.htm", 404),
        ("/Archives/edgar/data/9991501/000999150021000001/../report.htm", 404),
        ("/Archives/edgar/full-index/2021/QTR5/form.idx", 404),
        ("/Archives/edgar/full-index/2021/QTR1/form.Z", 404),
        ("/Archives/edgar/daily-index/2021/QTR1/form.20210231.idx", 404),
        ("/Archives/edgar/daily-index/2021/QTR1/form.20210501.idx", 404),
        ("/api/xbrl/companyfacts/CIK0000000007.json", 404),
        ("/api/xbrl/companyconcept/CIK0009991501/us-gaap/Nothing.json", 404),
        ("/api/xbrl/frames/us-gaap/Assets/USD/CY2023Q9.json", 400),
        ("/api/xbrl/frames/us-gaap/Assets/USD/CY1993.json", 404),
    ],
)
async def test_what_is_not_here_says_so(mirror: Client, path: str, status: int) -> None:
    reply = await mirror.http.get(path)
    assert (reply.status_code, list(reply.json())) == (status, ["error"])


async def test_a_key_may_be_in_the_path_and_is_needed(mirror: Client) -> None:
    key = mirror.http.headers.pop("x-api-key")
    path = f"/submissions/CIK{CIK}.json"
    assert (await mirror.http.get(path)).status_code == 401
    assert (await mirror.http.get(f"/efts/{key}{path}")).status_code == 200


@pytest.mark.parametrize("written", ["{}", "sk%255Flive%255F{}", "live_{}", "sk-live-{}"])
async def test_no_key_in_a_path_is_logged_however_it_is_written(
    mirror: Client, caplog: pytest.LogCaptureFixture, written: str
) -> None:
    key = mirror.http.headers.pop("x-api-key")
    secret = key.removeprefix("sk_live_")
    caplog.set_level("INFO")
    path = written.format(key if written == "{}" else secret)
    await mirror.http.get(f"/efts/{path}/submissions/CIK{CIK}.json")
    await mirror.http.get(f"/x/EFTS//{path}/x")
    logged = " ".join(str(vars(record)) for record in caplog.records if "edgar" in record.name)
    assert "/efts/" in logged
    assert secret not in logged


async def test_no_key_in_a_path_is_in_history_figures_or_errors(
    engine: Engine, settings: Settings
) -> None:
    shown = []
    opened = structs.replace(settings, mirror="keys", metrics="loopback")
    async with serving(engine, opened) as client:
        key = client.http.headers.pop("x-api-key")
        secret = key.removeprefix("sk_live_")
        for given in (key, key[:-1] + "0", f"x{secret}"):
            for path in (
                f"/submissions/CIK{CIK}.json",
                "/submissions/CIK7.json",
                "/cgi-bin/browse-edgar?action=x",
                "/Archives/edgar/full-index/2021/QTR1/index.json",
                f"/LATEST/search-index?q=tiles&api_key={key}",
                "/nothing",
            ):
                reply = await client.http.get(f"/efts/{given}{path}")
                shown += [reply.text, str(reply.headers)]
        shown.append((await client.http.get("/metrics")).text)
    assert "edgar_search_requests" in shown[-1]
    # What the service had not written yet it wrote as it ended.
    await engine.refresh("history")
    calls = (await engine.search("history", {"size": 1_000}, Hit)).hits.hits
    shown.append(str([hit.source for hit in calls]))
    assert "search-index" in shown[-1] or "efts" in shown[-1]
    assert [text for text in shown if secret[:-1] in text] == []
