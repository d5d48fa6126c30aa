"""Fixtures of the tests on a real Elasticsearch.

Each module has an empty installation, so that totals are its own too; its tests share the indices
and use accession numbers that occur once in the run. Making indices takes longer than most tests,
so one installation is kept for the run: before a module, only the indices that were written to or
changed are made anew. A module that needs an installation without any index or template is marked
`own_installation`. Modules whose tests look only at what they made themselves, under accounts or
accession numbers of their own, are marked `shared_installation` and share one that is never
emptied. Modules that only ask what was loaded before their first test are marked `one_client`: a
service for each test takes as long as what most of them ask.
"""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from edgar_search.access.tokens.bearer import account_id
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading import session
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.reading.workers.pool import Workers
from ingest.sources.source import Source
from tests.conftest import remove_everything
from tests.support.alerting import Watcher, match
from tests.support.asking import Client
from tests.support.kept_installation import KeptInstallation
from tests.support.loading import Loads
from tests.support.serving import serving
from tests.support.submissions import MadeUp, txt
from tests.support.users import User, Users, serving_users

_NUMBERS = itertools.count(1)


class KeptWorkers(Workers):
    """Worker processes that outlive a load: starting them takes longer than most tests."""

    def close(self) -> None:
        pass


@pytest.fixture(scope="session", autouse=True)
def kept_workers() -> Iterator[None]:
    """Two worker processes for all loads of this tier; the acceptance tests start their own."""
    workers = KeptWorkers(2, Settings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_start_workers", lambda count, settings: workers)
        yield
    Workers.close(workers)


@pytest.fixture(scope="session")
def shared_settings(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Settings of the installation that several modules share; `engine_settings` removes it."""
    return _installation(engine_settings, tmp_path_factory)


@pytest.fixture(scope="session")
def kept_installation(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> KeptInstallation:
    """The installation that is emptied before a module; `engine_settings` removes it."""
    return KeptInstallation(_installation(engine_settings, tmp_path_factory))


@pytest.fixture(scope="module")
def settings(
    request: pytest.FixtureRequest,
    engine_settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Settings]:
    """Settings of the module's installation; its home is a folder that goes after the run."""
    if request.node.get_closest_marker("shared_installation"):
        yield request.getfixturevalue("shared_settings")
    elif request.node.get_closest_marker("own_installation"):
        settings = _installation(engine_settings, tmp_path_factory)
        try:
            yield settings
        finally:
            asyncio.run(remove_everything(settings))
    else:
        kept: KeptInstallation = request.getfixturevalue("kept_installation")
        yield _emptied(kept, tmp_path_factory)


@pytest.fixture
def emptied_settings(
    kept_installation: KeptInstallation, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Settings of an installation that is empty at the beginning of a test."""
    return _emptied(kept_installation, tmp_path_factory)


def _emptied(kept: KeptInstallation, folders: pytest.TempPathFactory) -> Settings:
    asyncio.run(kept.renew())
    return msgspec.structs.replace(kept.settings, home=folders.mktemp("home"))


def _installation(engine_settings: Settings, folders: pytest.TempPathFactory) -> Settings:
    prefix = f"{engine_settings.prefix}{secrets.token_hex(3)}-"
    return msgspec.structs.replace(engine_settings, prefix=prefix, home=folders.mktemp("home"))


@pytest.fixture(scope="module")
def made_settings(settings: Settings) -> Settings:
    """The same, and the installation has its templates and indices."""

    async def make() -> None:
        engine = Engine.from_settings(settings)
        try:
            await Indices(engine, settings).set_up()
        finally:
            await engine.close()

    asyncio.run(make())
    return settings


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """The engine of the module's installation."""
    engine = Engine.from_settings(settings)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def loads(engine: Engine, settings: Settings, tmp_path: Path) -> Loads:
    """Loads submissions into the module's installation, as `edgar-ingest load` does."""
    return Loads(engine, settings, tmp_path)


@pytest.fixture
def prepared(settings: Settings, tmp_path: Path) -> Callable[[MadeUp], PreparedSubmission]:
    """Makes a submission's operations, as a worker process does."""
    numbers = itertools.count()

    def make(filing: MadeUp) -> PreparedSubmission:
        path = tmp_path / f"{next(numbers)}.txt"
        path.write_bytes(txt(filing))
        outcome = prepare(Task(Source.of(path), [], settings.prefix, "none", 1_000_000, None))
        assert isinstance(outcome, PreparedSubmission)
        return outcome

    return make


@pytest.fixture(scope="session")
def new_number() -> Callable[[], str]:
    """Gives accession numbers that no other test has."""
    return lambda: f"0009990001-21-{next(_NUMBERS):06d}"


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Client:
    """The service over the module's installation, with a valid key of an account without limits.

    A test has one of its own, but where its module is marked `one_client`.
    """
    shared = request.node.get_closest_marker("one_client")
    client: Client = request.getfixturevalue("module_client" if shared else "own_client")
    return client


@pytest.fixture
async def own_client(engine: Engine, settings: Settings) -> AsyncIterator[Client]:
    """A client whose service remembers nothing of other tests."""
    async with _serving(engine, settings) as client:
        yield client


@pytest.fixture(scope="module")
async def module_client(anyio_backend: str, settings: Settings) -> AsyncIterator[Client]:
    """A client for all tests of a module."""
    engine = Engine.from_settings(settings)
    try:
        async with _serving(engine, settings) as client:
            yield client
    finally:
        await engine.close()


@asynccontextmanager
async def _serving(engine: Engine, settings: Settings) -> AsyncIterator[Client]:
    unlimited = msgspec.structs.replace(settings, default_plan="unlimited")
    async with serving(engine, unlimited) as client:
        yield client


@pytest.fixture(scope="module")
async def users(anyio_backend: str, made_settings: Settings) -> AsyncIterator[Users]:
    """Two instances of the service over the module's installation, and their users."""
    async with serving_users(made_settings) as users:
        yield users


@pytest.fixture
def user(users: Users) -> User:
    """A user that has nothing yet."""
    return users.new()


@pytest.fixture
async def watcher(
    engine: Engine, made_settings: Settings, new_number: Callable[[], str]
) -> Watcher:
    """An account without triggers; nothing waits, and other tests' triggers are gone."""
    watcher = Watcher(engine, account_id("test", new_number()))
    for stored in await watcher.triggers.enabled():
        await watcher.triggers.disable(stored)
    await match(engine, made_settings)
    return watcher
