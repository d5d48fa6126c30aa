"""The text of real documents."""

import gzip
import re
from pathlib import Path

from edgar_search.edgar.submission import parse_submission
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.words import normalise
from ingest.reading.transform import cut

EVERY = 7  # of 583 submissions, so that this takes a second


def test_every_searched_document_has_text(corpus: Path) -> None:
    number = 0
    for path in sorted((corpus / "filings").glob("*.gz"))[::EVERY]:
        for document in parse_submission(gzip.decompress(path.read_bytes())).documents:
            text = searchable_text(document)
            assert (text is None) == (searched_kind(document) is None), document.document_id
            if text is not None:
                number += 1
                assert text.split() == normalise(text).split()
                assert not re.search(r"[ \t]\n|\t | \t|\n{3}", text)
                assert "".join(text[start:end] for start, end in cut(text)) == text
    assert number > 100


def test_inline_xbrl_reports_hide_their_header(corpus: Path) -> None:
    path = corpus / "filings" / "0000018230-22-000107.txt.gz"
    report = parse_submission(gzip.decompress(path.read_bytes())).documents[0]
    assert b"ix:hidden" in report.body
    text = searchable_text(report) or ""
    assert text.startswith("UNITED STATES\n")
    assert "http://fasb.org" not in text
