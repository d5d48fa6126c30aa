"""Files of the archive as a whole, which only tests read."""

from edgar_search.archive.members import member_chunks
from edgar_search.archive.store import ArchiveStore

_WHOLE = 1 << 62


def file_in(store: ArchiveStore, path: str) -> bytes:
    """Return a file of the archive as it is."""
    return b"".join(store.pieces(path, 0, _WHOLE))


def member(store: ArchiveStore, path: str, offset: int, length: int) -> bytes:
    """One member, unpacked; raises OSError where it is damaged."""
    return b"".join(member_chunks(store, path, offset, length))
