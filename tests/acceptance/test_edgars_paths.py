"""Each of EDGAR's paths that docs/clients.md lists, over the real corpus and a socket."""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.edgar.submission import parse_submission
from tests.acceptance.service import Service

# A report with XBRL and the SEC's own pages of it.
NUMBER = "0001193125-09-153165"
FOLDER = f"/Archives/edgar/data/320193/{NUMBER.replace('-', '')}"
QUARTER, DAY = "/Archives/edgar/full-index/2009/QTR3", "/Archives/edgar/daily-index/2009/QTR3"
BULK = "/Archives/edgar/daily-index"
BROWSE = "/cgi-bin/browse-edgar?action="
JSON, HTML, TEXT = "application/json", "text/html", "text/plain"
ATOM, GZIP, ZIP = "application/atom+xml", "application/gzip", "application/zip"
# What has an ETag and parts: the path, the type of the answer, and words in it.
FILES = [
    ("/submissions/CIK0000320193.json", JSON, NUMBER),
    ("/api/xbrl/companyfacts/CIK0000320193.json", JSON, '"us-gaap"'),
    ("/api/xbrl/companyfacts/CIK0000320193.json?all=true", JSON, '"aapl"'),
    ("/api/xbrl/companyconcept/CIK0000320193/us-gaap/Assets.json", JSON, "48140000000"),
    ("/api/xbrl/frames/us-gaap/Assets/USD/CY2009Q2I.json", JSON, "48140000000"),
    ("/api/xbrl/frames/us-gaap/EarningsPerShareBasic/USD-per-shares/CY2009Q2.json", JSON, "1.38"),
    (f"/Archives/edgar/data/320193/{NUMBER}.txt", TEXT, "<SEC-HEADER>"),
    (f"/Archives/edgar/data/320193/{NUMBER}-index.htm", HTML, "Document Format Files"),
    (f"{FOLDER}/", HTML, "Directory Listing"),
    (f"{FOLDER}/index.json", JSON, '"directory"'),
    (f"{FOLDER}/{NUMBER}.txt", TEXT, "<SEC-HEADER>"),
    (f"{FOLDER}/{NUMBER}-index.html", HTML, "Document Format Files"),
    (f"{FOLDER}/{NUMBER}-index-headers.html", HTML, "&lt;SEC-HEADER&gt;"),
    (f"{FOLDER}/{NUMBER}-index-headers.htm", HTML, "&lt;SEC-HEADER&gt;"),
    (f"{FOLDER}/aapl-20090627.xml", "application/xml", "<context"),
    (f"{FOLDER}/FilingSummary.xml", "application/xml", "<FilingSummary"),
    (f"{FOLDER}/R2.xml", "application/xml", "<InstanceReport"),
    (f"{QUARTER}/", HTML, "master.idx"),
    (f"{QUARTER}/index.json", JSON, "master.idx"),
    *((f"{QUARTER}/{kind}.idx", TEXT, NUMBER) for kind in ("form", "company", "master", "crawler")),
    *((f"{QUARTER}/{kind}.gz", GZIP, "") for kind in ("form", "company", "master", "crawler")),
    *((f"{QUARTER}/{kind}.zip", ZIP, "") for kind in ("form", "company", "master", "crawler")),
    (f"{DAY}/", HTML, "master.20090722.idx"),
    (f"{DAY}/index.json", JSON, "master.20090722.idx"),
    *(
        (f"{DAY}/{kind}.20090722.idx", TEXT, NUMBER)
        for kind in ("form", "company", "master", "crawler")
    ),
    (f"{DAY}/master.20090722.idx.gz", GZIP, ""),
    ("/Archives/edgar/Feed/2009/QTR3/", HTML, "20090722.nc.tar.gz"),
    ("/Archives/edgar/Feed/2009/QTR3/index.json", JSON, "20090722.nc.tar.gz"),
    (f"{BROWSE}getcurrent", ATOM, "<title>Latest Filings</title>"),
    (f"{BROWSE}getcompany&CIK=AAPL&type=10-Q&output=atom", ATOM, NUMBER),
    (f"{BROWSE}getcompany&CIK=320193&type=10-Q", HTML, NUMBER.replace("-", "")),
    ("/files/company_tickers.json", JSON, '"AAPL"'),
    ("/files/company_tickers_exchange.json", JSON, '"Nasdaq"'),
    ("/include/ticker.txt", TEXT, "aapl\t320193"),
]
# What is made while it is sent.
STREAMS = [
    # A file for each of ten thousand companies with a ticker: a minute.
    pytest.param(f"{BULK}/bulkdata/submissions.zip", ZIP, marks=pytest.mark.long),
    (f"{BULK}/xbrl/companyfacts.zip", ZIP),
    ("/Archives/edgar/Feed/2009/QTR3/20090722.nc.tar.gz", GZIP),
    ("/Archives/edgar/cik-lookup-data.txt", TEXT),
]


