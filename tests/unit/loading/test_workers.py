"""Submissions that are too slow, too large, or end their worker: refused, the others continue."""

import asyncio
import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import psutil
import pytest

from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from edgar_search.settings.values import ArchivePlace
from ingest.reading.memory_budget import MemoryBudget
from ingest.reading.tasks import PreparedSubmission, RefusedFile, Task
from ingest.reading.workers import pool as workers_module
from ingest.reading.workers.pool import BYTES_A_TURN, Clock, Worker, Workers
from ingest.sources.source import Source
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
NUMBER = "0009990001-21-000001"
FILING = MadeUp(NUMBER, (MadeUpEntity("0009990001", "MARBLE"),), (MadeUpDocument("Moss.\n"),))
SETTINGS = Settings(submission_memory=400_000_000)
OTHERS: set[int] = set()
BOMB_BYTES = 150_000_000


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "SUBMISSION_SECONDS", 5)


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2, SETTINGS) as workers:
        yield workers


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """Worker processes that another tier's tests keep are not this test's."""
    OTHERS.update(child.pid for child in psutil.Process().children())
    yield
    OTHERS.clear()


@pytest.fixture
def good(tmp_path: Path) -> Task:
    return task(tmp_path / "good.txt", txt(FILING))


@pytest.fixture
def stuck(tmp_path: Path) -> Task:
    """A file that nobody ever writes: whoever opens it waits."""
    path = tmp_path / f"{NUMBER}.txt"
    os.mkfifo(path)
    return Task(Source.of(path), [], "test-", "none", 1000, None)


def task(path: Path, data: bytes, archive_home: Path | None = None) -> Task:
    path.write_bytes(data)
    place = ArchivePlace(archive_home / "archive", "archive") if archive_home else None
    return Task(Source.of(path), [], "test-", "none", 1000, place)


def test_workers_start_without_what_only_the_loader_uses() -> None:
    program = (
        "import sys, ingest.reading.workers.process\n"
        "assert not {'aiohttp', 'elasticsearch', 'ssl'} & sys.modules.keys()"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


async def started(number: int) -> list[psutil.Process]:
    """Return the worker processes of this test, once there are this many."""
    async with asyncio.timeout(30):
        while True:
            found = [child for child in psutil.Process().children() if is_worker(child)]
            if len(found) == number:
                return found
            await asyncio.sleep(0.02)


def write_instead(path: Path) -> None:
    """Put a good submission in the place of what is there."""
    path.unlink()
    path.write_bytes(txt(FILING))


def is_worker(process: psutil.Process) -> bool:
    try:
        return process.pid not in OTHERS and "workers.process" in " ".join(process.cmdline())
    except psutil.Error:
        return False  # It ends just now.


async def kill_next(killed: set[int]) -> None:
    """Kill a worker as the system does that has no memory left."""
    async with asyncio.timeout(30):
        while (each := (await started(1))[0]).pid in killed:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await asyncio.sleep(1)
    each.send_signal(signal.SIGKILL)
    killed.add(each.pid)


async def test_submissions_are_prepared_side_by_side(workers: Workers, good: Task) -> None:
    outcomes = await asyncio.gather(*(workers.prepare(good) for _ in range(5)))
    assert [type(outcome) for outcome in outcomes] == [PreparedSubmission] * 5


async def test_workers_that_ended_while_they_waited_are_replaced(
    workers: Workers, good: Task
) -> None:
    await asyncio.gather(*(workers.prepare(good) for _ in range(5)))
    for each in await started(2):
        each.kill()
        each.wait()
    outcomes = await asyncio.gather(*(workers.prepare(good) for _ in range(2)))
    assert [type(outcome) for outcome in outcomes] == [PreparedSubmission] * 2


async def test_slow_submission_is_refused_and_the_others_are_not(
    workers: Workers, good: Task, stuck: Task
) -> None:
    slow, *others = await asyncio.gather(*(workers.prepare(t) for t in (stuck, good, good)))
    assert isinstance(slow, RefusedFile)
    assert (slow.accession_number, slow.reason) == (
        NUMBER,
        "too slow: its submission was not read after 5 s",
    )
    assert [type(other) for other in others] == [PreparedSubmission] * 2
    assert isinstance(await workers.prepare(good), PreparedSubmission)


async def test_submission_that_wants_too_much_memory_is_refused(good: Task, tmp_path: Path) -> None:
    header, _, rest = txt(FILING).partition(b"</SEC-HEADER>")
    head = header + bytes(BOMB_BYTES) + b"\n</SEC-HEADER>"
    bomb = task(tmp_path / "bomb.txt.gz", gzip.compress(head + rest, 1))
    with Workers(1, Settings(submission_memory=150_000_000)) as workers:
        refused = await workers.prepare(bomb)
        assert isinstance(refused, RefusedFile)
        assert (refused.accession_number, refused.reason) == (
            NUMBER,
            "too much memory: more than 150000000 bytes (EDGAR_SEARCH_SUBMISSION_MEMORY)"
            " to read it",
        )
        assert isinstance(await workers.prepare(good), PreparedSubmission)


@pytest.mark.parametrize("memory", [150_000_000, pytest.param(300_000_000, marks=pytest.mark.long)])
async def test_document_that_wants_too_much_memory_is_listed_and_the_others_searched(
    tmp_path: Path, memory: int
) -> None:
    # What the parser makes of it is fifty times as much; it fails in one way or another.
    page = "<html><pre>x</pre><table>" + "<tr><td>7</td></tr>" * 400_000
    documents = (MadeUpDocument("Moss.\n"), MadeUpDocument(page), MadeUpDocument("Slate.\n"))
    filing = msgspec.structs.replace(FILING, documents=documents)
    with Workers(1, Settings(submission_memory=memory)) as workers:
        outcome = await workers.prepare(task(tmp_path / "one.txt", txt(filing), tmp_path))
    assert isinstance(outcome, PreparedSubmission)
    assert outcome.too_large == [f"{NUMBER}-2"]
    assert sorted(outcome.parts) == [f"{NUMBER}-1", f"{NUMBER}-3"]
    assert outcome.archived is not None


async def test_large_documents_wait_for_each_other_and_all_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "BYTES_PER_WORKER", 1)
    filing = msgspec.structs.replace(FILING, documents=(MadeUpDocument("Moss. " * 800_000),) * 2)
    given = task(tmp_path / "one.txt", txt(filing))
    with Workers(3, Settings()) as workers:
        outcomes = await asyncio.gather(*(workers.prepare(given) for _ in range(6)))
    assert [type(outcome) for outcome in outcomes] == [PreparedSubmission] * 6


