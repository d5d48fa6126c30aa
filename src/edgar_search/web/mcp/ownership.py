"""Tools over rows of ownership forms: insider trades, portfolios and holders."""

from typing import Any

from edgar_search.web.mcp.answers import NOTICE, InsiderTrade, InsiderTrades, Position, Positions
from edgar_search.web.mcp.asking import Answer

# Bounds of a row, which has at most some 1,100 characters: ten of them are an answer.
_FOOTNOTES, _FOOTNOTE, _OWNERS, _SOURCES, _NAME = 2, 90, 2, 3, 50


def trades_answer(reply: Answer) -> InsiderTrades:
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
        shares=row["shares"],
        price=row["price"],
        value=row["value"],
        shares_after=row["shares_after"],
        plan_10b5_1=row["plan_10b5_1"],
        footnotes=[
            f"{each['field']}: {each['text']}"[:_FOOTNOTE] for each in row["footnotes"][:_FOOTNOTES]
        ],
    )


def rows_answer(reply: Answer) -> Positions:
    """The answer of `/v1/holdings`."""
    return _positions(reply, [_row(row) for row in reply["items"]])


def portfolio_answer(reply: Answer) -> Positions:
    """The answer of `/v1/portfolio`, with the reports that have no holdings in `warnings`."""
    rows = [_row(row) for row in reply["items"]] or [_change(row) for row in reply["changes"]]
    notices = [
        f"{each['accnum']} is a notice: holdings are reported by "
        + (", ".join(str(other["name"]) for other in each["reported_by"]) or "other managers")
        for each in (*reply["reports"], *reply["reports_before"])
        if each["status"] == "notice"
    ]
    return _positions({**reply, "warnings": [*reply["warnings"], *notices]}, rows)


def holders_answer(reply: Answer) -> Positions:
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
        shares_before=row["shares_before"],
        value_before=row["value_before"],
    )


def _position(
    row: Answer,
    manager: Answer,
    *,
    sources: list[str],
    quarter: str | None,
    change: str | None = None,
    shares_before: Any = None,
    value_before: Any = None,
) -> Position:
    return Position(
        manager=manager["name"] and manager["name"][:_NAME],
        manager_cik=manager["cik"],
        quarter=quarter,
        issuer=row["issuer"] and row["issuer"][:_NAME],
        security_class=row["class"] and row["class"][:_NAME],
        cusip=row["cusip"],
        put_call=row["put_call"],
        shares=row["shares"],
        value=row["value"],
        doubt=(row.get("unit_evidence") or {}).get("doubt"),
        change=change,
        shares_before=shares_before,
        value_before=value_before,
        sources=sources[:_SOURCES],
    )
