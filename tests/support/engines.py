"""The Elasticsearch that tests talk to: given, in a container, or embedded and kept running."""

import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil

from edgar_search.engine import embedded
from edgar_search.engine.embedded import folders
from edgar_search.settings import Settings

CHECKOUT = Path(__file__).parents[2]
# One download for the tests and for `make run`.
CACHE = CHECKOUT / ".edgar" / "engine" / "cache"
# A start takes half of the CPU, and a run of the engine tier 0.6 of it. Classes that are what they
# were in the last run need no check, which is a fifth of what then is left of a start.
FRUGAL = "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# Each index made or removed is written to disk with the cluster's state; in memory that is free.
MEMORY = Path("/dev/shm")
MEMORY_BYTES = 6_000_000_000
# On a busy machine an index takes longer to be made than users would wait for an answer.
ENGINE_SECONDS = 30.0
IMAGE = "elasticsearch:9.5.4"


@contextmanager
def test_engine() -> Iterator[Settings]:
    """Settings that reach an engine, with a prefix that no other run uses.

    `EDGAR_SEARCH_TEST_ES_URL` names one; `EDGAR_SEARCH_TEST_ENGINE=docker` starts a container by
    testcontainers, otherwise it is the embedded engine, of the version that
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
        home=_home(version),
        engine_cache=CACHE,
        engine_heap="1g",
        # It lives for minutes: what its compiler would gain later costs more than it gives.
        engine_java_options=FRUGAL,
        alerts=False,
        drain=0.0,
        es_timeout=ENGINE_SECONDS,
    )
    return msgspec.convert(msgspec.structs.asdict(settings) | {"engine_version": version}, Settings)


def _home(version: str) -> Path:
    """Return the folder of the engine of this version, which later runs find again."""
    checkout = hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:12]
    kept = MEMORY / f"edgar-search-test-{checkout}-{version}"
    if not kept.exists() and not _has_memory():
        return CHECKOUT / ".edgar" / f"test-{version}"
    kept.mkdir(exist_ok=True)
    kept.chmod(0o755)
    return kept


def new_home() -> Path:
    """Return a new folder for an engine's files, in memory where there is room for them."""
    memory = MEMORY if _has_memory() else None
    home = Path(tempfile.mkdtemp(prefix="edgar-search-test-", dir=memory))
    home.chmod(0o755)
    return home


def _has_memory() -> bool:
    """Return True if there is room in memory for an engine's files, its programs among them."""
    try:
        found = os.statvfs(MEMORY)
    except FileNotFoundError:
        return False
    room = min(found.f_bavail * found.f_frsize, psutil.virtual_memory().available)
    return room >= MEMORY_BYTES and not found.f_flag & os.ST_NOEXEC


@contextmanager
def own_engine(heap: str, **changes: Any) -> Iterator[Settings]:
    """Yield settings of an embedded engine that is started for this and removed after it."""
    home = new_home()
    own = msgspec.structs.replace(embedded_settings(), home=home, engine_heap=heap, **changes)
    try:
        yield msgspec.structs.replace(own, es_url=embedded.up(own).url)
    finally:
        embedded.down(own)
        shutil.rmtree(folders.find(own).folder, ignore_errors=True)  # may be outside the home
        shutil.rmtree(home, ignore_errors=True)


def engine_processes(settings: Settings) -> list[psutil.Process]:
    """Return the launcher and the server of an embedded engine that runs."""
    running = embedded.status(settings)
    assert running is not None
    launcher = psutil.Process(running.pid)
    return [launcher, *launcher.children(recursive=True)]


def kill_engine(settings: Settings) -> None:
    """End an embedded engine without a chance to say so."""
    family = engine_processes(settings)
    for one in family:
        one.kill()
    psutil.wait_procs(family)


def installation(engine_settings: Settings, name: str, home: Path, **changes: Any) -> Settings:
    """Return settings of an installation of this name below the run's prefix."""
    prefix = f"{engine_settings.prefix}{name}-"
    return msgspec.structs.replace(engine_settings, prefix=prefix, home=home, **changes)


@contextmanager
def _container() -> Iterator[str]:
    from testcontainers.community.elasticsearch import ElasticSearchContainer
    from testcontainers.core.wait_strategies import HttpWaitStrategy

    made = ElasticSearchContainer(IMAGE, mem_limit="2g").with_env("path.repo", "snapshots")
    # It answers / before it can make an index.
    ready = HttpWaitStrategy(9200, "/_cluster/health?wait_for_status=yellow")
    with made.waiting_for(ready.with_startup_timeout(300)) as container:
        yield f"http://{container.get_container_host_ip()}:{container.get_exposed_port(9200)}"


def _settings(url: str) -> Settings:
    # The matcher runs where a test asks for it, not beside every service.
    return Settings(
        es_url=url,
        prefix=f"test-{secrets.token_hex(4)}-",
        alerts=False,
        drain=0.0,
        es_timeout=ENGINE_SECONDS,
    )
