"""Real submissions, damaged on purpose: refused or whole, and in bounded time."""

import random
import re
import time
from pathlib import Path

import pytest

from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.test_corpus import content

SECONDS = 5  # far more than the largest takes, far less than a loop that is not linear
ROUNDS = 150
MARKS = [
    b"<DOCUMENT>", b"</DOCUMENT>", b"<TEXT>", b"</TEXT>", b"</SEC-HEADER>", b"<SEC-HEADER>",
    b"</SEC-DOCUMENT>", b"<SUBMISSION>", b"FILER:", b"COMPANY DATA:", b"begin 644 a", b"\r", b"\0",
    b"<SERIES-AND-CLASSES-CONTRACTS-DATA>", b"<MULTI-ACCESSION-NUMBERS>",
]  # fmt: skip


@pytest.fixture(scope="module")
def submissions(corpus: Path) -> list[bytes]:
    """Some submissions of every kind, none of the largest."""
    paths = sorted((corpus / "filings").glob("*.gz"))[::9]
    return [data for path in paths if len(data := content(path)) < 3_000_000]


@pytest.fixture
def source() -> random.Random:
    """Chance, with its seed shown where a test fails."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    return random.Random(seed)


def parsed(data: bytes) -> Submission | None:
    """Return the submission, None where it is refused.

    Fails for any other error, or a long time.
    """
    began = time.process_time()
    try:
        return parse_submission(data)
    except MalformedSubmission as error:
        assert str(error)
        return None
    finally:
        assert time.process_time() - began < SECONDS


def test_cut_off_is_refused_or_whole(submissions: list[bytes], source: random.Random) -> None:
    refused = 0
    for _ in range(ROUNDS):
        data = source.choice(submissions)
        cut = parsed(data[: source.randrange(len(data))])
        if cut is None:
            refused += 1
        else:
            assert [d.body for d in cut.documents] == [
                d.body for d in parse_submission(data).documents
            ]
    assert refused > ROUNDS // 2


def test_piece_taken_out_is_refused_or_leaves_all_documents(
    submissions: list[bytes], source: random.Random
) -> None:
    """A few documents may be missing of those announced: EDGAR keeps some back itself."""
    for _ in range(ROUNDS):
        data = source.choice(submissions)
        start = source.randrange(len(data))
        end = min(len(data), start + source.randrange(1, 200_000))
        left = parsed(data[:start] + data[end:])
        if left is None:
            continue
        gone = len(parse_submission(data).documents) - len(left.documents)
        announced = left.header.public_document_count
        assert announced is None or gone <= 0 or gone <= max(2, announced / 10) + 1


def test_damaged_tag_loses_no_document(submissions: list[bytes], source: random.Random) -> None:
    tag = re.compile(rb"^</?(?:DOCUMENT|TEXT)>", re.MULTILINE)
    for _ in range(ROUNDS):
        data = bytearray(source.choice(submissions))
        at = source.choice([match.start() for match in tag.finditer(data)])
        whole = parse_submission(bytes(data))
        data[at + source.randrange(6)] = 0x23
        left = parsed(bytes(data))
        if left is not None:
            assert len(left.documents) == len(whole.documents)


def test_spliced_with_another_is_one_submission_or_refused(
    submissions: list[bytes], source: random.Random
) -> None:
    for _ in range(ROUNDS):
        one, other = source.choice(submissions), source.choice(submissions)
        at = source.randrange(len(other))
        spliced = parsed(one[: source.randrange(len(one))] + other[at:])
        if spliced is not None:
            for document in spliced.documents:
                assert document.document_id.startswith(spliced.header.accession_number)


def test_marks_scattered_over_a_submission(submissions: list[bytes], source: random.Random) -> None:
    for _ in range(ROUNDS):
        data = bytearray(source.choice(submissions))
        for _ in range(source.randint(1, 12)):
            at = source.choice(
                [source.randrange(len(data)), source.randrange(min(len(data), 3_000))]
            )
            data[at:at] = b"\n" + source.choice(MARKS) + source.choice([b"", b"\n", b" x\n"])
        parsed(bytes(data))


@pytest.mark.parametrize(
    "mark", [b"<DOCUMENT>\n", b"</TEXT>\n", b"<SEC-HEADER>\n", b"ITEMS:\n", b"]", b"x\n"]
)
def test_a_mark_a_hundred_thousand_times_takes_no_longer(
    mark: bytes, submissions: list[bytes]
) -> None:
    data = submissions[0]
    for tag in (b"<SEC-HEADER>", b"<DOCUMENT>"):
        at = data.index(b"\n", data.index(tag)) + 1
        parsed(data[:at] + mark * 100_000 + data[at:])
    parsed(data + mark * 100_000)
    parsed(mark * 100_000)
