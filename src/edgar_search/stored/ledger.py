"""The index `ledger`."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

Variant = Literal["txt", "nc"]


class LedgerEntry(Struct, frozen=True, omit_defaults=True):
    """What ingest knows of a submission.

    `hashes` are the SHA-256 of every version seen and dealt with, `loaded_hash` of the one that is
    in the indices. `parts` are the searchable documents there with their number of passages,
    `sections` the ids of their sections.
    """

    status: Literal["loaded", "refused"]
    source: str
    seen_at: datetime
    hashes: list[str] = []
    reason: str | None = None
    form_type: str | None = None
    filing_date: date | None = None
    accepted_at: datetime | None = None
    variant: Variant | None = None
    loaded_hash: str | None = None
    loaded_at: datetime | None = None
    partition: str | None = None
    parts: dict[str, int] = {}
    sections: list[str] = []
