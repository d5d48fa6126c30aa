"""Tools over rows of ownership forms: insider trades, portfolios and holders."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.web.mcp.answers import NOTICE, InsiderTrade, InsiderTrades, Position, Positions
from edgar_search.web.mcp.arguments import (
    CompanyList,
    Cursor,
    Day,
    Quarter,
    ToolCall,
    companies_filter,
)
from edgar_search.web.mcp.asking import Answer, digits

# Bounds of a row, which has at most some 1,100 characters: ten of them are an answer.
_FOOTNOTES, _FOOTNOTE, _OWNERS, _SOURCES, _NAME = 2, 90, 2, 3, 50


def ownership_tools(call: ToolCall) -> list[Callable[..., Any]]:
    """Return the tools over rows of ownership forms."""

    async def get_insider_trades(
        context: Context[Any, Any],
        companies: CompanyList = [],  # noqa: B006
        owner: Annotated[str, Field(description="words of an owner's name, or a CIK")] = "",
        roles: Annotated[
            list[Literal["director", "officer", "ten_percent_owner", "other"]],
            Field(description="an owner is one of them"),
        ] = [],  # noqa: B006
        codes: Annotated[
            list[str], Field(description="P bought and S sold on the market, A grant, F for tax")
        ] = [],  # noqa: B006
        traded_from: Day = "",
        traded_to: Day = "",
        min_value: Annotated[int, Field(ge=0, description="dollars at least")] = 0,
        sort: Literal["latest_trade", "newest", "largest"] = "latest_trade",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> InsiderTrades:
        """Find trades of directors, officers and owners of ten percent (Forms 4 and 5)."""
        if cursor:
            return _trades_answer(await call(context, "/v1/insider_trades", cursor=cursor))
        issuers = companies_filter(companies)
        reply = await call(
            context,
            "/v1/insider_trades",
            issuer_cik=issuers.get("cik"),
            ticker=issuers.get("ticker"),
            **{"owner_cik" if owner.strip().isdecimal() else "owner": owner.strip()},
            role=roles,
            code=codes,
            trade_from=traded_from,
            trade_to=traded_to,
            min_value=str(min_value) if min_value else None,
            sort=sort,
            limit=limit,
            cursor="*",
        )
        return _trades_answer(reply)

    async def get_holdings(
        context: Context[Any, Any],
        manager: Annotated[
            str, Field(description="a manager's CIK for its portfolio, or words of its name")
        ] = "",
        quarter: Quarter = "",
        compare_to: Quarter = "",
        cusip: Annotated[str, Field(description="who holds this security")] = "",
        company: Annotated[str, Field(description="CIK: who holds securities of it")] = "",
        issuer: Annotated[str, Field(description="words of an issuer's name")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> Positions:
        """Get holdings of Form 13F: a manager's portfolio, its changes, or a security's holders.

        A portfolio and holders are of one `quarter`. A cursor is of the same kind of question: give
        `manager`, `cusip` or `company` with it again.
        """
        ask = manager.strip()
        path, shape, asked = "/v1/holdings", _rows_answer, {"manager": ask, "issuer": issuer}
        if ask.isdecimal() and not (cusip or company or issuer):
            path, shape, asked = "/v1/portfolio", _portfolio_answer, {"manager_cik": ask}
            asked["compare_to"] = compare_to
        elif (cusip or company) and not (ask or issuer):
            path, shape, asked = "/v1/holders", _holders_answer, {"cusip": cusip}
            asked["issuer_cik"] = company
        elif ask.isdecimal():
            asked = {"manager_cik": ask, "issuer": issuer, "cusip": cusip}
        else:
            asked["cusip"] = cusip
        if cursor:
            return shape(await call(context, path, cursor=cursor))
        if compare_to and path != "/v1/portfolio":
            raise ToolError("`compare_to` needs a CIK as `manager` alone. find_company knows it.")
        if company and path != "/v1/holders":
            raise ToolError("`company` goes with `quarter` only. Give `issuer` or `cusip` instead.")
        if not quarter and path != "/v1/holdings":
            raise ToolError("`quarter` is missing. Give one such as 2025Q2.")
        if path == "/v1/holdings":
            asked["sort"] = "largest"
        return shape(await call(context, path, **asked, quarter=quarter, limit=limit, cursor="*"))

    return [get_insider_trades, get_holdings]


def _trades_answer(reply: Answer) -> InsiderTrades:
    """The answer of `/v1/insider_trades`, with less of each row."""
    return InsiderTrades(
        notice=NOTICE,
        total=reply["total_count"],
        trades=[_trade(row) for row in reply["items"]],
        warnings=reply["warnings"],
        next_cursor=reply.get("next_cursor"),
    )


def _trade(row: Answer) -> InsiderTrade:
    return InsiderTrade(
        accession_number=row["accnum"],
        document_id=row["place"]["document_id"],
        form_type=row["form_type"],
        filing_date=row["filing_date"],
        company=row["issuer"]["name"][:_NAME],
        cik=row["issuer"]["cik"],
        ticker=row["issuer"]["ticker"],
        owners=[
            {"name": each["name"][:_NAME], "cik": each["cik"], "roles": each["roles"]}
            for each in row["owners"][:_OWNERS]
        ],
        other_owners=max(0, len(row["owners"]) - _OWNERS),
        trade_date=row["trade_date"],
        security=row["security"] and row["security"][:_NAME],
        derivative=row["derivative"],
        code=row["code"],
        code_text=row["code_text"],
        acquired=row["acquired"],
        shares=_amount(row["shares"]),
        price=_amount(row["price"]),
        value=_amount(row["value"]),
        shares_after=_amount(row["shares_after"]),
        plan_10b5_1=row["plan_10b5_1"],
        footnotes=[
            f"{each['field']}: {each['text']}"[:_FOOTNOTE] for each in row["footnotes"][:_FOOTNOTES]
        ],
    )


def _rows_answer(reply: Answer) -> Positions:
    """The answer of `/v1/holdings`."""
    return _positions(reply, [_row(row) for row in reply["items"]])


def _portfolio_answer(reply: Answer) -> Positions:
    """The answer of `/v1/portfolio`, with the reports that have no holdings in `warnings`."""
    rows = [_row(row) for row in reply["items"]] or [_change(row) for row in reply["changes"]]
    notices = [
        f"{each['accnum']} is a notice: holdings are reported by "
        + (", ".join(str(other["name"]) for other in each["reported_by"]) or "other managers")
        for each in (*reply["reports"], *reply["reports_before"])
        if each["status"] == "notice"
    ]
    return _positions({**reply, "warnings": [*reply["warnings"], *notices]}, rows)


def _holders_answer(reply: Answer) -> Positions:
    """The answer of `/v1/holders`."""
    return _positions(reply, [_holder(row) for row in reply["items"]])


def _positions(reply: Answer, rows: list[Position]) -> Positions:
    return Positions(
        total=reply["total_count"],
        positions=rows,
        warnings=reply["warnings"],
        next_cursor=reply.get("next_cursor"),
    )


def _row(row: Answer) -> Position:
    return _position(row, row["manager"], sources=[row["accnum"]], quarter=row["quarter"])


def _holder(row: Answer) -> Position:
    return _position(row, row["manager"], sources=row["sources"], quarter=row["quarter"])


def _change(row: Answer) -> Position:
    return _position(
        row,
        {"name": None, "cik": None},
        sources=row["sources"],
        quarter=None,
        change=row["change"],
        shares_before=_amount(row["shares_before"]),
        value_before=_amount(row["value_before"]),
    )


def _position(
    row: Answer,
    manager: Answer,
    *,
    sources: list[str],
    quarter: str | None,
    change: str | None = None,
    shares_before: str | None = None,
    value_before: str | None = None,
) -> Position:
    return Position(
        manager=manager["name"] and manager["name"][:_NAME],
        manager_cik=manager["cik"],
        quarter=quarter,
        issuer=row["issuer"] and row["issuer"][:_NAME],
        security_class=row["class"] and row["class"][:_NAME],
        cusip=row["cusip"],
        put_call=row["put_call"],
        shares=_amount(row["shares"]),
        value=_amount(row["value"]),
        doubt=(row.get("unit_evidence") or {}).get("doubt"),
        change=change,
        shares_before=shares_before,
        value_before=value_before,
        sources=sources[:_SOURCES],
    )


def _amount(value: int | Decimal | None) -> str | None:
    return None if value is None else digits(value)
