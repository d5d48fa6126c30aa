"""Ownership on the page of a company, person or manager: trades, holders, stakes, a portfolio."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from starlette.requests import Request

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import codes
from edgar_search.ownership import insider_trades, portfolios, stakes
from edgar_search.ownership.holdings import ORDERS as HOLDING_ORDERS
from edgar_search.ownership.insider_trades import (
    AmendedTrade,
    InsiderSearch,
    QuarterOfTrades,
    trades_by_quarter,
)
from edgar_search.ownership.portfolios import (
    Changes,
    ChangeSearch,
    Group,
    HolderSearch,
    ReportStatus,
    quarters_of,
    rows_behind,
    securities_of,
)
from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowHit, RowOrder, RowSearch
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.filings import StoredFiling
from edgar_search.stored.ownership import (
    PRINCIPAL,
    Owner,
    StakePerson,
    StoredHolding,
    StoredInsiderTrade,
    StoredStake,
    quarter_of,
)
from edgar_search.web.pages.exports import Exporting, rows_export
from edgar_search.web.pages.links import address, curl
from edgar_search.web.service import service

# Rows of the page of one part, which goes as far as this; an export has all.
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
_ALL = FilingCriteria()
# Without `/A`: the forms of insiders, and schedules of stakes.
INSIDER_FORMS = frozenset("345")
STAKE_FORMS = frozenset(("SC 13D", "SC 13G", "SCHEDULE 13D", "SCHEDULE 13G"))
_DISCRETIONS = {"SOLE": "sole", "DFND": "shared, defined", "OTR": "shared, other"}


class Exported(NamedTuple):
    """The rows behind a part of the page: the form that exports them, and the API call.

    `rest` is the address of the page with all rows, if this one has not all of them.
    """

    form: Exporting
    api: str
    rest: str = ""


class Bar(NamedTuple):
    """A bar up for purchases, or down for sales."""

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
    """Purchases and sales by quarter; bars from the oldest on, `lines` the newest first."""

    bars: list[Bar]
    lines: list[QuarterLine]
    zero: float
    width: int
    height: float = _HEIGHT
    bar_width: int = BAR_WIDTH


class Trade(NamedTuple):
    """A line on a trade; `others` are its owners, or the company on the page of an owner.

    `after` is what they have after it; a line on a holding has nothing else.
    """

    day: str
    others: list[tuple[str | None, str, str]]
    done: str
    security: str
    shares: str
    price: str
    value: str
    after: str
    filing: str
    amended_by: str | None


class Trades(NamedTuple):
    """The newest trades of a company or owner, of all of them, and a chart."""

    total: int
    lines: list[Trade]
    chart: TradeChart | None
    exported: Exported
    watch: str


class Stake(NamedTuple):
    """A line on a schedule 13D or 13G; its persons may hold the same shares."""

    day: str
    form: str
    issuer: tuple[str | None, str]
    persons: list[tuple[str | None, str, str, str]]
    others: int
    filing: str


class Stakes(NamedTuple):
    """The newest schedules that name a company, or a person."""

    total: int
    lines: list[Stake]
    exported: Exported
    watch: str


class Behind(NamedTuple):
    """A row behind a position: its amount, value, and filing, and who decides on it."""

    shares: str
    value: str
    discretion: str
    managers: str
    filing: str


class Position(NamedTuple):
    """A line on a security of a portfolio, or on a holder of a company's securities.

    `rows` are those behind it, if there are several.
    """

    cik: str | None
    name: str
    security: str
    shares: str
    value: str
    change: str
    before: str
    filing: str | None
    rows: Sequence[Behind] = ()


class Positions(NamedTuple):
    """Holders of a company, or the securities of a manager, in a quarter."""

    quarter: str
    quarters: list[tuple[str, str | None]]
    total: int
    lines: list[Position]
    warnings: Sequence[str]
    exported: Exported
    before: str = ""
    reports: Sequence[ReportStatus] = ()
    orders: Sequence[tuple[str, str | None]] = ()


class Ownership(NamedTuple):
    """The parts of a page that rows of ownership forms have; None if there are none."""

    trades: Trades | None = None
    own_trades: Trades | None = None
    holders: Positions | None = None
    stakes: Stakes | None = None
    own_stakes: Stakes | None = None
    portfolio: Positions | None = None


class _Page(NamedTuple):
    """Everything that a part is made from."""

    context: SearchContext
    base: str
    here: str
    cik: str
    quarter: str | None
    by: str
    # The one part of which the page has all rows, and the rows to skip there.
    part: str = ""
    offset: int = 0

    def window(self, few: int) -> Window:
        """The rows to read: the first few, or up to the end of the page of a part."""
        return Window(0, self.offset + ROWS if self.part else few)

    def lines(self, step: Step[RowHit[Any]]) -> list[Any]:
        """The rows to show."""
        return [hit.source for hit in step.hits[self.offset :]]

    def exported(self, step: Step[Any], part: str, path: str, **asked: str) -> Exported:
        """The export of an endpoint's rows."""
        form = rows_export(step.total, what=path.rpartition("/")[2], **asked)
        kept = {"quarter": self.quarter, "by": self.by if self.by != BY.default else None}
        rest = address(f"/company/{self.cik}/{part}", {}, **kept)
        more = not self.part and step.total > len(step.hits)
        return Exported(form, curl(address(path, {}, **asked), self.base), rest if more else "")


