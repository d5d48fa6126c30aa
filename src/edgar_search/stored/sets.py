"""The manifest of a folder of Parquet files, as `edgar-search sets write` keeps it."""

from msgspec import Struct

MANIFEST = "manifest.json"


class SetFile(Struct, frozen=True):
    """The file of a set and a year; `state` is that of its entries when it was written."""

    set: str
    year: int
    name: str
    rows: int
    bytes: int
    sha256: str
    state: str


class Manifest(Struct, frozen=True):
    """All files; they have everything up to this event number, and perhaps more."""

    as_of_event: int
    files: list[SetFile]
