"""Files that would fill the disk when they are unpacked: refused before they do."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.sources import source as module
from ingest.sources.source import Source, open_submission

SUBMISSION = b"<SEC-DOCUMENT>0009990001-21-000001.txt : 20210105\n"
RATIO = "it has more than 200 times as many bytes unpacked"
UNKNOWN = "no SGML header: this is not an EDGAR submission"


@pytest.fixture
def bomb(tmp_path: Path) -> Callable[[bytes, int], Source]:
    """Make a gzip file that begins like this and has this many megabytes of zeros."""

    def make(head: bytes, megabytes: int) -> Source:
        path = tmp_path / "bomb.gz"
        with gzip.open(path, "wb", compresslevel=9) as file:
            file.write(head)
            for _ in range(megabytes):
                file.write(bytes(1_000_000))
        return Source.of(path)

    return make


@pytest.mark.parametrize(
    ("head", "megabytes", "reason"), [(SUBMISSION, 201, RATIO), (bytes(100), 20, UNKNOWN)]
)
def test_file_that_unpacks_to_no_submission_is_refused(
    bomb: Callable[[bytes, int], Source], tmp_path: Path, head: bytes, megabytes: int, reason: str
) -> None:
    with (
        pytest.raises(OSError, match=re.escape(reason)),
        open_submission(bomb(head, megabytes), str(tmp_path), 10**10),
    ):
        pass


def test_nothing_is_written_of_a_file_that_does_not_begin_as_a_submission(
    bomb: Callable[[bytes, int], Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_Copy", None)
    with (
        pytest.raises(OSError, match=UNKNOWN),
        open_submission(bomb(b"", 20), str(tmp_path), 10**10),
    ):
        pass


def test_submission_that_gzip_makes_very_small_is_read(
    bomb: Callable[[bytes, int], Source], tmp_path: Path
) -> None:
    with open_submission(bomb(SUBMISSION, 100), str(tmp_path), 10**10) as read:
        assert len(read.content) == len(SUBMISSION) + 100_000_000
