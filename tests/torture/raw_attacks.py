"""Attacks below the level of requests: bytes over a socket, without an end or made to be dear."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

_BLOCK = 100_000
_PIPELINED = 64


class Stream(NamedTuple):
    """The bytes sent over one connection: a beginning, then a block again and again.

    `status` is how the service answers first.
    """

    begin: bytes
    block: bytes
    status: int


def _head(line: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join([line + b" HTTP/1.1", b"Host: 127.0.0.1", *headers, b"", b""])


def _filled(unit: bytes) -> bytes:
    return unit * (_BLOCK // len(unit))


def _posted(part: bytes) -> bytes:
    body = b'{"a":[' + part * (1_040_000 // len(part)) + b"1]}"
    return _head(b"POST /v2/entity_lookup", b"Content-Length: %d" % len(body)) + body


_CHUNKED = b"Transfer-Encoding: chunked"
_TO_V2 = _head(b"POST /v2/entity_lookup", _CHUNKED)
_CHUNKS = _filled(b"1\r\na\r\n")
_HEADERS = b"GET /nope HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"a:b\r\n" * 8_000 + b"\r\n"
_QUERY = _head(b"GET /v1/search?" + b"%41=%42&" * 4_000)
_COOKIES = _head(b"GET /search", b"Cookie: " + b'a="\\101\\102";' * 1_200)

# By their names in the table of all attacks. `{key}` in a beginning stands for the attacker's.
STREAMS: Mapping[str, Stream] = {
    "one-byte chunks to no path": Stream(_head(b"POST /nope", _CHUNKED), _CHUNKS, 404),
    "one-byte chunks to /v2": Stream(_TO_V2, _CHUNKS, 413),
    "one-byte chunks with a key": Stream(
        _head(b"GET /v1/search?query=marble", _CHUNKED, b"X-API-Key: {key}"), _CHUNKS, 413
    ),
    "one-byte chunks, Expect": Stream(
        _head(b"POST /v2/entity_lookup", _CHUNKED, b"Expect: 100-continue"), _CHUNKS, 100
    ),
    "chunk extensions": Stream(_TO_V2, _filled(b"1;x=y\r\na\r\n"), 413),
    "long chunk extensions": Stream(_TO_V2, _filled(b"1;x=" + b"y" * 12_000 + b"\r\na\r\n"), 431),
    "trailers": Stream(_TO_V2 + b"0\r\n", _filled(b"a:b\r\n"), 431),
    "tiny headers": Stream(b"", _HEADERS, 431),
    "pipelined requests": Stream(b"", _head(b"GET /nope") * _PIPELINED, 404),
    "HEAD with chunks": Stream(_head(b"HEAD /nope", _CHUNKED), _CHUNKS, 404),
    "bytes after a wish to upgrade": Stream(
        _head(b"GET /nope", b"Connection: Upgrade", b"Upgrade: h2c"), _CHUNKS, 404
    ),
    "bodies of empty arrays": Stream(b"", _posted(b"[],"), 401),
    "bodies of empty objects": Stream(b"", _posted(b"{},"), 401),
    "long encoded queries": Stream(b"", _QUERY, 401),
    "many cookies": Stream(b"", _COOKIES, 200),
}


async def pour(url: str, key: str, stream: Stream, answered: Callable[[int], None]) -> None:
    """Send a stream until the service closes the connection.

    `answered` is told the status of its first answer, 0 where that was lost.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
    reading = asyncio.create_task(_read(reader, answered))
    try:
        writer.write(stream.begin.replace(b"{key}", key.encode()))
        while not reading.done():
            writer.write(stream.block)
            await writer.drain()
            await asyncio.sleep(0)
    except OSError:
        await reading
    finally:
        reading.cancel()
        writer.close()


async def _read(reader: asyncio.StreamReader, answered: Callable[[int], None]) -> None:
    """All answers to their end."""
    told = False
    with suppress(OSError):
        while data := await reader.read(65_536):
            if not told:
                answered(int(data[9:12]))
            told = True
    if not told:
        answered(0)
