"""Where edges of sections stand in a report's searchable text, by the few words around each."""

import re
import string
from collections.abc import Sequence

from ingest.reading.document_kind import DocumentKind
from ingest.reading.section_words import standing_alone
from ingest.reading.text.document_text import finished_text, raw_text

_READ = (2_500, 12_000)  # bytes behind an edge: at first, and where these are nearly all markup
_FEWEST, _MOST = 60, 150  # characters behind an edge that are looked for
_READ_BEFORE = 2_000  # bytes before an edge
_LOOKED_AT = 200  # characters before it
# Between the texts behind the edges, which are made in one go; a line of its own in each of them.
_BETWEEN = "\ue0ff\ue0fe"
_SEPARATORS = {
    DocumentKind.HTML: f"</table><p>{_BETWEEN}</p>",
    DocumentKind.PLAIN: f"\n</TABLE>\n{_BETWEEN}\n",
}

_ENTITY = re.compile(rb"&#?[0-9A-Za-z]+;")
_OF_WORDS = string.ascii_letters.encode() + string.digits.encode()
_BETWEEN_WORDS = bytes(set(range(256)) - set(_OF_WORDS))


def edges_in_text(
    kind: DocumentKind, body: bytes, text: str, edges: Sequence[int]
) -> dict[int, int]:
    """Where in `text` those of the `edges` stand that can be told for sure.

    `edges` are places in the body, in order, at which lines or elements begin; its end is one.
    """
    known = {at: len(text) for at in edges if at == len(body)}
    left = [at for at in edges if at < len(body)]
    for size in _READ if kind in _SEPARATORS else ():
        texts = _texts_behind(kind, body, left, size)
        unread: list[int] = []
        for at, behind in zip(left, texts, strict=True):
            before = max((place for edge, place in known.items() if edge < at), default=0)
            words = _first_words(behind)
            if len(words) < _FEWEST:
                unread.append(at)
            elif (place := _only_place(text, words, before)) is not None:
                if _ends_alike(body, at, text, place):
                    known[at] = place
        left = unread
    return known


def _texts_behind(kind: DocumentKind, body: bytes, edges: Sequence[int], size: int) -> list[str]:
    """The first lines behind each edge; "" where they are not known."""
    separator = _SEPARATORS[kind]
    fragments = [_fragment(kind, body, at, size) for at in edges]
    texts = finished_text(raw_text(kind, separator.join(fragments))).split(_BETWEEN)
    return texts if len(texts) == len(edges) else [""] * len(edges)


def _fragment(kind: DocumentKind, body: bytes, start: int, size: int) -> str:
    end = min(start + size, len(body))
    if end < len(body):
        end = body.rfind(b"<" if kind is DocumentKind.HTML else b"\n", start, end)
    return standing_alone(kind, body[start : max(start, end)])


def _first_words(text: str) -> str:
    """What of a text that goes on is sure to be the same in the text of the whole body."""
    words = text.strip()[: _MOST + 1]
    # The last line may be the beginning of one, or of what is made shorter.
    return words[: max(words.rfind("\n"), words.rfind(" "))]


def _only_place(text: str, words: str, start: int) -> int | None:
    """Where words stand in the text from `start` on, if only once."""
    place = text.find(words, start)
    if place < 0 or text.find(words, place + 1) >= 0:
        return None
    return place if place == 0 or text[place - 1].isspace() else None


def _ends_alike(body: bytes, at: int, text: str, place: int) -> bool:
    """Whether the same word stands last before a place in the body and in the text."""
    word = _word_before(body[max(0, at - _READ_BEFORE) : at])
    in_text = _last_word(text[max(0, place - _LOOKED_AT) : place].encode("ascii", "replace"))
    return bool(word) and in_text.endswith(word)


def _word_before(markup: bytes) -> bytes:
    """The last word in a stretch of the body, b"" if there is none outside of tags."""
    for piece in reversed(markup.split(b"<")):
        words = piece.rpartition(b">")[2]
        if b"&" in words:
            words = _ENTITY.sub(b" ", words)
        if word := _last_word(words):
            return word
    return b""


def _last_word(text: bytes) -> bytes:
    """Its last letters and digits, of ASCII, in a row."""
    text = text.rstrip(_BETWEEN_WORDS)
    return text[len(text.rstrip(_OF_WORDS)) :]
