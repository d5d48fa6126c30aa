"""Operations of one submission in pieces: in memory, or in a file where they are many.

So a worker's outcome is small on its way to the loader, and the loader holds no more of a large
submission than it is just sending.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ingest.operations import renumbered

# Above this, operations go through a file.
SPOOL_BYTES = 16_000_000


class Spooled(Struct, frozen=True):
    """Pieces in a file, one after the other; `renumbering` is from one epoch to another."""

    path: str
    sizes: list[int]
    renumbering: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[bytes]:
        with open(self.path, "rb") as file:
            for size in self.sizes:
                piece = file.read(size)
                yield renumbered(piece, *self.renumbering) if self.renumbering else piece


Pieces = list[bytes] | Spooled


def size(pieces: Pieces) -> int:
    """The bytes of all pieces."""
    return sum(pieces.sizes) if isinstance(pieces, Spooled) else sum(map(len, pieces))


def spooled(pieces: Iterable[bytes], folder: Path) -> Spooled:
    """The same pieces in a new file; raises OSError where it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=folder)
    sizes = []
    with os.fdopen(handle, "wb") as file:
        for piece in pieces:
            file.write(piece)
            sizes.append(len(piece))
    return Spooled(path, sizes)


def under(pieces: Pieces, old: int, new: int) -> Pieces:
    """The same pieces under another epoch."""
    if isinstance(pieces, Spooled):
        first = pieces.renumbering[0] if pieces.renumbering else old
        return Spooled(pieces.path, pieces.sizes, (first, new))
    return [renumbered(piece, old, new) for piece in pieces]


def discard(pieces: Pieces) -> None:
    """Remove the file of pieces that have been dealt with."""
    if isinstance(pieces, Spooled):
        Path(pieces.path).unlink(missing_ok=True)
