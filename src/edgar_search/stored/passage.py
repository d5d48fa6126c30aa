"""The index `passages`."""

from msgspec import Struct


def passage_id(document_id: str, number: int) -> str:
    """The id of a document's passage; numbers count from 0."""
    return f"{document_id}#{number}"


class StoredPassage(Struct, frozen=True):
    """A piece of a document's text; `start` is its place in the text, in code points."""

    document_id: str
    number: int
    start: int
    text: str