async def ownership_of(
    request: Request,
    parameters: Parameters,
    cik: str,
    *,
    is_issuer: bool,
    part: str = "",
) -> Ownership:
    """The parts of the page of this CIK; holders are looked for if it issues securities.

    With a `part` that alone, as many rows as a page has.
    """
    page = _Page(
        service(request).context,
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
    """The rows that a filing reports; `portfolio` is the address of the page that sums them up."""

    trades: list[Trade] = []
    trades_export: Exporting | None = None
    stakes: list[Stake] = []
    stakes_export: Exporting | None = None
    portfolio: str = ""


async def rows_of_filing(context: SearchContext, filing: StoredFiling) -> FiledRows:
    """The rows of a filing in the order in which it has them; nothing for forms without any."""
    form, number = filing.form_type.removesuffix("/A"), filing.accession_number
    order, all_rows = RowOrder("number", "asc"), Window(0, MOST_ROWS)
    clauses = (_term("accession_number", number),)
    if form in INSIDER_FORMS:
        search = InsiderSearch("insider_trades", clauses, _ALL, order, all_rows)
        step = await search.step(context.engine, StoredInsiderTrade, CursorPosition())
        lines = [_trade(hit.source, is_own=False) for hit in step.hits]
        return FiledRows(lines, rows_export(step.total, what="insider_trades", accnum=number))
    if form in STAKE_FORMS:
        found = RowSearch("stakes", clauses, _ALL, order, all_rows)
        rows = await found.step(context.engine, StoredStake, CursorPosition())
        schedules = [_stake(hit.source) for hit in rows.hits]
        exporting = rows_export(rows.total, what="stakes", accnum=number)
        return FiledRows(stakes=schedules, stakes_export=exporting)
    if form == "13F-HR" and filing.period and filing.entities:
        here = f"/company/{filing.entities[filing.primary].cik}"
        quarter = quarter_of(filing.period)
        return FiledRows(portfolio=f"{address(here, {}, quarter=quarter)}#portfolio")
    return FiledRows()


async def _parts(page: _Page, *, is_issuer: bool) -> Ownership:
    engine, cik = page.context.engine, page.cik
    issued, owned = _term("issuer_cik", cik), _term("owner_ciks", cik)
    held = _term("person_ciks", cik)
    (of_issuer, of_owner), (named, of_person), (reports,) = await asyncio.gather(
        count_matches(engine, "insider_trades", [_trades(issued), _trades(owned)]),
        count_matches(engine, "stakes", [issued, held]),
        count_matches(engine, "manager_reports", [_term("manager_cik", cik)]),
    )
    wanted = {
        "insiders": of_issuer,
        "own-trades": of_owner,
        "holders": is_issuer or of_issuer or named,
        "stakes": named,
        "own-stakes": of_person,
        "portfolio": reports,
    }
    shown = {part for part, found in wanted.items() if found and page.part in ("", part)}
    trades, own_trades, holders, schedules, own_stakes, portfolio = await asyncio.gather(
        _insider_trades(page, issued, "issuer_cik") if "insiders" in shown else _nothing(),
        _insider_trades(page, owned, "owner_cik") if "own-trades" in shown else _nothing(),
        _holders(page) if "holders" in shown else _nothing(),
        _stakes(page, issued, "issuer_cik") if "stakes" in shown else _nothing(),
        _stakes(page, held, "person_cik") if "own-stakes" in shown else _nothing(),
        _portfolio(page) if "portfolio" in shown else _nothing(),
    )
    return Ownership(trades, own_trades, holders, schedules, own_stakes, portfolio)


async def _nothing() -> None:
    """A part that the page does not have."""


def _term(field: str, value: str) -> Clause:
    return {"term": {field: value}}


def _trades(clause: Clause) -> Clause:
    return {"bool": {"filter": [clause, {"term": {"trade": True}}]}}


async def _insider_trades(page: _Page, clause: Clause, name: str) -> Trades:
    order = insider_trades.ORDERS["latest_trade"]
    filters = (clause, _term_of_trades())
    search = InsiderSearch("insider_trades", filters, _ALL, order, page.window(SHOWN))
    today = datetime.now(UTC).date()
    step, quarters = await asyncio.gather(
        search.step(page.context.engine, StoredInsiderTrade, CursorPosition()),
        trades_by_quarter(page.context.engine, [clause], today),
    )
    asked = {name: page.cik}
    is_own = name == "owner_cik"
    part = "own-trades" if is_own else "insiders"
    return Trades(
        step.total,
        [_trade(each, is_own=is_own) for each in page.lines(step)],
        trade_chart(quarters),
        page.exported(step, part, "/v1/insider_trades", **asked, sort="latest_trade"),
        address("/account/alerts", {}, rows="insider_trades", **asked),
    )


def _term_of_trades() -> Clause:
    return {"term": {"trade": True}}


def _trade(found: AmendedTrade, *, is_own: bool) -> Trade:
    row = found.row
    issuer = (row.issuer_cik, row.issuer_name, row.ticker or "")
    return Trade(
        str(row.trade_date or ""),
        [issuer] if is_own else [(each.cik, each.name, _roles(each)) for each in row.owners],
        codes.TRANSACTION_CODES.get(row.code or "", row.code or "") if row.trade else "holding",
        row.security or "",
        amount(row.shares),
        amount(row.price),
        whole(row.value),
        amount(row.shares_after) if row.shares_after is not None else whole(row.value_after),
        row.accession_number,
        found.amended_by,
    )


def _roles(owner: Owner) -> str:
    return owner.title or ", ".join(role.replace("_", " ") for role in owner.roles)


def trade_chart(quarters: Sequence[QuarterOfTrades]) -> TradeChart | None:
    """The chart of the newest quarters; None without purchases or sales."""
    if not quarters:
        return None
    last = _number(quarters[-1].first_day)
    shown = [each for each in quarters if last - _number(each.first_day) < QUARTERS]
    top, bottom = (max(getattr(each, side) for each in shown) for side in ("bought", "sold"))
    span = float(top + bottom) or 1.0
    zero = _HEIGHT * float(top) / span
    # A lone quarter is no wider than others, and the newest is on the right.
    first = min(_number(shown[0].first_day), last - FEWEST_QUARTERS + 1)
    bars: list[Bar] = []
    for each in shown:
        x = (_number(each.first_day) - first) * _STEP + (_STEP - BAR_WIDTH) // 2
        name = quarter_of(each.first_day)
        for side, count, value in (
            ("bought", each.purchases, each.bought),
            ("sold", each.sales, each.sold),
        ):
            if count:
                height = max(0.5, _HEIGHT * float(value) / span)
                y = zero - height if side == "bought" else zero
                title = f"{name}: {side} {whole(value)} dollars"
                bars.append(Bar(side, x, round(y, 1), round(height, 1), title))
    lines = [
        QuarterLine(
            quarter_of(each.first_day),
            each.purchases,
            whole(each.bought),
            each.sales,
            whole(each.sold),
            each.apart,
        )
        for each in reversed(shown)
    ]
    return TradeChart(bars, lines, round(zero, 1), (last - first + 1) * _STEP)


def _number(day: date) -> int:
    """The number of a day's quarter, from any to the next one more."""
    return day.year * 4 + (day.month - 1) // 3


async def _stakes(page: _Page, clause: Clause, name: str) -> Stakes:
    search = RowSearch("stakes", (clause,), _ALL, stakes.ORDERS["newest"], page.window(SHOWN))
    step = await search.step(page.context.engine, StoredStake, CursorPosition())
    asked = {name: page.cik}
    return Stakes(
        step.total,
        list(map(_stake, page.lines(step))),
        page.exported(
            step, "own-stakes" if name == "person_cik" else "stakes", "/v1/stakes", **asked
        ),
        address("/account/alerts", {}, rows="stakes", **asked),
    )


def _stake(row: StoredStake) -> Stake:
    return Stake(
        str(row.event_date or row.filing_date),
        row.form_type,
        (row.issuer_cik, row.issuer_name),
        [_person(each) for each in row.persons[:SHOWN]],
        max(0, len(row.persons) - SHOWN),
        row.accession_number,
    )


def _person(person: StakePerson) -> tuple[str | None, str, str, str]:
    percent = "" if person.percent is None else f"{person.percent:f} %"
    return person.cik, person.name, amount(person.shares), percent


async def _holders(page: _Page) -> Positions | None:
    securities = await securities_of(page.context.engine, page.cik)
    if not securities.clauses:
        return None
    quarters = await quarters_of(page.context.engine, "holdings", securities.clauses)
    if not quarters:
        return None
    quarter = page.quarter or quarters[0]
    search = HolderSearch(
        "holdings",
        (),
        _ALL,
        HOLDING_ORDERS["largest"],
        page.window(SHOWN),
        keys=("manager_cik", "cusip", "put_call", "share_type"),
        issuer_cik=page.cik,
        quarter=quarter,
    )
    step = await search.step(page.context.engine, StoredHolding, CursorPosition())
    return Positions(
        quarter,
        _choices(page, quarters, quarter, "holders"),
        step.total,
        list(map(_holder, page.lines(step))),
        step.warnings,
        page.exported(step, "holders", "/v1/holders", issuer_cik=page.cik, quarter=quarter),
    )


def _choices(
    page: _Page, quarters: Sequence[str], now: str, part: str
) -> list[tuple[str, str | None]]:
    """The newest quarters with the addresses of the page with them; the present one's is None."""
    by = page.by if page.by != BY.default else None
    return [
        (each, None if each == now else f"{address(page.here, {}, quarter=each, by=by)}#{part}")
        for each in quarters[:SHOWN]
    ]


def _holder(group: Group) -> Position:
    name = group.row.manager_name if group.row else ""
    return _position(group, group.manager_cik, name, "")


def _amount_of(share_type: str | None, value: Decimal | None) -> str:
    """An amount of shares, or of principal, which is said to be that."""
    return f"{amount(value)} principal" if share_type == PRINCIPAL else amount(value)


def _position(
    group: Group,
    cik: str | None,
    name: str,
    change: str,
    behind: Sequence[StoredHolding] = (),
) -> Position:
    row = group.row
    security = [row.security_class if row else None, group.put_call]
    return Position(
        cik,
        name,
        " ".join(each for each in security if each),
        _amount_of(group.share_type, group.shares),
        whole(group.value),
        change,
        _amount_of(group.share_type, group.shares_before) if change else "",
        group.sources[0] if group.sources else None,
        [
            Behind(
                _amount_of(each.share_type, each.shares),
                whole(each.value),
                _DISCRETIONS.get(each.discretion or "", each.discretion or ""),
                ", ".join(each.other_managers),
                each.accession_number,
            )
            for each in behind
        ],
    )


async def _portfolio(page: _Page) -> Positions:
    of_manager = _term("manager_cik", page.cik)
    quarters = await quarters_of(page.context.engine, "manager_reports", [of_manager])
    quarter = page.quarter or next(iter(quarters), "")
    before = next((each for each in quarters if each < quarter), "")
    search = ChangeSearch(
        "holdings",
        (),
        _ALL,
        HOLDING_ORDERS["largest"],
        page.window(SECURITIES),
        keys=("cusip", "put_call", "share_type"),
        manager_cik=page.cik,
        quarter=quarter,
        compare_to=before,
        by_value=page.by == "value",
    )
    step = await search.step(page.context.engine, StoredHolding, CursorPosition())
    found: Changes = step.about
    groups: list[Group] = page.lines(step)
    behind = await rows_behind(
        page.context.engine, found.reports, [each for each in groups if each.rows > 1]
    )
    orders = [
        (
            each,
            None
            if each == page.by
            else f"{address(page.here, {}, quarter=page.quarter, by=each)}#portfolio",
        )
        for each in BY.choices
    ]
    return Positions(
        quarter,
        _choices(page, quarters, quarter, "portfolio"),
        step.total,
        [
            _position(
                each,
                None,
                each.row.issuer if each.row else each.cusip or "",
                each.change if before else "",
                behind.get((each.cusip, each.put_call, each.share_type), ()),
            )
            for each in groups
        ],
        portfolios.report_warnings(found.reports),
        page.exported(step, "portfolio", "/v1/portfolio", manager_cik=page.cik, quarter=quarter),
        before,
        found.reports,
        orders if before else [],
    )


def amount(value: Decimal | None) -> str:
    """An amount with all its digits; "" if there is none."""
    return "" if value is None else f"{value:,f}"


def whole(value: Decimal | None) -> str:
    """An amount of dollars without cents; "" if there is none."""
    return "" if value is None else f"{value:,.0f}"
