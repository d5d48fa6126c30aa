"""Ownership on the page of a company, person or manager: trades, holders, stakes, a portfolio."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs
from starlette.requests import Request

from edgar_search.api.context import Context
from edgar_search.api.holdings import (
    HOLDER_ROWS,
    PORTFOLIO_ROWS,
    Holder,
    PortfolioPosition,
    PositionChange,
    Report,
    change_search,
    holder_search,
)
from edgar_search.api.insider_trades import TRADE_ROWS, InsiderRow
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.rows import AskedRows
from edgar_search.api.stakes import STAKE_ROWS, Stake
from edgar_search.ownership.insider_trades import QuarterOfTrades, trades_by_quarter
from edgar_search.ownership.portfolios import quarters_of, rows_behind, securities_of
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import Window
from edgar_search.search.query.matching import Clause
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.filings import StoredFiling
from edgar_search.stored.ownership import PRINCIPAL, RowFilters, StoredHolding, quarter_of
from edgar_search.web.calls import context_of
from edgar_search.web.pages.browser import PageCall
from edgar_search.web.pages.exports import Exporting, rows_export
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.templates import amount, whole

# Rows of a part on one page, and the last row that pages reach; an export contains all.
ROWS, MOST_ROWS = 50, 1_000
PARTS = {
    "insiders": "insider trades",
    "own-trades": "trades",
    "holders": "holders",
    "stakes": "stakes",
    "own-stakes": "stakes in companies",
    "portfolio": "portfolio",
}
SHOWN, SECURITIES, QUARTERS, FEWEST_QUARTERS = 10, 25, 20, 12
BAR_WIDTH, _STEP, _HEIGHT = 8, 10, 60.0
QUARTER = Parameter(
    "quarter",
    "text",
    "the quarter of holders, and of a portfolio",
    type=types.QUARTER,
    of="quarter such as `2025Q2`",
    pattern=types.QUARTER_PATTERN,
)
BY = Parameter(
    "by",
    "choice",
    "the order of a portfolio",
    default="value",
    choices=("value", "change"),
)
# Without `/A`: the forms of insiders, and schedules of stakes.
INSIDER_FORMS = frozenset("345")
STAKE_FORMS = frozenset(("SC 13D", "SC 13G", "SCHEDULE 13D", "SCHEDULE 13G"))
_DISCRETIONS = {"SOLE": "sole", "DFND": "shared, defined", "OTR": "shared, other"}


class Exported(NamedTuple):
    """A part of the page whose rows can be exported: the form for it, and the API call.

    `rest` is the address of the page with all rows, if this one leaves some out.
    """

    form: Exporting
    api: str
    rest: str = ""


class Bar(NamedTuple):
    """A bar that points up for purchases, or down for sales."""

    side: str
    x: int
    y: float
    height: float
    title: str


class QuarterLine(NamedTuple):
    """A quarter in the table of purchases and sales."""

    quarter: str
    purchases: int
    bought: str
    sales: int
    sold: str
    apart: int


class TradeChart(NamedTuple):
    """Purchases and sales by quarter; bars begin with the oldest, `lines` with the newest."""

    bars: list[Bar]
    lines: list[QuarterLine]
    zero: float
    width: int
    height: float = _HEIGHT
    bar_width: int = BAR_WIDTH


class Trades(NamedTuple):
    """The newest trades of a company or owner, their total, and a chart."""

    total: int
    lines: list[InsiderRow]
    chart: TradeChart | None
    exported: Exported
    watch: str


class Stakes(NamedTuple):
    """The newest schedules that name a company, or a person."""

    total: int
    lines: list[Stake]
    exported: Exported
    watch: str


class Behind(NamedTuple):
    """A row behind a position: its amount, value and filing, and who decides on it."""

    shares: str
    value: str
    discretion: str
    managers: str
    filing: str


class Positions(NamedTuple):
    """Holders of a company, or the securities of a manager, in a quarter.

    `behind` lists the rows behind a security reported in several, by CUSIP, option and type of
    amount.
    """

    quarter: str
    quarters: list[tuple[str, str | None]]
    total: int
    lines: Sequence[Holder | PositionChange | PortfolioPosition]
    warnings: Sequence[str]
    exported: Exported
    before: str = ""
    reports: Sequence[Report] = ()
    orders: Sequence[tuple[str, str | None]] = ()
    behind: Mapping[tuple[str | None, ...], Sequence[Behind]] = MappingProxyType({})


class Ownership(NamedTuple):
    """The parts of a page that come from rows of ownership forms; None if there are none."""

    trades: Trades | None = None
    own_trades: Trades | None = None
    holders: Positions | None = None
    stakes: Stakes | None = None
    own_stakes: Stakes | None = None
    portfolio: Positions | None = None


class _Page(NamedTuple):
    """The inputs of every part."""

    context: Context
    base: str
    here: str
    cik: str
    quarter: str | None
    by: str
    # The one part of which the page shows all rows, and the rows to skip.
    part: str = ""
    offset: int = 0

    def window(self, few: int) -> Window:
        """Return the rows to read: the first few, or up to the end of a part's page."""
        return Window(0, self.offset + ROWS if self.part else few)

    def exported(self, total: int, shown: int, part: str, path: str, **asked: str) -> Exported:
        """Return the export of an endpoint's rows, of which the page shows some."""
        form = rows_export(total, what=path.rpartition("/")[2], **asked)
        kept = {"quarter": self.quarter, "by": self.by if self.by != BY.default else None}
        further = address(f"/company/{self.cik}/{part}", {}, **kept)
        more = not self.part and total > shown
        return Exported(form, curl(address(path, {}, **asked), self.base), further if more else "")


