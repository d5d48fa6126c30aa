"""`edgar-search search`: its options, what it prints, and how it asks a service."""

import asyncio
import csv
import io
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from edgar_search import cli
from edgar_search.api.search import SEARCH
from edgar_search.commands import given
from edgar_search.commands.output import Csv, JsonLines, TextOutput

KEY = "sk_live_0123456789ABCDEFGHIJKLMG92o0"
ITEM = {
    "related_company_names": ["MOSS & CO", "FERN"],
    "ciks": ["0000000001", "0000000002"],
    "accnum": "0000000001-21-000001",
    "filename": "a.htm",
    "filing_date": "2021-01-05",
    "form_type": "10-K",
    "snippet": "...R&amp;D of <mark>moss</mark> \x1b[31m is &lt;red&gt;...",
    "score": 0.5,
    "document_id": "0000000001-21-000001-1",
    "primary": True,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def parsed(*arguments: str) -> dict[str, list[str]]:
    return given.raw_parameters(cli.make_parser("search").parse_args(["search", *arguments]))


def test_options_are_the_declared_parameters() -> None:
    assert parsed("moss") == {"query": ["moss"]}
    given = ["--cik", "1,2", "--cik", "3", "--primary", "--sort", "newest", "--form-type", "10-K"]
    assert parsed("moss", *given, "--limit", "7") == {
        "query": ["moss"],
        "cik": ["1,2", "3"],
        "form_type": ["10-K"],
        "primary": ["true"],
        "limit": ["7"],
        "sort": ["newest"],
    }


def test_every_parameter_of_a_search_has_its_option() -> None:
    text = cli.make_parser("search").parse_args(["search", "moss"])
    names = {parameter.name for parameter in SEARCH.parameters} - {"api_key", "cursor"}
    assert names <= set(vars(text))


@pytest.mark.parametrize(
    ("stream", "marked"), [(io.StringIO(), "moss"), (Terminal(), "\x1b[1mmoss\x1b[0m")]
)
def test_text_is_for_people(stream: io.StringIO, marked: str) -> None:
    output = TextOutput(stream)
    output.item(ITEM)
    output.end()
    head, place, more, snippet, end = stream.getvalue().split("\n", 4)
    assert head.removeprefix("\x1b[1m").removesuffix("\x1b[0m") == (
        "1. MOSS & CO; FERN, 10-K, 2021-01-05"
    )
    assert place == "0000000001-21-000001-1 a.htm"
    assert more == "primary: true"
    # What a filer wrote for a terminal does nothing there.
    assert snippet == f"...R&D of {marked}  [31m is <red>..."
    assert end == "\n"


def test_json_lines_are_items_as_they_came() -> None:
    stream = io.StringIO()
    output = JsonLines(stream)
    output.item(ITEM)
    output.item(ITEM)
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [ITEM, ITEM]


def test_csv_has_a_column_for_each_field() -> None:
    stream = io.StringIO()
    output = Csv(stream)
    output.item({**ITEM, "other_documents": [ITEM]})
    output.end()
    names, row = csv.reader(io.StringIO(stream.getvalue()))
    assert dict(zip(names, row, strict=True)) == {
        **{name: str(value) for name, value in ITEM.items()},
        "related_company_names": "MOSS & CO; FERN",
        "ciks": "0000000001; 0000000002",
        "snippet": "...R&D of moss \x1b[31m is <red>...",
        "primary": "true",
    }


def test_csv_without_items_has_its_names() -> None:
    stream = io.StringIO()
    Csv(stream).end()
    assert stream.getvalue().startswith("related_company_names,ciks,accnum,")


class Service(ThreadingHTTPServer):
    """Answers a walk of three pages, once busy on the way."""

    asked: list[dict[str, list[str]]]
    answers: list[tuple[int, dict[str, str], dict[str, Any]]]


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        assert self.headers["X-API-Key"] == KEY
        assert urlsplit(self.path).path == "/behind/v1/search"
        self.server.asked.append(parse_qs(urlsplit(self.path).query))
        status, headers, answer = self.server.answers.pop(0)
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    server = Service(("127.0.0.1", 0), Handler)
    server.asked, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"EDGAR_SEARCH_KEY": KEY})


def search(service: Service, *arguments: str) -> int:
    url = f"http://127.0.0.1:{service.server_address[1]}/behind/"
    return cli.main(["search", "moss", "--url", url, *arguments])


def page(number: int, cursor: str | None) -> dict[str, Any]:
    items = [{**ITEM, "document_id": f"{number}"}]
    return {"total_count": 3, "items": items, "warnings": ["query: hm"], "next_cursor": cursor}


def test_all_pages_of_a_service_are_printed(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    service.answers = [
        (200, {}, page(1, "two")),
        (503, {"Retry-After": "7"}, {"error": "busy"}),
        (200, {}, page(2, "three")),
        (200, {}, page(3, None)),
    ]
    assert search(service, "--all", "--format", "jsonl", "--sort", "newest") == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["document_id"] for line in out.splitlines()] == ["1", "2", "3"]
    assert err == "edgar-search: query: hm\nedgar-search: 3 of 3\n"
    assert service.asked == [
        {"limit": ["100"], "query": ["moss"], "sort": ["newest"], "cursor": ["*"]},
        {"cursor": ["two"]},
        {"cursor": ["two"]},
        {"cursor": ["three"]},
    ]
    assert 7 in waited


def test_one_page_says_that_there_are_more(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers = [(200, {}, page(1, None))]
    assert search(service, "--limit", "1") == 0
    assert capsys.readouterr().err.endswith("edgar-search: 1 of 3; --all prints all\n")
    assert service.asked == [{"query": ["moss"], "limit": ["1"]}]


@pytest.mark.parametrize(
    ("status", "headers", "answer", "said"),
    [
        (401, {}, {"error": "Invalid API key"}, "the service answered 401: Invalid API key"),
        (429, {"Retry-After": "864000"}, {"error": "used up"}, "the service answered 429: used up"),
        (502, {}, {}, "the service answered 502: no reason given"),
    ],
)
def test_refusal_of_a_service_is_told_and_its_key_is_not(
    service: Service,
    capsys: pytest.CaptureFixture[str],
    status: int,
    headers: dict[str, str],
    answer: dict[str, Any],
    said: str,
) -> None:
    service.answers = [(status, headers, answer)]
    assert search(service, "--key", KEY) == 1
    assert capsys.readouterr() == ("", f"edgar-search: {said}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--url", "http://x", "--key", ""], "--url needs a key: --key, or EDGAR_SEARCH_KEY"),
        (["--url", "x", "--key", KEY], "--url: must begin with http:// or https://"),
    ],
)
def test_what_a_service_cannot_be_asked_with(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.setattr(os, "environ", {})
    assert cli.main(["search", "moss", *arguments]) == 1
    assert capsys.readouterr().err == f"edgar-search: {said}\n"
