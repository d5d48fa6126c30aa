"""Ledger entries, each derived from the one before it; pure."""

from datetime import date, datetime

import msgspec

from edgar_search.stored.installation import EdgarFile, LedgerEntry
from ingest.reading.tasks import PreparedSubmission, RefusedFile


class ListedFiling(msgspec.Struct, frozen=True):
    """A submission in one of EDGAR's lists, with its address."""

    accession_number: str
    form_type: str
    filing_date: date
    source: str
    accepted_at: datetime | None = None


def listed_entry(
    entry: LedgerEntry | None, listed: ListedFiling, now: datetime
) -> LedgerEntry | None:
    """Return the entry after EDGAR listed the submission; None if that was known already."""
    if entry is None:
        return LedgerEntry(
            status="listed",
            source=listed.source,
            seen_at=now,
            form_type=listed.form_type,
            filing_date=listed.filing_date,
            accepted_at=listed.accepted_at,
            listed_at=now,
        )
    if entry.listed_at is not None:
        return None
    return msgspec.structs.replace(
        entry,
        form_type=entry.form_type or listed.form_type,
        filing_date=entry.filing_date or listed.filing_date,
        accepted_at=entry.accepted_at or listed.accepted_at,
        listed_at=now,
        # A submission that was searchable before it was listed did not wait.
        listed_lag=0.0 if entry.searchable_at else None,
    )


def fetched_entry(
    entry: LedgerEntry | None, source: str, file: EdgarFile, now: datetime
) -> LedgerEntry:
    """Return the entry after a version was fetched; the loaded version stays.

    EDGAR's current version must be loaded, even if another version replaced it before.
    """
    if entry is None:
        entry = LedgerEntry(status="fetched", source=source, seen_at=now)
    return msgspec.structs.replace(
        entry,
        status="fetched" if entry.status in ("listed", "refused") else entry.status,
        fetched_at=now,
        hashes=_with_hash(entry, file.sha256),
        settled=[h for h in entry.settled if h == entry.loaded_hash or h != file.sha256],
        edgar_file=file,
        checked_at=now,
        absent_since=None,
        withdrawn_at=None,
    )


def checked_entry(entry: LedgerEntry, file: EdgarFile, now: datetime) -> LedgerEntry | None:
    """Return the entry after EDGAR's file was found to be the loaded one; None if it is another."""
    if entry.status != "loaded" or entry.loaded_hash != file.sha256:
        return None
    return msgspec.structs.replace(entry, edgar_file=file, checked_at=now)


def absent_entry(entry: LedgerEntry, now: datetime) -> LedgerEntry | None:
    """Return the entry after a complete index lacked the submission; None if an earlier one did."""
    if entry.status != "loaded" or entry.absent_since is not None:
        return None
    return msgspec.structs.replace(entry, absent_since=now)


def present_entry(entry: LedgerEntry) -> LedgerEntry | None:
    """Return the entry after EDGAR was found to have the submission.

    None if nothing suggested otherwise.
    """
    if entry.absent_since is None and entry.withdrawn_at is None:
        return None
    return msgspec.structs.replace(entry, absent_since=None, withdrawn_at=None)


def removed_entry(entry: LedgerEntry) -> LedgerEntry | None:
    """Return the entry after EDGAR removed the submission.

    None if it did not.
    """
    if entry.status != "loaded" or entry.absent_since is None or entry.withdrawn_at is not None:
        return None
    return msgspec.structs.replace(entry, withdrawn_at=entry.absent_since)


def pending_entry(
    entry: LedgerEntry | None, prepared: PreparedSubmission, owner: str, epoch: int
) -> LedgerEntry:
    """Return the entry during a write of `prepared`, with every part that may exist from now on.

    If the submission's partition has changed, the parts are the ones in the earlier partition.
    """
    entry = entry or LedgerEntry(
        status="pending", source=prepared.source, seen_at=prepared.loaded_at
    )
    stay = entry.partition in (None, prepared.partition)
    return msgspec.structs.replace(
        entry,
        status="pending",
        form_type=prepared.form_type,
        filing_date=prepared.filing_date,
        accepted_at=prepared.accepted_at or entry.accepted_at,
        fetched_at=prepared.fetched_at or entry.fetched_at,
        hashes=_with_hash(entry, prepared.sha256),
        # A reload finds the hash stored; after a kill the submission would look settled.
        settled=[digest for digest in entry.settled if digest != prepared.sha256],
        claimed_at=prepared.loaded_at,
        loaded_hash=None,
        deleted_at=None,
        partition=prepared.partition if stay else entry.partition,
        parts=_with_most(entry.parts, prepared.parts) if stay else entry.parts,
        sections=sorted({*entry.sections, *(prepared.sections if stay else ())}),
        rows=_with_most(entry.rows, prepared.rows) if stay else entry.rows,
        announced=announcements(entry),
        told_hash=entry.told_hash or entry.loaded_hash,
        epoch=epoch,
        owner=owner,
    )


def first_loaded_at(entry: LedgerEntry) -> datetime | None:
    """Return when a part of a submission was first loaded; None if none ever was."""
    return min(announcements(entry).values(), default=entry.loaded_at)


def announcements(entry: LedgerEntry) -> dict[str, datetime]:
    """Return when each document that was ever loaded was first loaded.

    Entries from earlier versions of this program lack it; their loads were announced.
    """
    if entry.announced or entry.status != "loaded":
        return entry.announced
    return dict.fromkeys(entry.parts, entry.loaded_at or entry.seen_at)


def is_news(held: LedgerEntry, prepared: PreparedSubmission) -> bool:
    """Return True if the version was not announced last, or a document is new."""
    return held.told_hash != prepared.sha256 or not held.announced.keys() >= prepared.parts.keys()


