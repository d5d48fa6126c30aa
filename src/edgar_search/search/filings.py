"""Which requests are made for filings and their sections."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound
from edgar_search.search.bodies.filings import (
    filings_body,
    known_filings_body,
    searched_body,
)
from edgar_search.search.bodies.sections import sections_body
from edgar_search.search.criteria import FilingSearch
from edgar_search.search.entities import Directory, cik_lists
from edgar_search.search.hits import FilingHit, IdHit, ListedFiling, ListedFilingHit, SectionHit
from edgar_search.search.stored_versions import filings_have_sort_keys, require_for_filings
from edgar_search.stored.filing import StoredFiling
from edgar_search.stored.section import StoredSection


class FilingPage(NamedTuple):
    """A window of filings; `total` counts all that match."""

    total: int
    filings: list[ListedFiling]


async def look_up_filings(directory: Directory, search: FilingSearch, account: str) -> FilingPage:
    """The filings that match; one engine request, and one for criteria of entities."""
    await require_for_filings(directory.engine, search.criteria)
    if search.sort_by == "entity_name" and await filings_have_sort_keys(directory.engine):
        search = msgspec.structs.replace(search, sort_by="entity_name_key")
    body = filings_body(search, await cik_lists(directory, search.criteria))
    reply = await directory.engine.search("filings", body, ListedFilingHit, account=account)
    return FilingPage(reply.total, [hit.source for hit in reply.hits.hits])


async def filings_of(engine: Engine, numbers: Sequence[str], account: str) -> list[StoredFiling]:
    """The filings of these accession numbers, as far as they are here; none is whole."""
    body = known_filings_body(numbers)
    reply = await engine.search("filings", body, FilingHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def filing_of(engine: Engine, number: str, account: str) -> StoredFiling:
    """The filing of this accession number; NotFound where it is not here."""
    for filing in await filings_of(engine, [number], account):
        return filing
    raise NotFound(f"there is no filing {number}")


async def sections_of_filing(engine: Engine, number: str, account: str) -> list[StoredSection]:
    """The sections of the filing of this accession number, in order."""
    body = sections_body("accession_number", number)
    reply = await engine.search("sections", body, SectionHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def searched_documents(engine: Engine, number: str, account: str) -> set[str]:
    """The ids of those documents of a filing whose text is searched."""
    reply = await engine.search("documents", searched_body(number), IdHit, account=account)
    return {hit.fields.document_id[0] for hit in reply.hits.hits}


async def sections_of_document(
    engine: Engine, document_id: str, account: str
) -> list[StoredSection]:
    """The sections of a document, in order."""
    body = sections_body("document_id", document_id)
    reply = await engine.search("sections", body, SectionHit, account=account)
    return [hit.source for hit in reply.hits.hits]
