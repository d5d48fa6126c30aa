"""Tools over rows of ownership forms: trades, portfolios, holders, stakes, planned sales."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.api import planned_sales, stakes
from edgar_search.api.holdings import (
    HOLDER_ROWS,
    MANAGER_ROWS,
    PORTFOLIO_ROWS,
    Holder,
    HoldersReply,
    Holding,
    HoldingsReply,
    PortfolioPosition,
    PortfolioReply,
    PositionChange,
)
from edgar_search.api.insider_trades import TRADE_ROWS, InsiderRow, InsiderRowsReply
from edgar_search.api.planned_sales import SALE_ROWS
from edgar_search.api.stakes import STAKE_ROWS
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
    TradeDay,
    companies_filter,
)
from edgar_search.web.mcp.asking import ToolCalls, digits, iso, known, shorten

# Bounds of a row, which has at most some 1,100 characters: ten of them are an answer.
_FOOTNOTES, _FOOTNOTE, _OWNERS, _SOURCES, _NAME = 2, 64, 2, 3, 40
_PERSONS = 4
# Rows by which a name is known to be of one manager.
_MANAGERS = 50


def ownership_tools(call: ToolCalls) -> list[Callable[..., Any]]:
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
            return _trades_answer(await call(context, TRADE_ROWS.operation, cursor=cursor))
        issuers = companies_filter(companies)
        reply = await call(
            context,
            TRADE_ROWS.operation,
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
        if ask and quarter and not (ask.isdecimal() or cusip or company or issuer):
            ask = await _cik_of(context, ask, quarter)
        of_portfolio = ask.isdecimal() and not (cusip or company or issuer)
        of_holders = bool(cusip or company) and not (ask or issuer)
        if compare_to and not (of_portfolio or cursor):
            raise ToolError("`compare_to` needs a CIK as `manager` alone. find_company knows it.")
        if company and not (of_holders or cursor):
            raise ToolError("`company` goes with `quarter` only. Give `issuer` or `cusip` instead.")
        if not quarter and (of_portfolio or of_holders) and not cursor:
            raise ToolError("`quarter` is missing. Give one such as 2025Q2.")
        page = {"quarter": quarter, "limit": str(limit), "cursor": "*"}
        if of_portfolio:
            question = {"compare_to": compare_to} if compare_to else {"group_by": "security"}
            question |= {"manager_cik": ask, **page}
            parameters = {"cursor": cursor} if cursor else question
            reply = await call(context, PORTFOLIO_ROWS.operation, ONE_COMPANY, **parameters)
            return _portfolio_answer(reply, ask)
        if of_holders:
            question = {"cusip": cusip, "issuer_cik": company, **page}
            parameters = {"cursor": cursor} if cursor else question
            return _positions(await call(context, HOLDER_ROWS.operation, ONE_COMPANY, **parameters))
        question = {"manager_cik" if ask.isdecimal() else "manager": ask, "issuer": issuer}
        question |= {"cusip": cusip, "sort": "largest", **page}
        parameters = {"cursor": cursor} if cursor else question
        return _positions(await call(context, MANAGER_ROWS.operation, ONE_COMPANY, **parameters))

    async def _cik_of(context: Context[Any, Any], name: str, quarter: str) -> str:
        """The CIK of the one manager with these words that reports for a quarter; else the name."""
        reply = await call(
            context,
            MANAGER_ROWS.operation,
            manager=name,
            quarter=quarter,
            sort="largest",
            limit=_MANAGERS,
        )
        ciks = {row.manager.cik for row in reply.items}
        return str(ciks.pop()) if len(ciks) == 1 and None not in ciks else name

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
            return _stakes_answer(await call(context, STAKE_ROWS.operation, cursor=cursor))
        reply = await call(
            context,
            STAKE_ROWS.operation,
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
            return _sales_answer(await call(context, SALE_ROWS.operation, cursor=cursor))
        reply = await call(
            context,
            SALE_ROWS.operation,
            ONE_COMPANY,
            issuer_cik=await _issuer(context, company),
            seller=seller,
            sort=sort,
            limit=limit,
            cursor="*",
        )
        return _sales_answer(reply)

    async def _issuer(context: Context[Any, Any], company: str) -> str:
        """Return the CIK of a company by its CIK or ticker."""
        text = company.strip()
        if not text or text.isdecimal():
            return text
        query = {"tickers": [text.upper()], "from": "0", "to": "1"}
        reply = await call.version_2(context, "/v2/entity_lookup", **query)
        entities = next(value for value in reply.values() if isinstance(value, list))
        if not entities:
            raise ToolError(f"`company`: no company here has the ticker {text}. Ask find_company.")
        return str(entities[0]["cik"])

    return [get_insider_trades, get_holdings, get_stakes, get_planned_sales]


def _stakes_answer(reply: stakes.StakesReply) -> Stakes:
    """Return the answer of `/v1/stakes`, with less of each schedule."""
    return Stakes(
        notice=NOTICE,
        total=reply.total_count,
        stakes=[stake_row(row) for row in reply.items],
        warnings=reply.warnings,
        next_cursor=known(reply.next_cursor),
    )


def stake_row(row: stakes.Stake) -> Stake:
    """Return a schedule with its first persons."""
    return Stake(
        accession_number=row.accnum,
        document_id=row.place.document_id,
        form_type=row.form_type,
        filing_date=row.filing_date.isoformat(),
        event_date=iso(row.event_date),
        company=shorten(row.issuer.name, _NAME),
        cik=row.issuer.cik,
        security_class=_name(row.security_class),
        persons=[
            {
                "name": shorten(person.name, _NAME),
                "cik": person.cik,
                "shares": _amount(person.shares),
                "percent": _amount(person.percent),
            }
            for person in row.persons[:_PERSONS]
        ],
        other_persons=max(0, len(row.persons) - _PERSONS),
        amends=row.amends,
    )


def _sales_answer(reply: planned_sales.PlannedSalesReply) -> PlannedSales:
    """Return the answer of `/v1/planned_sales`, with less of each notice."""
    return PlannedSales(
        notice=NOTICE,
        total=reply.total_count,
        planned_sales=[
            PlannedSale(
                accession_number=row.accnum,
                document_id=row.place.document_id,
                form_type=row.form_type,
                filing_date=row.filing_date.isoformat(),
                company=shorten(row.issuer.name, _NAME),
                cik=row.issuer.cik,
                seller=_name(row.seller),
                relationships=[
                    shorten(relationship, _NAME) for relationship in row.relationship[:_OWNERS]
                ],
                security_class=_name(row.security_class),
                shares=_amount(row.shares),
                value=_amount(row.value),
                sale_date=iso(row.sale_date),
                broker=_name(row.broker),
                plan_dates=[day.isoformat() for day in row.plan_dates[:_SOURCES]],
                past_sales=len(row.past_sales),
            )
            for row in reply.items
        ],
        warnings=reply.warnings,
        next_cursor=known(reply.next_cursor),
    )


def _trades_answer(reply: InsiderRowsReply) -> InsiderTrades:
    """Return the answer of `/v1/insider_trades`, with less of each row."""
    return InsiderTrades(
        notice=NOTICE,
        total=reply.total_count,
        trades=[trade_row(row) for row in reply.items],
        warnings=reply.warnings,
        next_cursor=known(reply.next_cursor),
    )


def trade_row(row: InsiderRow) -> InsiderTrade:
    """Return a trade with less of each field."""
    return InsiderTrade(
        accession_number=row.accnum,
        document_id=row.place.document_id,
        form_type=row.form_type,
        filing_date=row.filing_date.isoformat(),
        company=shorten(row.issuer.name, _NAME),
        cik=row.issuer.cik,
        ticker=row.issuer.ticker,
        owners=[
            {"name": shorten(owner.name, _NAME), "cik": owner.cik, "roles": owner.roles}
            for owner in row.owners[:_OWNERS]
        ],
        other_owners=max(0, len(row.owners) - _OWNERS),
        trade_date=iso(row.trade_date),
        security=_name(row.security),
        derivative=row.derivative,
        code=row.code,
        code_text=row.code_text,
        acquired=row.acquired,
        shares=_amount(row.shares),
        price=_amount(row.price),
        value=_amount(row.value),
        shares_after=_amount(row.shares_after),
        plan_10b5_1=row.plan_10b5_1,
        amended_by=row.amended_by,
        footnotes=[
            shorten(f"{note.field}: {note.text}", _FOOTNOTE) for note in row.footnotes[:_FOOTNOTES]
        ],
        other_footnotes=max(0, len(row.footnotes) - _FOOTNOTES),
    )


def _portfolio_answer(reply: PortfolioReply, manager_cik: str) -> Positions:
    """Return the portfolio of a manager, with the reports that have no holdings in `warnings`."""
    notices = [
        f"{report.accnum} is a notice: holdings are reported by "
        + (", ".join(manager.name for manager in report.reported_by) or "other managers")
        for report in (*reply.reports, *reply.reports_before)
        if report.status == "notice"
    ]
    return Positions(
        total=reply.total_count,
        positions=[
            Position(**{**_position(row), "manager_cik": manager_cik.zfill(10)})
            for row in reply.changes or reply.positions
        ],
        warnings=[*reply.warnings, *notices],
        next_cursor=known(reply.next_cursor),
    )


def _positions(reply: HoldingsReply | HoldersReply) -> Positions:
    rows: Sequence[Holding | Holder] = reply.items
    return Positions(
        total=reply.total_count,
        positions=[_position(row) for row in rows],
        warnings=reply.warnings,
        next_cursor=known(reply.next_cursor),
    )


def _position(row: Holding | Holder | PositionChange | PortfolioPosition) -> Position:
    position = Position(
        manager=None,
        manager_cik=None,
        quarter=None,
        issuer=_name(row.issuer),
        security_class=_name(row.security_class),
        cusip=row.cusip,
        put_call=row.put_call,
        shares=_amount(row.shares),
        principal=_amount(row.principal),
        value=_amount(row.value),
        rows=1 if isinstance(row, Holding) else row.rows,
        doubt=None,
        change=None,
        shares_before=None,
        principal_before=None,
        value_before=None,
        sources=[row.accnum] if isinstance(row, Holding) else row.sources[:_SOURCES],
    )
    if isinstance(row, Holding | Holder):
        position["manager"] = shorten(row.manager.name, _NAME)
        position["manager_cik"] = row.manager.cik
        position["quarter"] = row.quarter
        position["doubt"] = row.unit_evidence.doubt if row.unit_evidence else None
    if isinstance(row, PositionChange):
        position["change"] = row.change
        position["shares_before"] = _amount(row.shares_before)
        position["principal_before"] = _amount(row.principal_before)
        position["value_before"] = _amount(row.value_before)
    return position


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else digits(value)


def _name(name: str | None) -> str | None:
    return name and shorten(name, _NAME)
