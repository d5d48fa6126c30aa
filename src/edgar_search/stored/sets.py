"""The manifest of a folder of Parquet files, written by `edgar-search sets write`."""

from msgspec import Struct

MANIFEST = "manifest.json"


class SetFile(Struct, frozen=True):
    """The file of a set and a year; `state` is the state of its entries when it was written."""

    set: str
    year: int
    name: str
    rows: int
    bytes: int
    sha256: str
    state: str


class Manifest(Struct, frozen=True):
    """All files; they include everything up to this event number, and perhaps later entries."""

    as_of_event: int
    files: list[SetFile]
