"""Fixtures of the whole service over the real corpus, which is loaded once for the run."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from edgar_search.settings import Settings
from tests.acceptance.commands import Asker, Installation, Outcome, Service, serving
from tests.acceptance.texts import Texts, read_texts


@pytest.fixture(scope="session")
def settings(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of the installation that has the corpus."""
    return Settings(
        es_url=engine_settings.es_url,
        prefix=f"{engine_settings.prefix}corpus-",
        home=tmp_path_factory.mktemp("home"),
    )


@pytest.fixture(scope="session")
def installation(settings: Settings) -> Installation:
    """The same for commands."""
    return installed(settings)


def installed(settings: Settings) -> Installation:
    """The commands' installation of these settings."""
    return Installation(
        {
            "EDGAR_SEARCH_ES_URL": settings.es_url or "",
            "EDGAR_SEARCH_PREFIX": settings.prefix,
            "EDGAR_SEARCH_HOME": str(settings.home),
        }
    )


@pytest.fixture(scope="session")
def first_load(installation: Installation, corpus: Path) -> Outcome:
    """The load of all filings into the empty installation."""
    return installation.run("edgar-ingest", "load", corpus / "filings", "--workers", "2")


@pytest.fixture(scope="session")
def service(
    installation: Installation, first_load: Outcome, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The service over the corpus."""
    with serving(installation, tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session")
def asker(installation: Installation, service: Service) -> Iterator[Asker]:
    """A client of it."""
    headers = {"X-API-Key": installation.new_key("acceptance")}
    with httpx.Client(base_url=service.url, headers=headers, timeout=30) as http:
        yield Asker(http)


@pytest.fixture(scope="session")
def texts(settings: Settings, first_load: Outcome) -> Texts:
    """The text of every searchable document, as its passages have it."""
    return asyncio.run(read_texts(settings))
