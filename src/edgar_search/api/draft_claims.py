"""A claim of a draft with its verdict, as answers show it."""

from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from edgar_search.api.number import NumberReply
from edgar_search.document.comparison import Block, changed_words, nearest_part
from edgar_search.document.drafts import ClaimKind, DraftClaim
from edgar_search.financials.checked_numbers import NumberVerdict
from edgar_search.financials.number_claims import NumberClaim
from edgar_search.search.filings import ListedFiling

QuoteVerdict: TypeAlias = Literal["exact", "normalised", "altered", "elsewhere", "absent"]
CitationVerdict: TypeAlias = Literal["same", "moved", "changed", "gone", "unknown", "ambiguous"]
DraftVerdict: TypeAlias = QuoteVerdict | NumberVerdict | CitationVerdict | Literal["unchecked"]
AnyKind: TypeAlias = ClaimKind | Literal["number"]
# How many characters of a claim an answer repeats, and how many differences it lists.
_SHOWN, _MOST_DIFFERENCES = 300, 20
_MOST_CANDIDATES = 10


class Difference(Struct):
    """Words of the draft, and the filed words instead of them."""

    draft: str
    filed: str


class CitedFiling(Struct):
    """A filing that a citation may refer to."""

    accnum: str
    form_type: str
    name: str
    filing_date: date
    period: date | None


class CheckedClaim(Struct):
    """A claim with its position in the draft, in code points, and its verdict.

    `document_id`, `found_start`, `found_end` and `found` locate the text that the verdict is about,
    or are null and "". `cited` is what the draft cites for the claim. `differences` are the
    differences of an altered quote or of changed words, numbers first. `number` is the filed
    number, null if a number is unchecked. `candidates` are the filings that an ambiguous citation
    in words may mean.
    """

    kind: AnyKind
    start: int
    end: int
    text: str
    verdict: DraftVerdict
    reason: str
    cited: str | None
    document_id: str | None
    text_sha256: str | None
    found_start: int | None
    found_end: int | None
    found: str
    differences: list[Difference]
    number: NumberReply | None
    candidates: list[CitedFiling]


class FoundText(NamedTuple):
    """A document, with the position that a verdict is about, if it is about one."""

    document_id: str
    text_sha256: str | None = None
    start: int | None = None
    end: int | None = None
    text: str = ""


class Verdict(NamedTuple):
    """A verdict on a quote or a citation, the reason, and the text that it is about.

    `cited` is the filing that a citation in words means, `differs_from` the words that differ from
    the text.
    """

    verdict: DraftVerdict
    reason: str = ""
    at: FoundText | None = None
    cited: str | None = None
    differs_from: Sequence[str] = ()
    candidates: Sequence[ListedFiling] = ()


def checked_claim(text: str, claim: DraftClaim, verdict: Verdict) -> CheckedClaim:
    """Build the answer's claim for a quote or citation with its verdict."""
    at, cited = verdict.at, claim.cited
    named = (cited.document_id or cited.accession_number or None) if cited else None
    return CheckedClaim(
        kind=claim.kind,
        start=claim.start,
        end=claim.end,
        text=text[claim.start : claim.end][:_SHOWN],
        verdict=verdict.verdict,
        reason=verdict.reason,
        cited=verdict.cited or named,
        document_id=at.document_id if at else None,
        text_sha256=at.text_sha256 if at else None,
        found_start=at.start if at else None,
        found_end=at.end if at else None,
        found=at.text if at else "",
        differences=_differences(verdict.differs_from, at.text)
        if at and verdict.differs_from
        else [],
        number=None,
        candidates=[
            _cited_filing(candidate) for candidate in verdict.candidates[:_MOST_CANDIDATES]
        ],
    )


def checked_number(
    text: str,
    claim: NumberClaim,
    verdict: DraftVerdict,
    reason: str,
    reply: NumberReply | None = None,
) -> CheckedClaim:
    """Build the answer's claim for a number with its verdict."""
    filed = reply.filed if reply else None
    position = filed.place if filed else None
    return CheckedClaim(
        kind="number",
        start=claim.start,
        end=claim.end,
        text=text[claim.start : claim.end][:_SHOWN],
        verdict=verdict,
        reason=reason,
        cited=None,
        document_id=position.document_id if position else filed.document_id if filed else None,
        text_sha256=position.text_sha256 if position else None,
        found_start=position.start if position else None,
        found_end=position.end if position else None,
        found=f"{filed.value:,f} {filed.unit}" if filed else "",
        differences=[],
        number=reply,
        candidates=[],
    )


def _cited_filing(filing: ListedFiling) -> CitedFiling:
    return CitedFiling(
        filing.accession_number,
        filing.form_type,
        filing.entity_name,
        filing.filing_date,
        filing.period,
    )


def _differences(parts: Sequence[str], found_text: str) -> list[Difference]:
    """Return the words that differ from the closest text, numbers first."""
    # A punctuation mark at the end belongs to the sentence.
    filed = found_text.rstrip(",.;")
    words = max(parts, key=lambda part: nearest_part(part, filed)[0])
    differing = [
        Difference(words[word.start : word.end], filed[word.to_start : word.to_end])
        for word in changed_words(Block.of(words), Block.of(filed))
    ]
    differing.sort(
        key=lambda difference: not any(map(str.isdigit, difference.draft + difference.filed))
    )
    return differing[:_MOST_DIFFERENCES]
