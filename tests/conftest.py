"""Fixtures of all tiers.

Unit tests need nothing. Web tests have the app over a stub engine. Engine and acceptance tests
share one Elasticsearch for the whole run, under a prefix of the run's own; it is never skipped for
being away. The real corpus is read from where it lies, and its tests skip, saying so, only where
that folder is absent.
"""

import asyncio
import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from bench.installation import remove
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT, test_engine
from tests.support.issuer import Issuer, running_issuer

# Failures must not depend on the machine: neither on its speed nor on a developer's own settings;
# one of random input prints what repeats it.
hypothesis.settings.register_profile(
    "tests",
    deadline=None,
    print_blob=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "short", hypothesis.settings.get_profile("tests"), max_examples=40
)
hypothesis.settings.load_profile("tests")
for _name in [n for n in os.environ if n.startswith("EDGAR_SEARCH_") and "_TEST_" not in n]:
    del os.environ[_name]


def pytest_configure(config: pytest.Config) -> None:
    """Take fewer examples where the long tests are left out."""
    if "not long" in config.option.markexpr:
        hypothesis.settings.load_profile("short")


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from the collected tests, which stay until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run on asyncio, as the service does."""
    return "asyncio"


@pytest.fixture(scope="session")
def engine_settings() -> Iterator[Settings]:
    """Settings that reach the run's Elasticsearch; what the run made there goes at its end."""
    with test_engine() as settings:
        try:
            yield settings
        finally:
            asyncio.run(remove_everything(settings))


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Undo what a command that runs in the test's own process does to the log of all."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in [each for each in root.handlers if each not in handlers]:
        if not type(handler).__module__.startswith("_pytest"):
            root.removeHandler(handler)
    root.setLevel(level)
    logging.disable(logging.NOTSET)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An OpenID Connect issuer that listens."""
    with running_issuer() as issuer:
        yield issuer


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real EDGAR files."""
    folder = Path(os.environ.get("EDGAR_SEARCH_TEST_CORPUS", CHECKOUT.parent / "shared" / "edgar"))
    if not (folder / "filings").is_dir():
        pytest.skip(f"the real corpus is absent: no folder {folder}")
    return folder


async def remove_everything(settings: Settings) -> None:
    """Delete all indices and templates of a prefix, which must be a test's."""
    assert settings.prefix.startswith("test-")
    engine = Engine.from_settings(settings)
    try:
        await remove(engine, settings.prefix)
    finally:
        await engine.close()
