"""A submission in a file is read as one in memory."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from edgar_search.archive.members import Packed
from edgar_search.edgar import envelope as module
from edgar_search.edgar.envelope import Mapped, pieces
from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.made_up import TWO, document, submission

UUENCODED = "begin 644 a.pdf\n" + "M" + "A" * 60 + "\n`\nend\n"
DATA = submission(*TWO, document(f"<PDF>\n{UUENCODED}</PDF>\n", sequence="3"))


@pytest.fixture
def mapped(tmp_path: Path) -> Iterator["Mapping"]:
    mapping = Mapping(tmp_path)
    yield mapping
    mapping.close()


class Mapping:
    """Maps bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Mapped] = []

    def __call__(self, data: bytes) -> Mapped:
        path = self._folder / str(len(self._made))
        path.write_bytes(data)
        with path.open("rb") as file:
            self._made.append(Mapped(file))
        path.unlink()
        return self._made[-1]

    def close(self) -> None:
        for each in self._made:
            each.close()
        self._made.clear()


def facts(read: Submission) -> list[object]:
    documents = [(d.document_id, d.body, d.size, d.wrapper, d.start, d.end) for d in read.documents]
    return [read.header, read.variant, read.size, read.unknown_fields, documents]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_submission_in_a_file_is_that_in_memory(mapped: Mapping, end: bytes) -> None:
    data = DATA.replace(b"\n", end)
    assert facts(parse_submission(mapped(data))) == facts(parse_submission(data))


def test_archive_file_is_the_same(mapped: Mapping) -> None:
    starts = [each.start for each in parse_submission(DATA).documents]
    in_memory, in_a_file = Packed(DATA, starts), Packed(mapped(DATA), starts)
    assert b"".join(in_a_file) == b"".join(in_memory)
    assert in_a_file.members == in_memory.members


def test_damaged_submissions_are_refused_alike(mapped: Mapping) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    for _ in range(200):
        start = chosen.randrange(len(DATA))
        damaged = DATA[:start] + DATA[start + chosen.randrange(1, 300) :]
        assert outcome(mapped(damaged)) == outcome(damaged)


def outcome(data: bytes | Mapped) -> list[object] | str:
    try:
        return facts(parse_submission(data))
    except MalformedSubmission as error:
        return str(error)


def test_what_lies_across_two_pieces_is_found(
    mapped: Mapping, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE_BYTES", 7)
    data = b"abc" * 20 + b"<TEXT>" + b"abc" * 20 + b"<TEXT>"
    content = mapped(data)
    for start in range(len(data)):
        for end in (None, 40, 63, 66, 70, len(data) + 5):
            assert content.find(b"<TEXT>", start, end) == data.find(b"<TEXT>", start, end)
    assert [*pieces(content, 3, 20)] == [data[3:10], data[10:17], data[17:20]]


def test_memory_is_given_back_on_the_way(mapped: Mapping) -> None:
    content = mapped(bytes(300_000_000))
    process = psutil.Process()
    before = process.memory_info().rss
    assert content.find(b"<TEXT>") == -1
    assert sum(len(piece) for piece in pieces(content, 0, len(content))) == len(content)
    assert process.memory_info().rss - before < 30_000_000


def test_bytes_that_cannot_be_read_are_an_error(mapped: Mapping, tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(bytes(5_000))
    with (tmp_path / "cut").open("r+b") as file:
        content = Mapped(file)
        file.truncate(100)
    with pytest.raises(OSError, match="only 90 of 190 bytes of a submission could be read"):
        content[10:200]
    content.close()


def test_real_submissions_are_read_alike(mapped: Mapping, corpus: Path) -> None:
    paths = sorted((corpus / "filings").glob("*.gz"))[::19]
    assert len(paths) > 20
    for path in paths:
        data = gzip.decompress(path.read_bytes())
        assert facts(parse_submission(mapped(data))) == facts(parse_submission(data))
        mapped.close()
