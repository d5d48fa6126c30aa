"""Settings of bearer tokens: what is refused when a command starts, and by which name."""

from typing import Any

import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.issuer import ASYMMETRIC, algorithms, audiences, is_secure

ISSUER = "https://issuer.example/realms/main"


def settings(**values: Any) -> Settings:
    return Settings.from_environ(
        {f"EDGAR_SEARCH_{name.upper()}": value for name, value in values.items()}
    )


def refusal(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        settings(**values)
    return str(caught.value)


def test_issuer_is_read() -> None:
    assert settings(
        oidc_issuer=ISSUER, oidc_audience="one,two", oidc_algorithms="RS256", local_issuer="true"
    ) == Settings(
        oidc_issuer=ISSUER, oidc_audience="one,two", oidc_algorithms="RS256", local_issuer=True
    )


def test_issuer_without_audience_is_refused() -> None:
    expected = "EDGAR_SEARCH_OIDC_AUDIENCE is needed where EDGAR_SEARCH_OIDC_ISSUER is set"
    assert refusal(oidc_issuer=ISSUER) == expected


def test_audience_without_issuer_is_refused() -> None:
    expected = "EDGAR_SEARCH_OIDC_ISSUER is needed where EDGAR_SEARCH_OIDC_AUDIENCE is set"
    assert refusal(oidc_audience="one") == expected


def test_list_of_no_audience_is_refused() -> None:
    expected = "EDGAR_SEARCH_OIDC_AUDIENCE: must name at least one audience"
    assert refusal(oidc_issuer=ISSUER, oidc_audience=" , ") == expected


@pytest.mark.parametrize(
    "issuer",
    [
        "http://issuer.example",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://10.0.0.1",
        "issuer.example",
        "ftp://issuer.example",
        "https://",
        "https://user@issuer.example",
        "https://issuer.example?a=1",
        "https://issuer.example/#a",
        "https://issuer.example:port",
        "https://[",
    ],
)
def test_issuer_that_cannot_be_trusted_is_refused(issuer: str) -> None:
    text = refusal(oidc_issuer=issuer, oidc_audience="one")
    assert text.startswith("EDGAR_SEARCH_OIDC_ISSUER: must be an https:// address without user")


@pytest.mark.parametrize(
    "url",
    [
        ISSUER,
        "https://issuer.example:8443/",
        "http://127.0.0.1:8080",
        "http://127.9.9.9",
        "http://[::1]:8080/realm",
        "http://localhost:8080",
        "HTTPS://issuer.example",
    ],
)
def test_https_is_secure_and_http_on_loopback(url: str) -> None:
    assert is_secure(url)


@pytest.mark.parametrize("name", ["none", "HS256", "HS512", "rs256", "RSA-OAEP", "RS256;ES256"])
def test_130_algorithm_that_is_not_asymmetric_is_refused(name: str) -> None:
    text = refusal(oidc_algorithms=f"RS256,{name}")
    assert text.startswith(f"EDGAR_SEARCH_OIDC_ALGORITHMS: {name} is no asymmetric algorithm;")


def test_130_list_of_no_algorithm_is_refused() -> None:
    text = refusal(oidc_algorithms=",")
    assert text.startswith("EDGAR_SEARCH_OIDC_ALGORITHMS: must name at least one of RS256,")


def test_130_default_names_asymmetric_algorithms_only() -> None:
    assert algorithms(Settings().oidc_algorithms) == ASYMMETRIC
    assert [name for name in ASYMMETRIC if name.startswith("HS") or name == "none"] == []


def test_lists_are_trimmed() -> None:
    assert algorithms(" RS256 , ES256,") == ("RS256", "ES256")
    assert audiences("one, two ,") == ("one", "two")