def moved_entry(held: LedgerEntry, prepared: PreparedSubmission) -> LedgerEntry:
    """Return the pending entry after everything in the previous partition was deleted."""
    return msgspec.structs.replace(
        held,
        partition=prepared.partition,
        parts=prepared.parts,
        sections=prepared.sections,
        rows=prepared.rows,
    )


def loaded_entry(held: LedgerEntry, prepared: PreparedSubmission, now: datetime) -> LedgerEntry:
    """Return the entry after `prepared` was written, and announced if it is news."""
    return msgspec.structs.replace(
        held,
        status="loaded",
        source=prepared.source,
        settled=[*(h for h in held.settled if h != prepared.sha256), prepared.sha256],
        accepted_at=prepared.accepted_at or held.accepted_at,
        variant=prepared.variant,
        loaded_hash=prepared.sha256,
        loaded_at=now,
        partition=prepared.partition,
        parts=prepared.parts,
        sections=prepared.sections,
        rows=prepared.rows,
        announced=dict.fromkeys(prepared.parts, prepared.loaded_at) | held.announced,
        told=held.told + is_news(held, prepared),
        told_hash=prepared.sha256,
        contents=prepared.contents,
        owner=None,
        claimed_at=None,
        unread=prepared.unread,
        reason=_unsearched_reason(prepared),
    )


def searchable_entry(entry: LedgerEntry, now: datetime) -> LedgerEntry | None:
    """Return the entry after its loaded version became visible; None if it was already."""
    if entry.status != "loaded" or entry.searchable_at is not None:
        return None
    return msgspec.structs.replace(
        entry,
        searchable_at=now,
        accepted_lag=_seconds(entry.accepted_at, now),
        listed_lag=_seconds(entry.listed_at, now),
    )


def superseded_entry(entry: LedgerEntry, prepared: PreparedSubmission) -> LedgerEntry:
    """Return the entry after a variant worse than the loaded one was found."""
    return msgspec.structs.replace(
        entry,
        hashes=_with_hash(entry, prepared.sha256),
        settled=[*entry.settled, prepared.sha256],
    )


def withdrawn_entry(held: LedgerEntry, prepared: PreparedSubmission, reason: str) -> LedgerEntry:
    """Return the entry after Elasticsearch refused a part of `prepared`: none of it is left."""
    return _empty(held, status="refused", source=prepared.source, reason=reason)


def refused_entry(entry: LedgerEntry | None, refused: RefusedFile, now: datetime) -> LedgerEntry:
    """Return the entry after a refusal; the loaded version stays, with the reason next to it."""
    if entry is None:
        entry = LedgerEntry(status="refused", source=refused.source, seen_at=now)
    stays = entry.status in ("loaded", "pending", "deleted")
    if stays and refused.sha256 in entry.hashes:
        return entry  # Known before the loaded version came.
    entry = msgspec.structs.replace(entry, hashes=_with_hash(entry, refused.sha256))
    if stays:
        return msgspec.structs.replace(entry, reason=f"{refused.source}: {refused.reason}")
    return msgspec.structs.replace(
        entry, status="refused", source=refused.source, reason=refused.reason
    )


def incomplete_entry(entry: LedgerEntry) -> LedgerEntry | None:
    """Return the entry of a submission that is no longer complete in the indices.

    None if it never was. A load that holds the submission notices that it has lost its claim.
    """
    if entry.status not in ("loaded", "pending"):
        return None
    return msgspec.structs.replace(
        entry,
        status="pending",
        settled=[],
        loaded_hash=None,
        searchable_at=None,
        announced=announcements(entry),
        told_hash=entry.told_hash or entry.loaded_hash,
        epoch=entry.epoch + 1,
        owner=None,
        claimed_at=None,
    )


def deleting_entry(entry: LedgerEntry | None, owner: str, epoch: int, now: datetime) -> LedgerEntry:
    """Return the entry while a submission is being deleted."""
    entry = entry or LedgerEntry(status="pending", source="", seen_at=now)
    return msgspec.structs.replace(entry, status="pending", owner=owner, epoch=epoch)


def deleted_entry(held: LedgerEntry, now: datetime) -> LedgerEntry:
    """Return the tombstone of a submission after it was deleted."""
    return _empty(held, status="deleted", reason=None, deleted_at=now)


def _empty(entry: LedgerEntry, **changes: object) -> LedgerEntry:
    """Return the entry of a submission with nothing in the indices."""
    return msgspec.structs.replace(
        entry,
        settled=[],
        variant=None,
        loaded_hash=None,
        loaded_at=None,
        searchable_at=None,
        accepted_lag=None,
        listed_lag=None,
        partition=None,
        parts={},
        sections=[],
        rows={},
        unread={},
        owner=None,
        claimed_at=None,
        edgar_file=None,
        checked_at=None,
        absent_since=None,
        withdrawn_at=None,
        **changes,
    )


def _with_most(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {key: max(one.get(key, 0), other.get(key, 0)) for key in one.keys() | other.keys()}


def _with_hash(entry: LedgerEntry, sha256: str) -> list[str]:
    return entry.hashes if sha256 in entry.hashes else [*entry.hashes, sha256]


def _seconds(earlier: datetime | None, now: datetime) -> float | None:
    return max(0.0, (now - earlier).total_seconds()) if earlier else None


def _unsearched_reason(prepared: PreparedSubmission) -> str | None:
    reasons = [f"{document_id}: {reason}" for document_id, reason in prepared.unread.items()]
    if prepared.too_large:
        reasons.insert(0, f"too large to be searched: {', '.join(prepared.too_large)}")
    return "; ".join([*reasons, *prepared.problems]) or None
