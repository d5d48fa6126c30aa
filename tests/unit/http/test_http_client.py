"""Outgoing HTTP: identity, bounds, and one kind of error, over a real socket."""

import asyncio
import gzip
import itertools
import os
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

import pytest

from edgar_search.errors import FetchFailed
from edgar_search.http_client import HttpClient
from tests.support.issuer import Answer, Issuer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    async with HttpClient("edgar-search tests (mail@example.org)", timeout=5) as http:
        yield http


async def failure(http: HttpClient, url: str, max_bytes: int = 1_000) -> str:
    with pytest.raises(FetchFailed) as caught:
        await http.get(url, max_bytes=max_bytes)
    return str(caught.value)


async def test_reply_has_status_headers_in_any_case_and_body(
    http: HttpClient, issuer: Issuer
) -> None:
    issuer.answers["/a?b=1"] = Answer(b"body", 404, {"X-Name": "value"})
    reply = await http.get(issuer.url + "/a?b=1")
    assert (reply.status, reply.headers["x-name"], reply.body) == (404, "value", b"body")


async def test_request_says_who_asks_and_takes_further_headers(
    http: HttpClient, issuer: Issuer
) -> None:
    await http.get(issuer.url + "/", {"Accept": "application/json"})
    assert issuer.headers["User-Agent"] == "edgar-search tests (mail@example.org)"
    assert issuer.headers["Accept"] == "application/json"


async def test_body_may_be_as_long_as_the_bound(http: HttpClient, issuer: Issuer) -> None:
    issuer.answers["/"] = Answer(b"x" * 1_000)
    assert len((await http.get(issuer.url + "/", max_bytes=1_000)).body) == 1_000


@pytest.mark.parametrize("body", [b"x" * 1_001, itertools.repeat(b"x" * 65_536)])
async def test_longer_body_is_given_up(
    body: bytes | Iterable[bytes], http: HttpClient, issuer: Issuer
) -> None:
    issuer.answers["/"] = Answer(body)
    assert await failure(http, issuer.url + "/") == "127.0.0.1 sent more than 1000 bytes"


async def test_bound_counts_what_was_compressed(http: HttpClient, issuer: Issuer) -> None:
    bomb = gzip.compress(b"0" * 100_000_000)
    issuer.answers["/"] = Answer(bomb, headers={"Content-Encoding": "gzip"})
    text = await failure(http, issuer.url + "/", max_bytes=200_000)
    assert text == "127.0.0.1 sent more than 200000 bytes"


async def test_compressed_body_is_read(http: HttpClient, issuer: Issuer) -> None:
    issuer.answers["/"] = Answer(gzip.compress(b"body"), headers={"Content-Encoding": "gzip"})
    assert (await http.get(issuer.url + "/")).body == b"body"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_is_an_answer_and_not_followed(
    status: int, http: HttpClient, issuer: Issuer
) -> None:
    issuer.answers["/"] = Answer(status=status, headers={"Location": issuer.url + "/other"})
    assert (await http.get(issuer.url + "/")).status == status
    assert issuer.asked == ["/"]


async def test_cookies_are_not_kept(http: HttpClient, issuer: Issuer) -> None:
    issuer.answers["/"] = Answer(headers={"Set-Cookie": "name=value"})
    # An address has no cookies, a name may have.
    url = issuer.url.replace("127.0.0.1", "localhost")
    await http.get(url + "/")
    await http.get(url + "/")
    assert "Cookie" not in issuer.headers


async def test_answer_that_does_not_come_in_time_is_given_up(issuer: Issuer) -> None:
    issuer.open.clear()
    async with HttpClient("edgar-search tests", timeout=0.1) as http:
        text = await failure(http, issuer.url + "/")
    assert text.startswith("no usable answer from 127.0.0.1: ")
    issuer.open.set()


async def test_answer_that_never_ends_is_given_up_in_time(issuer: Issuer) -> None:
    def drops() -> Iterator[bytes]:
        while True:
            time.sleep(0.02)
            yield b"x"

    issuer.answers["/"] = Answer(drops())
    async with HttpClient("edgar-search tests", timeout=0.3) as http:
        async with asyncio.timeout(3):
            text = await failure(http, issuer.url + "/")
    assert text == "no usable answer from 127.0.0.1: no answer in time"


async def test_server_that_is_away_is_a_failure(http: HttpClient, issuer: Issuer) -> None:
    issuer.stop()
    text = await failure(http, issuer.url + "/")
    assert text == "no usable answer from 127.0.0.1: no connection"
    issuer.start()


async def test_certificate_that_nobody_vouches_for_is_a_failure(
    http: HttpClient, issuer: Issuer, tmp_path: Path
) -> None:
    issuer.use_tls(tmp_path)
    text = await failure(http, issuer.url + "/")
    assert text == (
        "no usable answer from localhost: its certificate is not trusted, or it does not speak TLS"
    )
    assert issuer.asked == []


async def test_answer_cut_short_is_a_failure(http: HttpClient, issuer: Issuer) -> None:
    issuer.answers["/"] = Answer(b"body", headers={"Content-Length": "100"})
    text = await failure(http, issuer.url + "/")
    assert text == "no usable answer from 127.0.0.1: the connection broke off"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "http://",
        "http://[",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "http://a..b/",
    ],
)
async def test_url_that_cannot_be_asked_is_a_failure(url: str, http: HttpClient) -> None:
    assert (await failure(http, url)).startswith("no usable answer from ")


async def test_failure_does_not_repeat_the_url(http: HttpClient, issuer: Issuer) -> None:
    issuer.stop()
    text = await failure(http, issuer.url + "/path?key=secret")
    assert "path" not in text and "secret" not in text
    issuer.start()


async def test_authority_of_the_environment_vouches_for_a_certificate(
    issuer: Issuer, tmp_path: Path
) -> None:
    authority = issuer.use_tls(tmp_path)
    program = (
        "import asyncio, sys\n"
        "from edgar_search.http_client import HttpClient\n"
        "async def ask():\n"
        "    async with HttpClient('tests', 5) as http:\n"
        "        form = await http.post(sys.argv[1], b'a=1', {'Content-Type': 'text/plain'})\n"
        "        print((await http.get(sys.argv[1])).status, form.status)\n"
        "asyncio.run(ask())\n"
    )
    environment = {**os.environ, "SSL_CERT_FILE": str(authority)}
    asking = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, f"{issuer.url}/", env=environment, stdout=PIPE
    )
    said, _ = await asking.communicate()
    assert said.split() == [b"404", b"400"]
