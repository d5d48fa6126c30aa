"""The items of a current report: from its header, or from its text where the header has none."""

import re
from datetime import date

from edgar_search.edgar.submission import Document, Submission
from edgar_search.stored.filing import FilingExhibit, FilingItem
from ingest.reading.eight_k.exhibits import filing_exhibits, listed_exhibits, mentioned_exhibits
from ingest.reading.eight_k.headings import Heading, item_headings
from ingest.reading.eight_k.names import Item, item_named, items_on
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
    items = header_items(header.items, header.filing_date) or [h.item for h in headings]
    texts = _texts(markup, headings)
    listed = listed_exhibits(_listing(markup, texts))
    exhibits = filing_exhibits(listed, submission.documents)
    return [
        FilingItem(
            number=item.number,
            name=item.name,
            document_id=report.document_id,
            exhibits=_of_item(item, texts.get(item.number, ""), exhibits),
        )
        for item in items
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


def _texts(markup: Markup, headings: list[Heading]) -> dict[str, str]:
    """Each item's text by its number, up to the next heading."""
    ends = [*(heading.at for heading in headings[1:]), len(markup.raw)]
    return {
        heading.item.number: markup.after(heading.at, _MAX_TEXT, ends[number])
        for number, heading in enumerate(headings)
    }


def _listing(markup: Markup, texts: dict[str, str]) -> str:
    """The text that lists exhibits: of their item up to the signatures, and of their index."""
    item = "".join(texts.get(number, "") for number in sorted(_EXHIBITS_ITEMS))
    index = [markup.after(at, _MAX_INDEX) for at in exhibit_index_places(markup, 0)]
    return "\n".join(_SIGNED.split(text, maxsplit=1)[0] for text in [item, *index[:1]])


def _of_item(item: Item, text: str, exhibits: dict[str, FilingExhibit]) -> list[FilingExhibit]:
    numbers = exhibits if item.number in _EXHIBITS_ITEMS else mentioned_exhibits(text)
    return [exhibits[number] for number in numbers if number in exhibits]
