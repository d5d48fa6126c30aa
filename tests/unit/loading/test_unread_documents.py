"""One document never costs its filing: it is listed with the reason, the others are searched."""

from collections.abc import Callable
from pathlib import Path

import pytest

from edgar_search.settings import Settings
from ingest.reading.tasks import PreparedSubmission, RefusedFile, Task
from ingest.reading.workers import pool
from ingest.reading.workers.pool import Workers
from ingest.sources.source import Source
from tests.support import hostile_readers
from tests.support.hostile_readers import DEADLY, ENDLESS, FAULTY, GREEDY, SLOW, STARVED
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
NUMBER = "0009990001-21-000001"
TOO_SLOW = "too slow: not read after 2 s"
ENDED = "it ended its worker process 2 times: exit status 7"


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Task]:
    """Makes the task of a submission with these documents."""
    hostile_readers.install(monkeypatch, tmp_path / "patch")

    def make(*bodies: str) -> Task:
        documents = tuple(MadeUpDocument(f"{body}.\n") for body in bodies)
        filing = MadeUp(NUMBER, (MadeUpEntity("0009990001", "MARBLE"),), documents)
        path = tmp_path / "one.txt"
        path.write_bytes(txt(filing))
        return Task(Source.of(path), [], "test-", "none", 1000, None)

    return make


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "DOCUMENT_SECONDS", 2.0)


async def prepared(task: Task) -> PreparedSubmission | RefusedFile:
    with Workers(1, Settings(submission_memory=400_000_000)) as workers:
        outcome = await workers.prepare(task)
    assert isinstance(outcome, PreparedSubmission | RefusedFile)
    return outcome


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (SLOW, TOO_SLOW),
        (ENDLESS, TOO_SLOW),
        (DEADLY, ENDED),
        (FAULTY, "reader failed: ZeroDivisionError"),
    ],
)
async def test_document_that_cannot_be_read_is_listed_and_the_others_searched(
    task: Callable[..., Task], body: str, reason: str
) -> None:
    outcome = await prepared(task("Moss", body, "Slate"))
    assert isinstance(outcome, PreparedSubmission)
    assert outcome.unread == {f"{NUMBER}-2": reason}
    assert sorted(outcome.parts) == [f"{NUMBER}-1", f"{NUMBER}-3"]
    assert outcome.filing.count(f"{NUMBER}-2".encode()) == 1


async def test_document_that_gets_little_of_a_busy_machine_is_read(
    task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SUBMISSION_SECONDS", 3.0)
    outcome = await prepared(task("Moss", STARVED))
    assert isinstance(outcome, PreparedSubmission)
    assert (outcome.unread, sorted(outcome.parts)) == ({}, [f"{NUMBER}-1", f"{NUMBER}-2"])


async def test_small_document_that_takes_all_memory_is_too_large(
    task: Callable[..., Task],
) -> None:
    outcome = await prepared(task("Moss", GREEDY))
    assert isinstance(outcome, PreparedSubmission)
    assert (outcome.too_large, outcome.unread) == ([f"{NUMBER}-2"], {})
    assert sorted(outcome.parts) == [f"{NUMBER}-1"]


async def test_several_of_them_in_one_filing_are_all_listed(task: Callable[..., Task]) -> None:
    outcome = await prepared(task(SLOW, DEADLY, "Moss", GREEDY, FAULTY))
    assert isinstance(outcome, PreparedSubmission)
    assert list(outcome.unread) == [f"{NUMBER}-1", f"{NUMBER}-2", f"{NUMBER}-5"]
    assert (outcome.too_large, sorted(outcome.parts)) == ([f"{NUMBER}-4"], [f"{NUMBER}-3"])


async def test_submission_that_is_too_slow_is_read_without_its_slowest_document(
    task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "DOCUMENT_SECONDS", 60.0)
    monkeypatch.setattr(pool, "SUBMISSION_SECONDS", 3.0)
    outcome = await prepared(task("Moss", SLOW))
    assert isinstance(outcome, PreparedSubmission)
    reason = "too slow: its submission was not read after 3 s"
    assert outcome.unread == {f"{NUMBER}-2": reason}


async def test_submission_with_more_of_them_than_ten_is_refused(
    task: Callable[..., Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pool._MOST_LEFT_OUT == 10
    # Each takes two workers, whose starts take most of a second.
    monkeypatch.setattr(pool, "_MOST_LEFT_OUT", 2)
    assert isinstance(await prepared(task("Moss", *[DEADLY] * 2)), PreparedSubmission)
    outcome = await prepared(task("Moss", *[DEADLY] * 3))
    assert isinstance(outcome, RefusedFile)
    assert outcome.reason == ENDED
