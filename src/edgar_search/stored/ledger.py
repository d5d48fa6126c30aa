"""The index `ledger`."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

Variant = Literal["txt", "nc"]
Status = Literal["listed", "fetched", "pending", "loaded", "refused", "deleted"]


class EdgarFile(Struct, frozen=True, omit_defaults=True):
    """The file at EDGAR that the version with the hash `sha256` is of, as EDGAR named it last."""

    sha256: str
    etag: str | None = None
    last_modified: str | None = None


class LedgerEntry(Struct, frozen=True, omit_defaults=True):
    """What ingest knows of a submission. Times are UTC, lags are seconds.

    `hashes` are the SHA-256 of every version ever seen. `settled` are those that need not be loaded
    again: of the version in the indices (`loaded_hash`), and of versions that it replaced or is
    better than. `parts` are the searchable documents with their number of passages that are in
    `partition`, and `sections` the ids of their sections; while `pending`, those that may be there.
    `announced` has every document that was ever loaded and when that first was: none of them
    arrives again. `epoch` is the version number of all that the last load wrote, and `owner` the
    load that is at it, since `claimed_at`. `unread` are documents that are listed and not searched,
    as reading them failed, with the reason. `checked_at` is when its bytes were last those of
    EDGAR's `edgar_file`. `absent_since` is the first of the complete quarterly indices in a row
    that lacked it, and `withdrawn_at` the same where EDGAR has removed it.
    """

    status: Status
    source: str
    seen_at: datetime
    hashes: list[str] = []
    settled: list[str] = []
    reason: str | None = None
    form_type: str | None = None
    filing_date: date | None = None
    accepted_at: datetime | None = None
    listed_at: datetime | None = None
    fetched_at: datetime | None = None
    variant: Variant | None = None
    loaded_hash: str | None = None
    claimed_at: datetime | None = None
    loaded_at: datetime | None = None
    searchable_at: datetime | None = None
    accepted_lag: float | None = None
    listed_lag: float | None = None
    deleted_at: datetime | None = None
    partition: str | None = None
    parts: dict[str, int] = {}
    unread: dict[str, str] = {}
    sections: list[str] = []
    announced: dict[str, datetime] = {}
    epoch: int = 0
    owner: str | None = None
    edgar_file: EdgarFile | None = None
    checked_at: datetime | None = None
    absent_since: datetime | None = None
    withdrawn_at: datetime | None = None
