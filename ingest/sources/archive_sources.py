"""What the archive in an object store has, as sources of a load."""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from edgar_search.archive import submissions
from edgar_search.archive.store import ArchiveStore
from edgar_search.settings import SUBMISSION_BYTES
from ingest.sources.source import Source, too_many_bytes
from ingest.sources.spool import Spool


class ArchiveSources:
    """All submissions of a store, copied to files in `home` one after the other.

    By accession number; versions of one submission in the order in which they came, as far as the
    store's clock tells, which in S3 shows seconds. `skipped` counts what is not the archive's own.
    Iterating and making it raise ArchiveUnavailable.
    """

    def __init__(
        self,
        store: ArchiveStore,
        url: str,
        home: Path | None = None,
        limit: int = SUBMISSION_BYTES,
    ) -> None:
        self._store = store
        self._limit = limit
        self._url = url
        self._spool = Spool(home)
        everything = list(store.below(""))
        self._paths = [kept.path for kept in submissions.in_order(everything)]
        self.skipped = len(everything) - len(self._paths)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def __iter__(self) -> Iterator[Source]:
        for path in self._paths:
            name = f"{self._url}/{path}"
            content = _Content(self._store.pieces(path, 0, self._limit + 1))
            try:
                content.begin()
            except FileNotFoundError:
                continue  # It was deleted after it was listed.
            copy, size = self._spool.copy(content, self._limit)
            if copy is None:
                yield Source(name, name, refusal=too_many_bytes(self._limit))
            else:
                yield Source(str(copy), name, spooled=True, size=size)

    def __len__(self) -> int:
        return len(self._paths)


class _Content:
    """A file of the store, to be read from its beginning to its end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def begin(self) -> None:
        """Fetch the first piece."""
        self._left = next(self._pieces, b"")

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        left = self._left or next(self._pieces, b"")
        self._left = left[size:]
        return left[:size]
