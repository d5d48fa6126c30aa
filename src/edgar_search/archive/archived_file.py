"""A file of the archive in a listing."""

from typing import NamedTuple


class Kept(NamedTuple):
    """A file's path in the archive, and when it was written, in nanoseconds since 1970."""

    path: str
    modified: int
