"""The tool that answers a question with a filed fact."""

from collections.abc import Callable
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from edgar_search.api.answer import FIND_ANSWER, FactAnswer
from edgar_search.web.mcp.answers import NOTICE, FoundAnswer, ReportAuditor
from edgar_search.web.mcp.asking import ToolCalls, digits
from edgar_search.web.mcp.checks import number_of_filing
from edgar_search.web.mcp.ownership import stake_row, trade_row

# Rows of an answer, which have some 1,100 characters each.
_MOST_ROWS = 10
_NOTHING = FactAnswer("", "")


def answer_tools(call: ToolCalls) -> list[Callable[..., Any]]:
    """Return the tool that answers."""

    async def answer_question(
        context: Context[Any, Any],
        question: Annotated[str, Field(description="such as: Apple net income fiscal 2009")],
    ) -> FoundAnswer:
        """Answer a question for a company's number, insider trades, owners or auditor, if sure."""
        reply = await call(context, FIND_ANSWER, {"query": "question"}, query=question)
        answer = reply.answer or _NOTHING
        trades = answer.trades
        return FoundAnswer(
            notice=NOTICE,
            found=reply.answer is not None,
            company=answer.name,
            cik=answer.cik,
            part=answer.part,
            number=number_of_filing(answer.number) if answer.number else None,
            total_trades=len(trades.items) if trades else 0,
            shares=digits(trades.shares) if trades and trades.shares is not None else None,
            dollars=digits(trades.value) if trades and trades.value is not None else None,
            trades=[trade_row(row) for row in trades.items[:_MOST_ROWS]] if trades else [],
            owners=[stake_row(row) for row in answer.owners[:_MOST_ROWS]],
            auditor=_auditor(answer),
        )

    return [answer_question]


def _auditor(answer: FactAnswer) -> ReportAuditor | None:
    auditor = answer.auditor
    if auditor is None:
        return None
    place = auditor.place
    return ReportAuditor(
        name=auditor.name,
        location=auditor.location,
        firm_id=auditor.firm_id,
        fiscal_year=auditor.fiscal_year,
        accession_number=auditor.accnum,
        document_id=place.document_id if place else answer.document_id,
        form_type=auditor.form_type,
        filing_date=auditor.filing_date.isoformat(),
        text_start=place.start if place else None,
        text_end=place.end if place else None,
    )
