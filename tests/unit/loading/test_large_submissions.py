"""Submissions that are read from a file: what is made of them is the same, whatever the way in."""

import gzip
import hashlib
import io
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.archive.object_store import ObjectStore
from edgar_search.edgar.envelope import Mapped
from edgar_search.engine.bulk_lines import with_version
from edgar_search.errors import EdgarSearchError
from edgar_search.settings.values import ArchivePlace
from ingest.reading import documents
from ingest.reading import operations as pieces
from ingest.reading import prepare as prepare_module
from ingest.reading.operations import Pieces
from ingest.reading.prepare import prepare
from ingest.reading.tasks import KnownFile, PreparedSubmission, RefusedFile, Task
from ingest.sources import source as source_module
from ingest.sources.paths import ArchiveSources, Sources
from ingest.sources.source import Source, open_submission, release
from tests.support.archived import file_in
from tests.support.large_submission import write_large
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

NUMBER = "0009990050-21-000001"
_LOADED_AT = re.compile(rb'"loaded_at":"[^"]*"')


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / f"{NUMBER}.txt"
    write_large(path, NUMBER, 12_000_000, huge=3_000_000, text_bytes=400_000)
    return path


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let submissions be large from a size below those of these tests."""
    monkeypatch.setattr(source_module, "MAPPED_BYTES", 1_000_000)
    monkeypatch.setattr(documents, "LARGE_BYTES", 300_000)
    monkeypatch.setattr(prepare_module, "LARGE_BYTES", 300_000)


@pytest.fixture
def task(file: Path, tmp_path: Path) -> Callable[..., Task]:
    def make(source: Source | None = None, name: str = "archive", **more: object) -> Task:
        place = ArchivePlace(tmp_path / name, name)
        spool = str(tmp_path / "spool")
        given = source or Source.of(file)
        task = Task(given, [], "test-", "none", 10**7, place, spool=spool)
        return msgspec.structs.replace(task, **more)

    return make


Tasks = Callable[..., Task]


@pytest.fixture(scope="module")
def small(file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[PreparedSubmission, bytes]:
    """Makes what the way of small submissions makes of the file, and the archive's bytes of it."""
    folder = tmp_path_factory.mktemp("small")
    place = ArchivePlace(folder / "archive", "archive")
    task = Task(Source.of(file), [], "test-", "none", 10**7, place, spool=str(folder / "spool"))
    return prepared(task), archived(task)


def prepared(task: Task) -> PreparedSubmission:
    outcome = prepare(task)
    assert isinstance(outcome, PreparedSubmission)
    return outcome


def operations(made: Pieces | bytes, epoch: int) -> bytes:
    """Return operations without what differs between two runs."""
    whole = made if isinstance(made, bytes) else b"".join(made)
    return _LOADED_AT.sub(b"", with_version(whole, epoch, 1))


def facts(made: PreparedSubmission) -> list[object]:
    """Return all that is made of a submission, apart from times and where it was read."""
    stored = [operations(each, made.epoch) for each in (made.passages, made.documents, made.filing)]
    others = [made.sha256, made.parts, made.sections, made.first, made.characters, made.too_large]
    return [stored, others, made.facts, made.unknown_fields, made.variant, made.archived]


def archived(task: Task) -> bytes:
    """Return the file that the archive has of the one submission."""
    assert task.archive is not None
    store = open_archive(task.archive)
    (path,) = archive.versions(store, NUMBER)
    return file_in(store, path)


def tar_of(file: Path, target: Path) -> Path:
    with tarfile.open(target, "w:gz", compresslevel=1) as made:
        made.add(file, file.name)
    return target


