"""Items of current reports: the reply of `/v2/8k_items`, and items inside of filings.

An item has the fields of both published forms: `exhibits` of the documentation, and those of the
official client.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from edgar_search.search.hits import AnyFiling
from edgar_search.stored.filing import FilingExhibit, FilingItem, StoredFiling


class Exhibit(Struct, rename="camel"):
    """`document_ref` is the name of the document's file, "" where it is not in the filing."""

    exhibit_number: str
    exhibit_description: str
    document_id: str | None
    document_ref: str


class Item(Struct, rename="camel"):
    """`item_exhibit_doc_id` and `item_exhibit_name` are of the first exhibit with a document.

    `item_source` is not published: what names the item, "header", "text" or "both"; None where the
    filing was loaded before that was stored.
    `created_at` and `updated_at` are when the filing was loaded.
    """

    id: str
    document_id: str
    accession_number: str
    item_type: str
    item_name: str
    item_source: str | None
    exhibits: list[Exhibit]
    item_exhibit_doc_id: str | None
    item_exhibit_name: str | None
    referenced_exhibits: list[str]
    created_at: datetime
    updated_at: datetime


def items_reply(numbers: Iterable[str], filings: Sequence[StoredFiling]) -> dict[str, list[Item]]:
    """The items of each accession number, in the order asked for; none where it is not here."""
    found = {filing.accession_number: filing for filing in filings}
    return {number: filing_items(found[number]) if number in found else [] for number in numbers}


def filing_items(filing: AnyFiling) -> list[Item]:
    """The items of a filing, in order."""
    return [_item(filing, item) for item in filing.eight_k_items]


def _item(filing: AnyFiling, item: FilingItem) -> Item:
    attached = next((each for each in item.exhibits if each.document_id), None)
    return Item(
        id=f"{filing.accession_number}-{item.number}",
        document_id=item.document_id,
        accession_number=filing.accession_number,
        item_type=item.number,
        item_name=item.name,
        item_source=item.source,
        exhibits=[_exhibit(each) for each in item.exhibits],
        item_exhibit_doc_id=attached.document_id if attached else None,
        item_exhibit_name=(attached.description or None) if attached else None,
        referenced_exhibits=[each.number for each in item.exhibits],
        created_at=filing.loaded_at,
        updated_at=filing.loaded_at,
    )


def _exhibit(exhibit: FilingExhibit) -> Exhibit:
    return Exhibit(exhibit.number, exhibit.description, exhibit.document_id, exhibit.file_name)
