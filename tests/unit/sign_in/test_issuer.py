"""Settings of bearer tokens: what is refused when a command starts, and by which name."""

from typing import Any

import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.issuer import (
    ASYMMETRIC,
    algorithms,
    audiences,
    check_pages,
    is_secure,
)

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
    expected = "EDGAR_SEARCH_OIDC_AUDIENCE is needed if EDGAR_SEARCH_OIDC_ISSUER is set"
    assert refusal(oidc_issuer=ISSUER) == expected


def test_audience_without_issuer_is_refused() -> None:
    expected = "EDGAR_SEARCH_OIDC_ISSUER is needed if EDGAR_SEARCH_OIDC_AUDIENCE is set"
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
    assert text.startswith(
        f"EDGAR_SEARCH_OIDC_ALGORITHMS: `{name}` is not an asymmetric algorithm;"
    )


def test_130_list_of_no_algorithm_is_refused() -> None:
    text = refusal(oidc_algorithms=",")
    assert text.startswith("EDGAR_SEARCH_OIDC_ALGORITHMS: must name at least one of RS256,")


def test_130_default_names_asymmetric_algorithms_only() -> None:
    assert algorithms(Settings().oidc_algorithms) == ASYMMETRIC
    assert [name for name in ASYMMETRIC if name.startswith("HS") or name == "none"] == []


def test_lists_are_trimmed() -> None:
    assert algorithms(" RS256 , ES256,") == ("RS256", "ES256")
    assert audiences("one, two ,") == ("one", "two")


ISSUED = {"oidc_issuer": ISSUER, "oidc_audience": "pages"}
CLIENT = {**ISSUED, "oidc_client_id": "pages"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"oidc_client_id": "pages"},
            "EDGAR_SEARCH_OIDC_ISSUER and EDGAR_SEARCH_OIDC_AUDIENCE are needed",
        ),
        (
            {**ISSUED, "oidc_client_secret": "s"},
            "EDGAR_SEARCH_OIDC_CLIENT_ID is needed if EDGAR_SEARCH_OIDC_CLIENT_SECRET is set",
        ),
        (
            {**ISSUED, "oidc_issuer": "https://a.example,https://b.example"},
            "EDGAR_SEARCH_OIDC_ISSUER: must be one address",
        ),
        (
            {
                **ISSUED,
                "oidc_issuer": "https://a.example/.well-known/openid-configuration",
            },
            "EDGAR_SEARCH_OIDC_ISSUER: must be the issuer itself, not the address of its discovery"
            " document: https://a.example",
        ),
        (
            {**CLIENT, "oidc_client_auth": "client_secret_post"},
            "EDGAR_SEARCH_OIDC_CLIENT_SECRET is needed if EDGAR_SEARCH_OIDC_CLIENT_AUTH is",
        ),
        (
            {**CLIENT, "oidc_client_auth": "private_key_jwt"},
            "EDGAR_SEARCH_OIDC_CLIENT_KEY is needed",
        ),
        (
            {**CLIENT, "oidc_client_key": "key.pem"},
            "EDGAR_SEARCH_OIDC_CLIENT_AUTH must be private_key_jwt",
        ),
        (
            {"oidc_users": "groups=a"},
            "EDGAR_SEARCH_OIDC_ISSUER is needed if EDGAR_SEARCH_OIDC_USERS is set",
        ),
        (
            {"oidc_plans": "groups=a:free"},
            "EDGAR_SEARCH_OIDC_ISSUER is needed if EDGAR_SEARCH_OIDC_PLANS is set",
        ),
        ({"oidc_scopes": "profile email"}, "EDGAR_SEARCH_OIDC_SCOPES: must have openid"),
        (
            {"operators": "user-1,a@example.com"},
            "EDGAR_SEARCH_OPERATORS: `a@example.com` is an e-mail address",
        ),
    ],
)
def test_settings_of_an_issuer_that_cannot_work_are_refused_by_name(
    given: dict[str, str], message: str
) -> None:
    assert refusal(**given).startswith(message)


def test_pages_for_who_has_signed_in_need_an_issuer() -> None:
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_PAGES: signed-in needs an issuer"):
        check_pages("signed-in", None, False)
