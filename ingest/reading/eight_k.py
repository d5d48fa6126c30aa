"""Items of current reports (8-K), from the header and from the text."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple

from edgar_search.edgar.items import (
    EIGHT_K_ITEMS,
    OLD_EIGHT_K_ITEMS,
    EightKItem,
    eight_k_item_named,
    eight_k_items_on,
    is_current_report,
    plain_words,
)
from edgar_search.edgar.submission import Document, Submission
from edgar_search.stored.filings import FilingExhibit, FilingItem, ItemSource
from ingest.reading.eight_k_exhibits import (
    attached_exhibits,
    filing_exhibits,
    lines_of,
    listed_exhibits,
    mentioned_exhibits,
)
from ingest.reading.sections import Section
from ingest.reading.sections.boundaries import exhibit_index_places, signature_places
from ingest.reading.sections.report_text import ReportText

_MOST = 2_000  # lines that begin with an item; every report has fewer
_TEXT = 800
_OWN_TITLE = 60  # characters
# characters of an entry in a table of contents, and of its last entry
_ENTRY, _LAST_ENTRY = 400, 2_500
_BESIDE_NAME = (
    25  # letters that an entry contains besides the form's name: "Item", "page", a filer's word
)
_COVER = 10_000  # characters to search for the cover's last line
# The form's last line on its cover.
_COVER_ENDS = re.compile(r"changed\s+since\s+(?:the\s+)?last\s+report", re.IGNORECASE)
_EXHIBITS = frozenset({"7", "9.01"})
_DIGITS = r"[0-9]{1,2}(?:\s?\.\s?[0-9]{2})?(?![0-9]|\.[0-9])"
_NUMBER = re.compile(
    rf"i ?t ?e ?m ?s?[\s#:]*(?:no\b\.?)?[\s#:]*(?P<number>{_DIGITS})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# The letters of an item's parts ("Item 7(c). Exhibits") are dropped.
_PART = re.compile(
    r"\s?\([a-z]\)(?:\s?(?:,|&|and\b)?\s?\([a-z]\)){0,8}(?=[\s.:–—-])", re.IGNORECASE
)
_FURTHER = re.compile(
    rf"[\s.]*(?:,\s*and\b|,|;|and\b|&|/)\s*(?:items?\s*)?(?P<number>{_DIGITS})", re.IGNORECASE
)
# A second item in a heading, named after the title of the first.
_JOINED = re.compile(
    rf"(?:\band\b|[;,/&.–—-])\s*items?\s*(?P<number>{_DIGITS})(?P<rest>[^\n]*)", re.IGNORECASE
)
_SEPARATORS = re.compile(r"[\s.:;–—―_*|·•\ufffd\u200b-]*")
# After a number, these belong to a sentence about an item, or to a list of several.
_REFERRING = re.compile(r"\s*(?:[,;\"”“'’(]|and\b|through\b|to\b|or\b|&)", re.IGNORECASE)
_EMPTY = re.compile(
    r"(?:not applicable|inapplicable|n/a|none\b|no response|omitted)", re.IGNORECASE
)


class Heading(NamedTuple):
    """An item's heading, at a position in the text; `named` if it contains the form's name."""

    item: EightKItem
    at: int
    named: bool


def item_headings(report: ReportText, items: Sequence[EightKItem]) -> list[Heading]:
    """Find the headings of the report's items in order, the first one of each item.

    After its number a heading has the form's name of the item, or a short title alone on its line.
    Lines of the cover, a table of contents and a list of exhibits are not headings.
    """
    by_number = {item.number: item for item in items}
    answered = [
        Heading(item, line.at, is_named)
        for line in islice(report.lines("i ?t ?e ?m"), _MOST)
        for item, is_named in _named_items(report.after(line.at, _TEXT), by_number)
    ]
    headings_found = _after_cover(report, answered)
    headings_found = _without_exhibits(report, _after_contents(report, headings_found))
    first: dict[str, Heading] = {}
    for heading in headings_found:
        first.setdefault(heading.item.number, heading)
    return list(first.values())


def _after_cover(report: ReportText, headings: list[Heading]) -> list[Heading]:
    """Drop the headings on the cover, if there are others after it."""
    cover = _COVER_ENDS.search(report.text, 0, _COVER)
    after = [heading for heading in headings if cover and heading.at > cover.end()]
    return after or headings


def _after_contents(report: ReportText, headings: list[Heading]) -> list[Heading]:
    """Drop the entries of a table of contents at the beginning of the report.

    It is one if at least one entry occurs again, and the others are only titles.
    """
    numbers = [heading.item.number for heading in headings]
    again = next((at for at, number in enumerate(numbers) if number in numbers[:at]), 0)
    for place in range(again):
        limit = _LAST_ENTRY if place + 1 == again else _ENTRY
        entry = report.between(headings[place].at, headings[place + 1].at, limit)
        if entry is None:
            return headings
        if numbers[place] not in numbers[again:]:
            name = headings[place].item.name
            if _letters(entry) > _letters(name) + _BESIDE_NAME:
                return headings
    return headings[again:]


def _without_exhibits(report: ReportText, headings: list[Heading]) -> list[Heading]:
    """Drop entries of a list of exhibits, which do not name an item of the form.

    They come after the item of exhibits, an index of exhibits, or the signatures.
    """
    begin = headings[0].at if headings else 0
    lists = [heading.at for heading in headings if heading.item.number in _EXHIBITS]
    lists += exhibit_index_places(report, begin) + signature_places(report, begin)
    first = min(lists, default=len(report.text))
    return [heading for heading in headings if heading.named or heading.at <= first]


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _named_items(text: str, items: dict[str, EightKItem]) -> list[tuple[EightKItem, bool]]:
    """Return the items in a heading's line; True for items with the form's name."""
    match = _NUMBER.match(text)
    if match is None:
        return []
    numbers, after = [_bare(match["number"])], match["rest"]
    if part := _PART.match(after):
        after = after[part.end() :]
    while further := _FURTHER.match(after):
        numbers.append(_bare(further["number"]))
        after = after[further.end() :]
    named_here = [items[number] for number in numbers if number in items]
    if not named_here or _REFERRING.match(after):
        return []
    after = after[_SEPARATORS.match(after).end() :]  # type: ignore[union-attr]
    title, *lines = [line.strip() for line in after.split("\n")]
    has_name = any(item.pattern.match(plain_words(after)) for item in named_here)
    alone = len(numbers) == 1 and _is_title(title)
    if title[:1].islower() or not (has_name or alone) or _is_unanswered(lines):
        return []
    return [(item, has_name) for item in named_here] + list(_further_items(after, items))


def _further_items(rest: str, items: dict[str, EightKItem]) -> Iterator[tuple[EightKItem, bool]]:
    """Yield the items that follow the first one with their names."""
    for match in _JOINED.finditer(rest.split("\n")[0]):
        item = items.get(_bare(match["number"]))
        if item is not None and item.pattern.match(plain_words(match["rest"])):
            yield item, True


def _bare(number: str) -> str:
    return re.sub(r"\s", "", number)


def _is_unanswered(lines: list[str]) -> bool:
    """Return True if the lines after a heading, perhaps after a note, say the item is empty."""
    return any(
        _EMPTY.match(line) for line in lines[: 1 if lines[:1] and lines[0][:1] == "(" else 2]
    )


def _is_title(line: str) -> bool:
    """Return True if a short line has the filer's own title after an item's number."""
    return 4 <= len(line) <= _OWN_TITLE and line[:1].isupper() and not line.endswith((",", ";"))


_EXHIBITS_ITEMS = frozenset({"7", "9.01"})
_SIGNED = re.compile(
    r"^[^\w\n]*(?:signatures?[^\w\n]*$|pursuant to the requirements?\b)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_INDEX = 6_000  # characters
_MAX_TEXT = 60_000  # characters of an item that are searched for exhibits


def current_report(submission: Submission) -> Document | None:
    """Return the report itself if the submission is an 8-K of any kind."""
    if not is_current_report(submission.header.form_type) or not submission.documents:
        return None
    return main_document(submission)


def eight_k_items(submission: Submission, document: Document, text: ReportText) -> list[FilingItem]:
    """Return the items of an 8-K, in order, from its header and its report. Never raises.

    `document` is the report, and `text` its searchable text.
    """
    header = submission.header
    headings = item_headings(text, eight_k_items_on(header.filing_date))
    sources = _item_sources(header_items(header.items, header.filing_date), headings)
    attached = attached_exhibits(submission.documents)
    exhibits = filing_exhibits(_list_exhibits(text, headings, attached), attached)
    of_items = _exhibits_of_items(list(sources), _item_texts(text, headings), exhibits)
    return [
        FilingItem(
            number=item.number,
            name=item.name,
            document_id=document.document_id,
            source=source,
            exhibits=of_items[item],
        )
        for item, source in sources.items()
    ]


def main_document(submission: Submission) -> Document:
    """Return the report itself: the first document with the form's type, else the first of all."""
    form_type = submission.header.form_type.removesuffix("/A")
    for document in submission.documents:
        if document.form_type.upper().removesuffix("/A") == form_type:
            return document
    return submission.documents[0]


