"""Addresses and networks in settings."""

from ipaddress import ip_network

import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import trusted_networks


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("none", []),
        ("192.0.2.1", ["192.0.2.1/32"]),
        ("192.0.2.0/24, 2001:db8::/32,", ["192.0.2.0/24", "2001:db8::/32"]),
    ],
)
def test_networks_are_read(text: str, networks: list[str]) -> None:
    assert trusted_networks(text) == tuple(ip_network(network) for network in networks)


@pytest.mark.parametrize("text", ["*", "proxy.example", "192.0.2.1/24", "192.0.2.300"])
def test_what_is_no_network_is_refused_when_a_command_starts(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ({"EDGAR_SEARCH_TRUSTED_PROXIES": text})
    assert str(caught.value).startswith("EDGAR_SEARCH_TRUSTED_PROXIES: ")
