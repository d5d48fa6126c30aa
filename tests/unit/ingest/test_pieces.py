"""Operations that go through a file: the same as in memory, and gone afterwards."""

from pathlib import Path

import msgspec
import pytest

from ingest import prepare as module
from ingest.owner import Owner
from ingest.pieces import Spooled, size, spooled
from ingest.prepare import Prepared, Task, prepare
from ingest.source import Source
from tests.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

NUMBER = "0009990001-21-000001"
FILING = MadeUp(
    NUMBER, (MadeUpEntity("0009990001", "MARBLE"),), (MadeUpDocument("Moss grows. " * 900),)
)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (tmp_path / "one.txt").write_bytes(txt(FILING))
    return Task(Source.of(tmp_path / "one.txt"), [], "test-", "none", 10**6, None)


def prepared(task: Task) -> Prepared:
    outcome = prepare(task)
    assert isinstance(outcome, Prepared)
    return outcome


def test_large_outcome_goes_through_files_and_is_the_same(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = prepared(task)
    monkeypatch.setattr(module, "SPOOL_BYTES", 1000)
    spool = tmp_path / "spool"
    large = prepared(msgspec.structs.replace(task, spool=str(spool)))
    assert isinstance(large.passages, Spooled) and isinstance(large.documents, Spooled)
    again = large.under(10**15).under(small.epoch)
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
    pieces = spooled([b"a\n", b"bcd\n"], tmp_path)
    assert (list(pieces), list(pieces), size(pieces)) == ([b"a\n", b"bcd\n"],) * 2 + (6,)


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
