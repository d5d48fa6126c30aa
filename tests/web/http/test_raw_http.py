"""HTTP that is endless, broken, doubled or out of order: over a raw socket to a worker."""

import asyncio
import re
import time
from collections.abc import Iterable

import psutil
import pytest

from tests.support.refusals import BODY_TOO_LONG, HEADERS_TOO_LONG, NO_HTTP, NO_PATH, URI_TOO_LONG
from tests.web.canned import KEY
from tests.web.process import REPLY_SECONDS, Process, Reply, parsed, request

pytestmark = pytest.mark.anyio
AUTH = b"X-API-Key: " + KEY.encode()
LIVE = b"GET /health/live HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /v2/entity_lookup HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
TOO_MANY_HEADERS = {"error": "there are more than 100 headers"}
FRAMING_TOO_LONG = {
    "error": "the sizes and extensions of chunks and the trailers have more than 65536 bytes"
}
TOO_MANY_PIECES = {"error": "the body comes in more than 4096 pieces; send larger ones"}
ONE_HOST = {"error": "Host: must be given once"}
# More than the service may take of what it will refuse.
ENDLESS = 8_000_000
BLOCK = 100_000


def responses(data: bytes) -> list[Reply]:
    """Return all responses that came one after the other."""
    found = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        match = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
        assert match is not None, head
        size = len(head) + 4 + int(match[1])
        found.append(parsed(data[:size]))
        data = data[size:]
    return found


async def poured(service: Process, start: bytes, blocks: Iterable[bytes]) -> tuple[bytes, int]:
    """Return the bytes that come back while this is sent, and the number that the service took.

    A reset that comes behind an answer, as on a slow machine, takes nothing of it away.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    answer = bytearray()

    async def read() -> None:
        while some := await reader.read(BLOCK):
            answer.extend(some)

    reading = asyncio.create_task(read())
    sent = 0
    try:
        writer.write(start)
        for block in blocks:
            writer.write(block)
            await writer.drain()
            await asyncio.sleep(0.002)
            sent += len(block)
            if reading.done():
                break
        await asyncio.wait_for(reading, REPLY_SECONDS)
    except ConnectionError:
        pass
    finally:
        reading.cancel()
        writer.close()
    return bytes(answer), sent


ENDLESS_CASES = {
    "one header": (LIVE + b"X-Long: ", b"x" * BLOCK, HEADERS_TOO_LONG),
    "many headers": (LIVE, b"X: y\r\n" * (BLOCK // 6), HEADERS_TOO_LONG),
    "one name": (LIVE, b"x" * BLOCK, HEADERS_TOO_LONG),
    "a URI": (b"GET /", b"x" * BLOCK, URI_TOO_LONG),
    "one trailer": (CHUNKED + b"\r\n0\r\nX-Long: ", b"x" * BLOCK, HEADERS_TOO_LONG),
    "many trailers": (CHUNKED + b"\r\n0\r\n", b"X: y\r\n" * (BLOCK // 6), HEADERS_TOO_LONG),
    "a chunk's extension": (CHUNKED + b"\r\n5;x=", b"x" * BLOCK, HEADERS_TOO_LONG),
    "many chunks' extensions": (
        CHUNKED + b"\r\n",
        (b"1;x=" + b"y" * 4_000 + b"\r\na\r\n") * 25,
        FRAMING_TOO_LONG,
    ),
    "blank lines": (b"", b"\r\n" * (BLOCK // 2), HEADERS_TOO_LONG),
}


@pytest.mark.parametrize("case", ENDLESS_CASES)
async def test_what_has_no_end_is_refused_once_it_is_too_long(service: Process, case: str) -> None:
    start, block, expected = ENDLESS_CASES[case]
    blocks = (block for _ in range(ENDLESS // BLOCK))
    answer, sent = await poured(service, start, blocks)
    reply = parsed(answer)
    assert (reply.status, reply.json()) == (414 if expected is URI_TOO_LONG else 431, expected)
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["connection"] == "close"
    assert sent < ENDLESS


async def test_hundred_headers_are_enough(service: Process) -> None:
    head = LIVE + b"Connection: close\r\n"
    assert (await service.ask(head + b"X: y\r\n" * 98 + b"\r\n")).status == 200
    reply = await service.ask(head + b"X: y\r\n" * 99 + b"\r\n")
    assert (reply.status, reply.json()) == (431, TOO_MANY_HEADERS)


CHUNK = b"1\r\n \r\n"


async def test_body_comes_in_so_many_pieces_and_no_more(service: Process) -> None:
    head = CHUNKED + b"Connection: close\r\n\r\n"
    assert (await service.ask(head + CHUNK * 4_000 + b"0\r\n\r\n")).status == 401
    reply = await service.ask(head + CHUNK * 4_097 + b"0\r\n\r\n")
    assert (reply.status, reply.json()) == (413, TOO_MANY_PIECES)
    assert reply.headers["connection"] == "close"


@pytest.mark.parametrize("target", [b"/nope", b"/v1/search", b"/health/live"])
async def test_answer_that_does_not_wait_for_the_body_ends_the_connection(
    service: Process, target: bytes
) -> None:
    """The rest is not parsed: neither that of the body nor a request after it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(request(target, b"Transfer-Encoding: chunked", AUTH, method=b"POST", close=False))
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), REPLY_SECONDS)
    writer.write(CHUNK + b"0\r\n\r\n" + LIVE + b"\r\n" + GARBAGE)
    rest = await asyncio.wait_for(reader.read(), REPLY_SECONDS)
    writer.close()
    [reply] = responses(head + rest)
    assert (reply.status, reply.headers["connection"]) == (
        404 if target == b"/nope" else 405,
        "close",
    )


