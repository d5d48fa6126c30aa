"""Submissions as received."""

import gzip
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from edgar_search.archive import archive
from edgar_search.archive.archive import ArchivedSubmission
from edgar_search.archive.store import ArchiveFolder
from edgar_search.edgar.submission import parse_submission
from tests.support.archived import member
from tests.unit.submissions.made_up import ACCESSION, TWO, submission

DATA = submission(*TWO)
SHA256 = hashlib.sha256(DATA).hexdigest()
DOCUMENTS = parse_submission(DATA).documents


def written(home: Path) -> ArchivedSubmission:
    return archive.write(
        ArchiveFolder(home / "archive"), ACCESSION, SHA256, DATA, [part.start for part in DOCUMENTS]
    )


def test_layout(tmp_path: Path) -> None:
    kept = written(tmp_path)
    assert kept.path == f"0009990001/21/{ACCESSION}.{SHA256[:16]}.gz"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / "archive" / kept.path]


def test_whole_and_by_member(tmp_path: Path) -> None:
    kept, store = written(tmp_path), ArchiveFolder(tmp_path / "archive")
    path = tmp_path / "archive" / kept.path
    assert gzip.decompress(path.read_bytes()) == DATA
    starts = [0, *[part.start for part in DOCUMENTS]]
    assert [start for _, _, start, _ in kept.members] == starts
    for offset, length, start, size in kept.members:
        assert member(store, kept.path, offset, length) == DATA[start : start + size]
    assert sum(length for _, length, _, _ in kept.members) == path.stat().st_size


def test_any_gunzip_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "archive" / written(tmp_path).path
    assert gzip.decompress(path.read_bytes()) == DATA
    assert subprocess.run(["gzip", "-dc", path], capture_output=True).stdout == DATA


def test_second_write_changes_nothing(tmp_path: Path) -> None:
    first = written(tmp_path)
    path = tmp_path / "archive" / first.path
    os.utime(path, (1, 1))
    assert written(tmp_path) == first
    assert path.stat().st_mtime == 1


def test_members_are_those_of_the_file(tmp_path: Path) -> None:
    first = written(tmp_path)
    assert archive.write(ArchiveFolder(tmp_path / "archive"), ACCESSION, SHA256, DATA, []) == first


@pytest.mark.parametrize("keep", [0, 1, 100, -1, -9])
def test_damaged_file_is_written_anew(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "archive" / written(tmp_path).path
    path.write_bytes(path.read_bytes()[:keep])
    written(tmp_path)
    assert gzip.decompress(path.read_bytes()) == DATA


def test_changed_bytes_are_noticed(tmp_path: Path) -> None:
    kept, store = written(tmp_path), ArchiveFolder(tmp_path / "archive")
    path = tmp_path / "archive" / kept.path
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(OSError, match="damaged"):
        member(store, kept.path, *kept.members[0][:2])


def test_other_content_is_another_file(tmp_path: Path) -> None:
    first = written(tmp_path)
    changed = DATA.replace(b"grows", b"grew")
    second = archive.write(
        ArchiveFolder(tmp_path / "archive"),
        ACCESSION,
        hashlib.sha256(changed).hexdigest(),
        changed,
        [],
    )
    assert second.path != first.path
    assert gzip.decompress((tmp_path / "archive" / first.path).read_bytes()) == DATA


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        written(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_no_accession_number(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not an accession number"):
        archive.write(ArchiveFolder(tmp_path / "archive"), "../../etc", SHA256, DATA, [])
