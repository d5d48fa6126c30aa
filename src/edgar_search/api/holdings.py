"""Holdings, portfolios and holders: what managers report on Form 13F."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.cursor import WALK_RULES
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.parameters.row_filters import (
    CUSIP,
    MANAGER_CIK,
    QUARTER,
    ROW_FILTERS,
    cik_parameter,
)
from edgar_search.api.rows import (
    OF_ROWS,
    Counted,
    Entity,
    RowPlace,
    Rows,
    of_filings,
    rows_days,
    rows_window,
    sort_parameter,
)
from edgar_search.engine.replies import SortedHit
from edgar_search.errors import BadRequest
from edgar_search.ownership.holdings import (
    ORDERS,
    ComparedHolding,
    HoldingSearch,
    OtherValues,
    unit_doubt,
)
from edgar_search.ownership.portfolios import (
    Changes,
    ChangeSearch,
    Group,
    HolderSearch,
    PortfolioSearch,
    ReportStatus,
)
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.pagination import Step
from edgar_search.search.rows import RowSearch
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.ownership import PRINCIPAL, OtherManager, StoredHolding


class Others(Struct):
    """Managers that report the security for the quarter, and their median value per share."""

    managers: int
    value_per_share: Decimal


class UnitEvidence(Struct):
    """The evidence for the unit of a value.

    `value_per_share` is the median of the filing, as filed, over `shares_compared` rows. `others`
    is null if fewer than three managers report the security. `doubt` is null if there is none.
    """

    decided_by: str
    schema_version: str | None
    value_per_share: Decimal | None
    shares_compared: int
    others: Others | None
    doubt: str | None


class Votes(Struct):
    """Shares over which the manager has voting authority."""

    sole: Decimal | None
    shared: Decimal | None
    none: Decimal | None


class Holding(Struct, rename={"security_class": "class"}):
    """A row of an information table.

    `value` is in dollars, `value_filed` in the `unit`. A row has `shares`, or for debt, if
    `share_type` is `PRN`, `principal`, an amount of dollars. `other_managers` are numbers in the
    list of the cover. `not_read` names what has a value that could not be read.
    """

    accnum: str
    form_type: str
    filing_date: date
    manager: Entity
    quarter: str | None
    issuer: str
    security_class: str | None
    cusip: str | None
    figi: str | None
    value: Decimal | None
    value_filed: Decimal | None
    unit: str
    unit_evidence: UnitEvidence
    shares: Decimal | None
    principal: Decimal | None
    share_type: str | None
    put_call: str | None
    discretion: str | None
    other_managers: list[str]
    voting: Votes
    amendment: str | None
    place: RowPlace
    not_read: list[str]


class PortfolioRow(Holding, rename={"security_class": "class"}):
    """A row of an information table; `source` is its filing."""

    source: str


class NamedManager(Struct):
    """Another manager on a cover; rows name the managers of `included` by `number`."""

    cik: str | None
    name: str
    file_number: str | None
    number: str | None


class Report(Struct):
    """A report for the quarter.

    `status` is `in_effect`, `replaced` by a later report, `notice` (it has no holdings, others
    report them) or `not_read`. `entries` and `total_filed` are the counts of its cover, `rows` the
    stored rows, `total_read` the sum of their values, and `total_difference` that sum minus the
    cover's, all in the `unit`. `repeats` are reports whose rows an addition repeats. `warnings` are
    about the report; the last report also has those about the whole quarter.
    """

    accnum: str
    form_type: str
    filing_date: date
    status: str
    report_type: str | None
    amendment: str | None
    table: str
    entries: Decimal | None
    rows: int
    total_filed: Decimal | None
    total_read: Decimal | None
    total_difference: Decimal | None
    unit: str
    accepted_at: datetime | None
    amendment_number: str | None
    repeats: list[str]
    reported_by: list[NamedManager]
    included: list[NamedManager]
    warnings: list[str]


class PositionChange(Struct, rename={"security_class": "class"}):
    """A security in the quarter, and in the quarter that it is compared with (`before`).

    `change` is `new`, `gone`, `more`, `less` or `same`, by the number of shares, or for debt by the
    principal. `rows` is the number of the security's rows in the quarter.
    """

    issuer: str | None
    security_class: str | None
    cusip: str | None
    put_call: str | None
    share_type: str | None
    change: str
    shares: Decimal | None
    shares_before: Decimal | None
    principal: Decimal | None
    principal_before: Decimal | None
    value: Decimal
    value_before: Decimal
    rows: int
    sources: list[str]


class PortfolioPosition(Struct, rename={"security_class": "class"}):
    """A security of the portfolio: the sums of its `rows` in the filings that are its `sources`."""

    issuer: str | None
    security_class: str | None
    cusip: str | None
    put_call: str | None
    share_type: str | None
    shares: Decimal | None
    principal: Decimal | None
    value: Decimal
    rows: int
    sources: list[str]


class Holder(Struct, rename={"security_class": "class"}):
    """A manager with a security: sums of all its rows in the filings that are its `sources`."""

    manager: Entity
    quarter: str | None
    issuer: str | None
    security_class: str | None
    cusip: str | None
    put_call: str | None
    share_type: str | None
    shares: Decimal | None
    principal: Decimal | None
    value: Decimal
    rows: int
    unit: str | None
    unit_evidence: UnitEvidence | None
    sources: list[str]
    found_by: str


class HoldingsReply(Counted):
    """Rows of a page; `next_cursor` is set on a walk by cursor, null at its end."""

    items: list[Holding]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


class PortfolioReply(Counted):
    """Rows of a page, or positions by security, or changes if `compare_to` is given.

    `total_count` counts what the answer lists.
    """

    items: list[PortfolioRow]
    positions: list[PortfolioPosition]
    changes: list[PositionChange]
    reports: list[Report]
    reports_before: list[Report]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


class HoldersReply(Counted):
    """Holders of a page, the largest first."""

    items: list[Holder]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


def _one(parameter: Parameter, description: str, *, required: bool = True) -> Parameter:
    """Return the parameter for one value only."""
    of = {"manager_cik": "CIK of 1 to 10 digits", "issuer_cik": "CIK of 1 to 10 digits"}
    return structs.replace(
        parameter,
        kind="text",
        description=description,
        required=required,
        of=of.get(parameter.name, "quarter such as `2025Q2`"),
    )


MANAGER_HOLDINGS = Endpoint(
    "/v1/holdings",
    "finds securities that managers report on Form 13F",
    (
        API_KEY,
        *ROW_FILTERS["holdings"],
        sort_parameter("by filing date, or by value; rows without a value come last", ORDERS),
        *OF_ROWS,
    ),
    credential="key",
    answer=HoldingsReply,
    rules=WALK_RULES,
)
PORTFOLIO = Endpoint(
    "/v1/portfolio",
    "returns a manager's portfolio in a quarter, computed from all its reports for that quarter",
    (
        API_KEY,
        _one(MANAGER_CIK, "the manager"),
        _one(QUARTER, "the quarter"),
        structs.replace(
            _one(
                QUARTER,
                "another quarter: `changes` says what is new, gone, more or less since",
                required=False,
            ),
            name="compare_to",
        ),
        Parameter(
            "group_by",
            "choice",
            "`security`: `positions` has one entry for each security, the sum of its rows, the"
            " largest first",
            default="row",
            choices=("row", "security"),
        ),
        structs.replace(
            sort_parameter("by value, or by filing date", ("largest", "newest", "oldest")),
            default="largest",
        ),
        *OF_ROWS,
    ),
    credential="key",
    answer=PortfolioReply,
    rules=(
        "With `compare_to` what changed most in value comes first. With it, and with"
        " `group_by=security`, `sort` may not be given.",
        "With `to_date` it is the portfolio as it was known on that day.",
        *WALK_RULES,
    ),
)
HOLDERS = Endpoint(
    "/v1/holders",
    "finds the managers that report a security for a quarter, the largest first",
    (
        API_KEY,
        CUSIP,
        _one(
            cik_parameter("issuer_cik", ""),
            "the issuer: by the CUSIPs that its schedules 13D and 13G here name, else by its name",
            required=False,
        ),
        _one(QUARTER, "the quarter"),
        *OF_ROWS,
    ),
    credential="key",
    answer=HoldersReply,
    rules=("Either `cusip` or `issuer_cik` is needed, not both.", *WALK_RULES),
)


def read_portfolio(parameters: Parameters, table: TickerTable) -> RowSearch:
    """Read the search of `/v1/portfolio`; raises BadRequest."""
    manager_cik = parameters.required_value("manager_cik")
    quarter = parameters.required_value("quarter")
    before = parameters.value("compare_to")
    filters = tuple(of_filings(parameters))
    days, window = rows_days(parameters), rows_window(parameters)
    by_security = parameters.choice("group_by") == "security"
    if before is None and not by_security:
        order = ORDERS[parameters.choice("sort")]
        return PortfolioSearch(
            "holdings", filters, days, order, window, manager_cik=manager_cik, quarter=quarter
        )
    if before == quarter:
        raise parameters.refusal("compare_to", f"is the quarter itself, {quarter}")
    if parameters.text("sort"):
        other = "compare_to" if before else "group_by=security"
        raise parameters.refusal("sort", f"may not be given with `{other}`")
    search = change_search(manager_cik, quarter, before or "", window, by_value=by_security)
    return structs.replace(search, filters=filters, filings=days)


def change_search(
    manager_cik: str, quarter: str, compare_to: str, window: Window, *, by_value: bool
) -> ChangeSearch:
    """Search a manager's portfolio by security, compared with another quarter if one is given."""
    return ChangeSearch(
        "holdings",
        (),
        FilingCriteria(),
        ORDERS["largest"],
        window,
        keys=("cusip", "put_call", "share_type"),
        manager_cik=manager_cik,
        quarter=quarter,
        compare_to=compare_to,
        by_value=by_value,
    )


