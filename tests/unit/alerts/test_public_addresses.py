"""Addresses that requests to users' addresses reach, and all others, which they do not."""

import asyncio
import socket
from typing import Any

import pytest

from edgar_search.alerts.webhooks import Webhooks
from edgar_search.errors import BadRequest, FetchFailed
from edgar_search.http_client import HttpClient, is_public, public_socket
from edgar_search.settings import Settings
from tests.support.every_address import (
    FORBIDDEN,
    LOOPBACK,
    PUBLIC,
    ask_every_address,
    can_have_every_address,
)

NOT_PUBLIC = [
    *("0.0.0.0", "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1"),
    *("169.254.169.254", "192.0.0.192", "168.63.129.16", "100.100.100.200", "224.0.0.1"),
    *("239.255.255.250", "255.255.255.255", "198.18.0.1", "192.0.2.1", "240.0.0.1"),
    *("192.88.99.1", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1"),
    *("64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:7f00:1::", "fe80::1"),
    *("fe80::1%1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1", "localhost"),
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])
def test_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.anyio
@pytest.mark.parametrize("host", LOOPBACK)
async def test_this_machine_is_never_connected_to(host: str) -> None:
    connected = []

    def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer.get_extra_info("peername"))
        writer.close()

    server = await asyncio.start_server(note, None, 0, family=socket.AF_INET)
    port = server.sockets[0].getsockname()[1]
    async with server, HttpClient("test", 5.0, public_socket) as client:
        with pytest.raises(FetchFailed):
            await client.post(f"http://{host}:{port}/", b"{}", {})
    assert connected == []


@pytest.mark.anyio
async def test_name_that_leads_elsewhere_when_it_is_connected_to_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected = []

    def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async def look_up(*given: object, **more: object) -> object:
        return found

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    async with server, HttpClient("test", 5.0, public_socket) as client:
        with pytest.raises(FetchFailed):
            await client.post(f"http://rebinding.example:{port}/", b"{}", {})
    assert connected == []


def test_listener_at_every_address_is_asked_at_public_ones_only() -> None:
    if not can_have_every_address():
        pytest.skip("needs a network namespace, by unshare and ip")
    reached = ask_every_address()
    assert len({*reached.unchecked} & {*FORBIDDEN}) >= 30
    assert reached.checked == [*PUBLIC]
    # A name that is public when it is first looked up, then not; the last time without the check.
    assert reached.turning == [True, False, True]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://localhost/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://intranet/",
        "https://user:word@example.com/",
        "https://example.com/#part",
        "https://example.com:0/",
        "https://example.com:port/",
        "ftp://example.com/",
        "example.com",
    ],
)
def test_address_that_is_never_asked_is_no_webhook(url: str) -> None:
    nothing: Any = None
    with pytest.raises(BadRequest, match="^`url` must "):
        Webhooks(nothing, Settings()).check_url(url)