def zip_of(file: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        made.write(file, file.name)
    return target


def gzip_of(file: Path, target: Path) -> Path:
    target.write_bytes(gzip.compress(file.read_bytes(), 1))
    return target


@contextmanager
def only(sources: Sources | ArchiveSources) -> Iterator[Source]:
    with sources:
        (source,) = sources
        yield source
        release(source)


@contextmanager
def way_in(way: str, file: Path, folder: Path) -> Iterator[Source]:
    """Yield the submission as the one source of a load, in some form."""
    home = folder / "home"
    if way == "object store":
        store, data = ObjectStore.at("memory:///"), file.read_bytes()
        archive.write(store, NUMBER, hashlib.sha256(data).hexdigest(), data, [1_000])
        with only(ArchiveSources(store, "memory", home)) as source:
            yield source
    elif way == "standard input":
        packed = io.BytesIO(gzip.compress(file.read_bytes(), 1))
        with only(Sources([Path("-")], home, stdin=packed)) as source:
            yield source
    else:
        forms = {"plain": lambda file, _: file, "gzip": gzip_of, "tar": tar_of, "zip": zip_of}
        path = forms[way](file, folder / f"one.{way}")
        with only(Sources([path], home)) as source:
            yield source


WAYS = ["plain", "gzip", "tar", "zip", "standard input", "object store"]


@pytest.mark.parametrize("way", WAYS)
def test_large_way_makes_the_same(
    way: str,
    small: tuple[PreparedSubmission, bytes],
    task: Tasks,
    file: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    made, kept = small
    # Only now, for what it is compared with is made with all memory.
    request.getfixturevalue("little_memory")
    with way_in(way, file, tmp_path) as source:
        with open_submission(source, None, 10**9) as read:
            assert isinstance(read.content, Mapped)
        large = prepared(task(source, "large"))
    assert made.characters > 3_000_000
    assert facts(large) == facts(made)
    assert archived(task(name="large")) == kept
    # And again, where the archive has it.
    assert facts(prepared(task(name="large"))) == facts(made)


@pytest.mark.usefixtures("little_memory")
def test_nothing_is_left_in_the_spool(
    task: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "SPOOL_BYTES", 100_000)
    made = prepared(task())
    made.discard()
    assert list((tmp_path / "spool").iterdir()) == []


@pytest.mark.usefixtures("little_memory")
def test_known_one_is_only_hashed(task: Tasks, file: Path) -> None:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert prepare(task(known=[digest])) == KnownFile(str(file), digest)


@pytest.mark.usefixtures("little_memory")
def test_file_that_is_changed_meanwhile_changes_nothing(task: Tasks, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    write_large(path, NUMBER, 3_000_000, huge=500_000, texts=1, text_bytes=10_000)
    whole = path.read_bytes()
    with open_submission(Source.of(path), None, 10**9) as read:
        path.write_bytes(b"")
        assert read.content[:] == whole


@pytest.mark.usefixtures("little_memory")
def test_damaged_gzip_is_refused(task: Tasks, file: Path, tmp_path: Path) -> None:
    path = gzip_of(file, tmp_path / "one.txt.gz")
    path.write_bytes(path.read_bytes()[:-20_000])
    refused = prepare(task(Source.of(path)))
    assert isinstance(refused, RefusedFile)
    assert refused.reason.startswith("cannot be read: the gzip data is damaged")


@pytest.mark.usefixtures("little_memory")
def test_more_than_may_be_is_refused_with_the_number(task: Tasks) -> None:
    refused = prepare(task(submission_bytes=5_000_000))
    assert isinstance(refused, RefusedFile)
    assert refused.reason == ("cannot be read: it has more than 5000000 bytes unpacked")


@pytest.mark.usefixtures("little_memory")
def test_spool_that_takes_no_more_ends_the_load(task: Tasks, tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("in the way")
    with pytest.raises(EdgarSearchError, match=r"spool: cannot be written: File exists"):
        prepare(task())


@pytest.mark.usefixtures("little_memory")
def test_full_disk_ends_the_load(task: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir: open("/dev/full", "w+b"))
    with pytest.raises(EdgarSearchError, match="spool: cannot be written: No space left on device"):
        prepare(task())


@pytest.mark.long
def test_gigabytes_make_the_same_both_ways(
    task: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.txt"
    write_large(path, NUMBER, 3_000_000_000, huge=20_000_000)
    try:
        source = Source.of(path)
        large = prepared(task(source, "large"))
        monkeypatch.setattr(source_module, "MAPPED_BYTES", 10**10)
        small = prepared(task(source, "small"))
    finally:
        path.unlink()
    assert facts(large) == facts(small)
    assert archived(task(name="large")) == archived(task(name="small"))


def test_document_with_too_large_a_body_is_listed_and_not_searched(task: Tasks) -> None:
    whole = prepared(task())
    part = prepared(task(document_bytes=1_000_000))
    huge = f"{NUMBER}-5"
    # Those that are uuencoded are larger; nobody misses them in a search.
    assert (whole.too_large, part.too_large) == ([], [huge])
    assert part.parts == {key: count for key, count in whole.parts.items() if key != huge}
    # In the filing it is as ever.
    assert operations(part.filing, part.epoch) == operations(whole.filing, whole.epoch)


def test_document_that_took_too_much_memory_is_not_read_again(
    task: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = prepared(task(too_large=(f"{NUMBER}-2", f"{NUMBER}-6")))
    # The sixth is a file that is never searched.
    assert made.too_large == [f"{NUMBER}-2"]
    assert sorted(made.parts) == [f"{NUMBER}-{place}" for place in (1, 3, 4, 5)]


def test_current_report_that_is_too_large_has_the_items_of_its_header(
    task: Tasks, tmp_path: Path
) -> None:
    page = "<html><p>Item 8.01 Other Events</p><p>Exhibit 99.1 was sold.</p>" + "<p>Moss.</p>" * 999
    entity = MadeUpEntity("0009990050", "LARGE QUARRIES CORP")
    document = MadeUpDocument(page, "8-K", "report.htm")
    filing = MadeUp(NUMBER, (entity,), (document,), items=("Regulation FD Disclosure",))
    (tmp_path / "one.txt").write_bytes(txt(filing))
    source = Source.of(tmp_path / "one.txt")
    made = prepared(task(source, document_bytes=1_000))
    assert made.too_large == [f"{NUMBER}-1"]
    assert b'"items":["7.01"]' in made.filing