async def ownership_of(
    request: Request,
    call: PageCall,
    parameters: Parameters,
    cik: str,
    *,
    is_issuer: bool,
    part: str = "",
) -> Ownership:
    """Return the parts of this CIK's page; an issuer of securities also has holders.

    With a `part`, return only that, with a page full of rows.
    """
    page = _Page(
        context_of(request, call),
        str(request.base_url)[:-1],
        request.url.path,
        cik,
        parameters.value("quarter"),
        parameters.choice("by"),
        part,
        parameters.integer("offset") if part else 0,
    )
    return await or_default(Ownership(), _parts, page, is_issuer=is_issuer)


class FiledRows(NamedTuple):
    """The rows that a filing reports; `portfolio` is the address of the page that adds them up."""

    trades: Sequence[InsiderRow] = ()
    trades_export: Exporting | None = None
    stakes: Sequence[Stake] = ()
    stakes_export: Exporting | None = None
    portfolio: str = ""


async def rows_of_filing(context: Context, filing: StoredFiling) -> FiledRows:
    """Return the rows of a filing in its own order.

    Empty for forms without any.
    """
    form, number = filing.form_type.removesuffix("/A"), filing.accession_number
    if form in INSIDER_FORMS:
        trades = await TRADE_ROWS.of_filing(context, number)
        exporting = rows_export(trades.total_count, what="insider_trades", accnum=number)
        return FiledRows(trades.items, exporting)
    if form in STAKE_FORMS:
        rows = await STAKE_ROWS.of_filing(context, number)
        exporting = rows_export(rows.total_count, what="stakes", accnum=number)
        return FiledRows(stakes=rows.items, stakes_export=exporting)
    if form == "13F-HR" and filing.period and filing.entities:
        here = f"/company/{filing.entities[filing.primary].cik}"
        quarter = quarter_of(filing.period)
        return FiledRows(portfolio=f"{address(here, {}, quarter=quarter)}#portfolio")
    return FiledRows()


