"""The issuer for development: its key, its tokens, and where it must not be trusted."""

import socket
import stat
from pathlib import Path

import pytest
from joserfc.jwk import ECKey

from edgar_search.access.tokens import signed_token
from edgar_search.access.tokens.bearer import Identity, Tokens
from edgar_search.access.tokens.local_issuer import (
    ISSUER,
    LocalIssuer,
    is_loopback,
    refuse_unless_loopback,
)
from edgar_search.errors import BadRequest, InvalidBearerToken, SettingsError
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio


def tokens(home: Path, http: HttpClient) -> Tokens:
    return Tokens(Settings(home=home, local_issuer=True), http)


def key_file(home: Path) -> Path:
    [path] = home.iterdir()
    return path


async def test_token_names_its_subject_without_a_network(tmp_path: Path) -> None:
    # The client is not even open.
    taking = tokens(tmp_path, HttpClient("edgar-search tests", timeout=1))
    token = LocalIssuer(tmp_path).token("somebody")
    assert await taking.verify(token) == Identity(ISSUER, "somebody")


async def test_token_is_refused_where_the_local_issuer_is_off(
    tmp_path: Path, http: HttpClient
) -> None:
    token = LocalIssuer(tmp_path).token("somebody")
    with pytest.raises(InvalidBearerToken, match="no issuer of bearer tokens is configured"):
        await Tokens(Settings(home=tmp_path), http).verify(token)


async def test_token_of_another_home_is_refused(tmp_path: Path, http: HttpClient) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    LocalIssuer(mine).token("somebody")
    with pytest.raises(InvalidBearerToken, match="is not known here"):
        await tokens(mine, http).verify(LocalIssuer(other).token("somebody"))


async def test_without_a_key_every_token_is_refused(tmp_path: Path, http: HttpClient) -> None:
    token = LocalIssuer(tmp_path / "other").token("somebody")
    with pytest.raises(InvalidBearerToken, match="is not known here"):
        await tokens(tmp_path / "empty", http).verify(token)


async def test_service_that_runs_takes_a_key_that_was_made_later(
    tmp_path: Path, http: HttpClient
) -> None:
    taking = tokens(tmp_path, http)
    first = LocalIssuer(tmp_path).token("somebody")
    await taking.verify(first)
    key_file(tmp_path).unlink()
    assert await taking.verify(LocalIssuer(tmp_path).token("other")) == Identity(ISSUER, "other")
    with pytest.raises(InvalidBearerToken, match="is not known here"):
        await taking.verify(first)


async def test_token_expires(
    tmp_path: Path, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = LocalIssuer(tmp_path).token("somebody", lifetime=1)
    monkeypatch.setattr(signed_token, "LEEWAY", -2)
    with pytest.raises(InvalidBearerToken, match="has expired"):
        await tokens(tmp_path, http).verify(token)


def test_key_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    LocalIssuer(tmp_path / "deep" / "home").token("somebody")
    path = key_file(tmp_path / "deep" / "home")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    LocalIssuer(tmp_path).token("somebody")
    key_file(tmp_path).chmod(0o640)
    with pytest.raises(SettingsError, match="must be readable by its owner only"):
        LocalIssuer(tmp_path).token("somebody")


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_damaged_key_is_told_by_its_path(content: bytes, tmp_path: Path) -> None:
    LocalIssuer(tmp_path).token("somebody")
    key_file(tmp_path).write_bytes(content)
    with pytest.raises(SettingsError, match=f"{key_file(tmp_path)}: cannot be read as a key"):
        LocalIssuer(tmp_path).token("somebody")


def test_key_that_another_process_makes_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[str] = []

    def generate(curve: str) -> ECKey:
        monkeypatch.undo()
        others.append(LocalIssuer(tmp_path).token("somebody"))
        return ECKey.generate_key("P-256")

    monkeypatch.setattr(ECKey, "generate_key", generate)
    mine = LocalIssuer(tmp_path).token("somebody")
    assert [signed_token.signed_token(other).kid for other in others] == [
        signed_token.signed_token(mine).kid
    ]
    assert key_file(tmp_path).name == "local-issuer.pem"


@pytest.mark.parametrize("subject", ["", " ", "a\nb", "s" * 256])
def test_subject_that_no_token_can_have_is_refused(subject: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="--sub: must be 1 to 255 printable characters"):
        LocalIssuer(tmp_path).token(subject)


@pytest.mark.parametrize("lifetime", [0, -1, 31_622_401])
def test_lifetime_that_no_token_can_have_is_refused(lifetime: int, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="--lifetime: must be 1 to 31622400 seconds"):
        LocalIssuer(tmp_path).token("somebody", lifetime)


LOOPBACK = ["127.0.0.1", "127.8.9.1", "127.1", "::1", "localhost"]
OPEN = ["", "0.0.0.0", "::", "0", "10.0.0.1", "192.0.2.7", "no-such-host.invalid", "a" * 300]


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_host_is_one(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", OPEN)
def test_host_that_others_may_reach_is_no_loopback_host(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (["127.0.0.1", "127.0.0.2"], True),
        (["127.0.0.1", "192.0.2.7"], False),
        (["192.0.2.7"], False),
    ],
)
def test_name_is_a_loopback_host_if_all_its_addresses_are(
    addresses: list[str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: None, type: int) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, type, 6, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert is_loopback("name.example") is expected


def is_refused(settings: Settings, host: str) -> bool:
    try:
        refuse_unless_loopback(settings, host)
    except SettingsError as error:
        assert str(error).startswith("EDGAR_SEARCH_LOCAL_ISSUER: must be false, or --host")
        return True
    return False


@pytest.mark.parametrize("host", OPEN)
def test_local_issuer_on_an_open_host_is_refused(host: str) -> None:
    assert is_refused(Settings(local_issuer=True), host)


@pytest.mark.parametrize("host", LOOPBACK)
def test_local_issuer_on_a_loopback_host_is_taken(host: str) -> None:
    assert not is_refused(Settings(local_issuer=True), host)


def test_open_host_is_fine_without_the_local_issuer() -> None:
    assert not is_refused(Settings(), "0.0.0.0")
