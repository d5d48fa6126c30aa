"""A service and a load over an engine of their own that is small, stuck, killed, and back.

The tests share the engine, in the order of this file.
"""

import asyncio
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from edgar_search.engine import embedded
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.engines import engine_processes, kill_engine, own_engine
from tests.support.loading import Loads, counts
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
ENTITY = MadeUpEntity("0009990120", "MARBLE")
NUMBER = "0009990120-21-000001"
MOSS = MadeUp(NUMBER, (ENTITY,), (MadeUpDocument("Moss grows.\n"),))
# With a heap of 512 MB the engine takes 10 million characters, never 12.
HEAP = "512m"
TOO_LARGE = "basalt granite " * 800_000
PATHS = ("/v1/search?query=moss", "/v1/lookup?form_type=8-K", "/health/ready")


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings of an installation on an engine that is this module's."""
    with own_engine(HEAP, prefix="test-", es_timeout=2.0) as settings:
        yield settings


def stop(processes: list[psutil.Process]) -> None:
    """Stop the engine where it is, as a machine without memory does."""
    for one in processes:
        one.suspend()
    # The system takes a moment; the server still answers in it.
    while any(one.status() != psutil.STATUS_STOPPED for one in processes):
        time.sleep(0.01)


async def test_document_for_which_it_has_no_room_keeps_nobody_else_from_loading(
    loads: Loads, settings: Settings, new_number: Callable[[], str]
) -> None:
    large = MadeUp(new_number(), (ENTITY,), (MadeUpDocument(TOO_LARGE),))
    began = time.monotonic()
    summary = await loads({"large.txt": txt(large), "moss.txt": txt(MOSS)})
    assert time.monotonic() - began < settings.load_patience
    assert counts(summary) == (1, 0, 0, 1)
    reason = summary.refusals[0]["reason"]
    assert reason.startswith(f"{large.accession_number}-1 is too large for this Elasticsearch (12")


async def test_service_answers_503_in_time_while_it_is_stuck(
    client: Client, settings: Settings
) -> None:
    await client.found("moss")
    engine = engine_processes(settings)
    try:
        await asyncio.to_thread(stop, engine)
        await assert_unavailable(client)
    finally:
        for one in engine:
            one.resume()
    assert await client.found("moss") == [f"{NUMBER}-1"]


async def test_service_answers_503_while_it_is_gone_and_200_after_without_a_restart(
    client: Client, settings: Settings
) -> None:
    await client.found("moss")
    await asyncio.to_thread(kill_engine, settings)
    await assert_unavailable(client)
    assert (await client.http.get("/health/live")).status_code == 200
    await asyncio.to_thread(embedded.up, settings)
    assert await client.found("moss") == [f"{NUMBER}-1"]
    assert (await client.http.get("/health/ready")).status_code == 200
    assert await client.looked_up(form_type="8-K") == [NUMBER]


async def assert_unavailable(client: Client) -> None:
    for path in PATHS:
        began = time.monotonic()
        response = await client.http.get(path)
        assert time.monotonic() - began < 5
        assert response.status_code == 503, (path, response.text, began)
        assert int(response.headers["retry-after"]) > 0
        assert list(response.json()) == ["error"]
