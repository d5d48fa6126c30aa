"""Items and exhibits of current reports: those found compared with what was read, and with headers.

    python -m evaluation.eight_k [--corpus FOLDER]

`evaluation/judged_eight_k.json` has, for reports that were read, the items that the text answers
and the exhibits that it lists or the filing has; XBRL files are not exhibits. Headers are what the
filers told EDGAR, so they are a second judge of the text, wherever they are there.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.edgar.items import eight_k_items_on
from edgar_search.edgar.submission import Submission, parse_submission
from evaluation.sections import CHECKOUT, chosen_corpus
from ingest.reading.eight_k import (
    current_report,
    eight_k_items,
    header_items,
    item_headings,
    main_document,
)
from ingest.reading.sections.report_text import report_text
from ingest.sources.source import Source, read

JUDGED = CHECKOUT / "evaluation" / "judged_eight_k.json"


class JudgedReport(Struct, frozen=True):
    """A report that was read: the numbers of its items and exhibits, and what is odd about it."""

    accession_number: str
    items: list[str]
    exhibits: list[str]
    note: str = ""


class Agreement(Struct):
    """Counts of what two readings have."""

    right: int = 0
    judged: int = 0
    found: int = 0

    def add(self, judged: Iterable[str], found: Iterable[str]) -> None:
        """Count one report."""
        self.right += len(set(judged) & set(found))
        self.judged += len(set(judged))
        self.found += len(set(found))

    def __str__(self) -> str:
        precision, recall = self.right / self.found, self.right / self.judged
        return f"judged {self.judged}, precision {precision:.3f}, recall {recall:.3f}"


def judged_reports() -> list[JudgedReport]:
    """Return the reports that were read."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[JudgedReport])


def current_reports(corpus: Path) -> Iterator[tuple[str, Submission]]:
    """Yield the 8-K filings of the corpus, each accession number once."""
    seen: set[str] = set()
    for path in sorted((corpus / "filings").glob("*.gz")):
        submission = parse_submission(read(Source.of(path)))
        number = submission.header.accession_number
        if submission.header.form_type.startswith("8-K") and number not in seen:
            seen.add(number)
            yield path.name, submission


def from_header(submission: Submission) -> list[str]:
    """Return the numbers of the items that the header names."""
    header = submission.header
    return [item.number for item in header_items(header.items, header.filing_date)]


def from_text(submission: Submission) -> list[str]:
    """Return the numbers of the items that the report's text has headings of."""
    report = report_text(main_document(submission))
    return [
        h.item.number
        for h in item_headings(report, eight_k_items_on(submission.header.filing_date))
    ]


def stored_numbers(submission: Submission) -> tuple[set[str], set[str], set[str]]:
    """The numbers of the items that would be stored, of those from the text, and of exhibits."""
    report = current_report(submission)
    items = eight_k_items(submission, report, report_text(report)) if report else []
    exhibits = {exhibit.number for item in items for exhibit in item.exhibits}
    text = {item.number for item in items if item.source != "header"}
    return {item.number for item in items}, text, exhibits


def judge(reports: Iterable[tuple[str, Submission]]) -> dict[str, Agreement]:
    """Compare the stored items of the judged reports with the judgements."""
    judged = {report.accession_number: report for report in judged_reports()}
    figures = {name: Agreement() for name in ("items", "items of the text", "exhibits")}
    for _, submission in reports:
        report = judged.get(submission.header.accession_number)
        if report is not None:
            items, text, exhibits = stored_numbers(submission)
            figures["items"].add(report.items, items)
            figures["items of the text"].add(report.items, text)
            figures["exhibits"].add(report.exhibits, exhibits)
    return figures


def main() -> None:
    """Print every difference of text and header, and the figures."""
    reports = list(current_reports(chosen_corpus(__doc__)))
    headers, named = Agreement(), 0
    for name, submission in reports:
        header, text = from_header(submission), from_text(submission)
        if header:
            named += 1
            headers.add(header, text)
            if set(header) != set(text):
                print(f"{name}: header {sorted(header)}, text {sorted(text)}")
    print(f"text against {named} headers: {headers}")
    print(f"{len(judged_reports())} reports that were read")
    for kind, agreement in judge(reports).items():
        print(f"{kind}: {agreement}")


if __name__ == "__main__":
    main()
