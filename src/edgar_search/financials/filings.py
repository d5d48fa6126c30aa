"""Filings with financial statements, found by company or accession number."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.entities import entities_of
from edgar_search.stored.financials import (
    STATEMENT_NAMES,
    StatementKind,
    StoredAuditor,
    StoredFinancials,
)

# Forms of which a company's newest report is chosen; an amendment may be only a part.
REPORTS = ("10-K", "10-KT", "10-Q", "10-QT", "20-F", "40-F", "10-K405", "10-KSB", "10-QSB")
# A company files four a year; no company has this many.
MOST_FILINGS = 1_000


class FinancialFiling(Struct, frozen=True):
    """A filing that has statements, without the statements themselves."""

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
    auditor: StoredAuditor | None = None


# The newest filing first; of the same day, the one accepted last.
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
    """Build the search for companies' filings that have statements, newest first."""
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
    """List the filings of a company that have statements, newest first.

    Empty if it has none.
    """
    body = filings_body(ciks, size=most) | {"_source": {"excludes": ["statements", "ciks"]}}
    reply = await engine.search("financials", body, SourceHit[FinancialFiling])
    return [hit.source for hit in reply.hits.hits]


async def filings_of_company(engine: Engine, cik: str) -> list[FinancialFiling]:
    """List the filings of a company that have statements, perhaps none.

    Raises NotFound if no filing of the company is stored, or if it is a co-registrant in all of
    them.
    """
    filings = await list_filings(engine, [cik])
    if filings:
        return filings
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
    """Return a company's newest report that has statements, or `kind`; NotFound if none has.

    With `or_another`, a company without such a report, such as one that files only 6-Ks, gets its
    newest other filing.
    """
    for reports_only in (True, False) if or_another else (True,):
        body = filings_body(ciks, kind=kind, as_of=as_of, reports_only=reports_only, size=1)
        reply = await engine.search("financials", body, SourceHit[StoredFinancials])
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
    """Name the company in whose filings these are co-registrants, if any."""
    body = {
        "query": {"terms": {"ciks": list(ciks)}},
        "sort": _NEWEST,
        "size": 1,
        "_source": {"excludes": ["statements", "ciks"]},
        "track_total_hits": False,
    }
    hits = (await engine.search("financials", body, SourceHit[FinancialFiling])).hits.hits
    if not hits or hits[0].source.cik in ciks:
        return ""
    return f"; it is a co-registrant in filings of {hits[0].source.cik}, whose statements are here"


async def find_financials(engine: Engine, accession_number: str) -> StoredFinancials | None:
    """Return the statements of a filing; None if it has none, or is not stored."""
    body = _filing_body(accession_number)
    hits = (await engine.search("financials", body, SourceHit[StoredFinancials])).hits.hits
    return hits[0].source if hits else None


def _filing_body(accession_number: str) -> dict[str, Any]:
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
    """Return the statements of a filing, which the parameter `named` specifies.

    Raises BadRequest if `ciks` are given and none is the filing's, NotFound if it is not stored or
    has no statements, or if `ciks` are co-registrants.
    """
    filing = await find_financials(engine, accession_number)
    if filing is None:
        body = {**_filing_body(accession_number), "_source": False}
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