def read_holders(parameters: Parameters, table: TickerTable) -> RowSearch:
    """Read the search of `/v1/holders`; raises BadRequest."""
    cusips, issuer_cik = parameters.values("cusip"), parameters.value("issuer_cik")
    if bool(cusips) == bool(issuer_cik):
        raise BadRequest("`cusip` or `issuer_cik` must be given, and not both")
    filters, days = tuple(of_filings(parameters)), rows_days(parameters)
    window, quarter = rows_window(parameters), parameters.required_value("quarter")
    search = holder_search(issuer_cik or "", quarter, window)
    return structs.replace(search, filters=filters, filings=days, cusips=cusips)


def holder_search(issuer_cik: str, quarter: str, window: Window) -> HolderSearch:
    """Search for the managers that hold an issuer's securities in a quarter."""
    return HolderSearch(
        "holdings",
        (),
        FilingCriteria(),
        ORDERS["largest"],
        window,
        keys=("manager_cik", "cusip", "put_call", "share_type"),
        issuer_cik=issuer_cik,
        quarter=quarter,
    )


def holding_row(compared: ComparedHolding) -> Holding:
    """Build the answer's item for a stored row."""
    return Holding(**_fields(compared))


def portfolio_row(compared: ComparedHolding) -> PortfolioRow:
    """Build the answer's item for a stored row, with its source."""
    return PortfolioRow(**_fields(compared), source=compared.row.accession_number)


