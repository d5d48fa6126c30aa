"""Documents that are large for memory: which wait for room, and which are not read at all.

What is made of a document is several times its body, so workers may not be at many large ones at
once. Whoever prepares submissions without other workers needs nobody's room.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

# Bodies up to this wait for nobody: nearly all of EDGAR's.
LARGE_BYTES = 4_000_000


def document_bytes(memory: int) -> int:
    """The most bytes of a body that is read with `memory` bytes.

    It is there as bytes, as characters of one byte or two, and as what is made of these.
    """
    return memory // 4


class Supervisor(Protocol):
    """Whoever is told how the work on a submission goes, and gives room for large documents."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """The submission of `size` bytes is read; this is what it is, whatever becomes of it."""
        ...

    def room(self, document_id: str, size: int) -> AbstractContextManager[None]:
        """Wait until a body of `size` bytes may be worked on; it is, until this is left."""
        ...


class Nobody:
    """A Supervisor where a process works alone."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Nobody is told."""

    @contextmanager
    def room(self, document_id: str, size: int) -> Iterator[None]:
        """There is room."""
        yield