def test_large_submission_has_more_time() -> None:
    clock = Clock(3, 3 * BYTES_A_TURN + 1)
    assert (clock.seconds, clock.left) == (12, 12)
    clock.has(BYTES_A_TURN)
    assert (clock.seconds, clock.left) == (12, 12)
    clock.has(4 * BYTES_A_TURN)
    assert (clock.seconds, clock.left) == (15, 15)


async def test_worker_killed_from_outside_is_replaced_and_its_submission_tried_again(
    workers: Workers, stuck: Task
) -> None:
    preparing = asyncio.create_task(workers.prepare(stuck))
    (blocked,) = await started(1)
    await asyncio.sleep(1)
    write_instead(Path(stuck.source.path))
    blocked.send_signal(signal.SIGKILL)
    assert isinstance(await preparing, PreparedSubmission)


async def test_submission_that_ends_its_worker_twice_is_refused(
    workers: Workers, good: Task, stuck: Task
) -> None:
    preparing = asyncio.create_task(workers.prepare(stuck))
    killed: set[int] = set()
    await kill_next(killed)
    await kill_next(killed)
    refused = await preparing
    assert isinstance(refused, RefusedFile)
    assert refused.reason == "it ended its worker process 2 times: signal SIGKILL"
    assert isinstance(await workers.prepare(good), PreparedSubmission)


async def test_archive_that_cannot_be_written_is_the_callers_to_know(
    workers: Workers, tmp_path: Path
) -> None:
    (tmp_path / "archive").write_text("in the way")
    with pytest.raises(EdgarSearchError, match="the archive cannot be written"):
        await workers.prepare(task(tmp_path / "one.txt", txt(FILING), tmp_path))


async def test_workers_end_with_the_load_also_in_the_middle_of_one(stuck: Task) -> None:
    with Workers(1, SETTINGS) as workers:
        preparing = asyncio.create_task(workers.prepare(stuck))
        (process,) = await started(1)
    assert not process.is_running()
    assert isinstance(await preparing, RefusedFile)


def test_worker_that_is_ended_by_two_at_once_closes_its_handles_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = Worker(SETTINGS.submission_memory, MemoryBudget(SETTINGS.submission_memory))
    closed: list[int] = []
    close = os.close

    def slowly(self: Connection) -> None:
        closed.append(self.fileno())
        time.sleep(0.1)
        close(self.fileno())

    monkeypatch.setattr(Connection, "_close", slowly)
    with ThreadPoolExecutor(2) as threads:
        for ended in [threads.submit(worker.end) for _ in range(2)]:
            ended.result()
    assert len(closed) == 1
    assert not worker.alive
