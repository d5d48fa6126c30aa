"""A worker process if the fault is not the file's but this code's or the disk's."""

import socket
from pathlib import Path

import msgspec
import pytest

from edgar_search.errors import EdgarSearchError
from edgar_search.settings.values import ArchivePlace
from ingest.reading import documents
from ingest.reading import prepare as prepare_module
from ingest.reading.prepare import prepare
from ingest.reading.tasks import PreparedSubmission, RefusedFile, Task
from ingest.sources.source import Source
from tests.support.object_store import lead_to
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

NUMBER = "0009990001-21-000001"
FILING = MadeUp(NUMBER, (MadeUpEntity("0009990001", "MARBLE"),), (MadeUpDocument("Moss.\n"),))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (tmp_path / "one.txt").write_bytes(txt(FILING))
    place = ArchivePlace(tmp_path / "archive", "archive")
    return Task(Source.of(tmp_path / "one.txt"), [], "test-", "none", 1000, place)


def test_good_submission_is_prepared(task: Task) -> None:
    assert isinstance(prepare(task), PreparedSubmission)


def fail(*_: object) -> str:
    raise KeyError("no such thing")


@pytest.mark.parametrize("reader", ["report_text", "stored_sections", "eight_k_items"])
def test_fault_of_this_code_in_a_document_lists_it(
    task: Task, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    real = getattr(documents, reader)

    def fail_once(*given: object) -> object:
        monkeypatch.setattr(documents, reader, real)
        return fail()

    monkeypatch.setattr(documents, reader, fail_once)
    outcome = prepare(task)
    assert isinstance(outcome, PreparedSubmission)
    assert outcome.unread == {f"{NUMBER}-1": "reader failed: KeyError"}
    assert (outcome.parts, outcome.documents, outcome.passages) == ({}, [], [])


def test_fault_of_this_code_beside_documents_refuses_the_one_submission(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare_module, "stored_filing", fail)
    outcome = prepare(task)
    assert isinstance(outcome, RefusedFile)
    assert (outcome.accession_number, outcome.reason) == (
        NUMBER,
        "a fault of this program: KeyError",
    )


def test_archive_that_cannot_be_written_stops_the_load(task: Task, tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("in the way")
    with pytest.raises(EdgarSearchError, match="the archive cannot be written"):
        prepare(task)


def test_object_store_that_is_away_stops_the_load(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        lead_to(monkeypatch, f"http://127.0.0.1:{closed.getsockname()[1]}")
        place = ArchivePlace(None, "s3://filings/test-away")
        away = msgspec.structs.replace(task, archive=place)
        reason = "the archive cannot be written: s3://filings/test-away: the store gave no usable"
        with pytest.raises(EdgarSearchError, match=reason):
            prepare(away)
