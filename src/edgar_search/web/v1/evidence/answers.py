"""Replies of the endpoints on one document's text."""

from msgspec import UNSET, Struct, UnsetType

from edgar_search.search.matches import MatchPage, ShownMatch
from edgar_search.search.texts.piece import Piece
from edgar_search.search.texts.sections import section_name


class MatchItem(Struct):
    """A place in the text, what stands there, before it and after it."""

    start: int
    end: int
    text: str
    before: str
    after: str
    section: str | None


class MatchesReply(Struct):
    document_id: str
    total_count: int
    items: list[MatchItem]
    text_sha256: str
    text_length: int


class TextReply(Struct):
    """`section` is there where one was asked for."""

    document_id: str
    start: int
    end: int
    text: str
    next_start: int | None
    text_sha256: str
    text_length: int
    section: str | UnsetType = UNSET


def matches_reply(page: MatchPage) -> MatchesReply:
    """A page of a document's matches."""
    text = page.text
    items = list(map(_item, page.items))
    return MatchesReply(text.document_id, page.total, items, text.sha256, text.length)


def text_reply(piece: Piece, text: str) -> TextReply:
    """A part of a text."""
    whole = piece.text
    return TextReply(
        document_id=whole.document_id,
        start=piece.start,
        end=piece.end,
        text=text,
        next_start=piece.next_start,
        text_sha256=whole.sha256,
        text_length=whole.length,
        section=UNSET if piece.section is None else section_name(piece.section),
    )


def text_headers(piece: Piece) -> dict[str, str]:
    """What the JSON says beside the text, for an answer that is the text alone."""
    following = {} if piece.next_start is None else {"X-Next-Start": str(piece.next_start)}
    return {
        "X-Text-Start": str(piece.start),
        "X-Text-End": str(piece.end),
        "X-Text-Length": str(piece.text.length),
        "X-Text-SHA256": piece.text.sha256,
        **following,
    }


def _item(match: ShownMatch) -> MatchItem:
    name = None if match.section is None else section_name(match.section)
    return MatchItem(match.start, match.end, match.text, match.before, match.after, name)
