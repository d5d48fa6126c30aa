"""Parsers of settings' values: addresses, archives, whole numbers, networks, shards; pure."""

import argparse
import os
import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args
from urllib.parse import SplitResult, unquote, urlsplit

from edgar_search.errors import SettingsError
from edgar_search.stored.ownership import OwnershipKind

_ES_URL = "EDGAR_SEARCH_ES_URL"
_ADDRESS_FORM = "write http://HOST:PORT or https://HOST:PORT, several of them comma-separated"
_SCHEMES = ("http", "https")
# A host name that resolvers accept, or an IPv4 address, then perhaps a port.
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*\.?(:[0-9]+)?")


def es_addresses(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of addresses; each gets its port, and loses its last `/`.

    Raises SettingsError, which names the setting and the number of the wrong address. It repeats no
    address: one may contain a password.
    """
    addresses = tuple(item.strip().rstrip("/") for item in text.split(","))
    parsed = [_place(address, number) for number, address in enumerate(addresses, 1)]
    if len({parts.scheme for parts in parsed}) > 1:
        raise SettingsError(
            f"{_ES_URL}: all addresses must be http://, or all https://; {_ADDRESS_FORM}"
        )
    seen: set[tuple[str | None, int | None, str]] = set()
    for number, parts in enumerate(parsed, 1):
        node = (parts.hostname, parts.port, parts.path)
        if node in seen:
            raise SettingsError(f"{_ES_URL}: address {number} is given twice")
        seen.add(node)
    return tuple(parts.geturl() for parts in parsed)


def _place(address: str, number: int) -> SplitResult:
    wrong = SettingsError(f"{_ES_URL}: address {number} is not valid; {_ADDRESS_FORM}")
    if not address.isprintable() or " " in address:
        raise wrong
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in _SCHEMES or not parts.hostname or port == 0:
        raise wrong
    if parts.query or parts.fragment:
        raise SettingsError(
            f"{_ES_URL}: address {number} must have no query or fragment; {_ADDRESS_FORM}"
        )
    if not _is_host(parts.netloc.rpartition("@")[2]):
        raise wrong
    if port is None:
        netloc = f"{parts.netloc.removesuffix(':')}:{443 if parts.scheme == 'https' else 80}"
        parts = parts._replace(netloc=netloc)
    return parts


def _is_host(text: str) -> bool:
    """Return True if a text is a host, with or without a port."""
    try:
        if text.startswith("["):
            address, _, port = text[1:].partition("]")
            return ip_address(address).version == 6 and (port or ":").startswith(":")
        return _HOST.fullmatch(text.removesuffix(":")) is not None and bool(text.encode("idna"))
    except ValueError:
        return False


_ARCHIVE_URL = "EDGAR_SEARCH_ARCHIVE_URL"
# Amazon S3 and compatible stores, Google Cloud Storage, Azure Blob Storage.
OBJECT_STORES = ("s3", "gs", "az")
_KNOWN = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


class ArchivePlace(NamedTuple):
    """The location of the archive.

    A folder, or the address of an object store without its last `/`.
    """

    folder: Path | None
    url: str


def archive_place(url: str) -> ArchivePlace:
    """Parse the address of an archive; SettingsError, which does not repeat it, for any other."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise SettingsError(f"{_ARCHIVE_URL}: is not an address; write {_KNOWN}") from None
    if parts.username is not None or parts.password is not None:
        raise SettingsError(
            f"{_ARCHIVE_URL}: must not hold a user or password;"
            " they belong to the store's own variables"
        )
    if parts.query or parts.fragment or port is not None:
        raise SettingsError(f"{_ARCHIVE_URL}: must have no port, query or fragment; write {_KNOWN}")
    if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
        return ArchivePlace(Path(unquote(parts.path)), url)
    plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme in OBJECT_STORES and parts.netloc and plain:
        return ArchivePlace(None, url.rstrip("/"))
    raise SettingsError(f"{_ARCHIVE_URL}: is not the address of an archive; write {_KNOWN}")


# How many processes a core can usefully run; each takes about 80 MB.
WORKERS_OF_A_CORE = 16


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def workers(text: str) -> int:
    """Parse a number of processes, which may not exceed what this machine can use."""
    number, most = positive(text), WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    if number > most:
        raise argparse.ArgumentTypeError(
            f"{text} is more than {most}, {WORKERS_OF_A_CORE} for each core of this machine"
        )
    return number


Address = IPv4Address | IPv6Address
Networks = tuple[IPv4Network | IPv6Network, ...]

_VARIABLE = "EDGAR_SEARCH_TRUSTED_PROXIES"
# The value for no proxies.
NO_PROXIES = "none"


def trusted_networks(text: str) -> Networks:
    """Parse a comma-separated list of networks and addresses; SettingsError for anything else.

    A single address becomes a network of one.
    """
    if text == NO_PROXIES:
        return ()
    items = [item.strip() for item in text.split(",") if item.strip()]
    try:
        return tuple(ip_network(item) for item in items)
    except ValueError as error:
        raise SettingsError(f"{_VARIABLE}: {error}") from None


def address_of(text: str) -> Address | None:
    """Parse an IP address, unwrapping IPv4 within IPv6; None for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_in(address: Address, networks: Networks) -> bool:
    """Return True if an address is in one of the networks."""
    return any(address in network for network in networks)


_SHARDS = "EDGAR_SEARCH_SHARDS"
# Rows of forms and of XBRL, which the ledger counts for each document.
RowKind: TypeAlias = Literal["financials", "facts", OwnershipKind]
ROW_KINDS: tuple[RowKind, ...] = get_args(RowKind)
# The kinds of indices that can be split by the year of the filing date.
PartitionedKind: TypeAlias = Literal["filings", "documents", "passages", "sections", RowKind]
PARTITIONED: tuple[PartitionedKind, ...] = get_args(PartitionedKind)
_SHARDS_FORM = "write KIND=NUMBER or KIND.YEAR=NUMBER, such as documents=2, passages.2024=3"
_ITEM = re.compile(r"(?P<index>(?P<kind>[a-z_]+)(\.[0-9]{4})?)=(?P<number>[0-9]{1,4})", re.ASCII)
_MOST = 1024  # Elasticsearch's own limit

Shards = Mapping[str, int]


def shards_of(text: str) -> Shards:
    """Parse numbers of shards by `KIND` and `KIND.YEAR`; SettingsError for anything else."""
    shards: dict[str, int] = {}
    for item in (item.strip() for item in text.split(",")):
        if not item:
            continue
        match = _ITEM.fullmatch(item)
        if match is None or not 1 <= int(match["number"]) <= _MOST:
            raise SettingsError(f"{_SHARDS}: `{item}` is not valid; {_SHARDS_FORM}")
        if match["kind"] not in PARTITIONED:
            kinds = ", ".join(PARTITIONED)
            raise SettingsError(f"{_SHARDS}: {match['kind']} is not one of {kinds}; {_SHARDS_FORM}")
        if match["index"] in shards:
            raise SettingsError(f"{_SHARDS}: {match['index']} is given twice")
        shards[match["index"]] = int(match["number"])
    return shards


def number_of_shards(shards: Shards, kind: str, partition: str) -> int | None:
    """Return how many shards a new index gets; None leaves it to the template."""
    return shards.get(f"{kind}.{partition}", shards.get(kind))
