"""POST /v1/check_draft: the quotes, citations and numbers of a whole text, checked."""

import asyncio
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from edgar_search.api.context import Context, no_slots
from edgar_search.api.number import AskedNumber, NumberReply, find_number
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.quote import QuoteParams, QuoteReply, check_words
from edgar_search.document.comparison import Block, changed_words, nearest_part
from edgar_search.document.drafts import Cited, ClaimKind, DraftClaim, claims_in
from edgar_search.document.quotes import MAX_QUOTE, MIN_QUOTE, Verdict
from edgar_search.document.worded_citations import MeantFilings, WordedCitation, filings_meant
from edgar_search.errors import BadRequest, BodyTooLarge, NotFound
from edgar_search.financials.checked_numbers import NumberVerdict
from edgar_search.financials.number_claims import NumberClaim, number_claims
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria
from edgar_search.search.filings import ListedFiling, filings_of, sections_of_filing
from edgar_search.stored.filings import StoredFiling

QuoteVerdict: TypeAlias = Literal["exact", "normalised", "altered", "elsewhere", "absent"]
DraftVerdict: TypeAlias = (
    QuoteVerdict | NumberVerdict | Literal["unchecked", "same", "unknown", "ambiguous"]
)
AnyKind: TypeAlias = ClaimKind | Literal["number"]
Claim: TypeAlias = DraftClaim | NumberClaim
MAX_DRAFT, MAX_CLAIMS, CLAIMS_OF_A_CALL = 200_000, 200, 50
# After this many seconds the remaining claims are left to the next answer.
_MOST_SECONDS = 20.0
# Slots for the searches of all quotes, one at a time, some of them expensive.
_SLOTS = 4
# How much of a claim an answer repeats, in characters, and how many differences it shows.
_SHOWN, _MOST_DIFFERENCES = 300, 20
_MOST_CANDIDATES = 10
_GOOD = ("exact", "normalised")


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
    null and "" if there is none. `cited` is what the draft cites for it. `differences` are those of
    an altered quote, numbers first. `number` is what is filed for a number, null if it is
    unchecked. `candidates` are the filings that an ambiguous citation in words may refer to.
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


class DraftReply(Struct):
    """The claims of a draft in order; `claim_count` counts all, `counts` these verdicts.

    `next_cursor` is null at the end; send it with the same draft to continue.
    """

    claim_count: int
    claims: list[CheckedClaim]
    counts: dict[str, int]
    next_cursor: str | None

    @property
    def result_count(self) -> int:
        """The number of claims that were checked."""
        return len(self.claims)


CHECK_DRAFT = Endpoint(
    "/v1/check_draft",
    "checks the quotes, citations and numbers of a whole text, such as a memo, against filings",
    (
        API_KEY,
        Parameter(
            "text",
            "text",
            f"the draft, plain or Markdown, at most {MAX_DRAFT:,} characters; it is not kept",
            required=True,
        ),
        Parameter("cursor", "text", "`next_cursor` of the answer before, with the same draft"),
    ),
    methods=("POST",),
    where="both",
    credential="key",
    answer=DraftReply,
)


class DraftParams(NamedTuple):
    """A draft, its claims, and how many of them were checked before."""

    text: str
    claims: Sequence[Claim]
    begin: int


async def read_draft(given: RequestFields) -> DraftParams:
    """Return the parameters of `/v1/check_draft`.

    Raises BadRequest, and BodyTooLarge for a long draft.
    """
    parameters = Parameters.of_request(given, CHECK_DRAFT.declared)
    if "text" in given.query:
        raise BadRequest("`text` must be in the body: addresses are logged on their way")
    text = parameters.required_text("text")
    if len(text) > MAX_DRAFT:
        raise BodyTooLarge(f"`text` has {len(text):,} characters, of at most {MAX_DRAFT:,}")
    claims = await asyncio.to_thread(claims_of, text)
    cursor = parameters.text("cursor")
    return DraftParams(text, claims, _position(cursor, text, len(claims)) if cursor else 0)


def claims_of(text: str) -> list[Claim]:
    """Return all claims of a draft in order; numbers inside a quote belong to the quote."""
    found = claims_in(text)
    quotes = [claim for claim in found if claim.kind == "quote"]
    starts, ends = [quote.start for quote in quotes], [quote.end for quote in quotes]
    claims: list[Claim] = [*found]
    for number in number_claims(text):
        before = bisect_right(starts, number.start) - 1
        if before < 0 or ends[before] < number.end:
            claims.append(number)
    return sorted(claims, key=lambda claim: claim.start)


