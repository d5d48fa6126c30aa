"""Records in the layout of the SEC's data sets about financial statements and insiders.

Columns have the SEC's names, and values as the SEC writes them. Columns that cannot be derived from
what is stored are left out: see `docs/clients.md`.
"""

import calendar
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from msgspec import Struct

from edgar_search.financials.facts import PUBLISHED_TAXONOMIES
from edgar_search.financials.statements import local_name
from edgar_search.stored.filings import FilingEntity, StoredFiling
from edgar_search.stored.financials import (
    LineDimension,
    StatementKind,
    StatementLine,
    StatementValue,
    StoredFact,
    StoredFinancials,
    StoredStatement,
)
from edgar_search.stored.ownership import Owner, Role, StoredInsiderTrade, UnderlyingSecurity

_EASTERN = ZoneInfo("America/New_York")
_DAYS_OF_A_QUARTER = 91.3
_FOUR_DECIMALS = Decimal("0.0001")
# With the four decimal places, as many digits as Python's decimal module keeps when rounding.
_MOST_DIGITS = 18
_ENTITY_AXIS = "LegalEntity"
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


class SubRecord(Struct):
    """A filing with financial statements, as in the table `sub`.

    `period` and `fye` are rounded to the end of a month; `accepted` is in New York's time zone.
    """

    adsh: str
    cik: int
    name: str
    sic: int | None
    stprba: str | None
    cityba: str | None
    stprinc: str | None
    ein: int | None
    fye: str | None
    form: str
    period: int | None
    fy: int | None
    fp: str | None
    filed: int
    accepted: str | None
    instance: str
    nciks: int
    aciks: str | None


class TagRecord(Struct):
    """A concept of the filings' facts, as in the table `tag`; `tlabel` is one filer's label."""

    tag: str
    version: str
    custom: int
    abstract: int
    iord: str
    tlabel: str


class NumRecord(Struct):
    """A value of the statements, as in the table `num`.

    `ddate` is rounded to the end of a month, `qtrs` to whole quarters, 0 for an instant.
    """

    adsh: str
    tag: str
    version: str
    ddate: int
    qtrs: int
    uom: str
    segments: str | None
    coreg: str | None
    value: Decimal | None


class PreRecord(Struct):
    """A line of a statement with values, as in the table `pre`.

    `report` counts the statements of a filing from 1, in its order.
    """

    adsh: str
    report: int
    line: int
    stmt: str
    inpth: int
    tag: str
    version: str
    plabel: str
    negating: int


_STATEMENTS: dict[StatementKind, str] = {
    "balance_sheet": "BS",
    "income_statement": "IS",
    "cash_flow": "CF",
    "comprehensive_income": "CI",
    "equity": "EQ",
}


def sub_record(stored: StoredFinancials, filing: StoredFiling) -> SubRecord:
    """Build the record of a filing with statements."""
    unknown = FilingEntity("", stored.cik, stored.name)
    entity = next((filer for filer in filing.entities if filer.cik == stored.cik), unknown)
    state, others = entity.state_of_incorporation, [c for c in filing.ciks if c != stored.cik]
    accepted = filing.accepted_at
    return SubRecord(
        adsh=stored.accession_number,
        cik=int(stored.cik),
        name=entity.name,
        sic=_number(entity.sic),
        stprba=entity.business_state,
        cityba=entity.business_city,
        # Codes of other countries contain a digit.
        stprinc=state if state and state.isalpha() else None,
        ein=_number(entity.ein),
        fye=_end_of_year(entity.fiscal_year_end),
        form=stored.form_type,
        period=_digits(month_end(stored.period_end)) if stored.period_end else None,
        fy=stored.fiscal_year,
        fp=stored.fiscal_period,
        filed=_digits(stored.filing_date),
        accepted=f"{accepted.astimezone(_EASTERN):%Y-%m-%d %H:%M}:00.0" if accepted else None,
        instance=next(
            (d.file_name for d in filing.documents if d.document_id == stored.document_id), ""
        ),
        nciks=1 + len(others),
        aciks=" ".join(str(int(cik)) for cik in others) or None,
    )


def tag_record(fact: StoredFact) -> TagRecord:
    """Build the record of a fact's concept."""
    version = _version(fact.concept, fact.accession_number)
    return TagRecord(
        tag=fact.local_name,
        version=version,
        custom=int(version == fact.accession_number),
        abstract=0,
        iord="D" if fact.start else "I",
        tlabel=fact.label,
    )


def num_records(stored: StoredFinancials) -> Iterator[NumRecord]:
    """Yield the values of a filing's statements, each once."""
    seen = set()
    for statement in stored.statements:
        for line in (*statement.lines, *statement.breakdowns):
            for value in line.values:
                record = _num(stored.accession_number, line, value)
                key = (record.tag, record.version, record.ddate, record.qtrs, record.uom)
                if (*key, record.segments) not in seen:
                    seen.add((*key, record.segments))
                    yield record


