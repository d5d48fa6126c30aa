"""What favorites point to: ids in their one form, and whether there is such a thing."""

import re

from msgspec import Struct, field

from edgar_search.accounts.bodies import filing_body, filings_of_body
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.favorite import TargetType

_ACCESSION = r"\d{10}-\d{2}-\d{6}"
_FORMS: dict[TargetType, tuple[re.Pattern[str], str]] = {
    "filing": (re.compile(_ACCESSION, re.ASCII), "an accession number as 0000320193-24-000123"),
    "entity": (re.compile(r"\d{1,10}", re.ASCII), "a CIK of 1 to 10 digits"),
    "document": (
        re.compile(_ACCESSION + r"-[1-9]\d{0,8}", re.ASCII),
        "a document id as 0000320193-24-000123-1",
    ),
}


class _Document(Struct):
    document_id: str


class _Filing(Struct):
    documents: list[_Document] = []


class _FilingHit(Struct):
    source: _Filing = field(name="_source")


def checked_target(type_: TargetType, target_id: str) -> str:
    """The id in the form that answers have; BadRequest where it is none of this type."""
    pattern, form = _FORMS[type_]
    if not pattern.fullmatch(target_id):
        raise BadRequest(f"target_id: must be {form}")
    return target_id.zfill(10) if type_ == "entity" else target_id


async def exists(engine: Engine, type_: TargetType, target: str) -> bool:
    """Whether there is such a filing, entity or document; a document need not be searchable."""
    if type_ == "entity":
        if await engine.get("entities", target, StoredEntity) is not None:
            return True
        return bool((await engine.search("filings", filings_of_body(target), _FilingHit)).hits.hits)
    accession_number = "-".join(target.split("-")[:3])
    reply = await engine.search("filings", filing_body(accession_number), _FilingHit)
    listed = [document.document_id for hit in reply.hits.hits for document in hit.source.documents]
    return target in listed if type_ == "document" else bool(reply.hits.hits)