def _fields(compared: ComparedHolding) -> dict[str, Any]:
    row, others = compared
    return {
        "accnum": row.accession_number,
        "form_type": row.form_type,
        "filing_date": row.filing_date,
        "manager": Entity(row.manager_cik, row.manager_name),
        "quarter": row.quarter,
        "issuer": row.issuer,
        "security_class": row.security_class,
        "cusip": row.cusip,
        "figi": row.figi,
        "value": row.value,
        "value_filed": row.value_filed,
        "unit": row.basis.unit,
        "unit_evidence": _evidence(row, others),
        "shares": None if row.share_type == PRINCIPAL else row.shares,
        "principal": row.shares if row.share_type == PRINCIPAL else None,
        "share_type": row.share_type,
        "put_call": row.put_call,
        "discretion": row.discretion,
        "other_managers": row.other_managers,
        "voting": Votes(row.voting.sole, row.voting.shared, row.voting.none),
        "amendment": row.amendment,
        "place": RowPlace(row.document_id, row.start, row.end),
        "not_read": row.not_read,
    }


def _evidence(row: StoredHolding, others: OtherValues | None) -> UnitEvidence:
    basis = row.basis
    return UnitEvidence(
        decided_by=basis.decided_by,
        schema_version=basis.schema_version,
        value_per_share=basis.value_per_share,
        shares_compared=basis.shares_compared,
        others=None if others is None else Others(others.managers, others.value_per_share),
        doubt=unit_doubt(row, others),
    )


def holder_row(group: Group) -> Holder:
    """Build the answer's item for a manager's rows."""
    row = group.row
    return Holder(
        manager=Entity(group.manager_cik, row.manager_name if row else ""),
        quarter=row.quarter if row else None,
        issuer=row.issuer if row else None,
        security_class=row.security_class if row else None,
        cusip=group.cusip,
        put_call=group.put_call,
        share_type=group.share_type,
        shares=_shares(group, group.shares),
        principal=_principal(group, group.shares),
        value=group.value,
        rows=group.rows,
        unit=row.basis.unit if row else None,
        unit_evidence=_evidence(row, group.others) if row else None,
        sources=group.sources,
        found_by=group.found_by,
    )