def _cursor(position: int, text: str) -> str:
    return f"{position}-{sha256(text.encode()).hexdigest()[:32]}"


def _position(cursor: str, text: str, claims: int) -> int:
    number = cursor.strip().partition("-")[0]
    if not (number.isascii() and number.isdigit()) or len(number) > 6 or int(number) > claims:
        raise BadRequest("`cursor` must be the `next_cursor` of an answer")
    if cursor.strip() != _cursor(int(number), text):
        raise BadRequest("`cursor` is of another draft; send the same `text` again, or no cursor")
    return int(number)


async def check_draft(context: Context, asked: DraftParams) -> DraftReply:
    """Check claims until there are `MAX_CLAIMS`, or until the time is over.

    Raises SearchesAtOnce if it would wait too long for its slots, which it keeps to the end: an
    answer that waited for a slot at each of its searches would never finish on a busy service.
    """
    await context.weigh(_SLOTS)
    context = context._replace(weigh=no_slots)
    claims = asked.claims[asked.begin : asked.begin + MAX_CLAIMS]
    cited = [claim.cited for claim in claims if isinstance(claim, DraftClaim) and claim.cited]
    numbers = {each.accession_number for each in cited} - {""}
    found = await filings_of(context.engine, sorted(numbers)) if numbers else []
    filings = {filing.accession_number: filing for filing in found}
    meant: dict[Cited, MeantFilings] = {}
    until = time.monotonic() + _MOST_SECONDS
    known: dict[tuple[str, Cited | None], _Found] = {}
    checked: list[CheckedClaim] = []
    for claim in claims:
        # At least one, so that every answer makes progress.
        if checked and time.monotonic() > until:
            break
        if isinstance(claim, DraftClaim) and claim.cited and claim.cited.worded:
            await _find_meant(context, claim.cited, claim.cited.worded, meant, filings)
        if isinstance(claim, NumberClaim):
            checked.append(await _number(context, asked.text, claim))
        elif claim.kind == "citation":
            checked.append(await _citation(context, asked.text, claim, filings, meant))
        else:
            claim = _with_number(claim, meant)
            checked.append(await _quote(context, asked.text, claim, filings, known))
    end = asked.begin + len(checked)
    return DraftReply(
        len(asked.claims),
        checked,
        dict(Counter(claim.verdict for claim in checked)),
        _cursor(end, asked.text) if end < len(asked.claims) else None,
    )


class _Found(NamedTuple):
    """The verdict on a quote, the reason, and the position that it is about."""

    verdict: DraftVerdict
    reason: str = ""
    place: QuoteReply | None = None


_Meant: TypeAlias = Mapping[Cited, MeantFilings]


async def _find_meant(
    context: Context,
    cited: Cited,
    worded: WordedCitation,
    meant: dict[Cited, MeantFilings],
    filings: dict[str, StoredFiling],
) -> None:
    """Find the filings that citations in words refer to; each distinct one only once."""
    if cited in meant:
        return
    alike = (each for each in meant if each.worded and each.worded[2:-1] == worded[2:-1])
    before = next(alike, None)
    meant[cited] = meant[before] if before else await filings_meant(context.search, worded)
    number = _number_of(cited, meant)
    if number and number not in filings:
        for filing in await filings_of(context.engine, [number]):
            filings[number] = filing


def _number_of(cited: Cited, meant: _Meant) -> str:
    """Return the accession number of what is cited; "" if it is ambiguous."""
    if cited in meant and len(meant[cited].filings) == 1 and not meant[cited].reason:
        return meant[cited].filings[0].accession_number
    return cited.accession_number


def _with_number(claim: DraftClaim, meant: _Meant) -> DraftClaim:
    """Return a quote with the accession number cited in words near it, if it is unambiguous."""
    if claim.cited is None:
        return claim
    number = _number_of(claim.cited, meant)
    return claim._replace(cited=claim.cited._replace(accession_number=number) if number else None)


