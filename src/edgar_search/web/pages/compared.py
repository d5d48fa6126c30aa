"""Compared texts for a page: passages with marks, and changed numbers; pure.

`del` marks words only in the first text, `ins` words only in the second.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from edgar_search.document.compared_documents import Side
from edgar_search.document.comparison import Block, Change, ChangedPassage, changed_words
from edgar_search.web.pages.links import cited_address

# Longer passages are truncated: the beginning is enough to locate them in their document.
_MOST_SHOWN = 4_000
# Characters on each side of a cited position that help to find it in another text.
_SIDE = 40
_NUMBER = re.compile(r"[0-9][0-9.,]*")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_CELL, _LABEL = "\t", 60
MOST_NUMBERS = 200


class ShownPassage(NamedTuple):
    """A passage that differs, numbered from 1; a side without it is None.

    `same` counts the equal characters of the second text before it. `inline` shows both sides
    merged, with differences marked.
    """

    number: int
    kind: str
    same: int
    before: Markup | None
    after: Markup | None
    inline: Markup
    cite_before: str | None
    cite_after: str | None


class ChangedNumber(NamedTuple):
    """A number that changed, with the words before it, and the number of its passage."""

    label: str
    before: str
    after: str
    passage: int


def shown_passages(
    first: Side, second: Side, passages: Sequence[ChangedPassage], start: int, end: int
) -> list[ShownPassage]:
    """Return the passages from `start` to `end` in the list."""
    passages_shown = []
    behind = passages[start - 1].change.to_end if start else 0
    for number, passage in enumerate(passages[start:end], start + 1):
        change = passage.change
        passages_shown.append(
            _shown(first, second, passage, number, max(0, change.to_start - behind))
        )
        behind = max(behind, change.to_end)
    return passages_shown


def _shown(
    first: Side, second: Side, passage: ChangedPassage, number: int, same: int
) -> ShownPassage:
    change, words = passage
    before, after = (
        _marked(first.content, change.start, change.end, [(w.start, w.end) for w in words], "del"),
        _marked(
            second.content,
            change.to_start,
            change.to_end,
            [(w.to_start, w.to_end) for w in words],
            "ins",
        ),
    )
    if change.kind == "changed":
        merged = inline(first.content, second.content, change.to_start, change.to_end, words)
    elif change.kind == "removed":
        merged = before = _whole(first.content[change.start : change.end], "del")
    elif change.kind == "added":
        merged = after = _whole(second.content[change.to_start : change.to_end], "ins")
    else:
        merged = after
    return ShownPassage(
        number,
        change.kind,
        same,
        before if change.start < change.end else None,
        after if change.to_start < change.to_end else None,
        merged,
        _cited(first, change.start, change.end),
        _cited(second, change.to_start, change.to_end),
    )


def _marked(
    content: str, start: int, end: int, spans: Sequence[tuple[int, int]], name: str
) -> Markup:
    """Return a part of a text with these spans marked."""
    out, at = [], start
    for low, high in spans:
        if low < high:
            out += [_text(content[at:low]), _element(content[low:high], name)]
            at = high
    return Markup("").join([*out, _text(content[at : min(end, at + _MOST_SHOWN)])])


def inline(first: str, second: str, start: int, end: int, words: Sequence[Change]) -> Markup:
    """Return a part of the second text, marking words that only one of the texts contains."""
    out, at = [], start
    for word in words:
        out.append(_text(second[at : word.to_start]))
        gone = first[word.start : word.end]
        # Removed words are shown beside a word that stays, with the blank that was between them.
        if gone and word.to_start == word.to_end:
            before, after = second[: word.to_start][-1:], second[word.to_end :][:1]
            if before.strip() and first[: word.start][-1:].isspace():
                gone = f" {gone}"
            elif after.strip() and first[word.end :][:1].isspace():
                gone = f"{gone} "
        out.append(_element(gone, "del"))
        out.append(_element(second[word.to_start : word.to_end], "ins"))
        at = word.to_end
    return Markup("").join([*out, _text(second[at:end])])


def differing_words(cited: str, now: str) -> Markup:
    """Return today's words, marking the ones that differ from the citation.

    Words that only surround the cited ones are not marked.
    """
    words = list(changed_words(Block.of(cited), Block.of(now)))
    if words and words[0].start == words[0].end == 0:
        del words[0]
    if words and words[-1].start == words[-1].end == len(cited):
        del words[-1]
    return inline(cited, now, 0, len(now), words)


def _whole(text: str, name: str) -> Markup:
    more = len(text) - _MOST_SHOWN
    notice = Markup(" <span class=soft>and {} characters more</span>").format(f"{more:,}")
    return _element(text[:_MOST_SHOWN], name) + (notice if more > 0 else Markup(""))


def _element(text: str, name: str) -> Markup:
    return Markup(f"<{name}>{{}}</{name}>").format(_text(text)) if text else Markup("")


def _text(text: str) -> Markup:
    """Return a text with its lines and cells kept apart."""
    return escape(text.replace(_CELL, " \u2003"))


def _cited(side: Side, start: int, end: int) -> str | None:
    """Return an address that highlights a passage in its document, even if the text changes."""
    if start >= end:
        return None
    place = side.at(start)
    return cited_address(
        side.document_id,
        place,
        place + end - start,
        side.sha256,
        prefix=side.content[max(0, start - _SIDE) : start].lstrip(),
        suffix=side.content[end : end + _SIDE].rstrip(),
    )


def changed_numbers(
    first: Side, second: Side, passages: Sequence[ChangedPassage]
) -> Iterator[ChangedNumber]:
    """Yield numbers that were replaced by another one, except for years that all advance."""
    for number, (passage, words) in enumerate(passages, 1):
        for word in words:
            before = first.content[word.start : word.end]
            after = second.content[word.to_start : word.to_end]
            is_year = _YEAR.fullmatch(before) and _YEAR.fullmatch(after)
            if _NUMBER.fullmatch(before) and _NUMBER.fullmatch(after) and not is_year:
                yield ChangedNumber(
                    _label(second.content, passage.to_start, word.to_start), before, after, number
                )


def _label(content: str, start: int, place: int) -> str:
    """Return the words before a number; in a table row, the first cell."""
    before = content[start:place]
    if _CELL in before:
        return before.partition(_CELL)[0][:_LABEL]
    words = before[-_LABEL:]
    return words if len(before) <= _LABEL else "\u2026 " + words.partition(" ")[2]
