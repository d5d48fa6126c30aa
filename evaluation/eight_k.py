"""Items of current reports: those found in the text compared with those of the header.

    python -m evaluation.eight_k [--corpus FOLDER]

The header's are what the filer told EDGAR, so they judge the finder wherever they are there.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from edgar_search.edgar.submission import Submission, parse_submission
from evaluation.sections import CORPUS
from ingest.reading.eight_k.headings import item_headings
from ingest.reading.eight_k.items import header_items, main_document
from ingest.reading.eight_k.names import items_on
from ingest.reading.sections.markup import Markup
from ingest.sources.source import Source, read


def current_reports(corpus: Path) -> Iterator[tuple[str, Submission]]:
    """The 8-K filings of the corpus, each accession number once."""
    seen: set[str] = set()
    for path in sorted((corpus / "filings").glob("*.gz")):
        submission = parse_submission(read(Source.of(path)))
        number = submission.header.accession_number
        if submission.header.form_type.startswith("8-K") and number not in seen:
            seen.add(number)
            yield path.name, submission


def from_header(submission: Submission) -> list[str]:
    """The numbers of the items that the header names."""
    header = submission.header
    return [item.number for item in header_items(header.items, header.filing_date)]


def from_text(submission: Submission) -> list[str]:
    """The numbers of the items that the report's text has headings of."""
    markup = Markup(main_document(submission).body)
    return [h.item.number for h in item_headings(markup, items_on(submission.header.filing_date))]


def main() -> None:
    """Print every difference, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, help="the folder of real EDGAR files"
    )
    right = named = found = reports = 0
    for name, submission in current_reports(parser.parse_args().corpus):
        header, text = set(from_header(submission)), set(from_text(submission))
        if header:
            reports += 1
            right, named, found = right + len(header & text), named + len(header), found + len(text)
            if header != text:
                print(f"{name}: header {sorted(header)}, text {sorted(text)}")
    print(f"{reports} reports: precision {right / found:.3f}, recall {right / named:.3f}")


if __name__ == "__main__":
    main()