def position_change(group: Group) -> PositionChange:
    """Build the answer's item for a security and its change."""
    row = group.row
    return PositionChange(
        issuer=row.issuer if row else None,
        security_class=row.security_class if row else None,
        cusip=group.cusip,
        put_call=group.put_call,
        share_type=group.share_type,
        change=group.change,
        shares=_shares(group, group.shares),
        shares_before=_shares(group, group.shares_before),
        principal=_principal(group, group.shares),
        principal_before=_principal(group, group.shares_before),
        value=group.value,
        value_before=group.value_before,
        rows=group.rows,
        sources=group.sources,
    )


def portfolio_position(group: Group) -> PortfolioPosition:
    """Build the answer's item for a security."""
    row = group.row
    return PortfolioPosition(
        issuer=row.issuer if row else None,
        security_class=row.security_class if row else None,
        cusip=group.cusip,
        put_call=group.put_call,
        share_type=group.share_type,
        shares=_shares(group, group.shares),
        principal=_principal(group, group.shares),
        value=group.value,
        rows=group.rows,
        sources=group.sources,
    )


def _shares(group: Group, amount: Decimal) -> Decimal | None:
    return None if group.share_type == PRINCIPAL else amount


def _principal(group: Group, amount: Decimal) -> Decimal | None:
    return amount if group.share_type == PRINCIPAL else None


def portfolio_reply(step: Step[SortedHit[Any]], warnings: list[str]) -> PortfolioReply:
    """Build the answer of `/v1/portfolio`."""
    portfolio = step.about
    if not isinstance(portfolio, Changes):
        items = [portfolio_row(hit.source) for hit in step.hits]
        return PortfolioReply(
            step.total, items, [], [], list(map(_report, portfolio)), [], warnings
        )
    groups: list[Group] = [hit.source for hit in step.hits]
    return PortfolioReply(
        step.total,
        [],
        [] if portfolio.is_comparison else list(map(portfolio_position, groups)),
        list(map(position_change, groups)) if portfolio.is_comparison else [],
        list(map(_report, portfolio.reports)),
        list(map(_report, portfolio.before)),
        warnings,
    )


def _report(status: ReportStatus) -> Report:
    report = status.report
    return Report(
        accnum=report.accession_number,
        form_type=report.form_type,
        filing_date=report.filing_date,
        status=status.status,
        report_type=report.report_type,
        amendment=report.amendment,
        table=report.table,
        entries=report.entries,
        rows=report.rows,
        total_filed=report.total_filed,
        total_read=report.total_read,
        total_difference=_difference(report.total_read, report.total_filed),
        unit=report.basis.unit,
        accepted_at=report.accepted_at,
        amendment_number=report.amendment_number,
        repeats=list(status.repeats),
        reported_by=list(map(_manager, report.reported_by)),
        included=list(map(_manager, report.included)),
        warnings=list(map(str, status.warnings)),
    )


def _difference(read: Decimal | None, filed: Decimal | None) -> Decimal | None:
    return None if read is None or filed is None else read - filed


def _manager(manager: OtherManager) -> NamedManager:
    return NamedManager(manager.cik, manager.name, manager.file_number, manager.number)


MANAGER_ROWS = Rows[HoldingsReply](
    MANAGER_HOLDINGS,
    StoredHolding,
    Holding,
    holding_row,
    "holdings",
    ORDERS,
    HoldingSearch,
    known={"manager_cik": "manager_cik", "quarter": "quarter", "cusip": "cusip"},
    names={"manager": "manager_name", "issuer": "issuer"},
)
PORTFOLIO_ROWS = Rows[PortfolioReply](
    PORTFOLIO,
    StoredHolding,
    PortfolioRow,
    portfolio_row,
    read=read_portfolio,
    known={"manager_cik": "manager_cik", "quarter": "quarter", "compare_to": "quarter"},
    reply=portfolio_reply,
)
HOLDER_ROWS = Rows[HoldersReply](
    HOLDERS,
    StoredHolding,
    Holder,
    holder_row,
    read=read_holders,
    known={"quarter": "quarter", "cusip": "cusip"},
)
