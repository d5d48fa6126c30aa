"""Openings: the text that shows a document if no words are searched.

For an 8-K it is the text of an item, because all cover pages are alike; otherwise it is the
beginning.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import DetailedHit, DocumentHit, FilingDates
from edgar_search.search.snippets.parts import MAX_LENGTH
from edgar_search.search.snippets.snippet import SnippetRequest, snippets_of
from edgar_search.stored.filings import StoredPassage, passage_id

# The most passages of a document that may name an item; its heading is in the first ones.
_MOST_NAMING = 6
# Characters of the longest heading: in a longer paragraph, text follows the heading.
_LONGEST_HEADING = 260
_PARAGRAPH_ENDS = re.compile(r"\n\s*\n|\n(?=\s*[-=_*–—]{3}|- ---)")
_RULE = re.compile(r"[\s\-=_*–—]*")


class Asked(NamedTuple):
    """A document to open, and the numbers of the items that may open it, in order."""

    hit: DocumentHit
    items: Sequence[str]


class Opening(NamedTuple):
    """A snippet, and the position of its item's heading in the text; None for the beginning."""

    html: str
    place: int | None = None


def asked_openings(criteria: DocumentCriteria, hits: Iterable[DocumentHit]) -> list[Asked]:
    """Return the items that may open each hit: the requested ones, or the filing's first."""
    wanted = criteria.filings.item
    return [
        Asked(hit, wanted or (sorted(hit.fields.items)[:1] if isinstance(hit, DetailedHit) else ()))
        for hit in hits
    ]


async def find_openings(
    engine: Engine, asked: Sequence[Asked], *, below: bool = False
) -> list[Opening]:
    """Return the opening of each document, starting `below` its letterhead if requested.

    Makes one engine request, and one more for items at a passage's end. Later passages are read
    only if a passage ends soon after the heading.
    """
    hits = {opening.hit.document_id: opening.hit for opening in asked}
    if not hits:
        return []
    filed = filed_of(list(hits.values()))
    items = sorted({item for opening in asked for item in opening.items})
    passages = await _read(engine, openings_body(sorted(hits), items), filed)
    places = [
        _item_place(opening.items, passages.get(opening.hit.document_id, {})) for opening in asked
    ]
    further = {
        passage_id(opening.hit.document_id, place.number + 1)
        for opening, place in zip(asked, places, strict=True)
        if place and place.is_short and place.number + 1 < opening.hit.fields.passages[0]
    }
    more = await _read(engine, _passages_body(sorted(further)), filed) if further else {}
    return [
        _opening(
            opening.hit,
            place,
            passages.get(opening.hit.document_id, {}) | more.get(opening.hit.document_id, {}),
            below,
        )
        for opening, place in zip(asked, places, strict=True)
    ]


def openings_body(document_ids: Sequence[str], items: Sequence[str]) -> Clause:
    """Build the request for each document's first passage, and its first ones that name an item."""
    firsts = [passage_id(document_id, 0) for document_id in document_ids]
    if not items:
        return _passages_body(firsts)
    headings = [{"match_phrase": {"text": f"{word} {item}"}} for item in items for word in _WORDS]
    naming = {
        "bool": {
            "filter": [{"terms": {"document_id": list(document_ids)}}],
            "should": headings,
            "minimum_should_match": 1,
        }
    }
    return {
        "query": {"bool": {"should": [{"ids": {"values": firsts}}, naming]}},
        "size": len(document_ids) * (1 + _MOST_NAMING),
        "sort": [{"number": "asc"}],
        "track_total_hits": False,
    }


_WORDS = ("item", "items")


def beginnings_body(counts: Mapping[str, int]) -> Clause:
    """Build the request for as many first passages of each document as `counts` gives."""
    return _passages_body(
        [passage_id(key, number) for key, count in counts.items() for number in range(count)]
    )


def _passages_body(ids: Sequence[str]) -> Clause:
    return {
        "query": {"ids": {"values": list(ids)}},
        "size": len(ids),
        "sort": ["_doc"],
        "track_total_hits": False,
    }


async def beginnings(
    engine: Engine, counts: Mapping[str, int], filed: FilingDates
) -> dict[str, str]:
    """Read the text of as many first passages of each document as `counts` gives."""
    if not counts:
        return {}
    passages = await _read(engine, beginnings_body(counts), filed)
    return {
        key: "".join(by_number[number].text for number in sorted(by_number))
        for key, by_number in passages.items()
    }


def filed_of(hits: Sequence[DocumentHit]) -> frozenset[str]:
    """Return the filing dates of these documents."""
    return frozenset(hit.filed for hit in hits)


# The passages of one document, by number.
_Passages = Mapping[int, StoredPassage]


async def _read(
    engine: Engine, body: Clause, filed: FilingDates
) -> dict[str, dict[int, StoredPassage]]:
    """Return the passages that a request finds, by document and number."""
    reply = await engine.search("passages", body, SourceHit[StoredPassage], filed=filed)
    passages: dict[str, dict[int, StoredPassage]] = {}
    for passage in (hit.source for hit in reply.hits.hits):
        passages.setdefault(passage.document_id, {})[passage.number] = passage
    return passages


class _ItemPlace(NamedTuple):
    """The heading of an item in a passage, and the position after it."""

    number: int
    heading: int
    text: int
    is_short: bool


def _item_place(items: Sequence[str], passages: _Passages) -> _ItemPlace | None:
    """Find the first heading of a requested item, at the beginning of a line."""
    for item in items:
        heading = re.compile(
            rf"^[^\w\n]*items?\s+(?:no\.?\s*)?{re.escape(item)}(?!\.?\d)", re.I | re.M
        )
        for number in sorted(passages):
            text = passages[number].text
            if (match := heading.search(text)) is not None:
                begin = _behind_heading(text, match.start())
                return _ItemPlace(number, match.start(), begin, len(text) - begin < MAX_LENGTH)
    return None


def _behind_heading(text: str, start: int) -> int:
    """Return the position after a heading's paragraph and the rule below it."""
    ends = _PARAGRAPH_ENDS.search(text, start + 1, start + _LONGEST_HEADING)
    if ends is None:
        return start
    rule = _RULE.match(text, ends.start())
    return rule.end() if rule else ends.end()


def _opening(
    hit: DocumentHit, place: _ItemPlace | None, passages: _Passages, below: bool
) -> Opening:
    last = hit.fields.passages[0] - 1
    if place is None:
        text = passages[0].text if 0 in passages else ""
        return Opening(_beginning(text, ends=not last, below=below))
    first, after = passages[place.number], passages.get(place.number + 1)
    end = place.number if after is None else place.number + 1
    text = first.text[place.text :] + (after.text if place.is_short and after else "")
    html = _beginning(text, ends=end == last, below=False)
    return Opening(html, first.start + place.heading)


def _beginning(text: str, *, ends: bool, below: bool) -> str:
    """Return the snippet of a text without marks; `ends` is true if the document ends with it."""
    return snippets_of(SnippetRequest(text, begins=True, ends=ends, below=below))[0].html
