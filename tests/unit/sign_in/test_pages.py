"""Readers of the pages if no setting names them, and the pages as a client of the issuer."""

import os

import pytest

from edgar_search.commands.serve import offer_mirror, offer_pages
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings

ISSUER = {"oidc_issuer": "https://issuer.example", "oidc_audience": "pages,api"}


@pytest.mark.parametrize(
    ("settings", "host", "pages"),
    [
        (Settings(), "127.0.0.1", "open"),
        (Settings(), "localhost", "open"),
        (Settings(), "0.0.0.0", None),
        (Settings(**ISSUER), "0.0.0.0", None),  # type: ignore[arg-type]
        (Settings(**ISSUER, oidc_client_id="pages"), "0.0.0.0", "signed-in"),  # type: ignore[arg-type]
        (Settings(**ISSUER, oidc_client_id="pages"), "127.0.0.1", "open"),  # type: ignore[arg-type]
        (Settings(pages="off"), "127.0.0.1", None),
        # Behind a proxy a loopback address is everybody's.
        (Settings(trusted_proxies="127.0.0.1"), "127.0.0.1", None),
    ],
)
def test_pages_are_offered_by_the_address(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, host: str, pages: str | None
) -> None:
    monkeypatch.delenv("EDGAR_SEARCH_PAGES", raising=False)
    # What is set is taken away again after the test.
    monkeypatch.setenv("EDGAR_SEARCH_PAGES", "")
    offer_pages(settings, host)
    assert (os.environ["EDGAR_SEARCH_PAGES"] or None) == pages


@pytest.mark.parametrize(
    ("settings", "host", "mirror"),
    [
        (Settings(), "127.0.0.1", "open"),
        (Settings(), "0.0.0.0", None),
        (Settings(mirror="keys"), "127.0.0.1", None),
        (Settings(trusted_proxies="127.0.0.1"), "127.0.0.1", None),
    ],
)
def test_interfaces_of_edgar_are_open_on_loopback(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, host: str, mirror: str | None
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_MIRROR", "")
    offer_mirror(settings, host)
    assert (os.environ["EDGAR_SEARCH_MIRROR"] or None) == mirror


def test_client_must_be_one_of_the_audiences() -> None:
    environ = {
        "EDGAR_SEARCH_OIDC_ISSUER": "https://issuer.example",
        "EDGAR_SEARCH_OIDC_AUDIENCE": "api",
        "EDGAR_SEARCH_OIDC_CLIENT_ID": "pages",
    }
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_OIDC_CLIENT_ID: must be one of"):
        Settings.from_environ(environ)
    environ["EDGAR_SEARCH_OIDC_AUDIENCE"] = "api,pages"
    assert Settings.from_environ(environ).oidc_client_id == "pages"
