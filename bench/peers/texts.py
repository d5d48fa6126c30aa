"""The corpus in several sizes: the same submissions again under other accession numbers."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from bench.corpus import Extracted, copied_id, documents_of, write_copies
from bench.peers.peer import Batch
from ingest.sources.paths import Sources
from ingest.sources.source import Source


class Texts:
    """Whole submissions of a folder with their texts, until there are `most` documents or more."""

    def __init__(self, corpus: Path, most: int | None) -> None:
        self._sources: list[Source] = []
        self.texts: list[Extracted] = []
        for source, documents in _submissions(corpus):
            if most is not None and len(self.texts) >= most:
                break
            self._sources.append(source)
            self.texts += documents

    def batch(self, folder: Path, numbers: range) -> Batch:
        """Return the copies with these numbers, their files written to `folder`.

        Lower ones are there.
        """
        filings = write_copies(self._sources, folder, numbers)
        texts = [
            structs.replace(document, document_id=copied_id(document.document_id, number))
            for number in numbers
            for document in self.texts
        ]
        characters = sum(len(document.text) for document in self.texts)
        copies = numbers.stop
        return Batch(filings, texts, copies, len(self.texts) * copies, characters * copies)


def _submissions(corpus: Path) -> Iterator[tuple[Source, list[Extracted]]]:
    """Yield every submission with searchable texts; of two variants of one the first."""
    seen: set[str] = set()
    for source in Sources([corpus]):
        documents = list(documents_of(source))
        ids = {document.document_id for document in documents}
        if documents and not ids & seen:
            seen |= ids
            yield source, documents
