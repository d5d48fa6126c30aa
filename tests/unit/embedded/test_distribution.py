"""Getting the engine: every way in which a download can go wrong."""

import errno
import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgar_search.engine.embedded import install
from edgar_search.engine.embedded.install import explain, find_or_fetch, unpack
from edgar_search.errors import EngineUnavailable

GOOD = b"the archive"
Fetch = Callable[[str, Path], Path]


@pytest.fixture(autouse=True)
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(install.SHA256, "9.5.4", hashlib.sha256(GOOD).hexdigest())
    monkeypatch.setattr(install, "PAUSE_SECONDS", 0)


def fetcher(*outcomes: bytes | Exception) -> Fetch:
    """Stand in for fetching: each try writes the next bytes, or raises."""
    rest = iter(outcomes)

    def fetch(_version: str, folder: Path) -> Path:
        outcome = next(rest)
        if isinstance(outcome, Exception):
            (folder / "half").write_bytes(b"the ar")
            raise outcome
        (folder / "whole").write_bytes(outcome)
        return folder / "whole"

    return fetch


def test_fetched_once_then_offline(tmp_path: Path) -> None:
    first = find_or_fetch("9.5.4", tmp_path / "cache", print, fetcher(GOOD))
    second = find_or_fetch("9.5.4", tmp_path / "cache", print, fetcher())
    assert (first, first.read_bytes()) == (second, GOOD)


@pytest.mark.parametrize("outcome", [ConnectionError(), TimeoutError(), b"the arc"])
def test_interrupted_first_try_is_survived(tmp_path: Path, outcome: bytes | Exception) -> None:
    got = find_or_fetch("9.5.4", tmp_path, print, fetcher(outcome, GOOD))
    assert got.read_bytes() == GOOD


def test_nothing_of_a_failed_fetch_stays(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable):
        find_or_fetch("9.5.4", tmp_path, print, fetcher(*[ConnectionError()] * 3))
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_rest_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    (tmp_path / "partial-1").mkdir()
    find_or_fetch("9.5.4", tmp_path, print, fetcher(GOOD))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elasticsearch-9.5.4.zip", "lock"]


def test_damaged_archive_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "elasticsearch-9.5.4.zip").write_bytes(b"the ar")
    assert find_or_fetch("9.5.4", tmp_path, print, fetcher(GOOD)).read_bytes() == GOOD


def test_failure_names_what_and_why(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        find_or_fetch("9.5.4", tmp_path, print, fetcher(*[b"other"] * 3))
    assert str(raised.value) == (
        "Elasticsearch 9.5.4 (132 MB) could not be fetched: the file has the wrong checksum"
    )


def test_full_disk_is_not_tried_again(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(EngineUnavailable, match="No space left on device"):
        find_or_fetch("9.5.4", tmp_path, print, fetcher(full))


def test_texts_of_others_are_not_passed_on() -> None:
    class ReadTimeout(OSError):
        """As the library's: an OSError without a number."""

    texts = [
        explain(ReadTimeout("host='registry.example'")),
        explain(OSError("host='registry.example'")),
        explain(RuntimeError("not in https://registry.example")),
    ]
    assert texts == [
        "no answer in time",
        "no connection, or it broke off; behind a proxy, set HTTPS_PROXY",
        "the registry did not have it",
    ]


@pytest.fixture
def narrow_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_unpacked_files_can_be_read_and_run(tmp_path: Path, narrow_umask: None) -> None:
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as file:
        file.writestr("elasticsearch-9.5.4/bin/elasticsearch", "#!/bin/bash")
        file.writestr("elasticsearch-9.5.4/lib/a.jar", "jar")
    (tmp_path / "new").mkdir()
    top = unpack(tmp_path / "e.zip", tmp_path / "new")
    modes = {
        str(path.relative_to(top)): path.stat().st_mode & 0o777 for path in (top, *top.rglob("*"))
    }
    assert modes == {
        ".": 0o755,
        "bin": 0o755,
        "bin/elasticsearch": 0o755,
        "lib": 0o755,
        "lib/a.jar": 0o644,
    }
