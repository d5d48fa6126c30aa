"""Tools that check what a model is about to say: a sentence, a number, a whole text."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from edgar_search.api.draft import CHECK_DRAFT, DraftReply
from edgar_search.api.draft_claims import CheckedClaim
from edgar_search.api.number import CHECK_STATED, FiledNumber
from edgar_search.api.quote import CHECK_WORDS
from edgar_search.web.mcp.answers import (
    NOTICE,
    CheckedDraft,
    CheckedNumber,
    CheckedQuote,
    DraftClaim,
    NumberOfFiling,
)
from edgar_search.web.mcp.arguments import (
    ONE_COMPANY,
    CompanyList,
    Forms,
    companies_filter,
)
from edgar_search.web.mcp.asking import ToolCalls, digits, iso, shorten

# Characters of a claim, and of what is filed in its stead.
_SHOWN = 200
_AS_FILED = ("exact", "normalised", "same", "moved", "supported")


def check_tools(call: ToolCalls) -> list[Callable[..., Any]]:
    """Return the tools that check."""

    async def check_quote(
        context: Context[Any, Any],
        quote: Annotated[str, Field(description="the sentence, 12 characters at least")],
        document_id: Annotated[str, Field(description="the document; else all are searched")] = "",
        companies: CompanyList = [],  # noqa: B006
        forms: Forms = [],  # noqa: B006
    ) -> CheckedQuote:
        """Check if a sentence is in a document exactly, or what is nearest to it."""
        reply = await call(
            context,
            CHECK_WORDS,
            quote=quote,
            document_id=document_id,
            **companies_filter(companies),
            form_type=forms,
        )
        return CheckedQuote(
            notice=NOTICE,
            verdict=reply.verdict,
            document_id=reply.document_id,
            text_sha256=reply.text_sha256,
            start=reply.start,
            end=reply.end,
            text=reply.text,
            similarity=reply.similarity,
            prefix=reply.prefix,
            suffix=reply.suffix,
        )

    async def check_number(
        context: Context[Any, Any],
        company: Annotated[str, Field(description="a name, ticker or CIK")],
        item: Annotated[str, Field(description="revenue, net income, total assets, ...")],
        period: Annotated[str, Field(description="2023, Q2 2023, year ended 2023-06-30, or a day")],
        value: Annotated[str, Field(description="with its unit: $25.5 billion, 12%")],
        change: Annotated[
            Literal["none", "rise", "fall"], Field(description="of a value in percent")
        ] = "none",
        part: Annotated[str, Field(description="a segment, product or region, by its name")] = "",
    ) -> CheckedNumber:
        """Check a number of a company against the filed one; rounding is understood."""
        who = {"cik": company} if company.isdecimal() else {"company": company}
        reply = await call(
            context,
            CHECK_STATED,
            ONE_COMPANY,
            **who,
            item=item,
            period=period,
            value=value,
            change=change,
            part=part,
        )
        return CheckedNumber(
            notice=NOTICE,
            verdict=reply.verdict,
            reason=reply.reason,
            filed=number_of_filing(reply.filed) if reply.filed else None,
            base=number_of_filing(reply.base) if reply.base else None,
            earlier=[number_of_filing(number) for number in reply.earlier],
            candidates=[number_of_filing(candidate) for candidate in reply.candidates],
        )

    async def check_draft(
        context: Context[Any, Any],
        text: Annotated[str, Field(description="plain or Markdown, at most 100,000 characters")],
        all_claims: Annotated[
            bool, Field(description="also the claims that are as filed, and unchecked ones")
        ] = False,
        cursor: Annotated[
            str, Field(description="`next_cursor` of the last answer, with the same text")
        ] = "",
    ) -> CheckedDraft:
        """Check each quote, citation and number of a text, such as your answer, at once."""
        body = {"text": text} | ({"cursor": cursor} if cursor else {})
        reply = await call.of_text(context, CHECK_DRAFT, DraftReply, body)
        claims = (
            claim
            for claim in reply.claims
            if all_claims or claim.verdict not in (*_AS_FILED, "unchecked")
        )
        return CheckedDraft(
            notice=NOTICE,
            claim_count=reply.claim_count,
            counts=reply.counts,
            claims=[_claim(claim) for claim in claims],
            next_cursor=reply.next_cursor,
        )

    return [check_quote, check_number, check_draft]


def number_of_filing(filed: FiledNumber) -> NumberOfFiling:
    """Return a filed number with its position."""
    place = filed.place
    return NumberOfFiling(
        company=filed.name,
        item=filed.item,
        value=digits(filed.value),
        unit=filed.unit,
        start=iso(filed.start),
        end=filed.end.isoformat(),
        accession_number=filed.accnum,
        document_id=place.document_id if place else filed.document_id,
        text_start=place.start if place else None,
        text_end=place.end if place else None,
    )


def _claim(claim: CheckedClaim) -> DraftClaim:
    return DraftClaim(
        kind=claim.kind,
        start=claim.start,
        text=shorten(claim.text, _SHOWN),
        verdict=claim.verdict,
        reason=claim.reason,
        document_id=claim.document_id,
        text_sha256=claim.text_sha256,
        found_start=claim.found_start,
        found_end=claim.found_end,
        found=shorten(claim.found, _SHOWN),
        differences=[
            f"{difference.draft} -> {difference.filed}" for difference in claim.differences
        ],
        candidates=[candidate.accnum for candidate in claim.candidates],
    )