async def _citation(
    context: Context,
    text: str,
    claim: DraftClaim,
    filings: dict[str, StoredFiling],
    meant: _Meant,
) -> CheckedClaim:
    assert claim.cited is not None
    cited, reason = claim.cited, ""
    found = meant.get(cited)
    filing = filings.get(_number_of(cited, meant))
    if found is not None and filing is None:
        verdict: DraftVerdict = "ambiguous" if found.filings else "unknown"
        checked = _claim(text, claim, _Found(verdict, found.reason or "several filings are meant"))
        checked.candidates = [_cited_filing(each) for each in found.filings[:_MOST_CANDIDATES]]
        return checked
    if filing is None:
        return _claim(text, claim, _Found("unknown", "no filing of this number is loaded"))
    document = _document(filing, cited)
    if document is None and (cited.document_id or cited.file_name):
        return _claim(text, claim, _Found("unknown", "the filing has no such document"))
    if cited.worded and cited.worded.item:
        document, reason = await _section(context, filing, cited.worded.item)
    checked = _claim(text, claim, _Found("same", reason))
    checked.cited = filing.accession_number if found else checked.cited
    checked.document_id = document
    return checked


async def _section(context: Context, filing: StoredFiling, item: str) -> tuple[str | None, str]:
    """Return the document with an item, or None and a sentence that says why not."""
    wanted = f"item{item.lower()}"
    for each in await sections_of_filing(context.engine, filing.accession_number):
        if each.item.endswith(wanted):
            return each.document_id, ""
    return None, f"the filing is here; Item {item} was not found in it"


def _cited_filing(filing: ListedFiling) -> CitedFiling:
    return CitedFiling(
        filing.accession_number,
        filing.form_type,
        filing.entity_name,
        filing.filing_date,
        filing.period,
    )


def _document(filing: StoredFiling, cited: Cited) -> str | None:
    """Return the id of the cited document of a filing; None if none is cited."""
    for document in filing.documents:
        if document.document_id == cited.document_id or (
            cited.file_name and document.file_name == cited.file_name
        ):
            return document.document_id
    return None


async def _quote(
    context: Context,
    text: str,
    claim: DraftClaim,
    filings: dict[str, StoredFiling],
    known: dict[tuple[str, Cited | None], _Found],
) -> CheckedClaim:
    """Check a quote, unless the draft repeats it."""
    key = "\0".join(claim.parts), claim.cited
    if key not in known:
        known[key] = await _find(context, claim, filings)
    return _claim(text, claim, known[key])


async def _find(context: Context, claim: DraftClaim, filings: dict[str, StoredFiling]) -> _Found:
    parts = claim.parts
    if not any(map(_is_sure, parts)) or max(map(len, parts)) > MAX_QUOTE:
        return _Found("unchecked", f"a part must have {MIN_QUOTE} to {MAX_QUOTE:,} characters")
    filing = filings.get(claim.cited.accession_number) if claim.cited else None
    if filing is None or claim.cited is None:
        return await _find_parts(context, parts, DocumentCriteria(None), None)
    document = _document(filing, claim.cited)
    of_filing = FilingCriteria(numbers=(filing.accession_number,))
    criteria = DocumentCriteria(None, of_filing, all_documents=True)
    there = await _find_parts(context, parts, criteria, document)
    if there.verdict in _GOOD:
        return there
    anywhere = await _find_parts(context, parts, DocumentCriteria(None), None)
    if anywhere.verdict in _GOOD:
        said = f"{claim.cited.document_id or filing.accession_number} does not have it"
        return anywhere._replace(verdict="elsewhere", reason=said)
    return there if there.verdict == "altered" or anywhere.place is None else anywhere


def _is_sure(part: str) -> bool:
    """Return True if a part is long enough to be found by itself.

    A shorter one occurs anywhere by chance.
    """
    return len(part) >= MIN_QUOTE


async def _find_parts(
    context: Context, parts: Sequence[str], criteria: DocumentCriteria, document_id: str | None
) -> _Found:
    """Check all parts of a quote against the document with the first long one of them.

    The verdict is the worst part's. If the others do not follow its position, another occurrence is
    tried.
    """
    first = next(number for number, part in enumerate(parts) if _is_sure(part))
    try:
        anchor = await check_words(context, QuoteParams(parts[first], document_id, criteria))
        if anchor.verdict == "absent":
            return _Found("absent", "no document has anything like it")
        found = await _around(context, parts, first, anchor)
        for _ in range(_MOST_PLACES - 1):
            if found.verdict in _GOOD or anchor.verdict == "nearest" or anchor.start is None:
                break
            anchor = await check_words(
                context,
                QuoteParams(parts[first], anchor.document_id, _ANYTHING, anchor.start + 1),
            )
            if anchor.verdict in ("nearest", "absent"):
                break
            other = await _around(context, parts, first, anchor)
            found = other if other.verdict in _GOOD else found
    except NotFound:
        return _Found("absent", "its document has no text that is searched")
    return found


