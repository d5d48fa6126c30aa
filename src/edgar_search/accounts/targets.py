"""What favorites point to: ids in their one form, and whether there is such a thing."""

import re

from msgspec import Struct, field

from edgar_search.accounts.bodies import filing_body, filings_of_body
from edgar_search.edgar.identifiers import (
    ACCESSION_NUMBER,
    accession_of,
    is_accession_number,
    parse_cik,
)
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.favorite import TargetType

_DOCUMENT_ID = re.compile(ACCESSION_NUMBER + "-[1-9][0-9]{0,8}")
_FORMS: dict[TargetType, str] = {
    "filing": "an accession number as 0000320193-24-000123",
    "entity": "a CIK of 1 to 10 digits",
    "document": "a document id as 0000320193-24-000123-1",
}


class _Document(Struct):
    document_id: str


class _Filing(Struct):
    documents: list[_Document] = []


class _FilingHit(Struct):
    source: _Filing = field(name="_source")


def checked_target(type_: TargetType, target_id: str) -> str:
    """The id in the form that answers have; BadRequest where it is none of this type."""
    if type_ == "entity":
        target = parse_cik(target_id)
    elif type_ == "filing":
        target = target_id if is_accession_number(target_id) else None
    else:
        target = target_id if _DOCUMENT_ID.fullmatch(target_id) else None
    if target is None:
        raise BadRequest(f"target_id: must be {_FORMS[type_]}")
    return target


async def exists(engine: Engine, type_: TargetType, target: str) -> bool:
    """Whether there is such a filing, entity or document; a document need not be searchable."""
    if type_ == "entity":
        if await engine.get("entities", target, StoredEntity) is not None:
            return True
        return bool((await engine.search("filings", filings_of_body(target), _FilingHit)).hits.hits)
    accession_number = accession_of(target) if type_ == "document" else target
    reply = await engine.search("filings", filing_body(accession_number), _FilingHit)
    listed = [document.document_id for hit in reply.hits.hits for document in hit.source.documents]
    return target in listed if type_ == "document" else bool(reply.hits.hits)
