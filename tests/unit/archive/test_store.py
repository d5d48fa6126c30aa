"""Promises of every store of the archive, and the particulars of object stores."""

import gzip
import hashlib
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgar_search.archive import archive, object_store
from edgar_search.archive.archive import open_archive
from edgar_search.archive.members import CHUNK_BYTES, Packed, member_chunks
from edgar_search.archive.object_store import ObjectStore
from edgar_search.archive.store import ArchiveFolder, ArchiveStore
from edgar_search.errors import ArchiveRefuses, ArchiveUnavailable
from edgar_search.settings.values import ArchivePlace
from tests.support.archived import file_in
from tests.support.elsewhere import listening_elsewhere
from tests.support.object_store import BUCKET, S3, SECRET, lead_to, running_s3

NUMBER, NEXT, LONGER = "0009990001-21-000001", "0009990001-21-000002", "0009990001-21-000010"
URL = f"s3://{BUCKET}/some/prefix"


@pytest.fixture
def s3() -> Iterator[S3]:
    with running_s3() as server:
        yield server


@pytest.fixture(params=["folder", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ArchiveStore:
    if request.param == "folder":
        return open_archive(ArchivePlace(tmp_path / "archive", "archive"))
    if request.param == "memory":
        return ObjectStore.at("memory:///")
    request.getfixturevalue("s3")
    return open_archive(ArchivePlace(None, URL))


def incompressible(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def written(
    store: ArchiveStore,
    number: str = NUMBER,
    data: bytes = b"A filing.",
    starts: tuple[int, ...] = (),
) -> archive.ArchivedSubmission:
    return archive.write(store, number, hashlib.sha256(data).hexdigest(), data, starts)


def test_what_is_written_is_read(store: ArchiveStore) -> None:
    kept = written(store)
    assert gzip.decompress(file_in(store, kept.path)) == b"A filing."


def test_members_are_read_alone(store: ArchiveStore) -> None:
    data = b"head" + b"x" * (3 * CHUNK_BYTES) + b"tail"
    kept = written(store, data=data, starts=(4, len(data) - 4))
    read = [list(member_chunks(store, kept.path, *member[:2])) for member in kept.members]
    assert [b"".join(chunks) for chunks in read] == [b"head", data[4:-4], b"tail"]
    assert max(len(chunk) for chunk in read[1]) == CHUNK_BYTES


def test_put_replaces_only_where_it_shall(store: ArchiveStore) -> None:
    assert store.put("a/one.gz", [b"fi", b"rst"], replace=False)
    assert not store.put("a/one.gz", [b"second"], replace=False)
    assert file_in(store, "a/one.gz") == b"first"
    assert store.put("a/one.gz", [b"third"], replace=True)
    assert file_in(store, "a/one.gz") == b"third"


def test_second_write_has_the_members_of_the_first(store: ArchiveStore) -> None:
    first = written(store, starts=(2,))
    assert len(first.members) == 2
    assert written(store) == first


def test_damaged_file_is_written_anew(store: ArchiveStore) -> None:
    kept = written(store)
    store.put(kept.path, [file_in(store, kept.path)[:-1]], replace=True)
    written(store)
    assert gzip.decompress(file_in(store, kept.path)) == b"A filing."


def test_write_that_came_second_takes_the_members_of_the_first(
    store: ArchiveStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces, others = store.pieces, list[archive.ArchivedSubmission]()

    def absent_once(path: str, offset: int, length: int) -> Iterator[bytes]:
        if not others:
            others.append(others_write(path))
            raise FileNotFoundError(path)
        return pieces(path, offset, length)

    def others_write(path: str) -> archive.ArchivedSubmission:
        packed = Packed(b"A filing.", [2])
        assert store.put(path, packed, replace=False)
        return archive.ArchivedSubmission(path, packed.members)

    monkeypatch.setattr(store, "pieces", absent_once)
    assert written(store) == others[0]


def test_file_that_ends_in_a_member_is_damaged(store: ArchiveStore) -> None:
    kept = written(store, starts=(2,))
    offset, length = kept.members[1][:2]
    for size in (offset + 3, offset):
        store.put(kept.path, [file_in(store, kept.path)[:size]], replace=True)
        with pytest.raises(OSError, match="damaged: it ends too early"):
            list(member_chunks(store, kept.path, offset, length))


def test_listing_is_by_path_and_by_beginning(store: ArchiveStore) -> None:
    paths = [written(store, number).path for number in (LONGER, NEXT, NUMBER)]
    assert [kept.path for kept in store.below("")] == sorted(paths)
    assert [kept.path for kept in store.below(f"{NEXT[:10]}/21/{NEXT}.")] == [paths[1]]
    assert [kept.path for kept in store.below(paths[0])] == [paths[0]]
    assert list(store.below("0009990002/21/")) == []


def test_delete_takes_all_versions_and_no_other_submission(store: ArchiveStore) -> None:
    other = written(store, NEXT)
    for data in (b"one", b"two"):
        written(store, data=data)
    assert archive.remove_all(store, NUMBER) == 2
    assert archive.remove_all(store, NUMBER) == 0
    assert [kept.path for kept in store.below("")] == [other.path]


def test_missing_file_is_not_found(store: ArchiveStore) -> None:
    with pytest.raises(FileNotFoundError):
        file_in(store, "0009990001/21/none.gz")
    with pytest.raises(FileNotFoundError):
        list(store.pieces("0009990001/21/none.gz", 5, 5))


def test_versions_are_in_the_order_of_their_times(s3: S3) -> None:
    store = open_archive(ArchivePlace(None, URL))
    paths = [written(store, data=data).path for data in (b"1", b"2", b"3", b"4", b"5")]
    assert sorted(paths) != paths
    assert archive.versions(store, NUMBER) == paths


def test_only_the_bytes_of_the_member_are_sent(s3: S3) -> None:
    store = open_archive(ArchivePlace(None, URL))
    data = incompressible(3_000_000)
    kept = written(store, data=data, starts=(1_000_000, 1_500_000))
    offset, length = kept.members[1][:2]
    s3.log.clear()
    assert b"".join(member_chunks(store, kept.path, offset, length)) == data[1_000_000:1_500_000]
    [asked] = s3.log
    assert asked.range == f"bytes={offset}-{offset + length - 1}"
    assert asked.sent == length


def test_long_member_is_asked_for_in_pieces(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "PIECE_BYTES", 100_000)
    store = open_archive(ArchivePlace(None, URL))
    data = incompressible(250_000)
    kept = written(store, data=data)
    s3.log.clear()
    chunks = member_chunks(store, kept.path, *kept.members[0][:2])
    first = next(chunks)
    assert len(s3.log) == 1
    assert first + b"".join(chunks) == data
    assert [asked.sent for asked in s3.log] == [100_000, 100_000, kept.members[0][1] - 200_000]


def test_large_file_is_sent_in_parts_and_appears_when_it_is_whole(s3: S3) -> None:
    store = open_archive(ArchivePlace(None, URL))
    data = incompressible(40_000_000)
    kept = written(store, data=data, starts=(1_000_000, 30_000_000))
    parts = [asked for asked in s3.log if asked.method == "PUT"]
    assert len(parts) == 5  # of 8 MiB
    assert gzip.decompress(file_in(store, kept.path)) == data
    assert written(store, data=data) == kept


def test_large_file_that_breaks_off_does_not_appear(s3: S3) -> None:
    def broken() -> Iterator[bytes]:
        yield bytes(30_000_000)
        raise MemoryError

    store = open_archive(ArchivePlace(None, URL))
    with pytest.raises(MemoryError):
        store.put("a/one.gz", broken(), replace=False)
    assert s3.objects == {}


def test_files_lie_below_the_prefix(s3: S3) -> None:
    kept = written(open_archive(ArchivePlace(None, URL)))
    assert list(s3.objects) == [f"some/prefix/{kept.path}"]


Call = Callable[[ArchiveStore], object]
CALLS: list[Call] = [
    lambda store: file_in(store, "a/b.gz"),
    lambda store: list(store.pieces("a/b.gz", 0, 5)),
    lambda store: store.put("a/b.gz", [b"1"], replace=False),
    lambda store: list(store.below("a/b")),
    lambda store: store.delete_all("a/b"),
]


@pytest.mark.parametrize("call", CALLS)
def test_store_that_is_away(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        lead_to(monkeypatch, f"http://127.0.0.1:{closed.getsockname()[1]}")
        store = open_archive(ArchivePlace(None, URL))
        with pytest.raises(ArchiveUnavailable, match="gave no usable answer") as caught:
            call(store)
    assert not isinstance(caught.value, ArchiveRefuses)
    assert SECRET not in str(caught.value)
    assert caught.value.status == 503


@pytest.mark.parametrize("call", CALLS)
def test_store_that_refuses(s3: S3, call: Call) -> None:
    s3.refuses = True
    store = open_archive(ArchivePlace(None, URL))
    with pytest.raises(ArchiveRefuses, match=f"{URL}: the store refused a request with status 403"):
        call(store)


def test_store_that_leads_elsewhere_gets_no_credentials_there(s3: S3) -> None:
    with listening_elsewhere() as elsewhere:
        s3.leads_to = elsewhere.url
        store = open_archive(ArchivePlace(None, URL))
        for call in CALLS:
            with pytest.raises(ArchiveUnavailable):
                call(store)
        # What lists or reads follows a redirect, which stores send for other regions.
        assert {each.method for each in elsewhere.asked} == {"GET"}
        assert not any("authorization" in each.headers for each in elsewhere.asked)
        assert SECRET not in repr(elsewhere.asked)


@pytest.mark.parametrize("call", CALLS[1:])
def test_bucket_that_is_not_there(s3: S3, call: Call) -> None:
    store = open_archive(ArchivePlace(None, "s3://nothing/here"))
    with pytest.raises(ArchiveRefuses, match="no such bucket|refuses with status 404"):
        call(store)


def test_file_address_is_a_folder(tmp_path: Path) -> None:
    assert isinstance(open_archive(ArchivePlace(tmp_path, "file:///x")), ArchiveFolder)
