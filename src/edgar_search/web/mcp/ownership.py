"""Tools over rows of ownership forms: trades, portfolios, holders, stakes, planned sales."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.web.mcp.answers import (
    NOTICE,
    InsiderTrade,
    InsiderTrades,
    PlannedSale,
    PlannedSales,
    Position,
    Positions,
    Stake,
    Stakes,
)
from edgar_search.web.mcp.arguments import (
    ONE_COMPANY,
    CompanyList,
    CompanyOrNone,
    Cursor,
    Quarter,
    ToolCall,
    TradeDay,
    companies_filter,
)
from edgar_search.web.mcp.asking import Answer, digits, shorten

# Bounds of a row, which has at most some 1,100 characters: ten of them are an answer.
_FOOTNOTES, _FOOTNOTE, _OWNERS, _SOURCES, _NAME = 2, 64, 2, 3, 40
_PERSONS = 4
# Rows by which a name is known to be of one manager.
_MANAGERS = 50


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
        traded_from: TradeDay = "",
        traded_to: TradeDay = "",
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

        A portfolio and holders are of one `quarter`, with one position for each security. A cursor
        is of the same kind of question: give `manager`, `cusip` or `company` with it again.
        """
        ask = manager.strip()
        if ask and quarter and not (ask.isdecimal() or cusip or company or issuer or cursor):
            ask = await _cik_of(context, ask, quarter)
        path, shape, asked = "/v1/holdings", _rows_answer, {"manager": ask, "issuer": issuer}
        if ask.isdecimal() and not (cusip or company or issuer):
            path, shape, asked = "/v1/portfolio", _portfolio_answer, {"manager_cik": ask}
            asked |= {"compare_to": compare_to} if compare_to else {"group_by": "security"}
        elif (cusip or company) and not (ask or issuer):
            path, shape, asked = "/v1/holders", _holders_answer, {"cusip": cusip}
            asked["issuer_cik"] = company
        elif ask.isdecimal():
            asked = {"manager_cik": ask, "issuer": issuer, "cusip": cusip}
        else:
            asked["cusip"] = cusip
        if cursor:
            return shape(await call(context, path, ONE_COMPANY, cursor=cursor))
        if compare_to and path != "/v1/portfolio":
            raise ToolError("`compare_to` needs a CIK as `manager` alone. find_company knows it.")
        if company and path != "/v1/holders":
            raise ToolError("`company` goes with `quarter` only. Give `issuer` or `cusip` instead.")
        if not quarter and path != "/v1/holdings":
            raise ToolError("`quarter` is missing. Give one such as 2025Q2.")
        if path == "/v1/holdings":
            asked["sort"] = "largest"
        asked["quarter"] = quarter
        return shape(await call(context, path, ONE_COMPANY, **asked, limit=limit, cursor="*"))

    async def _cik_of(context: Context[Any, Any], name: str, quarter: str) -> str:
        """The CIK of the one manager with these words that reports for a quarter; else the name."""
        asked = {"manager": name, "quarter": quarter, "sort": "largest", "limit": _MANAGERS}
        rows = (await call(context, "/v1/holdings", **asked))["items"]
        found = {row["manager"]["cik"] for row in rows}
        return str(found.pop()) if len(found) == 1 and None not in found else name

    async def get_stakes(
        context: Context[Any, Any],
        company: CompanyOrNone = "",
        person: Annotated[str, Field(description="words of a person's name, or a CIK")] = "",
        cusip: str = "",
        sort: Literal["newest", "oldest"] = "newest",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> Stakes:
        """Find stakes of more than five percent (schedules 13D and 13G): in a company, or whose."""
        if cursor:
            return _stakes_answer(await call(context, "/v1/stakes", cursor=cursor))
        reply = await call(
            context,
            "/v1/stakes",
            ONE_COMPANY,
            issuer_cik=await _issuer(context, company),
            **{"person_cik" if person.strip().isdecimal() else "person": person.strip()},
            cusip=cusip,
            sort=sort,
            limit=limit,
            cursor="*",
        )
        return _stakes_answer(reply)

    async def get_planned_sales(
        context: Context[Any, Any],
        company: CompanyOrNone = "",
        seller: Annotated[str, Field(description="words of the seller's name")] = "",
        sort: Literal["newest", "oldest", "largest"] = "newest",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
    ) -> PlannedSales:
        """Find sales that insiders give notice of on Form 144, before they sell."""
        if cursor:
            return _sales_answer(await call(context, "/v1/planned_sales", cursor=cursor))
        reply = await call(
            context,
            "/v1/planned_sales",
            ONE_COMPANY,
            issuer_cik=await _issuer(context, company),
            seller=seller,
            sort=sort,
            limit=limit,
            cursor="*",
        )
        return _sales_answer(reply)

    async def _issuer(context: Context[Any, Any], company: str) -> str:
        """The CIK of a company by its CIK or ticker."""
        given = company.strip()
        if not given or given.isdecimal():
            return given
        asked = {"tickers": [given.upper()], "from": "0", "to": "1"}
        reply = await call(context, "/v2/entity_lookup", **asked)
        found = next(value for value in reply.values() if isinstance(value, list))
        if not found:
            raise ToolError(f"`company`: no company here has the ticker {given}. Ask find_company.")
        return str(found[0]["cik"])

    return [get_insider_trades, get_holdings, get_stakes, get_planned_sales]


def _stakes_answer(reply: Answer) -> Stakes:
    """The answer of `/v1/stakes`, with less of each schedule."""
    return Stakes(
        notice=NOTICE,
        total=reply["total_count"],
        stakes=[
            Stake(
                accession_number=row["accnum"],
                document_id=row["place"]["document_id"],
                form_type=row["form_type"],
                filing_date=row["filing_date"],
                event_date=row["event_date"],
                company=shorten(row["issuer"]["name"], _NAME),
                cik=row["issuer"]["cik"],
                security_class=row["class"] and shorten(row["class"], _NAME),
                persons=[
                    {
                        "name": shorten(each["name"], _NAME),
                        "cik": each["cik"],
                        "shares": _amount(each["shares"]),
                        "percent": _amount(each["percent"]),
                    }
                    for each in row["persons"][:_PERSONS]
                ],
                other_persons=max(0, len(row["persons"]) - _PERSONS),
                amends=row["amends"],
            )
            for row in reply["items"]
        ],
        warnings=reply["warnings"],
        next_cursor=reply.get("next_cursor"),
    )


def _sales_answer(reply: Answer) -> PlannedSales:
    """The answer of `/v1/planned_sales`, with less of each notice."""
    return PlannedSales(
        notice=NOTICE,
        total=reply["total_count"],
        planned_sales=[
            PlannedSale(
                accession_number=row["accnum"],
                document_id=row["place"]["document_id"],
                form_type=row["form_type"],
                filing_date=row["filing_date"],
                company=shorten(row["issuer"]["name"], _NAME),
                cik=row["issuer"]["cik"],
                seller=row["seller"] and shorten(row["seller"], _NAME),
                relationships=[shorten(each, _NAME) for each in row["relationship"][:_OWNERS]],
                security_class=row["class"] and shorten(row["class"], _NAME),
                shares=_amount(row["shares"]),
                value=_amount(row["value"]),
                sale_date=row["date"],
                broker=row["broker"] and shorten(row["broker"], _NAME),
                plan_dates=row["plan_dates"][:_SOURCES],
                past_sales=len(row["past_sales"]),
            )
            for row in reply["items"]
        ],
        warnings=reply["warnings"],
        next_cursor=reply.get("next_cursor"),
    )


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
        company=shorten(row["issuer"]["name"], _NAME),
        cik=row["issuer"]["cik"],
        ticker=row["issuer"]["ticker"],
        owners=[
            {"name": shorten(each["name"], _NAME), "cik": each["cik"], "roles": each["roles"]}
            for each in row["owners"][:_OWNERS]
        ],
        other_owners=max(0, len(row["owners"]) - _OWNERS),
        trade_date=row["trade_date"],
        security=row["security"] and shorten(row["security"], _NAME),
        derivative=row["derivative"],
        code=row["code"],
        code_text=row["code_text"],
        acquired=row["acquired"],
        shares=_amount(row["shares"]),
        price=_amount(row["price"]),
        value=_amount(row["value"]),
        shares_after=_amount(row["shares_after"]),
        plan_10b5_1=row["plan_10b5_1"],
        amended_by=row.get("amended_by"),
        footnotes=[
            shorten(f"{each['field']}: {each['text']}", _FOOTNOTE)
            for each in row["footnotes"][:_FOOTNOTES]
        ],
        other_footnotes=max(0, len(row["footnotes"]) - _FOOTNOTES),
    )


