"""The state of an installation: ledger, leases, rebuilds, secrets, snapshots, missing days."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

Variant = Literal["txt", "nc"]
Status = Literal["listed", "fetched", "pending", "loaded", "refused", "deleted"]


class EdgarFile(Struct, frozen=True, omit_defaults=True):
    """The file at EDGAR that held the version with this hash, by its last name there."""

    sha256: str
    etag: str | None = None
    last_modified: str | None = None


class LedgerEntry(Struct, frozen=True, omit_defaults=True):
    """The state of a submission for ingest. Times are UTC, lags are seconds.

    `hashes` are the SHA-256 of every version ever seen. `settled` are the hashes of versions that
    need not be loaded again: the version in the indices (`loaded_hash`), and versions that it
    replaced or is better than. `parts` are the searchable documents in `partition` with their
    number of passages, `sections` the ids of their sections, and `rows` the number of rows of each
    index and document (`insider_trades 0009990001-25-000001-1`); while `pending`, those that may be
    there. `announced` has every document that was ever loaded with the time of its first load: none
    of them arrives again. `told` is the number of its events, and `told_hash` the version of the
    last one. `epoch` is the version number of everything that the last load wrote; `owner` is the
    load that works on it since `claimed_at`. `unread` are documents that are listed but not
    searched, because reading them failed, with the reason. `checked_at` is the last time at which
    its bytes were those of EDGAR's `edgar_file`. `absent_since` is the first of the complete
    quarterly indices in a row that lacked it, and `withdrawn_at` the same if EDGAR has removed it.
    `contents` are the kinds of what the last load made, each with its version: `html:2`.
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
    rows: dict[str, int] = {}
    announced: dict[str, datetime] = {}
    told: int = 0
    told_hash: str | None = None
    epoch: int = 0
    owner: str | None = None
    edgar_file: EdgarFile | None = None
    checked_at: datetime | None = None
    absent_since: datetime | None = None
    withdrawn_at: datetime | None = None
    contents: list[str] = []


class StoredLease(Struct, frozen=True):
    """The right to do work that only one process may do at a time; `holder` is empty if it is free.

    `epoch` counts the holders, `revision` the writes. A lease that does not change for `seconds`
    may be taken over; `renewed_at` is only informative.
    """

    holder: str
    epoch: int
    revision: int
    seconds: float
    renewed_at: datetime


Stage = Literal["copying", "switching", "switched", "going back"]


class StoredRebuild(Struct, frozen=True, omit_defaults=True):
    """The state of a rebuild of one partition of one kind; its id is `KIND.PARTITION`.

    `old` and `new` are names of indices; `new_id` distinguishes the new one from another of the
    same name. `copied` is, for each shard of the old index, the sequence number up to which
    everything is copied. `taken` is, for each shard of the new index, its sequence number when it
    was put into use. `holder` has blocked writes to an index since `blocked_at`: to the old one
    during a switch, to the new one during a rollback.
    """

    stage: Stage
    old: str
    new: str
    new_id: str
    copied: dict[str, int] = {}
    taken: dict[str, int] = {}
    holder: str | None = None
    blocked_at: datetime | None = None

    @property
    def blocked(self) -> str | None:
        """The index to which the rebuild blocks writes, if any."""
        if self.holder is None:
            return None
        return self.new if self.stage == "going back" else self.old


class StoredSecret(Struct, frozen=True):
    """A secret with which all workers and hosts sign; created once and never changed."""

    value: bytes
    made_at: datetime


class StoredSnapshot(Struct, frozen=True):
    """An unchanging view of some kinds, for an account, until `expires_at`.

    `points` are Elasticsearch's point-in-time ids, by kind; empty while it is being opened.
    `cik_lists` are the CIKs that the tickers and names in its query had when it was opened.
    """

    account: str
    opened_at: datetime
    expires_at: datetime
    points: dict[str, str] = {}
    cik_lists: list[list[str]] = []


class MissingDay(Struct, frozen=True):
    """A business day for which EDGAR's indices list no filing, and since when that is known.

    Its id is the day. It is deleted when an index lists filings for the day.
    """

    day: date
    since: datetime
