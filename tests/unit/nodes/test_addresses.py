"""The addresses of Elasticsearch that a setting may hold."""

import pytest

from edgar_search.engine.client import make_client
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import es_addresses


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("http://127.0.0.1:9200", ("http://127.0.0.1:9200",)),
        ("http://one:9200, http://two:9200/", ("http://one:9200", "http://two:9200")),
        ("https://[::1]:9200,https://name", ("https://[::1]:9200", "https://name:443")),
        ("http://one,http://u:p@[::1]:/es", ("http://one:80", "http://u:p@[::1]:80/es")),
        (
            "https://a.example/es,https://b.example/es",
            ("https://a.example:443/es", "https://b.example:443/es"),
        ),
    ],
)
def test_addresses_of_a_list(text: str, addresses: tuple[str, ...]) -> None:
    assert es_addresses(text) == addresses


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("localhost:9200", "address 1 is not valid"),
        ("one", "address 1 is not valid"),
        ("http://", "address 1 is not valid"),
        ("ftp://one:21", "address 1 is not valid"),
        ("http://one:9200,", "address 2 is not valid"),
        (",", "address 1 is not valid"),
        ("http://one:9200 http://two:9200", "address 1 is not valid"),
        ("http://one:9200;http://two:9200", "address 1 is not valid"),
        ("http://one:99999", "address 1 is not valid"),
        ("http://one:0", "address 1 is not valid"),
        ("http://one:nine", "address 1 is not valid"),
        ("http://[::1:9200", "address 1 is not valid"),
        ("http://[::1]x:9200", "address 1 is not valid"),
        ("http://one..two:9200", "address 1 is not valid"),
        ("http://one\\two:9200", "address 1 is not valid"),
        ("http://one%zz:9200", "address 1 is not valid"),
        ("http://one:9200,http://two\n:9200", "address 2 is not valid"),
        ("http://one:9200?pretty", "address 1 must have no query or fragment"),
        ("http://one:9200,http://one:9200/", "address 2 is given twice"),
        ("http://one,http://ONE:80", "address 2 is given twice"),
        ("http://one:9200,https://two:9200", "all addresses must be http://, or all https://"),
    ],
)
def test_others_are_refused_by_the_name_of_the_variable(text: str, what: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ({"EDGAR_SEARCH_ES_URL": text})
    assert str(caught.value).startswith(f"EDGAR_SEARCH_ES_URL: {what}")


@pytest.mark.parametrize(
    "address",
    [
        "http://one",
        "https://one",
        "http://[::1]",
        "http://bücher.example",
        "http://bücher.example:9200",
        "http://a_b/es",
    ],
)
def test_address_without_a_port_can_be_asked(address: str) -> None:
    assert make_client(Settings(es_url=address)) is not None


def test_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        es_addresses("http://user:hidden@one:9200,ftp://user:hidden@two")
    assert "hidden" not in str(caught.value)
