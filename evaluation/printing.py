"""PDFs of documents of the corpus: the words that they keep, and what each costs.

    python -m evaluation.printing [--corpus FOLDER]

Fifty documents, from the smallest to the largest of those that are searched: words of the searched
text that are in the PDF as pypdf reads it, and time, CPU and memory of the process of each.
"""

import io
import re
import statistics
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec
from pypdf import PdfReader

from edgar_search.document import print_process
from edgar_search.document.print_process import Page
from edgar_search.edgar.media_type import content_type
from edgar_search.edgar.submission import Document, parse_submission
from edgar_search.errors import MalformedSubmission
from edgar_search.text.document_text import searchable_text, searched_kind
from evaluation.sections import chosen_corpus
from ingest.sources.source import Source, read

DOCUMENTS = 50
_WORD = re.compile(r"\w+")
# A process counts the memory of the one that started it, so this starts it from a small one.
_MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


class Printed(NamedTuple):
    """A document that was printed: words of its text, those missing, seconds, and bytes."""

    document_id: str
    size: int
    words: int
    missing: int
    pages: int
    seconds: float
    cpu: float
    memory: int
    pdf: int


def choose(corpus: Path) -> list[Document]:
    """Return documents of all sizes that are searched, each alone in memory."""
    found = []
    for path in sorted((corpus / "filings").glob("*.gz")):
        try:
            submission = parse_submission(read(Source(str(path), str(path))))
        except MalformedSubmission:
            continue
        found += [document.alone() for document in submission.documents if searched_kind(document)]
    found.sort(key=lambda each: (each.body_size, each.document_id))
    step = (len(found) - 1) / (DOCUMENTS - 1)
    return [found[round(number * step)] for number in range(DOCUMENTS)]


def print_document(document: Document) -> Printed:
    """Print a document by a process, as the service does."""
    kind = content_type(document.file_name, document.body, binary=False)
    job = Page(document.body, document.file_name, document.form_type, kind, "", "")
    begun = time.monotonic()
    process = subprocess.run(
        [sys.executable, "-c", _MEASURED, sys.executable, "-m", print_process.__name__, "0"],
        input=msgspec.msgpack.encode(job),
        capture_output=True,
        check=False,
    )
    seconds = time.monotonic() - begun
    if process.returncode != 0:
        raise SystemExit(f"{document.document_id} ended with {process.returncode}")
    cpu, kilobytes = map(float, process.stderr.split()[-2:])
    pdf = process.stdout
    pages = PdfReader(io.BytesIO(pdf)).pages
    wanted = words(searchable_text(document) or "")
    missing = wanted - words("\n".join(page.extract_text() for page in pages))
    return Printed(
        document.document_id,
        document.body_size,
        wanted.total(),
        missing.total(),
        len(pages),
        seconds,
        cpu,
        int(kilobytes) * 1024,
        len(pdf),
    )


def words(text: str) -> Counter[str]:
    """Return the words of a text, with ligatures as letters."""
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text)))


def main() -> None:
    """Print a line for each document and the sums."""
    rows = []
    for document in choose(chosen_corpus(__doc__)):
        rows.append(row := print_document(document))
        print(
            f"{row.document_id:24} {row.size:9,} bytes {row.pages:4} pages {row.words:7,} words"
            f" {row.missing:4} missing {row.seconds:5.2f} s {row.cpu:5.2f} s CPU"
            f" {row.memory / 1e6:4.0f} MB, PDF {row.pdf:9,}"
        )
    total, missing = sum(row.words for row in rows), sum(row.missing for row in rows)
    print(
        f"{len(rows)} documents, {total:,} words, {missing} missing: {1 - missing / total:.3%} kept"
    )
    for name, values in (
        ("seconds", [row.seconds for row in rows]),
        ("CPU seconds", [row.cpu for row in rows]),
        ("MB", [row.memory / 1e6 for row in rows]),
    ):
        print(f"{name}: p50 {statistics.median(values):.2f}, most {max(values):.2f}")


if __name__ == "__main__":
    main()
