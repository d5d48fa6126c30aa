"""One installation for the folder, with the samples and dense filings, and a service over it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation
from tests.torture.filings import write_filings
from tests.torture.service import Target, command, serving

SUBMISSIONS, CHARACTERS = 20, 150_000


@pytest.fixture(scope="package")
def settings(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of the installation, whose users are asked for more than users are."""
    home = tmp_path_factory.mktemp("torture")
    settings = installation(
        engine_settings, "torture", home, local_issuer=True, auth_rate=1_000_000
    )
    try:
        write_filings(home / "filings", SUBMISSIONS, CHARACTERS)
        samples = str(CHECKOUT / "samples")
        command(settings, "ingest.cli", "load", samples, str(home / "filings"), "--workers", "2")
        yield settings
    finally:
        asyncio.run(remove_everything(settings))


@pytest.fixture(scope="package")
def target(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A worker of the service over that installation."""
    folder: Path = tmp_path_factory.mktemp("service")
    with serving(settings, folder) as target:
        yield target