def _rows_answer(reply: Answer) -> Positions:
    """The answer of `/v1/holdings`."""
    return _positions(reply, [_row(row) for row in reply["items"]])


def _portfolio_answer(reply: Answer) -> Positions:
    """The answer of `/v1/portfolio`, with the reports that have no holdings in `warnings`."""
    rows = [_change(row) for row in reply["changes"]] or [_sum(row) for row in reply["positions"]]
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


_NOBODY: Answer = {"name": None, "cik": None}


def _sum(row: Answer) -> Position:
    return _position(row, _NOBODY, sources=row["sources"], quarter=None)


def _change(row: Answer) -> Position:
    return _position(
        row,
        _NOBODY,
        sources=row["sources"],
        quarter=None,
        change=row["change"],
        shares_before=_amount(row["shares_before"]),
        principal_before=_amount(row["principal_before"]),
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
    principal_before: str | None = None,
    value_before: str | None = None,
) -> Position:
    return Position(
        manager=manager["name"] and shorten(manager["name"], _NAME),
        manager_cik=manager["cik"],
        quarter=quarter,
        issuer=row["issuer"] and shorten(row["issuer"], _NAME),
        security_class=row["class"] and shorten(row["class"], _NAME),
        cusip=row["cusip"],
        put_call=row["put_call"],
        shares=_amount(row["shares"]),
        principal=_amount(row["principal"]),
        value=_amount(row["value"]),
        rows=row.get("rows", 1),
        doubt=(row.get("unit_evidence") or {}).get("doubt"),
        change=change,
        shares_before=shares_before,
        principal_before=principal_before,
        value_before=value_before,
        sources=sources[:_SOURCES],
    )


def _amount(value: int | Decimal | None) -> str | None:
    return None if value is None else digits(value)