async def _parts(page: _Page, *, is_issuer: bool) -> Ownership:
    engine, cik = page.context.engine, page.cik
    issued, owned = _term("issuer_cik", cik), _term("owner_ciks", cik)
    persons_clause = _term("person_ciks", cik)
    (of_issuer, of_owner), (stakes_named, of_person), (reports,) = await asyncio.gather(
        count_matches(engine, "insider_trades", [_trades(issued), _trades(owned)]),
        count_matches(engine, "stakes", [issued, persons_clause]),
        count_matches(engine, "manager_reports", [_term("manager_cik", cik)]),
    )
    wanted = {
        "insiders": of_issuer,
        "own-trades": of_owner,
        "holders": is_issuer or of_issuer or stakes_named,
        "stakes": stakes_named,
        "own-stakes": of_person,
        "portfolio": reports,
    }
    parts = {part for part, is_wanted in wanted.items() if is_wanted and page.part in ("", part)}
    trades, own_trades, holders, schedules, own_stakes, portfolio = await asyncio.gather(
        _insider_trades(page, issued, "issuer_cik") if "insiders" in parts else _nothing(),
        _insider_trades(page, owned, "owner_cik") if "own-trades" in parts else _nothing(),
        _holders(page) if "holders" in parts else _nothing(),
        _stakes(page, "issuer_cik") if "stakes" in parts else _nothing(),
        _stakes(page, "person_cik") if "own-stakes" in parts else _nothing(),
        _portfolio(page) if "portfolio" in parts else _nothing(),
    )
    return Ownership(trades, own_trades, holders, schedules, own_stakes, portfolio)


async def _nothing() -> None:
    """Return None, for a part that is not on the page."""


def _term(field: str, value: str) -> Clause:
    return {"term": {field: value}}


def _trades(clause: Clause) -> Clause:
    return {"bool": {"filter": [clause, {"term": {"trade": True}}]}}


async def _insider_trades(page: _Page, clause: Clause, name: str) -> Trades:
    today = datetime.now(UTC).date()
    filters = structs.replace(RowFilters(), **{name: (page.cik,)})
    page_of_trades, quarters = await asyncio.gather(
        TRADE_ROWS.first(page.context, filters, "latest_trade", page.window(SHOWN)),
        trades_by_quarter(page.context.engine, [clause], today),
    )
    query = {name: page.cik}
    part, total = "own-trades" if name == "owner_cik" else "insiders", page_of_trades.total_count
    exported = page.exported(
        total, len(page_of_trades.items), part, "/v1/insider_trades", **query, sort="latest_trade"
    )
    watch = address("/account/alerts", {}, rows="insider_trades", **query)
    return Trades(
        total, page_of_trades.items[page.offset :], trade_chart(quarters), exported, watch
    )


def trade_chart(quarters: Sequence[QuarterOfTrades]) -> TradeChart | None:
    """Chart the newest quarters; None without purchases or sales."""
    if not quarters:
        return None
    last = _number(quarters[-1].first_day)
    newest = [quarter for quarter in quarters if last - _number(quarter.first_day) < QUARTERS]
    top, bottom = (
        max(getattr(quarter_shown, side) for quarter_shown in newest) for side in ("bought", "sold")
    )
    span = float(top + bottom) or 1.0
    zero = _HEIGHT * float(top) / span
    # A lone quarter is no wider than others, and the newest is on the right.
    first = min(_number(newest[0].first_day), last - FEWEST_QUARTERS + 1)
    bars: list[Bar] = []
    for quarter_shown in newest:
        x = (_number(quarter_shown.first_day) - first) * _STEP + (_STEP - BAR_WIDTH) // 2
        name = quarter_of(quarter_shown.first_day)
        for side, count, value in (
            ("bought", quarter_shown.purchases, quarter_shown.bought),
            ("sold", quarter_shown.sales, quarter_shown.sold),
        ):
            if count:
                height = max(0.5, _HEIGHT * float(value) / span)
                y = zero - height if side == "bought" else zero
                title = f"{name}: {side} {whole(value)} dollars"
                bars.append(Bar(side, x, round(y, 1), round(height, 1), title))
    lines = [
        QuarterLine(
            quarter_of(quarter_shown.first_day),
            quarter_shown.purchases,
            whole(quarter_shown.bought),
            quarter_shown.sales,
            whole(quarter_shown.sold),
            quarter_shown.apart,
        )
        for quarter_shown in reversed(newest)
    ]
    return TradeChart(bars, lines, round(zero, 1), (last - first + 1) * _STEP)


