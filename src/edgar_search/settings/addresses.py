"""The addresses of Elasticsearch in a setting; pure."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from edgar_search.errors import SettingsError

_NAME = "EDGAR_SEARCH_ES_URL"
_FORM = "write http://HOST:PORT or https://HOST:PORT, several of them comma-separated"
_SCHEMES = ("http", "https")
# A name as resolvers take it, or four numbers; the port comes after it.
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*\.?(:[0-9]+)?")


def es_addresses(text: str) -> tuple[str, ...]:
    """The addresses of a comma-separated list, each with its port and without its last `/`.

    Raises SettingsError, which names the setting and the place of the address that is wrong. It
    repeats no address: one may hold a password.
    """
    addresses = tuple(item.strip().rstrip("/") for item in text.split(","))
    places = [_place(address, number) for number, address in enumerate(addresses, 1)]
    if len({place.scheme for place in places}) > 1:
        raise SettingsError(f"{_NAME}: http and https do not go together; {_FORM}")
    seen: set[tuple[str | None, int | None, str]] = set()
    for number, place in enumerate(places, 1):
        node = (place.hostname, place.port, place.path)
        if node in seen:
            raise SettingsError(f"{_NAME}: address {number} stands there twice")
        seen.add(node)
    return tuple(place.geturl() for place in places)


def _place(address: str, number: int) -> SplitResult:
    wrong = SettingsError(f"{_NAME}: address {number} is none; {_FORM}")
    if not address.isprintable() or " " in address:
        raise wrong
    try:
        place = urlsplit(address)
        port = place.port
    except ValueError:
        raise wrong from None
    if place.scheme not in _SCHEMES or not place.hostname or port == 0:
        raise wrong
    if place.query or place.fragment:
        raise SettingsError(f"{_NAME}: address {number} must have no query or fragment; {_FORM}")
    if not _is_host(place.netloc.rpartition("@")[2]):
        raise wrong
    if port is None:
        netloc = f"{place.netloc.removesuffix(':')}:{443 if place.scheme == 'https' else 80}"
        place = place._replace(netloc=netloc)
    return place


def _is_host(text: str) -> bool:
    """Whether a host, and a port after it where there is one, can be asked for."""
    try:
        if text.startswith("["):
            address, _, port = text[1:].partition("]")
            return ip_address(address).version == 6 and (port or ":").startswith(":")
        return _HOST.fullmatch(text.removesuffix(":")) is not None and bool(text.encode("idna"))
    except ValueError:
        return False
