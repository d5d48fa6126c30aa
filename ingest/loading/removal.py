"""Deletions of what the ledger says may be there of a submission; pure."""

from collections.abc import Iterator, Mapping

from edgar_search.stored.ledger import LedgerEntry
from edgar_search.stored.passage import passage_id
from ingest.loading.ledger import Claim
from ingest.reading.operations import deletion


def remaining_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Deletions of the parts that an earlier version had and this one has not."""
    entry, prepared = held.entry.source, held.prepared
    if entry is not None:
        partition, epoch = prepared.partition, prepared.epoch
        yield from part_deletions(prefix, partition, entry.parts, prepared.parts, epoch)
        for key in sorted({*entry.sections} - {*prepared.sections}):
            yield deletion("sections", prefix, partition, key, epoch)


def whole_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Deletions of everything that may be there of a submission, where its entry says it is."""
    entry = held.entry.source
    if entry is not None and entry.partition is not None:
        number, epoch = held.prepared.accession_number, held.prepared.epoch
        yield deletion("filings", prefix, entry.partition, number, epoch)
        yield from entry_deletions(prefix, entry, epoch)


def entry_deletions(prefix: str, entry: LedgerEntry, epoch: int) -> Iterator[bytes]:
    """Deletions of all parts that an entry names; where it has no partition there are none."""
    if entry.partition is not None:
        yield from part_deletions(prefix, entry.partition, entry.parts, {}, epoch)
        for key in entry.sections:
            yield deletion("sections", prefix, entry.partition, key, epoch)


def part_deletions(
    prefix: str,
    partition: str,
    parts: Mapping[str, int],
    kept: Mapping[str, int],
    epoch: int,
) -> Iterator[bytes]:
    """Deletions of `parts`, documents with their number of passages, that are not `kept`."""
    for document_id, passages in parts.items():
        if document_id not in kept:
            yield deletion("documents", prefix, partition, document_id, epoch)
        for number in range(kept.get(document_id, 0), passages):
            key = passage_id(document_id, number)
            yield deletion("passages", prefix, partition, key, epoch)
