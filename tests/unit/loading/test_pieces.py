"""Operations that go through a file: the same as in memory, and gone afterwards."""

from pathlib import Path

import msgspec
import pytest

from ingest.loading.owner import Owner
from ingest.reading import operations as module
from ingest.reading.operations import OperationCollector, Pieces, SpooledPieces, size
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, Task
from ingest.sources.source import Source
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

NUMBER = "0009990001-21-000001"
FILING = MadeUp(
    NUMBER, (MadeUpEntity("0009990001", "MARBLE"),), (MadeUpDocument("Moss grows. " * 900),)
)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (tmp_path / "one.txt").write_bytes(txt(FILING))
    return Task(Source.of(tmp_path / "one.txt"), [], "test-", "none", 10**6, None)


def spooled(operations: list[bytes], folder: Path) -> Pieces:
    collector = OperationCollector(str(folder))
    for operation in operations:
        collector.add(operation)
    return collector.pieces()


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every piece goes into the file."""
    monkeypatch.setattr(module, "SPOOL_BYTES", 0)
    monkeypatch.setattr(module, "CHUNK_BYTES", 1000)


def prepared(task: Task) -> PreparedSubmission:
    outcome = prepare(task)
    assert isinstance(outcome, PreparedSubmission)
    return outcome


def test_large_outcome_goes_through_files_and_is_the_same(task: Task, tmp_path: Path) -> None:
    small = prepared(task)
    spool = tmp_path / "spool"
    large = prepared(msgspec.structs.replace(task, spool=str(spool)))
    assert isinstance(large.passages, SpooledPieces) and isinstance(large.documents, SpooledPieces)
    again = large.with_epoch(10**15).with_epoch(small.epoch)
    passages, documents = b"".join(again.passages), b"".join(again.documents)
    assert passages == b"".join(small.passages)
    theirs, ours = (
        msgspec.json.encode(each.loaded_at.isoformat().replace("+00:00", "Z"))
        for each in (large, small)
    )
    assert documents.replace(theirs, ours) == b"".join(small.documents)
    assert large.bytes == small.bytes
    large.discard()
    assert list(spool.iterdir()) == []


def test_pieces_are_read_one_at_a_time(tmp_path: Path) -> None:
    operations = [b"a" * 400, b"b" * 599, b"c" * 2000, b"d"]
    pieces = spooled(operations, tmp_path)
    expected = [b"a" * 400 + b"b" * 599, b"c" * 2000, b"d"]
    assert (list(pieces), list(pieces), size(pieces)) == (expected, expected, 3000)


def test_files_go_with_the_load_that_made_them(tmp_path: Path) -> None:
    with Owner(tmp_path) as owner:
        spooled([b"a"], owner.spool)
    assert not owner.spool.exists()


def test_files_of_a_killed_load_go_with_the_next_and_those_of_another_stay(tmp_path: Path) -> None:
    killed = tmp_path / "loads" / "0123456789abcdef.spool"
    spooled([b"a"], killed)
    with Owner(tmp_path) as running:
        spooled([b"a"], running.spool)
        with Owner(tmp_path):
            assert (killed.exists(), running.spool.exists()) == (False, True)
