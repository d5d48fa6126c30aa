"""The time of preparing a submission: CPU time of each stage, in one process."""

import argparse
import hashlib
import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.corpus import CORPUS
from edgar_search.archive.members import Packed
from edgar_search.edgar.document import Document, read_documents
from edgar_search.edgar.envelope import decode_bytes, find_envelope
from edgar_search.edgar.header import Header, parse_header
from edgar_search.edgar.submission import parse_submission
from edgar_search.engine.bulk_lines import bodies
from edgar_search.stored.filings import passage_id, section_id
from edgar_search.stored.ownership import row_id
from edgar_search.text.document_text import (
    may_be_searched,
    searched_kind,
    text_of,
)
from edgar_search.text.versions import DocumentKind
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.financials import financial_documents, read_financials
from ingest.reading.headings import headings
from ingest.reading.operations import CHUNK_BYTES, operation
from ingest.reading.ownership.form_13f import manager_report
from ingest.reading.ownership.rows import ownership_rows
from ingest.reading.sections.followed import Following
from ingest.reading.sections.report_text import report_text
from ingest.reading.transform import cut, stored_document, stored_passages, stored_sections
from ingest.reading.xbrl.places import fact_places
from ingest.sources.paths import Sources
from ingest.sources.source import Source, read

# What a worker does beside parsing and transforming.
APART = ("read and gunzip", "SHA-256", "archive, compressed", "sent to the loader")


RESULTS = Path(__file__).parent / "results" / "profile.json"


class Profile:
    """CPU seconds of each stage over some submissions."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.bytes = 0
        self.characters = 0

    def add(self, source: Source) -> None:
        """Take one submission through all stages."""
        with self._stage("read and gunzip"):
            data = read(source)
        self.bytes += len(data)
        with self._stage("SHA-256"):
            hashlib.sha256(data).hexdigest()
        with self._stage("SGML split"):
            envelope = find_envelope(data)
        with self._stage("header"):
            header = parse_header(data[slice(*envelope.header)])
        with self._stage("documents' tags and bodies"):
            documents = read_documents(data, envelope.documents, header.accession_number)
        submission = parse_submission(data)  # its own stages are those above
        following, has_facts = Following(), bool(financial_documents(submission))
        pieces = [
            piece
            for document in documents
            for piece in self._operations(header, document, following, has_facts)
        ]
        with self._stage("statements and facts"):
            read_financials(submission, sys.maxsize, {})
        with self._stage("rows of forms"):
            report = manager_report(submission)
            for document in submission.documents:
                if may_be_searched(document) and (
                    found := ownership_rows(header, document, report)
                ):
                    for number, row in enumerate(found.rows):
                        operation(found.kind, "edgar-", "all", row_id(row.document_id, number), row)
        with self._stage("items of current reports"):
            if current := current_report(submission):
                eight_k_items(submission, current, report_text(current))
        with self._stage("archive, compressed"):
            list(Packed(data, [document.start for document in documents]))
        with self._stage("sent to the loader"):
            pickle.loads(pickle.dumps(pieces))

    def _operations(
        self, header: Header, document: Document, following: Following, has_facts: bool
    ) -> list[bytes]:
        with self._stage("document kind"):
            if not may_be_searched(document):
                return []
            document = document.alone()
            kind = searched_kind(document)
        if kind is None:
            return []
        with self._stage("bytes to characters"):
            body = decode_bytes(document.body)
        with self._stage(f"text of {kind.value}"):
            text = text_of(kind, body)
        self.characters += len(text)
        with self._stage("passages cut"):
            cut(text)
        with self._stage("documents and passages built"):
            passages = stored_passages(document, text)
            now, number = datetime.now(UTC), len(passages)
            stored = stored_document(header, document, text, now, passages=number, first=False)
        with self._stage("sections of reports"):
            sections = stored_sections(header, document, text)
        with self._stage("items that point elsewhere"):
            following.look_in(document, text, sections)
        with self._stage("headings"):
            headings(document, text, sections, ())
        with self._stage("places of numbers"):
            if has_facts and kind is DocumentKind.HTML:
                fact_places(document.body, text)
        with self._stage("NDJSON"):
            operations = [
                operation("passages", "edgar-", "all", passage_id(p.document_id, p.number), p)
                for p in passages
            ]
            operations += [
                operation("sections", "edgar-", "all", section_id(s.document_id, s.item), s)
                for s in sections
            ]
            operations.append(operation("documents", "edgar-", "all", stored.document_id, stored))
            return list(bodies(operations, CHUNK_BYTES))

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds[name] += time.process_time() - began

    @property
    def parsing(self) -> float:
        """CPU seconds of parsing and transforming alone."""
        # Passages are cut once more where they are built.
        apart = (*APART, "passages cut")
        return sum(seconds for name, seconds in self.seconds.items() if name not in apart)


class Stages(Struct):
    """The kept results of a run: CPU seconds by stage of the fastest round; `parsing` is a part."""

    bytes: int
    characters: int
    seconds: dict[str, float]
    parsing: float

    @property
    def rate(self) -> float:
        """Megabytes of submissions a second that are parsed and transformed, in one process."""
        return self.bytes / self.parsing / 1e6


def main() -> None:
    """Print and keep the fastest round, for other work on the machine only slows one down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where it is kept")
    options = parser.parse_args()
    rounds = [_profile(options.corpus) for _ in range(options.rounds)]
    best = min(rounds, key=lambda profile: profile.parsing)
    print(f"{best.bytes / 1e6:.0f} MB of submissions, {best.characters / 1e6:.1f} M characters")
    total = sum(best.seconds.values())
    for name, seconds in sorted(best.seconds.items(), key=lambda stage: -stage[1]):
        print(f"{name:30s} {seconds:6.2f} s {seconds / total:6.1%}")
    rounded = {name: round(taken, 3) for name, taken in best.seconds.items()}
    stages = Stages(best.bytes, best.characters, rounded, round(best.parsing, 3))
    print(f"parse and transform: {stages.rate:.0f} MB/s of submissions per core")
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(stages), indent=1) + b"\n")


def _profile(corpus: Path) -> Profile:
    profile = Profile()
    for source in Sources([corpus]):
        profile.add(source)
    return profile


if __name__ == "__main__":
    main()
