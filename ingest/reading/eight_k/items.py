"""The items of a current report: those that its header names, and those that its text has."""

import re
from collections.abc import Collection
from datetime import date

from edgar_search.edgar.submission import Document, Submission
from edgar_search.stored.filing import FilingExhibit, FilingItem, ItemSource
from ingest.reading.eight_k.exhibit_lists import lines_of, listed_exhibits
from ingest.reading.eight_k.exhibit_numbers import mentioned_exhibits
from ingest.reading.eight_k.exhibits import attached_exhibits, filing_exhibits
from ingest.reading.eight_k.headings import Heading, item_headings
from ingest.reading.eight_k.names import CURRENT, OLD, Item, item_named, items_on
from ingest.reading.sections.boundaries import exhibit_index_places
from ingest.reading.sections.markup import Markup

_FORM = re.compile(r"8-K(?:12B|12G3|15D5|405|T)?(?:/A)?")
_EXHIBITS_ITEMS = frozenset({"7", "9.01"})
_SIGNED = re.compile(
    r"^[^\w\n]*(?:signatures?[^\w\n]*$|pursuant to the requirements?\b)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_INDEX = 6_000  # characters
_MAX_TEXT = 60_000  # characters of an item in which exhibits are looked for


def current_report(submission: Submission) -> Document | None:
    """The report itself where the submission is an 8-K of any kind."""
    if not _FORM.fullmatch(submission.header.form_type) or not submission.documents:
        return None
    return main_document(submission)


def eight_k_items(submission: Submission, report: Document) -> list[FilingItem]:
    """The items of an 8-K, in order, from its header and its report. Never raises."""
    header = submission.header
    markup = Markup(report.body)
    headings = item_headings(markup, items_on(header.filing_date))
    sources = _sources(header_items(header.items, header.filing_date), headings)
    attached = attached_exhibits(submission.documents)
    exhibits = filing_exhibits(_listed(markup, headings, attached), attached)
    of_items = _of_items(list(sources), _texts(markup, headings), exhibits)
    return [
        FilingItem(
            number=item.number,
            name=item.name,
            document_id=report.document_id,
            source=source,
            exhibits=of_items[item],
        )
        for item, source in sources.items()
    ]


def main_document(submission: Submission) -> Document:
    """The report itself: the first document with the form's type, else the first of all."""
    form_type = submission.header.form_type.removesuffix("/A")
    for document in submission.documents:
        if document.form_type.upper().removesuffix("/A") == form_type:
            return document
    return submission.documents[0]


def header_items(lines: tuple[str, ...], filing_date: date) -> list[Item]:
    """The items that a header's lines name, each once; lines that name none are left out."""
    named = [item_named(line, filing_date) for line in lines]
    return list(dict.fromkeys(item for item in named if item is not None))


def _sources(header: list[Item], headings: list[Heading]) -> dict[Item, ItemSource]:
    """The items in the form's order, each with what names it.

    Beside those of a header only headings with the form's own name count.
    """
    text = {heading.item for heading in headings}
    named = {heading.item for heading in headings if heading.named or not header}
    either = sorted({*header, *named}, key=(*OLD, *CURRENT).index)
    return {
        item: "text" if item not in header else "both" if item in text else "header"
        for item in either
    }


def _texts(markup: Markup, headings: list[Heading]) -> dict[str, str]:
    """Each item's text by its number, up to the next heading."""
    return {
        heading.item.number: markup.after(heading.at, _MAX_TEXT, _end(markup, headings, heading))
        for heading in headings
    }


def _end(markup: Markup, headings: list[Heading], heading: Heading) -> int:
    later = (other.at for other in headings if other.at > heading.at)
    return min(later, default=len(markup.raw))


def _listed(markup: Markup, headings: list[Heading], attached: Collection[str]) -> dict[str, str]:
    """What the item of exhibits lists, then what the index of exhibits does.

    Without such an item the last one may have the list.
    """
    own = [heading for heading in headings if heading.item.number in _EXHIBITS_ITEMS]
    lists = [
        (heading.at, _end(markup, headings, heading), _MAX_TEXT) for heading in own or headings[-1:]
    ]
    begin = headings[0].at if headings else 0
    indexes = exhibit_index_places(markup, begin)[:2]
    lists += [(at, len(markup.raw), _MAX_INDEX) for at in indexes]
    found: dict[str, str] = {}
    for at, end, limit in lists:
        lines = _SIGNED.split("\n".join(lines_of(markup, at, end, limit)), maxsplit=1)[0].split(
            "\n"
        )
        for number, description in listed_exhibits(lines, attached, index=at in indexes).items():
            found[number] = found.get(number) or description
    return found


def _of_items(
    items: list[Item], texts: dict[str, str], exhibits: dict[str, FilingExhibit]
) -> dict[Item, list[FilingExhibit]]:
    """The exhibits of each item: all of their own item's, of others those that they mention.

    Without an item of exhibits the last has those that none mentions.
    """
    numbers: dict[Item, list[str]] = {}
    for item in items:
        own = item.number in _EXHIBITS_ITEMS
        numbers[item] = list(exhibits) if own else mentioned_exhibits(texts.get(item.number, ""))
    if items:
        given = {number for each in numbers.values() for number in each}
        numbers[items[-1]] += [number for number in exhibits if number not in given]
    return {
        item: [exhibits[number] for number in each if number in exhibits]
        for item, each in numbers.items()
    }