async def test_answer_to_a_request_with_a_whole_body_keeps_the_connection(service: Process) -> None:
    ignored = request(b"/nope", b"Content-Length: 2", method=b"POST", close=False) + b"{}"
    replies = responses(await service.send(ignored + request(b"/health/live")))
    assert [reply.status for reply in replies] == [404, 200]


LENGTH = (b"Content-Length: 1048577\r\n\r\n", b" " * 1_048_577)
CHUNKS = (
    b"Transfer-Encoding: chunked\r\n\r\n",
    (b"10000\r\n" + b" " * 65_536 + b"\r\n") * 17 + b"0\r\n\r\n",
)


@pytest.mark.parametrize(
    ("target", "framing", "body", "status", "error"),
    [
        (b"/v2/entity_lookup", *LENGTH, 413, BODY_TOO_LONG),
        (b"/v2/entity_lookup", *CHUNKS, 413, BODY_TOO_LONG),
        (b"/nope", *LENGTH, 413, BODY_TOO_LONG),
        (b"/nope", *CHUNKS, 404, NO_PATH),
    ],
)
async def test_request_behind_a_body_that_is_too_large_does_not_run(
    service: Process, target: bytes, framing: bytes, body: bytes, status: int, error: dict[str, str]
) -> None:
    head = b"POST " + target + b" HTTP/1.1\r\nHost: a\r\n" + framing
    [reply] = responses(await service.send(head + body + LIVE + b"\r\n"))
    assert (reply.status, reply.json()) == (status, error)
    assert reply.headers["connection"] == "close"
    assert "Traceback" not in service.log.read_text()