def header_items(lines: tuple[str, ...], filing_date: date) -> list[EightKItem]:
    """Return the items that a header's lines name, each once."""
    items = [eight_k_item_named(line, filing_date) for line in lines]
    return list(dict.fromkeys(item for item in items if item is not None))


def _item_sources(
    header: list[EightKItem], headings: list[Heading]
) -> dict[EightKItem, ItemSource]:
    """Return the items in the form's order, each with its source: header, text or both.

    If the header names items, only headings with the form's own name add to them.
    """
    text = {heading.item for heading in headings}
    items_in_text = {heading.item for heading in headings if heading.named or not header}
    either = sorted({*header, *items_in_text}, key=(*OLD_EIGHT_K_ITEMS, *EIGHT_K_ITEMS).index)
    return {
        item: "text" if item not in header else "both" if item in text else "header"
        for item in either
    }


def _item_texts(report: ReportText, headings: list[Heading]) -> dict[str, str]:
    """Return each item's text by its number, up to the next heading."""
    return {
        heading.item.number: report.after(heading.at, _MAX_TEXT, _end(report, headings, heading))
        for heading in headings
    }


def current_report_sections(filing_date: date, report: ReportText) -> list[Section]:
    """Return the sections of an 8-K: its items with a heading, each up to the next boundary.

    Items under one heading are one section. An item ends at the next one, at the signatures or at
    an index of exhibits.
    """
    headings = sorted(
        item_headings(report, eight_k_items_on(filing_date)), key=lambda heading: heading.at
    )
    starts = sorted({heading.at for heading in headings})
    begin = starts[0] if starts else 0
    ends = [*starts, *signature_places(report, begin), *exhibit_index_places(report, begin)]
    sections: list[Section] = []
    for start in starts:
        end = min((place for place in ends if place > start), default=len(report.text))
        items = [heading.item for heading in headings if heading.at == start]
        numbers = [item.number for item in items]
        several = len(numbers) > 1
        label = f"Items {', '.join(numbers[:-1])} and {numbers[-1]}" if several else numbers[0]
        sections.append(
            Section(
                f"item{'and'.join(numbers)}",
                label if several else f"Item {label}",
                "; ".join(item.name for item in items),
                start,
                start + len(report.text[start:end].rstrip()),
            )
        )
    return sections