def _num(number: str, line: StatementLine, value: StatementValue) -> NumRecord:
    segments, entity = _segments(line.dimensions)
    return NumRecord(
        adsh=number,
        tag=local_name(line.concept),
        version=_version(line.concept, number),
        ddate=_digits(month_end(value.end)),
        qtrs=quarters(value.start, value.end),
        # The SEC writes dollars per share as USD.
        uom=value.unit.partition("/")[0],
        segments=segments,
        coreg=entity,
        value=None if value.value is None else _amount(value.value),
    )


def pre_records(stored: StoredFinancials) -> Iterator[PreRecord]:
    """Yield the lines with values of a filing's statements, except lines of members."""
    # A statement of several kinds goes by its first kind, such as income before equity.
    by_role = {
        statement.role_uri: statement for statement in sorted(stored.statements, key=_is_main_kind)
    }
    # The definition of a role begins with a number.
    ordered = sorted(by_role.values(), key=lambda statement: statement.long_name)
    for report, statement in enumerate(ordered, start=1):
        yield from _pre(stored.accession_number, report, statement)


def _is_main_kind(statement: StoredStatement) -> bool:
    return statement.kind != "comprehensive_income"


def _pre(number: str, report: int, statement: StoredStatement) -> Iterator[PreRecord]:
    # EDGAR counts the statement's title as its first line.
    for number_of_line, line in enumerate(statement.lines, start=2):
        if line.values and not line.dimensions:
            yield PreRecord(
                adsh=number,
                report=report,
                line=number_of_line,
                stmt=_STATEMENTS[statement.kind],
                inpth=0,
                tag=local_name(line.concept),
                version=_version(line.concept, number),
                plabel=line.label,
                negating=int(line.negated),
            )


def _version(concept: str, number: str) -> str:
    """Return a concept's taxonomy, or the accession number if the filing defines the concept."""
    taxonomy = concept.partition(":")[0]
    return taxonomy if taxonomy in PUBLISHED_TAXONOMIES else number


def _segments(dimensions: Iterable[LineDimension]) -> tuple[str | None, str | None]:
    """Return the members of dimensions, as `segments` lists them, and the legal entity if any."""
    pairs = sorted(
        (
            local_name(dimension.axis).removesuffix("Axis").removeprefix("Statement"),
            local_name(dimension.member).removesuffix("Member").removesuffix("Domain"),
        )
        for dimension in dimensions
    )
    text = "".join(f"{axis}={member};" for axis, member in pairs)
    return text or None, dict(pairs).get(_ENTITY_AXIS)


def _amount(text: str) -> Decimal:
    """Return an amount with four decimal places, or unchanged if it is too large for Parquet."""
    amount = Decimal(text)
    return amount if amount.adjusted() >= _MOST_DIGITS else amount.quantize(_FOUR_DECIMALS)


def month_end(day: date) -> date:
    """Return the last day of a month that is nearest to a day."""
    last = day.replace(day=calendar.monthrange(day.year, day.month)[1])
    # No month ends before the first date that Python knows.
    if day.day >= (last - day).days or day < date(1, 2, 1):
        return last
    return day.replace(day=1) - timedelta(days=1)


def quarters(start: date | None, end: date) -> int:
    """Return the length of a period in whole quarters, 0 for an instant."""
    return 0 if start is None else round(((end - start).days + 1) / _DAYS_OF_A_QUARTER)


