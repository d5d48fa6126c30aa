"""POST /v1/check_draft: checks the quotes, citations and numbers of a whole text."""

import asyncio
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from edgar_search.api.context import Context, no_slots
from edgar_search.api.draft_citations import CitedFilings, CitedSource
from edgar_search.api.draft_claims import CheckedClaim, Verdict, checked_claim, checked_number
from edgar_search.api.draft_quotes import check_parts
from edgar_search.api.number import AskedNumber, find_number
from edgar_search.api.once import Once
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.drafts import DraftClaim, claims_in
from edgar_search.errors import BadRequest, BodyTooLarge
from edgar_search.financials.number_claims import NumberClaim, company_and_part, number_claims

Claim: TypeAlias = DraftClaim | NumberClaim
MAX_DRAFT, MAX_CLAIMS, CLAIMS_OF_A_CALL = 200_000, 200, 50
# After this many seconds, the remaining claims are left to the next request.
_MOST_SECONDS = 20.0
# Claims that are checked concurrently, and slots for their searches, some of them expensive.
_AT_ONCE = _SLOTS = 4


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
    """A draft, its claims, and how many of them earlier requests have checked."""

    text: str
    claims: Sequence[Claim]
    begin: int


async def read_draft(fields: RequestFields) -> DraftParams:
    """Read the parameters of `/v1/check_draft`.

    Raises BadRequest, and BodyTooLarge for a long draft.
    """
    parameters = Parameters.of_request(fields, CHECK_DRAFT.declared)
    if "text" in fields.query:
        raise BadRequest("`text` must be in the body: addresses are logged on their way")
    text = parameters.required_text("text")
    if len(text) > MAX_DRAFT:
        raise BodyTooLarge(f"`text` has {len(text):,} characters, of at most {MAX_DRAFT:,}")
    claims = await asyncio.to_thread(claims_of, text)
    cursor = parameters.text("cursor")
    return DraftParams(text, claims, _position(cursor, text, len(claims)) if cursor else 0)


def claims_of(text: str) -> list[Claim]:
    """Find all claims of a draft, in order; a number inside a quote belongs to the quote."""
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


async def check_draft(context: Context, params: DraftParams) -> DraftReply:
    """Check claims until `MAX_CLAIMS` are checked, or the time is up.

    Raises SearchesAtOnce if it would wait too long for its slots, which it keeps to the end: if
    each search waited for a slot, it would never finish on a busy service.
    """
    await context.weigh(_SLOTS)
    until = time.monotonic() + _MOST_SECONDS
    claims = params.claims[params.begin : params.begin + MAX_CLAIMS]
    cited = [claim.cited for claim in claims if isinstance(claim, DraftClaim) and claim.cited]
    context = context._replace(weigh=no_slots)
    checks = _Checks(context, params.text, await CitedFilings.of(context, cited))
    checked: dict[int, CheckedClaim] = {}
    remaining = iter(enumerate(claims))

    async def work() -> None:
        for number, claim in remaining:
            # At least one, so that every request makes progress.
            if number and time.monotonic() > until:
                return
            checked[number] = await checks.check(claim)

    tasks = [asyncio.create_task(work()) for _ in range(_AT_ONCE)]
    try:
        await asyncio.gather(*tasks)
    finally:
        # If one task fails, the others are cancelled.
        for task in tasks:
            task.cancel()
    end = params.begin + len(checked)
    results = [checked[number] for number in sorted(checked)]
    return DraftReply(
        len(params.claims),
        results,
        dict(Counter(claim.verdict for claim in results)),
        _cursor(end, params.text) if end < len(params.claims) else None,
    )


class _Checks:
    """Checks a draft's claims; one that the draft repeats is checked once."""

    def __init__(self, context: Context, text: str, filings: CitedFilings) -> None:
        self._context, self._text, self._filings = context, text, filings
        self._quotes: Once[Verdict] = Once()

    async def check(self, claim: Claim) -> CheckedClaim:
        if isinstance(claim, NumberClaim):
            return await self._number(claim)
        if claim.kind == "citation":
            assert claim.cited is not None
            return checked_claim(self._text, claim, await self._filings.check(claim.cited))
        return await self._quote(claim)

    async def _quote(self, claim: DraftClaim) -> CheckedClaim:
        source = await self._filings.source(claim.cited) if claim.cited else CitedSource(None)
        number = source.filing.accession_number if source.filing else ""
        if claim.cited and claim.cited.worded:
            cited = claim.cited._replace(accession_number=number) if number else None
            claim = claim._replace(cited=cited)
        verdict = await self._quotes.get(
            (*claim.parts, number, source.document_id),
            lambda: check_parts(self._context, claim.parts, number, source.document_id),
        )
        return checked_claim(self._text, claim, verdict)

    async def _number(self, claim: NumberClaim) -> CheckedClaim:
        """Check a number, if it is clear what it measures."""
        if claim.period is None:
            return checked_number(self._text, claim, "unchecked", claim.problem)
        stated = AskedNumber(
            (), claim.company, claim.item, claim.period, claim.amount, claim.change, claim.part
        )
        reply = await find_number(self._context, stated)
        if reply.verdict == "not_found" and (claim.part or company_and_part(claim.company)):
            # The words near the company's name may not belong to it, but mean something else.
            return checked_number(self._text, claim, "unchecked", reply.reason)
        return checked_number(self._text, claim, reply.verdict, reply.reason, reply)
