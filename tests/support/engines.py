"""The Elasticsearch that tests talk to: given, in a container, or embedded and kept running."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from edgar_search.engine import embedded
from edgar_search.settings import Settings

CHECKOUT = Path(__file__).parents[2]
# One download for the tests and for `make run`.
CACHE = CHECKOUT / ".edgar" / "engine" / "cache"
IMAGE = "elasticsearch:9.5.4"


@contextmanager
def test_engine() -> Iterator[Settings]:
    """Settings that reach an engine, with a prefix that no other run uses.

    `EDGAR_SEARCH_TEST_ES_URL` names one; `EDGAR_SEARCH_TEST_ENGINE=docker` starts a container by
    testcontainers; else it is the embedded engine, of the version that
    `EDGAR_SEARCH_TEST_ENGINE_VERSION` names, started once and kept for the next run.
    """
    url = os.environ.get("EDGAR_SEARCH_TEST_ES_URL")
    if url:
        yield _settings(url)
    elif os.environ.get("EDGAR_SEARCH_TEST_ENGINE") == "docker":
        with _container() as url:
            yield _settings(url)
    else:
        yield _settings(embedded.up(embedded_settings(), print).url)


def embedded_settings(version: str | None = None) -> Settings:
    """The settings of the embedded engine that tests use, of this version or of the run's."""
    version = version or os.environ.get("EDGAR_SEARCH_TEST_ENGINE_VERSION", "auto")
    settings = Settings(
        home=CHECKOUT / ".edgar" / f"test-{version}",
        engine_cache=CACHE,
        engine_heap="1g",
        alerts=False,
    )
    return msgspec.convert(msgspec.structs.asdict(settings) | {"engine_version": version}, Settings)


@contextmanager
def _container() -> Iterator[str]:
    from testcontainers.elasticsearch import ElasticSearchContainer

    with ElasticSearchContainer(IMAGE, mem_limit="2g") as container:
        yield f"http://{container.get_container_host_ip()}:{container.get_exposed_port(9200)}"


def _settings(url: str) -> Settings:
    # The matcher runs where a test asks for it, not beside every service.
    return Settings(es_url=url, prefix=f"test-{secrets.token_hex(4)}-", alerts=False)