def _end(report: ReportText, headings: list[Heading], heading: Heading) -> int:
    later = (other.at for other in headings if other.at > heading.at)
    return min(later, default=len(report.text))


def _list_exhibits(
    report: ReportText, headings: list[Heading], attached: Collection[str]
) -> dict[str, str]:
    """Read the lists of exhibits, first in their item, then in their index.

    Without an item of exhibits the last item may contain the list.
    """
    own = [heading for heading in headings if heading.item.number in _EXHIBITS_ITEMS]
    lists = [
        (heading.at, _end(report, headings, heading), _MAX_TEXT) for heading in own or headings[-1:]
    ]
    begin = headings[0].at if headings else 0
    indexes = exhibit_index_places(report, begin)[:2]
    lists += [(at, len(report.text), _MAX_INDEX) for at in indexes]
    descriptions: dict[str, str] = {}
    for at, end, limit in lists:
        lines = _SIGNED.split("\n".join(lines_of(report, at, end, limit)), maxsplit=1)[0].split(
            "\n"
        )
        for number, description in listed_exhibits(lines, attached, index=at in indexes).items():
            descriptions[number] = descriptions.get(number) or description
    return descriptions


def _exhibits_of_items(
    items: list[EightKItem], texts: dict[str, str], exhibits: dict[str, FilingExhibit]
) -> dict[EightKItem, list[FilingExhibit]]:
    """Return the exhibits of each item: all for the item of exhibits, else the mentioned ones.

    Without an item of exhibits the last item gets the exhibits that no item mentions.
    """
    numbers: dict[EightKItem, list[str]] = {}
    for item in items:
        own = item.number in _EXHIBITS_ITEMS
        numbers[item] = list(exhibits) if own else mentioned_exhibits(texts.get(item.number, ""))
    if items:
        mentioned = {number for item_numbers in numbers.values() for number in item_numbers}
        numbers[items[-1]] += [number for number in exhibits if number not in mentioned]
    return {
        item: [exhibits[number] for number in item_numbers if number in exhibits]
        for item, item_numbers in numbers.items()
    }