async def _around(context: Context, parts: Sequence[str], first: int, anchor: QuoteReply) -> _Found:
    """Check the parts of a quote before and after the position of one of them."""
    assert anchor.start is not None and anchor.end is not None
    worst = _Found(_OF_PARTS[anchor.verdict], "", anchor)
    end = max(0, anchor.start - _NEAR)
    for number, part in enumerate(parts):
        if number == first:
            end = anchor.end
            continue
        asked = QuoteParams(part, anchor.document_id, _ANYTHING, end)
        found = await check_words(context, asked)
        verdict, reason = _OF_PARTS[found.verdict], ""
        if verdict not in _GOOD and _is_sure(part):
            before = await check_words(context, asked._replace(after=0))
            if before.verdict in ("exact", "normalised"):
                verdict, found = "altered", before
                reason = "its parts do not follow each other in the document"
        elif not _is_sure(part) and (
            found.start is None
            or found.end is None
            or verdict not in _GOOD
            or found.start - end > _NEAR
            or (number < first and found.end > anchor.start)
        ):
            verdict, found = "altered", anchor
            reason = f"the document does not have `{part}` near the rest"
        else:
            end = found.end or end
        if _RANKS[verdict] > _RANKS[worst.verdict]:
            worst = _Found(verdict, reason, found)
    return worst


_ANYTHING = DocumentCriteria(None)
# How many occurrences of the first part are tried, and how many characters count as near one.
_MOST_PLACES, _NEAR = 4, 1_000
_OF_PARTS: dict[Verdict, DraftVerdict] = {
    "exact": "exact",
    "normalised": "normalised",
    "nearest": "altered",
    "absent": "absent",
}


async def _number(context: Context, text: str, claim: NumberClaim) -> CheckedClaim:
    """Check a number, if it is unambiguous what it measures."""
    if claim.period is None:
        return _number_claim(text, claim, "unchecked", claim.problem)
    stated = AskedNumber((), claim.company, claim.item, claim.period, claim.amount, claim.change)
    reply = await find_number(context, stated)
    return _number_claim(text, claim, reply.verdict, reply.reason, reply)


def _number_claim(
    text: str,
    claim: NumberClaim,
    verdict: DraftVerdict,
    reason: str,
    reply: NumberReply | None = None,
) -> CheckedClaim:
    filed = reply.filed if reply else None
    place = filed.place if filed else None
    return CheckedClaim(
        kind="number",
        start=claim.start,
        end=claim.end,
        text=text[claim.start : claim.end][:_SHOWN],
        verdict=verdict,
        reason=reason,
        cited=None,
        document_id=place.document_id if place else filed.document_id if filed else None,
        text_sha256=place.text_sha256 if place else None,
        found_start=place.start if place else None,
        found_end=place.end if place else None,
        found=f"{filed.value:,f} {filed.unit}" if filed else "",
        differences=[],
        number=reply,
        candidates=[],
    )


_RANKS = {"exact": 0, "normalised": 1, "altered": 2, "elsewhere": 3, "absent": 4}


def _claim(text: str, claim: DraftClaim, found: _Found) -> CheckedClaim:
    place = found.place
    cited = claim.cited
    return CheckedClaim(
        kind=claim.kind,
        start=claim.start,
        end=claim.end,
        text=text[claim.start : claim.end][:_SHOWN],
        verdict=found.verdict,
        reason=found.reason,
        cited=(cited.document_id or cited.accession_number or None) if cited else None,
        document_id=place.document_id if place else None,
        text_sha256=place.text_sha256 if place else None,
        found_start=place.start if place else None,
        found_end=place.end if place else None,
        found=place.text if place else "",
        differences=_differences(claim, place) if found.verdict == "altered" and place else [],
        number=None,
        candidates=[],
    )


def _differences(claim: DraftClaim, place: QuoteReply) -> list[Difference]:
    """Return the words of a quote that differ in the closest text, numbers first."""
    # A mark at the end belongs to the sentence.
    filed = place.text.rstrip(",.;")
    words = max(claim.parts, key=lambda part: nearest_part(part, filed)[0])
    found = [
        Difference(words[word.start : word.end], filed[word.to_start : word.to_end])
        for word in changed_words(Block.of(words), Block.of(filed))
    ]
    found.sort(key=lambda each: not any(map(str.isdigit, each.draft + each.filed)))
    return found[:_MOST_DIFFERENCES]
