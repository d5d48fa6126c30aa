"""The ledger: what was seen of each submission, and what that decides; entries are built purely."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec

from edgar_search.engine import Engine
from edgar_search.stored.ledger import LedgerEntry
from ingest.prepare import Prepared, Refused

Decision = Literal["load", "unchanged", "superseded"]


async def read_entries(engine: Engine, keys: Sequence[str]) -> dict[str, LedgerEntry]:
    """The entries of these accession numbers that there are, in real time."""
    stored = await engine.multi_get("ledger", keys, LedgerEntry)
    return {entry.id: entry.source for entry in stored if entry.source is not None}


def known_hashes(entry: LedgerEntry | None) -> list[str]:
    """The hashes whose content need not be loaded again."""
    return entry.hashes if entry is not None and entry.status == "loaded" else []


def decide(entry: LedgerEntry | None, prepared: Prepared) -> Decision:
    """What to do with a submission, given what is known of its accession number.

    The feed's variant never replaces the archive's; otherwise the later one wins.
    """
    if entry is None or entry.status != "loaded":
        return "load"
    if prepared.sha256 in entry.hashes:
        return "unchanged"
    if prepared.variant == "nc" and entry.variant == "txt":
        return "superseded"
    return "load"


def loaded_entry(entry: LedgerEntry | None, prepared: Prepared) -> LedgerEntry:
    """The entry after `prepared` has been loaded."""
    return LedgerEntry(
        status="loaded",
        source=prepared.source,
        seen_at=entry.seen_at if entry else prepared.loaded_at,
        hashes=_with_hash(entry if known_hashes(entry) else None, prepared.sha256),
        form_type=prepared.form_type,
        filing_date=prepared.filing_date,
        accepted_at=prepared.accepted_at,
        variant=prepared.variant,
        loaded_hash=prepared.sha256,
        loaded_at=prepared.loaded_at,
        partition=prepared.partition,
        parts=prepared.parts,
        sections=prepared.section_ids,
        reason=_too_large(prepared),
    )


def superseded_entry(entry: LedgerEntry, prepared: Prepared) -> LedgerEntry:
    """The entry after a variant was seen that another one is better than."""
    return msgspec.structs.replace(entry, hashes=_with_hash(entry, prepared.sha256))


def withdrawn_entry(entry: LedgerEntry | None, prepared: Prepared, reason: str) -> LedgerEntry:
    """The entry after Elasticsearch refused a part of `prepared`: nothing of it is left."""
    seen_at = entry.seen_at if entry else prepared.loaded_at
    return LedgerEntry(
        status="refused",
        source=prepared.source,
        seen_at=seen_at,
        hashes=[prepared.sha256],
        reason=reason,
    )


def refused_entry(entry: LedgerEntry | None, refused: Refused) -> LedgerEntry:
    """The entry after a refusal; what is loaded stays loaded, with the reason beside it."""
    if entry is not None and entry.status == "loaded":
        return msgspec.structs.replace(entry, reason=f"{refused.source}: {refused.reason}")
    return LedgerEntry(
        status="refused",
        source=refused.source,
        seen_at=entry.seen_at if entry else datetime.now(UTC),
        hashes=_with_hash(entry, refused.sha256),
        reason=refused.reason,
    )


def _with_hash(entry: LedgerEntry | None, sha256: str) -> list[str]:
    known = entry.hashes if entry else []
    return known if sha256 in known else [*known, sha256]


def _too_large(prepared: Prepared) -> str | None:
    if not prepared.too_large:
        return None
    return f"too large to be searched: {', '.join(prepared.too_large)}"
