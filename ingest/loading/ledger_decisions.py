"""What entries of the ledger decide of a submission that comes; pure."""

from datetime import datetime
from typing import Literal

from edgar_search.stored.ledger import LedgerEntry
from ingest.reading.prepare import PreparedSubmission

Decision = Literal["load", "unchanged", "superseded", "deleted"]


def known_hashes(entry: LedgerEntry | None, again: datetime | None = None) -> list[str]:
    """The hashes whose content need not be loaded again.

    `again` is since when everything is being loaded again: of what was loaded before it, the
    version in the indices is not among them.
    """
    if entry is None:
        return []
    if again is not None and is_due(entry, again):
        return [each for each in entry.settled if each != entry.loaded_hash]
    return entry.settled if entry.status == "loaded" else []


def decide(
    entry: LedgerEntry | None,
    prepared: PreparedSubmission,
    undelete: bool = False,
    again: datetime | None = None,
) -> Decision:
    """What to do with a submission, given what is known of its accession number.

    What an operator has deleted stays deleted, in every version. The feed's variant never replaces
    the archive's; otherwise the later one wins. Where everything is being loaded `again`, nothing
    but that is.
    """
    if entry is not None and entry.status == "deleted" and not undelete:
        return "deleted"
    if again is not None:
        return "load" if _stands_for_again(entry, prepared.sha256, again) else "unchanged"
    if entry is None or entry.status != "loaded":
        return "load"
    if prepared.sha256 in entry.settled:
        return "unchanged"
    if prepared.variant == "nc" and entry.variant == "txt":
        return "superseded"
    return "load"


def next_epoch(entry: LedgerEntry | None, now: int) -> int:
    """The epoch of a load that begins `now`: after all before it, also where a clock was wrong."""
    return max(now, entry.epoch + 1) if entry is not None else now


def is_due(entry: LedgerEntry | None, again: datetime) -> bool:
    """Whether a submission was last loaded before all began to be loaded again, or not whole."""
    if entry is None:
        return False
    if entry.status == "pending":
        return True
    return entry.status == "loaded" and (entry.loaded_at is None or entry.loaded_at < again)


def _stands_for_again(entry: LedgerEntry | None, sha256: str, again: datetime) -> bool:
    """Whether this is the version that is, or is being, loaded, and is to be loaded again."""
    if entry is None or not is_due(entry, again):
        return False
    return sha256 == entry.loaded_hash or (
        entry.status == "pending" and sha256 not in entry.settled
    )
