"""The rows of a document, by its form."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from edgar_search.edgar.submission import Document, Header
from edgar_search.engine.index_names import Kind
from edgar_search.stored.ownership import StoredRow
from edgar_search.text.document_text import root_element
from ingest.reading.ownership import form_13f, form_144, insider, schedules_13dg
from ingest.reading.ownership.form_13f import ManagerReport

_FORM = re.compile(r"[345](/A)?|144(/A)?|SCHEDULE 13[DG](/A)?", re.IGNORECASE)
# Bytes in which a submission names its form.
BEGINNING = 20_000


class OwnershipRows(NamedTuple):
    """A document's rows, all of which go into the index of one kind."""

    kind: Kind
    rows: Iterator[StoredRow]


def ownership_rows(
    header: Header, document: Document, report: ManagerReport | None = None
) -> OwnershipRows | None:
    """Return a document's rows; None if its form has none.

    `report` is the filing's manager report; without one a table has no rows.
    """
    root = root_element(document.body)
    if root == form_13f.TABLE_ROOT and report is not None:
        return OwnershipRows("holdings", form_13f.holdings(report, document))
    if root == insider.ROOT:
        return OwnershipRows("insider_trades", insider.insider_trades(header, document))
    if root != "edgarsubmission":
        return None
    if schedules_13dg.FORM_TYPE.search(document.body, 0, BEGINNING):
        return OwnershipRows("stakes", schedules_13dg.stakes(header, document))
    if form_144.FORM_TYPE.search(document.body, 0, BEGINNING):
        return OwnershipRows("planned_sales", form_144.planned_sales(header, document))
    return None


def unread_form(document: Document) -> str | None:
    """Explain that an XML form has no rows because it declares entities."""
    is_xml = document.body[:BEGINNING].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!"))
    if is_xml and b"<!ENTITY" in document.body[:BEGINNING] and _FORM.fullmatch(document.form_type):
        return f"{document.document_id}: it declares entities, so its rows are not read"
    return None