def _number(day: date) -> int:
    """Number the quarter of a day; consecutive quarters have consecutive numbers."""
    return day.year * 4 + (day.month - 1) // 3


async def _stakes(page: _Page, name: str) -> Stakes:
    filters, query = structs.replace(RowFilters(), **{name: (page.cik,)}), {name: page.cik}
    stakes_found = await STAKE_ROWS.first(page.context, filters, "newest", page.window(SHOWN))
    part, total = "own-stakes" if name == "person_cik" else "stakes", stakes_found.total_count
    exported = page.exported(total, len(stakes_found.items), part, "/v1/stakes", **query)
    watch = address("/account/alerts", {}, rows="stakes", **query)
    return Stakes(total, stakes_found.items[page.offset :], exported, watch)


async def _holders(page: _Page) -> Positions | None:
    securities = await securities_of(page.context.engine, page.cik)
    if not securities.clauses:
        return None
    quarters = await quarters_of(page.context.engine, "holdings", securities.clauses)
    if not quarters:
        return None
    quarter = page.quarter or quarters[0]
    search = holder_search(page.cik, quarter, page.window(SHOWN))
    holders = (await HOLDER_ROWS.find(page.context, AskedRows(search))).answer
    total, query = holders.total_count, {"issuer_cik": page.cik, "quarter": quarter}
    return Positions(
        quarter,
        _choices(page, quarters, quarter, "holders"),
        total,
        holders.items[page.offset :],
        holders.warnings,
        page.exported(total, len(holders.items), "holders", "/v1/holders", **query),
    )


def _choices(
    page: _Page, quarters: Sequence[str], now: str, part: str
) -> list[tuple[str, str | None]]:
    """Return the newest quarters with the addresses of their pages.

    The current one's is None.
    """
    by = page.by if page.by != BY.default else None
    return [
        (
            quarter,
            None if quarter == now else f"{address(page.here, {}, quarter=quarter, by=by)}#{part}",
        )
        for quarter in quarters[:SHOWN]
    ]


def _amount_of(share_type: str | None, value: Decimal | None) -> str:
    """Return an amount of shares, or of principal, which is labelled as such."""
    return f"{amount(value)} principal" if share_type == PRINCIPAL else amount(value)


def _behind(row: StoredHolding) -> Behind:
    return Behind(
        _amount_of(row.share_type, row.shares),
        whole(row.value),
        _DISCRETIONS.get(row.discretion or "", row.discretion or ""),
        ", ".join(row.other_managers),
        row.accession_number,
    )


async def _portfolio(page: _Page) -> Positions:
    of_manager = _term("manager_cik", page.cik)
    quarters = await quarters_of(page.context.engine, "manager_reports", [of_manager])
    quarter = page.quarter or next(iter(quarters), "")
    before = next((earlier for earlier in quarters if earlier < quarter), "")
    by_value = page.by == "value"
    search = change_search(page.cik, quarter, before, page.window(SECURITIES), by_value=by_value)
    portfolio = (await PORTFOLIO_ROWS.find(page.context, AskedRows(search))).answer
    total = portfolio.total_count
    everything: list[PositionChange | PortfolioPosition] = [
        *portfolio.changes,
        *portfolio.positions,
    ]
    lines = everything[page.offset :]
    behind = await rows_behind(
        page.context.engine,
        [report.accnum for report in portfolio.reports if report.status == "in_effect"],
        [line.cusip for line in lines if line.rows > 1 and line.cusip],
    )
    query = {"manager_cik": page.cik, "quarter": quarter}
    orders = [
        (
            choice,
            None
            if choice == page.by
            else f"{address(page.here, {}, quarter=page.quarter, by=choice)}#portfolio",
        )
        for choice in BY.choices
    ]
    return Positions(
        quarter,
        _choices(page, quarters, quarter, "portfolio"),
        total,
        lines,
        [warning for report in portfolio.reports for warning in report.warnings],
        page.exported(total, len(everything), "portfolio", "/v1/portfolio", **query),
        before,
        portfolio.reports,
        orders if before else [],
        {key: list(map(_behind, rows)) for key, rows in behind.items()},
    )
