"""The corpus in several sizes: the same submissions again under other accession numbers."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

import msgspec
from msgspec import structs

from bench.corpus import Extracted, copied_id, documents_of, write_copies
from bench.peers.peer import Batch
from ingest.sources.paths import Sources
from ingest.sources.source import Source


class Texts(Sequence[Extracted]):
    """Whole submissions of a folder with their texts, until there are `most` documents or more.

    The texts are in a file in `folder`, since a hundred times the corpus does not fit in memory,
    and are read from it each time.
    """

    def __init__(self, corpus: Path, most: int | None, folder: Path) -> None:
        self._sources: list[Source] = []
        self._begins = [0]
        self._file = (folder / "texts").open("w+b")
        self._characters = 0
        for source, documents in _submissions(corpus):
            if most is not None and len(self) >= most:
                break
            self._sources.append(source)
            for document in documents:
                self._characters += len(document.text)
                size = self._file.write(msgspec.msgpack.encode(document))
                self._begins.append(self._begins[-1] + size)

    def __len__(self) -> int:
        return len(self._begins) - 1

    @overload
    def __getitem__(self, number: int) -> Extracted: ...
    @overload
    def __getitem__(self, number: slice) -> list[Extracted]: ...
    def __getitem__(self, number: int | slice) -> Extracted | list[Extracted]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        at = range(len(self))[number]
        begin, end = self._begins[at], self._begins[at + 1]
        self._file.seek(begin)
        return msgspec.msgpack.decode(self._file.read(end - begin), type=Extracted)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def batch(self, folder: Path, numbers: range) -> Batch:
        """Return the copies with these numbers, their files written to `folder`.

        Lower ones are there.
        """
        filings = write_copies(self._sources, folder, numbers)
        count, times = len(self), len(numbers)
        return Batch(
            filings,
            _Copies(self, numbers),
            numbers.stop,
            count * times,
            self._characters * times,
            count * numbers.stop,
            self._characters * numbers.stop,
        )


class _Copies:
    def __init__(self, texts: Texts, numbers: range) -> None:
        self._texts = texts
        self._numbers = numbers

    def __iter__(self) -> Iterator[Extracted]:
        for number in self._numbers:
            for document in self._texts:
                key = copied_id(document.document_id, number)
                yield structs.replace(document, document_id=key)


def _submissions(corpus: Path) -> Iterator[tuple[Source, list[Extracted]]]:
    """Yield every submission with searchable texts; of two variants of one the first."""
    seen: set[str] = set()
    for source in Sources([corpus]):
        documents = list(documents_of(source))
        ids = {document.document_id for document in documents}
        if documents and not ids & seen:
            seen |= ids
            yield source, documents
