"""Addresses and networks in settings; pure."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from edgar_search.errors import SettingsError

Address = IPv4Address | IPv6Address
Networks = tuple[IPv4Network | IPv6Network, ...]

_VARIABLE = "EDGAR_SEARCH_TRUSTED_PROXIES"
# The value that names no proxy.
NO_PROXIES = "none"


def trusted_networks(text: str) -> Networks:
    """The networks of a comma-separated list; SettingsError for what is neither one nor an address.

    A single address is the network that has only it.
    """
    if text == NO_PROXIES:
        return ()
    items = [item.strip() for item in text.split(",") if item.strip()]
    try:
        return tuple(ip_network(item) for item in items)
    except ValueError as error:
        raise SettingsError(f"{_VARIABLE}: {error}") from None


def address_of(text: str) -> Address | None:
    """The address that a text is, an IPv4 one where IPv6 only wraps it; None for anything else."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_in(address: Address, networks: Networks) -> bool:
    """Whether one of the networks has this address."""
    return any(address in network for network in networks)
