"""Clients that are silent, slow or too many, against a worker with short time-outs."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.support.replaced_constants import program
from tests.web.process import REPLY_SECONDS, Process, parsed, request, running_service

pytestmark = pytest.mark.anyio
# Time-outs of a second, which the looking for them makes longer by up to a half.
SHORT = {"_HEADER_SECONDS": 1, "_BODY_SECONDS": 1, "_BODY_RATE": 1_000}
PROGRAM = program({f"web.connections.{name}": value for name, value in SHORT.items()})
SOON = 4.0
LIVE = request(b"/health/live", close=False)
POST = b"POST /v2/entity_lookup HTTP/1.1\r\nHost: a\r\n"
TOO_SLOW = {"error": "the request did not arrive in time"}
NO_ROOM = {"error": "there are too many connections; try again later"}
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(scope="module")
async def service(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Process]:
    folder = tmp_path_factory.mktemp("service")
    async with running_service(folder, settings={"KEEP_ALIVE": "1"}, program=PROGRAM) as process:
        yield process


async def connected(service: Process) -> Pair:
    return await asyncio.open_connection("127.0.0.1", service.port)


async def last_answer(pair: Pair) -> bytes:
    """Return all that comes until the service closes the connection, which it must do soon."""
    try:
        return await asyncio.wait_for(pair[0].read(), SOON)
    finally:
        pair[1].close()


async def test_silent_connection_is_closed(service: Process) -> None:
    assert await last_answer(await connected(service)) == b""


HALVES = {
    "request line": b"GET /health/li",
    "headers": b"GET /health/live HTTP/1.1\r\nHost: a\r\n",
    "body": POST + b"Content-Length: 10\r\n\r\n{",
    "chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    "trailers": POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n",
}


@pytest.mark.parametrize("case", HALVES)
async def test_half_a_request_is_refused_when_its_time_is_over(service: Process, case: str) -> None:
    pair = await connected(service)
    pair[1].write(HALVES[case])
    reply = parsed(await last_answer(pair))
    assert (reply.status, reply.json()) == (408, TOO_SLOW)
    assert len(reply.headers["x-request-id"]) == 32


@pytest.mark.parametrize("case", HALVES)
async def test_half_a_request_after_a_whole_one_is_refused_too(service: Process, case: str) -> None:
    pair = await connected(service)
    pair[1].write(LIVE + HALVES[case])
    first, _, rest = (await last_answer(pair)).partition(b'{"status":"ok"}')
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert parsed(rest).status == 408


@pytest.mark.parametrize(
    "start", [b"GET / HTTP/1.1\r\nX: ", POST + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n"]
)
async def test_single_bytes_do_not_gain_time(service: Process, start: bytes) -> None:
    reader, writer = await connected(service)
    writer.write(start)
    answer = asyncio.create_task(last_answer((reader, writer)))
    began = time.monotonic()
    while not answer.done():
        writer.write(b"x")
        await asyncio.sleep(0.05)
    assert parsed(await answer).status == 408
    assert time.monotonic() - began < SOON


async def test_body_of_the_least_rate_is_waited_for(service: Process) -> None:
    reader, writer = await connected(service)
    writer.write(POST + b"Connection: close\r\nContent-Length: 4000\r\n\r\n")
    for _ in range(8):
        writer.write(b" " * 500)
        await asyncio.sleep(0.3)
    assert parsed(await last_answer((reader, writer))).status == 401


async def test_connection_that_is_used_no_more_is_closed(service: Process) -> None:
    pair = await connected(service)
    pair[1].write(LIVE)
    assert (await last_answer(pair)).endswith(b'{"status":"ok"}')


async def test_connection_in_use_stays(service: Process) -> None:
    reader, writer = await connected(service)
    for _ in range(5):
        writer.write(LIVE)
        assert await asyncio.wait_for(reader.readuntil(b'{"status":"ok"}'), REPLY_SECONDS)
        await asyncio.sleep(0.5)
    writer.close()


async def test_sockets_that_stay_silent_are_gone_after_their_time(service: Process) -> None:
    pairs = [await connected(service) for _ in range(150)]
    for number, pair in enumerate(pairs):
        pair[1].write([b"", b"GET /", POST][number % 3])
    assert (await service.ask(request(b"/health/live"))).status == 200
    await asyncio.gather(*[last_answer(pair) for pair in pairs])


@pytest.fixture(scope="module")
async def narrow(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Process]:
    settings = {"CONNECTIONS": "20", "CONNECTIONS_PER_ADDRESS": "5"}
    async with running_service(tmp_path_factory.mktemp("narrow"), settings=settings) as process:
        yield process


async def answering(service: Process) -> Pair:
    """Return a connection that has had an answer, and stays."""
    pair = await connected(service)
    pair[1].write(LIVE)
    await asyncio.wait_for(pair[0].readuntil(b'{"status":"ok"}'), REPLY_SECONDS)
    return pair


async def test_one_connection_too_many_is_turned_away_and_told(narrow: Process) -> None:
    held = [await answering(narrow) for _ in range(5)]
    reply = await narrow.ask(LIVE)
    assert (reply.status, reply.json()) == (503, NO_ROOM)
    assert reply.headers["retry-after"] == "5"
    assert reply.headers["connection"] == "close"
    assert len(reply.headers["x-request-id"]) == 32
    held.pop()[1].close()
    await asyncio.sleep(0.2)
    assert (await narrow.ask(request(b"/health/live"))).status == 200
    for pair in held:
        pair[1].close()
    await asyncio.sleep(0.2)


async def test_crowd_that_is_turned_away_does_not_disturb_those_who_are_there(
    narrow: Process,
) -> None:
    reader, writer = await answering(narrow)
    crowd = [await connected(narrow) for _ in range(300)]
    for _ in range(20):
        writer.write(LIVE)
        answer = await asyncio.wait_for(reader.readuntil(b'{"status":"ok"}'), REPLY_SECONDS)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    for other in [writer, *[pair[1] for pair in crowd]]:
        other.close()
