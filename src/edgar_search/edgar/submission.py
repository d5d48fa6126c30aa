"""A complete EDGAR submission: its header and its documents, or an error."""

from typing import Literal

from msgspec import Struct

from edgar_search.edgar.document import Document, read_documents
from edgar_search.edgar.envelope import (
    Content,
    Envelope,
    accession_number,
    find_envelope,
    find_header,
    find_tag,
)
from edgar_search.edgar.header import (
    Address,
    Entity,
    FilingValues,
    FormerName,
    FundClass,
    Header,
    Series,
    parse_header,
    primary_entity,
)
from edgar_search.errors import MalformedSubmission

__all__ = [
    "Address",
    "Document",
    "Entity",
    "FilingValues",
    "FormerName",
    "FundClass",
    "Header",
    "Series",
    "Submission",
    "accession_number",
    "header_in",
    "parse_submission",
    "primary_entity",
]


class Submission(Struct, frozen=True):
    """A submission of `size` bytes; `variant` is "nc" with the daily feed's header, else "txt"."""

    header: Header
    documents: tuple[Document, ...]
    variant: Literal["txt", "nc"]
    size: int

    @property
    def unknown_fields(self) -> tuple[str, ...]:
        """The unknown names in its header and in its documents' tags, sorted."""
        tags = {tag for document in self.documents for tag in document.unknown_tags}
        return tuple(sorted({*self.header.unknown_fields, *tags}))


def parse_submission(data: Content) -> Submission:
    """Parse the complete submission in `data`; its documents read their bodies from there.

    Raises MalformedSubmission, with the reason, for any other bytes. EDGAR often has more documents
    than the header announces, and sometimes a few fewer, since some are not public.
    """
    envelope = find_envelope(data)
    header = parse_header(data[slice(*envelope.header)])
    _require_complete(header, envelope)
    tagged = find_tag(data, b"<ACCESSION-NUMBER>", *envelope.header) >= 0
    return Submission(
        header=header,
        documents=read_documents(data, envelope.documents, header.accession_number),
        variant="nc" if tagged else "txt",
        size=len(data),
    )


def header_in(head: bytes) -> Header | None:
    """Parse the header at the beginning of a submission; None if `head` has no valid one."""
    try:
        return parse_header(head[slice(*find_header(head))])
    except MalformedSubmission:
        return None


def _require_complete(header: Header, envelope: Envelope) -> None:
    if any(name == "DELETION" for name, _ in header.others):
        raise MalformedSubmission("EDGAR's notice that it has deleted this submission")
    announced, present = header.public_document_count, len(envelope.documents)
    if not envelope.closed and (announced is None or present < announced):
        of = "" if announced is None else f" of {announced}"
        raise MalformedSubmission(f"truncated: no end marker after {present}{of} documents")
    if announced is not None and announced - present > max(2, announced / 10):
        raise MalformedSubmission(f"incomplete: {present} of {announced} documents present")