@pytest.mark.parametrize(("path", "media", "words"), FILES, ids=[each[0] for each in FILES])
def test_a_file_is_sent_whole_and_in_parts(
    service: Service, path: str, media: str, words: str
) -> None:
    whole = service.http.get(path)
    assert whole.status_code == 200, whole.text
    assert whole.headers["content-type"].partition(";")[0] == media
    assert words in whole.text
    etag = whole.headers["etag"]
    assert service.http.get(path, headers={"If-None-Match": etag}).status_code == 304
    part = service.http.get(path, headers={"Range": "bytes=10-19", "If-Range": etag})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    head = service.http.head(path)
    assert (head.headers["content-length"], head.content) == (str(len(whole.content)), b"")
    # Clients that can send no key have it in the path.
    in_path = service.http.get(f"/efts/{service.key}{path}", headers={"X-API-Key": ""})
    assert (in_path.status_code, in_path.headers["content-type"]) == (
        200,
        whole.headers["content-type"],
    )


@pytest.mark.parametrize(("path", "media"), STREAMS)
def test_a_stream_has_its_end(service: Service, path: str, media: str) -> None:
    whole = service.http.get(path)
    assert (whole.status_code, whole.headers["content-type"].partition(";")[0]) == (200, media)
    names = list(members(whole.content, media))
    assert len(names) > 0
    assert service.http.head(path).content == b""


def members(data: bytes, media: str) -> Iterator[str]:
    """Yield the names in a file, each of which can be unpacked."""
    if media == ZIP:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            assert packed.testzip() is None
            yield from packed.namelist()
    elif media == GZIP:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as packed_files:
            yield from packed_files.getnames()
    else:
        yield from data.decode("latin-1").splitlines()


def test_each_file_of_a_filing_is_as_filed(service: Service, corpus: Path) -> None:
    filed = gzip.decompress((corpus / "filings" / f"{NUMBER}.txt.gz").read_bytes())
    assert service.http.get(f"{FOLDER}/{NUMBER}.txt").content == filed
    listed = json.loads(service.http.get(f"{FOLDER}/index.json").content)["directory"]["item"]
    documents = {each.file_name: each for each in parse_submission(filed).documents}
    names = {each["name"] for each in listed}
    assert names == {*documents, f"{NUMBER}.txt"}
    assert {name for name in names if name.startswith("R") and name.endswith(".xml")}
    for name in documents:
        sent = service.http.get(f"{FOLDER}/{name}").content
        # A workbook is uuencoded in the submission, and sent as it was before.
        is_workbook = name.endswith(".xls") and sent.startswith(b"\xd0\xcf\x11\xe0")
        assert is_workbook or (sent in filed and sent), name


def test_index_files_of_other_forms_are_refused_with_words(service: Service) -> None:
    for path in (f"{QUARTER}/form.Z", f"{DAY}/form.20090722.Z"):
        reply = service.http.get(path)
        assert (reply.status_code, ".idx" in reply.json()["error"]) == (404, True), path
