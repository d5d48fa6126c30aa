"""The real corpus as files and as text: more of it by copies under other accession numbers."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from edgar_search.edgar.submission import parse_submission
from edgar_search.text.document_text import searchable_text
from ingest.sources.paths import Sources
from ingest.sources.source import Source, read

CHECKOUT = Path(__file__).parent.parent
CORPUS = CHECKOUT.parent / "shared" / "edgar" / "filings"


class Extracted(Struct):
    """A document as a straightforward index would hold it."""

    document_id: str
    form_type: str
    filing_date: str
    ciks: list[str]
    names: list[str]
    text: str


def copies(corpus: Path, folder: Path, count: int) -> Path:
    """Return the corpus `count` times in `folder`.

    A copy's accession numbers begin with its number.
    """
    return write_copies(Sources([corpus]), folder, range(count))


def write_copies(sources: Iterable[Source], folder: Path, numbers: Sequence[int]) -> Path:
    """Return copies of submissions in `folder`, those with these numbers.

    A file that keeps its accession number is linked.
    """
    folder.mkdir(parents=True)
    for source in sources:
        data = read(source)
        accession = parse_submission(data).header.accession_number
        for number in numbers:
            other = copied_id(accession, number)
            name = Path(source.path).name.replace(accession, other)
            if other == accession and not source.spooled:
                (folder / name).symlink_to(Path(source.path).resolve())
                continue
            copied = data.replace(accession.encode(), other.encode())
            (folder / name).write_bytes(gzip.compress(copied, 1))
    return folder


def copied_id(key: str, number: int) -> str:
    """Return an accession number, or the id of a document, as a copy has it."""
    return f"{number}{key[1:]}"


def extract(folder: Path) -> list[Extracted]:
    """Return every searchable document of a folder; of two variants of a submission one."""
    return extract_from([folder])


def extract_from(paths: Sequence[Path]) -> list[Extracted]:
    """Return the same for several files and folders."""
    documents = {d.document_id: d for s in Sources(paths) for d in documents_of(s)}
    return list(documents.values())


def documents_of(source: Source) -> Iterator[Extracted]:
    """Yield the searchable documents of a submission."""
    submission = parse_submission(read(source))
    header = submission.header
    for document in submission.documents:
        text = searchable_text(document)
        if text:
            yield Extracted(
                document.document_id,
                header.form_type,
                header.filing_date.isoformat(),
                [entity.cik for entity in header.entities],
                [entity.name for entity in header.entities],
                text,
            )
