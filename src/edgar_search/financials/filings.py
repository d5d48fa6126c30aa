"""Filings that have financial statements: found by company or accession number."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.entities import entities_of
from edgar_search.stored.financials import STATEMENT_NAMES, StatementKind, StoredFinancials

# The reports of which the newest answers for a company; an amendment may hold a part only.
REPORTS = ("10-K", "10-KT", "10-Q", "10-QT", "20-F", "40-F", "10-K405", "10-KSB", "10-QSB")
# A company files four a year; more than any has.
MOST_FILINGS = 1_000


class FinancialFiling(Struct, frozen=True):
    """A filing with statements, without the statements."""

    accession_number: str
    cik: str
    name: str
    form_type: str
    filing_date: date
    kinds: list[StatementKind]
    amendment: bool = False
    period_end: date | None = None
    fiscal_year: int | None = None
    fiscal_period: str | None = None


class _Listed(Struct):
    source: FinancialFiling = field(name="_source")


class _Whole(Struct):
    source: StoredFinancials = field(name="_source")


# The newest filing first; of one day the one accepted last.
_NEWEST: list[Any] = [
    {"filing_date": "desc"},
    {"accepted_at": {"order": "desc", "missing": "_last"}},
    {"accession_number": "desc"},
]


def filings_body(
    ciks: Sequence[str],
    *,
    kind: StatementKind | None = None,
    as_of: date | None = None,
    reports_only: bool = False,
    size: int = MOST_FILINGS,
) -> dict[str, Any]:
    """Build the request for the filings of companies that have statements, the newest first."""
    filters: list[dict[str, Any]] = [{"terms": {"cik": list(ciks)}}]
    if kind is not None:
        filters.append({"term": {"kinds": kind}})
    if as_of is not None:
        filters.append({"range": {"filing_date": {"lte": as_of.isoformat()}}})
    if reports_only:
        filters.append({"terms": {"form_type": list(REPORTS)}})
    return {
        "query": {"bool": {"filter": filters}},
        "sort": _NEWEST,
        "size": size,
        "track_total_hits": False,
    }


async def list_filings(
    engine: Engine, ciks: Sequence[str], *, most: int = MOST_FILINGS
) -> list[FinancialFiling]:
    """Return the filings of a company that have statements, the newest first.

    None if there are none.
    """
    body = filings_body(ciks, size=most) | {"_source": {"excludes": ["statements", "ciks"]}}
    reply = await engine.search("financials", body, _Listed)
    return [hit.source for hit in reply.hits.hits]


async def filings_of_company(engine: Engine, cik: str) -> list[FinancialFiling]:
    """Return the filings of a company that have statements, none if its filings have none.

    Raises NotFound if nothing is here of the company, or if it is a co-registrant in all of them.
    """
    found = await list_filings(engine, [cik])
    if found:
        return found
    if other := await _main_filer(engine, [cik]):
        raise NotFound(f"cik {cik}: this company has no statements of its own here{other}")
    if not await entities_of(engine, [cik]):
        raise NotFound(f"cik {cik}: no filing of this company is here")
    return []


async def newest_filing(
    engine: Engine,
    ciks: Sequence[str],
    *,
    kind: StatementKind | None = None,
    as_of: date | None = None,
    or_another: bool = False,
) -> StoredFinancials:
    """Return the newest report of a company that has statements, or `kind`; NotFound if none has.

    With `or_another` the newest other filing answers for a company without such a report, such as
    one that files on 6-K only.
    """
    for reports_only in (True, False) if or_another else (True,):
        body = filings_body(ciks, kind=kind, as_of=as_of, reports_only=reports_only, size=1)
        reply = await engine.search("financials", body, _Whole)
        if reply.hits.hits:
            return reply.hits.hits[0].source
    what = "XBRL statements" if kind is None else f"an XBRL {STATEMENT_NAMES[kind]}"
    by = f", filed by {as_of}" if as_of else ""
    filings = "filings" if or_another else "annual and quarterly reports"
    raise NotFound(
        f"cik {' or '.join(ciks)}: none of its {filings} here has {what}{by}"
        + await _main_filer(engine, ciks)
    )


async def _main_filer(engine: Engine, ciks: Sequence[str]) -> str:
    """Name the company in whose filings these are co-registrants, if they are."""
    body = {
        "query": {"terms": {"ciks": list(ciks)}},
        "sort": _NEWEST,
        "size": 1,
        "_source": {"excludes": ["statements", "ciks"]},
        "track_total_hits": False,
    }
    found = (await engine.search("financials", body, _Listed)).hits.hits
    if not found or found[0].source.cik in ciks:
        return ""
    return f"; it is a co-registrant in filings of {found[0].source.cik}, whose statements are here"


async def find_financials(engine: Engine, accession_number: str) -> StoredFinancials | None:
    """Return the statements of a filing; None if it has none, or is not here."""
    body = _of_filing(accession_number)
    found = (await engine.search("financials", body, _Whole)).hits.hits
    return found[0].source if found else None


def _of_filing(accession_number: str) -> dict[str, Any]:
    return {
        "query": {"term": {"accession_number": accession_number}},
        "size": 1,
        "track_total_hits": False,
    }


async def filing_statements(
    engine: Engine,
    accession_number: str,
    ciks: Sequence[str] = (),
    *,
    named: str = "accnum",
) -> StoredFinancials:
    """Return the statements of a filing, which its caller's parameter `named` names.

    Raises BadRequest if `ciks` are given and it is not of one of them, NotFound if it is not here
    or has no statements, or if `ciks` are co-registrants.
    """
    filing = await find_financials(engine, accession_number)
    if filing is None:
        body = {**_of_filing(accession_number), "_source": False}
        reply = await engine.search("filings", body, Struct)
        if reply.hits.hits:
            raise NotFound(f"{named} {accession_number} has no XBRL statements")
        raise NotFound(f"{named} {accession_number} is not a filing that is here")
    if ciks and filing.cik not in ciks:
        if not set(filing.ciks).isdisjoint(ciks):
            raise NotFound(
                f"{named} {accession_number}: {' or '.join(ciks)} is a co-registrant in this filing"
                f" of {filing.cik}, whose statements are here"
            )
        raise BadRequest(
            f"{named} {accession_number} is a filing of {filing.cik}, not of {' or '.join(ciks)}"
        )
    return filing
