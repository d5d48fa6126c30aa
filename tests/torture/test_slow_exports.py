"""An export over a real connection whose client reads slower than it must, and continues later."""

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from edgar_search.settings import Settings
from tests.support.replaced_constants import program
from tests.torture.service import Target, serving

pytestmark = [pytest.mark.anyio, pytest.mark.long]
RATE = 200_000
# A tenth of what is needed, so that it takes a little more than half a minute.
READ_BYTES, PAUSE_SECONDS = 2_000, 0.1
_PROGRAM = program({"web.exports.READ_RATE": RATE, "web.long_answers.READ_RATE": RATE})
QUESTION = {"query": "the OR of", "what": "matches"}


@pytest.fixture
def hurrying(settings: Settings, tmp_path: Path) -> Iterator[Target]:
    """A service whose exports must be read at `RATE`."""
    with serving(settings, tmp_path, program=_PROGRAM) as target:
        yield target
        assert not target.faults()


def _records(body: bytes) -> tuple[list[bytes], list[dict[str, object]]]:
    """Return the whole lines of records, and the control records."""
    lines = body[: body.rfind(b"\n") + 1].splitlines()
    notes = [json.loads(line) for line in lines if line.startswith(b'{"records":')]
    return [line for line in lines if not line.startswith(b'{"records":')], notes


async def _read_slowly(target: Target) -> bytes:
    """Return the body of an export that is read a little at a time until the connection ends."""
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
        client.setblocking(False)
        await loop.sock_connect(client, ("127.0.0.1", target.port))
        target_line = f"GET /v1/export?{urlencode(QUESTION)} HTTP/1.1"
        head = f"{target_line}\r\nHost: test\r\nX-API-Key: {target.key}\r\n\r\n"
        await loop.sock_sendall(client, head.encode())
        received = b""
        while data := await loop.sock_recv(client, READ_BYTES):
            received += data
            await asyncio.sleep(PAUSE_SECONDS)
    return _unchunked(received.partition(b"\r\n\r\n")[2])


def _unchunked(body: bytes) -> bytes:
    """Return the contents of an answer's chunks; there is no last one if it was cut off."""
    held = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        held, body = held + body[: int(size, 16)], body[int(size, 16) + 2 :]
    return held


async def test_slow_export_ends_with_a_cursor_and_the_rest_is_what_is_missing(
    hurrying: Target,
) -> None:
    async with hurrying.client() as client:
        async with client.get(f"{hurrying.url}/v1/export", params=QUESTION) as reply:
            wanted, _ = _records(await reply.read())
        began = asyncio.get_running_loop().time()
        slow, notes = _records(await _read_slowly(hurrying))
        print(
            f"\n{len(slow)} of {len(wanted)} records in"
            f" {asyncio.get_running_loop().time() - began:.0f} s: {notes[-1]['error']}"
        )
        assert notes[-1]["complete"] is False
        given = {"cursor": str(notes[-1]["cursor"])}
        async with client.get(f"{hurrying.url}/v1/export", params=given) as reply:
            assert reply.status == 200
            rest, ends = _records(await reply.read())
    assert ends[-1] == {"records": len(wanted), "complete": True}
    assert 0 < len(slow) < len(wanted)
    assert slow + rest == wanted