def _end_of_year(text: str | None) -> str | None:
    """Return the end of a fiscal year as MMDD, moved to a month's end; other texts as they are."""
    if not text:
        return None
    try:
        # 2000 is a leap year, so that each day exists.
        day = datetime.strptime(f"2000{text}", "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return text
    rounded = month_end(day)
    return f"{rounded.month:02}{28 if rounded.month == 2 else rounded.day}"


def _digits(day: date) -> int:
    return int(f"{day:%Y%m%d}")


def _number(text: str | None) -> int | None:
    """Parse a number of a header; None if it is absent, or too long to be one."""
    is_number = text and text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS
    return int(text) if text and is_number else None


class InsiderSubmission(Struct, rename="upper"):
    """A filing of Form 3, 4 or 5 that has rows, as in the table `SUBMISSION`."""

    accession_number: str
    filing_date: str
    period_of_report: str | None
    date_of_orig_sub: str | None
    document_type: str
    issuercik: str | None
    issuername: str
    issuertradingsymbol: str | None
    aff10b5one: str | None


class ReportingOwner(Struct, rename="upper"):
    """A reporting owner of a filing, as in the table `REPORTINGOWNER`."""

    accession_number: str
    rptownercik: str | None
    rptownername: str
    rptowner_relationship: str
    rptowner_title: str | None


class NonderivativeHolding(Struct, rename="upper"):
    """A holding of securities, as in the table `NONDERIV_HOLDING`; `_SK` counts a form's rows."""

    accession_number: str
    nonderiv_holding_sk: int
    security_title: str | None
    shrs_ownd_folwng_trans: Decimal | None
    valu_ownd_folwng_trans: Decimal | None
    direct_indirect_ownership: str | None
    nature_of_ownership: str | None


class NonderivativeTrade(Struct, rename="upper"):
    """A transaction in securities, as in the table `NONDERIV_TRANS`."""

    accession_number: str
    nonderiv_trans_sk: int
    security_title: str | None
    trans_date: str | None
    trans_code: str | None
    trans_shares: Decimal | None
    trans_pricepershare: Decimal | None
    trans_acquired_disp_cd: str | None
    shrs_ownd_folwng_trans: Decimal | None
    valu_ownd_folwng_trans: Decimal | None
    direct_indirect_ownership: str | None
    nature_of_ownership: str | None


class DerivativeHolding(Struct, rename="upper"):
    """A holding of derivatives, as in the table `DERIV_HOLDING`."""

    accession_number: str
    deriv_holding_sk: int
    security_title: str | None
    conv_exercise_price: Decimal | None
    exercise_date: str | None
    expiration_date: str | None
    undlyng_sec_title: str | None
    undlyng_sec_shares: Decimal | None
    shrs_ownd_folwng_trans: Decimal | None
    valu_ownd_folwng_trans: Decimal | None
    direct_indirect_ownership: str | None
    nature_of_ownership: str | None


class DerivativeTrade(Struct, rename="upper"):
    """A transaction in derivatives, as in the table `DERIV_TRANS`, with the SEC's spelling."""

    accession_number: str
    deriv_trans_sk: int
    security_title: str | None
    conv_exercise_price: Decimal | None
    trans_date: str | None
    trans_code: str | None
    trans_shares: Decimal | None
    trans_pricepershare: Decimal | None
    trans_acquired_disp_cd: str | None
    excercise_date: str | None
    expiration_date: str | None
    undlyng_sec_title: str | None
    undlyng_sec_shares: Decimal | None
    shrs_ownd_folwng_trans: Decimal | None
    valu_ownd_folwng_trans: Decimal | None
    direct_indirect_ownership: str | None
    nature_of_ownership: str | None


_ROLES: dict[Role, str] = {
    "director": "Director",
    "officer": "Officer",
    "ten_percent_owner": "TenPercentOwner",
    "other": "Other",
}


def insider_submission(row: StoredInsiderTrade, filing: StoredFiling | None) -> InsiderSubmission:
    """Build the record of a row's filing; without the filing, its period is None."""
    plan = "0" if row.plan_10b5_1 is False else None
    return InsiderSubmission(
        accession_number=row.accession_number,
        filing_date=_day(row.filing_date) or "",
        period_of_report=_day(filing.period) if filing else None,
        date_of_orig_sub=_day(row.amends),
        document_type=row.form_type,
        issuercik=row.issuer_cik,
        issuername=row.issuer_name,
        issuertradingsymbol=row.ticker,
        aff10b5one="1" if row.plan_named_by == "form" else plan,
    )


def reporting_owner(row: StoredInsiderTrade, owner: Owner) -> ReportingOwner:
    """Build the record of a reporting owner of a row's filing."""
    return ReportingOwner(
        accession_number=row.accession_number,
        rptownercik=owner.cik,
        rptownername=owner.name,
        rptowner_relationship=",".join(_ROLES[role] for role in owner.roles),
        rptowner_title=owner.title,
    )


def insider_record(
    row: StoredInsiderTrade,
) -> NonderivativeTrade | NonderivativeHolding | DerivativeTrade | DerivativeHolding:
    """Build the record of a row, for the SEC's table that has such rows."""
    number, on = row.accession_number, row.underlying or UnderlyingSecurity()
    direct = None if row.direct is None else "D" if row.direct else "I"
    after = (row.shares_after, row.value_after, direct, row.nature)
    bought = (_day(row.trade_date), row.code, row.shares, row.price, row.acquired)
    terms = (_day(on.exercisable), _day(on.expires), on.security, on.shares)
    if row.trade and row.derivative:
        return DerivativeTrade(
            number, row.number, row.security, on.exercise_price, *bought, *terms, *after
        )
    if row.trade:
        return NonderivativeTrade(number, row.number, row.security, *bought, *after)
    if row.derivative:
        return DerivativeHolding(
            number, row.number, row.security, on.exercise_price, *terms, *after
        )
    return NonderivativeHolding(number, row.number, row.security, *after)


def _day(day: date | None) -> str | None:
    """Write a day as 05-MAR-2026."""
    return f"{day.day:02}-{_MONTHS[day.month - 1]}-{day.year:04}" if day else None
