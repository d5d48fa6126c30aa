"""One member of an archived submission, unpacked in pieces: never the whole in memory."""

import gzip
from collections.abc import Iterable, Iterator

from isal import isal_zlib

from edgar_search.archive.members import DAMAGED, GZIP_WINDOW
from edgar_search.archive.store import ArchiveStore

# What is given at once.
CHUNK_BYTES = 65_536


def member_chunks(store: ArchiveStore, path: str, offset: int, length: int) -> Iterator[bytes]:
    """Yield one member in chunks of at most `CHUNK_BYTES`, reading nothing else of the file.

    Raises gzip.BadGzipFile, an OSError, where it is damaged, else as the store; on the way too.
    """
    return _unpacked(store.pieces(path, offset, length))


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    decompressor = isal_zlib.decompressobj(GZIP_WINDOW)
    for piece in pieces:
        left = piece
        # A call may have more to give although it has taken all of its input.
        while not decompressor.eof:
            try:
                chunk = decompressor.decompress(left, CHUNK_BYTES)
            except DAMAGED as error:
                raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
            left = decompressor.unconsumed_tail
            if chunk:
                yield chunk
            elif not left:
                break
    if not decompressor.eof:
        raise gzip.BadGzipFile("the gzip data is damaged: it ends too early")
