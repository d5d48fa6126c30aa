"""Changes of auditor and of directors and officers, from items of a company's 8-Ks.

Only the number of an item is known here; its text is one click away.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.filings import FilingPage, ListedFiling, look_up_filings, searched_among
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.filings import FilingItem
from edgar_search.web.pages.links import address

# Items of a kind on a company's page; the list of filings, filtered by item, shows the others.
_MOST = 8
# The second number is the item's before 23 August 2004.
_KINDS = (
    ("auditor", "Changes of auditor", ("4.01", "4")),
    ("officers", "Changes of directors and officers", ("5.02", "6")),
)


class Event(NamedTuple):
    """An item of an 8-K; `place` is the address of the text that names it, or ""."""

    day: date
    form_type: str
    filing: str
    name: str
    place: str


class Events(NamedTuple):
    """The newest events of a kind; `total` counts the filings of all, which `place` lists."""

    key: str
    title: str
    total: int
    newest: list[Event]
    place: str


async def events_of(context: SearchContext, cik: str) -> list[Events]:
    """Return a company's events by kind.

    Makes one engine request for each kind, and one more.
    """
    pages = await asyncio.gather(
        *(
            or_default(FilingPage(0, []), look_up_filings, context, _search(cik, items))
            for _, _, items in _KINDS
        )
    )
    items_by_kind = {
        item.document_id
        for (_, _, items), page in zip(_KINDS, pages, strict=True)
        for _, item in _items_of(page, items)
    }
    searched = await or_default(set(), searched_among, context.engine, items_by_kind)
    here = f"/company/{cik}"
    return [
        Events(
            key,
            title,
            page.total,
            shown_events(page, items, searched),
            address(here, item=",".join(items)) + "#filings",
        )
        for (key, title, items), page in zip(_KINDS, pages, strict=True)
        if page.total
    ]


def shown_events(page: FilingPage, items: Sequence[str], searched: Collection[str]) -> list[Event]:
    """Return the items with these numbers, in the order of their filings.

    A report without text among the `searched` documents gets no link.
    """
    return [
        Event(
            filing.filing_date,
            filing.form_type,
            filing.accession_number,
            f"Item {item.number} {item.name}",
            item_place(item) if item.document_id in searched else "",
        )
        for filing, item in _items_of(page, items)
    ]


def _items_of(
    page: FilingPage, numbers: Sequence[str]
) -> Iterator[tuple[ListedFiling, FilingItem]]:
    for filing in page.filings:
        for item in filing.eight_k_items:
            if item.number in numbers:
                yield filing, item


def item_place(item: FilingItem) -> str:
    """Return the address of the first words in the report that name the item."""
    phrase = f'"item {item.number}"'
    place = address(f"/document/{item.document_id}", query=phrase, word_forms="exact", match=1)
    return f"{place}#m1"


def _search(cik: str, items: Sequence[str]) -> FilingSearch:
    return FilingSearch(FilingCriteria(cik=(cik,), item=tuple(items)), Window(0, _MOST))