async def test_endless_headers_cost_no_memory(service: Process) -> None:
    process = psutil.Process(service.pid)
    await service.ask(request(b"/health/live"))
    before = process.memory_info().rss
    for case in ENDLESS_CASES.values():
        await asyncio.gather(
            *[poured(service, case[0], (case[1] for _ in range(ENDLESS // BLOCK))) for _ in "1234"]
        )
    assert process.memory_info().rss - before < 30_000_000


async def test_long_headers_keep_nobody_waiting(service: Process) -> None:
    pouring = [
        asyncio.create_task(
            poured(service, LIVE + b"X-Long: ", (b"x" * BLOCK for _ in range(ENDLESS // BLOCK)))
        )
        for _ in range(4)
    ]
    slowest = 0.0
    while not all(task.done() for task in pouring):
        began = time.perf_counter()
        assert (await service.ask(request(b"/health/live"))).status == 200
        slowest = max(slowest, time.perf_counter() - began)
    await asyncio.gather(*pouring)
    assert slowest < 2.0


@pytest.mark.parametrize(
    "trailer", [AUTH, b"Authorization: Bearer x", b"X-Request-Id: of-the-trailer"]
)
async def test_trailer_is_no_header(service: Process, trailer: bytes) -> None:
    data = CHUNKED + b"Connection: close\r\n\r\n2\r\n{}\r\n0\r\n" + trailer + b"\r\n\r\n"
    reply = await service.ask(data)
    assert (reply.status, reply.json()) == (401, {"error": "Invalid or missing API key"})
    assert reply.headers["x-request-id"] != "of-the-trailer"


GARBAGE = b"garbage garbage\r\n\r\n"


@pytest.mark.parametrize("pieces", [1, 2])
async def test_good_request_is_answered_before_the_garbage_after_it(
    service: Process, pieces: int
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    good = request(b"/v1/search?query=sales", AUTH, close=False)
    for data in [good + GARBAGE] if pieces == 1 else [good, GARBAGE]:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0.05 * (pieces - 1))
    first, second = responses(await asyncio.wait_for(reader.read(), REPLY_SECONDS))
    writer.close()
    assert first.status == 200
    assert (second.status, second.json()) == (400, NO_HTTP)
    assert second.headers["connection"] == "close"


async def test_all_good_requests_are_answered_before_the_garbage(service: Process) -> None:
    good = request(b"/v1/search?query=sales", AUTH, close=False)
    replies = responses(await service.send(good * 3 + GARBAGE + good))
    assert [reply.status for reply in replies] == [200, 200, 200, 400]


async def test_broken_body_of_a_waiting_request_is_refused_in_its_turn(service: Process) -> None:
    good = request(b"/v1/search?query=sales", AUTH, close=False)
    replies = responses(await service.send(good + CHUNKED + b"\r\nnonsense\r\n"))
    assert [reply.status for reply in replies] == [200, 400]


async def test_broken_body_is_refused(service: Process) -> None:
    reply = await service.ask(CHUNKED + b"\r\nnonsense\r\n")
    assert (reply.status, reply.json()) == (400, NO_HTTP)


async def test_three_pipelined_requests_are_answered_in_their_order(service: Process) -> None:
    targets = [b"/v1/search?query=sales", b"/health/live", b"/nowhere"]
    requests = [request(target, AUTH, close=False) for target in targets]
    replies = responses(await service.send(b"".join(requests) + request(b"/health/ready")))
    assert [reply.status for reply in replies] == [200, 200, 404, 200]


async def test_pipeline_that_is_too_long_is_answered_up_to_its_bound(service: Process) -> None:
    replies = responses(await service.send((LIVE + b"\r\n") * 500))
    assert [reply.status for reply in replies] == [200] * 33
    assert replies[-1].headers["connection"] == "close"


HOSTS = {
    "none": (b"GET /health/live HTTP/1.1\r\n", 400),
    "two": (LIVE + b"Host: b\r\n", 400),
    "twice the same": (LIVE + b"Host: a\r\n", 400),
    "two in HTTP/1.0": (b"GET /health/live HTTP/1.0\r\nHost: a\r\nHost: a\r\n", 400),
    "one": (LIVE, 200),
    "an empty one": (b"GET /health/live HTTP/1.1\r\nHost:\r\n", 200),
    "none in HTTP/1.0": (b"GET /health/live HTTP/1.0\r\n", 200),
    "absolute URI and one": (b"GET http://b/health/live HTTP/1.1\r\nHost: a\r\n", 200),
    "absolute URI and none": (b"GET http://b/health/live HTTP/1.1\r\n", 400),
}


@pytest.mark.parametrize("case", HOSTS)
async def test_host_is_given_once(service: Process, case: str) -> None:
    head, status = HOSTS[case]
    reply = await service.ask(head + b"Connection: close\r\n\r\n")
    assert (reply.status, reply.json()) == (status, ONE_HOST if status == 400 else {"status": "ok"})


SMUGGLING = {
    "length and chunks": (b"Content-Length: 5", b"Transfer-Encoding: chunked"),
    "chunks and length": (b"Transfer-Encoding: chunked", b"Content-Length: 5"),
    "two lengths": (b"Content-Length: 5", b"Content-Length: 6"),
    "two equal lengths": (b"Content-Length: 5", b"Content-Length: 5"),
    "a list of lengths": (b"Content-Length: 5, 5",),
    "length with a sign": (b"Content-Length: +5",),
    "chunks that are not last": (b"Transfer-Encoding: chunked, identity",),
    "unknown coding": (b"Transfer-Encoding: xchunked",),
    "blank before the colon": (b"Content-Length : 5",),
    "blank in a name": (b"Content Length: 5",),
    "folded line": (b"X-One: 1\r\n Content-Length: 5",),
    "first line folded": (b" X-One: 1",),
    "no name": (b": 5",),
    "bare CR": (b"X-One: 1\rContent-Length: 5",),
    "NUL": (b"X-One: \x00",),
}


@pytest.mark.parametrize("case", SMUGGLING)
async def test_request_that_two_could_read_differently_is_refused(
    service: Process, case: str
) -> None:
    data = POST + b"\r\n".join(SMUGGLING[case]) + b"\r\n\r\n0\r\n\r\n" + LIVE + b"\r\n"
    [reply] = responses(await service.send(data))
    assert (reply.status, reply.json()) == (400, NO_HTTP)


@pytest.mark.parametrize(
    "data",
    [
        LIVE.replace(b"\r\n", b"\n") + b"\n",
        LIVE + b"X: y\nZ: 1\r\n\r\n",
        CHUNKED + b"\r\n2\n{}\r\n0\r\n\r\n",
        CHUNKED + b"\r\n2\r\n{}0\r\n\r\n",
        CHUNKED + b"\r\n-2\r\n{}\r\n0\r\n\r\n",
        CHUNKED + b"\r\n2 \r\n{}\r\n0\r\n\r\n",
        CHUNKED + b"\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    ],
)
async def test_line_ends_and_chunks_are_read_strictly(service: Process, data: bytes) -> None:
    reply = await service.ask(data)
    assert (reply.status, reply.json()) == (400, NO_HTTP)


async def test_nothing_that_follows_a_wish_to_upgrade_is_a_request(service: Process) -> None:
    upgrade = LIVE + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    [reply] = responses(await service.send(upgrade + LIVE + b"\r\n"))
    assert (reply.status, reply.headers["connection"]) == (200, "close")


async def test_wish_to_upgrade_with_a_body_is_refused(service: Process) -> None:
    data = POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 40\r\n\r\n" + LIVE
    reply = await service.ask(data)
    expected = {"error": "a request with a body cannot ask for another protocol"}
    assert (reply.status, reply.json()) == (400, expected)


async def test_body_that_nobody_reads_is_not_read_for_ever(service: Process) -> None:
    blocks = (b"%x\r\n%s\r\n" % (BLOCK, b"x" * BLOCK) for _ in range(ENDLESS // BLOCK))
    start = LIVE + b"Transfer-Encoding: chunked\r\n\r\n"
    answer, sent = await poured(service, start, blocks)
    assert parsed(answer).status == 200
    assert sent < ENDLESS


@pytest.mark.parametrize("target", [b"/health/live", b"/nowhere", b"/v1/search", b"/\xff"])
async def test_no_answer_is_taken_for_something_else(service: Process, target: bytes) -> None:
    reply = await service.ask(request(target))
    assert reply.headers["x-content-type-options"] == "nosniff"
