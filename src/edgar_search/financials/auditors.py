"""The auditor of a company's annual reports: of the newest one, or of a year."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.edgar.auditors import auditor_key
from edgar_search.edgar.identifiers import root_form
from edgar_search.engine.engine import Engine
from edgar_search.financials.filings import FinancialFiling, list_filings
from edgar_search.search.counts import count_matches
from edgar_search.search.query.matching import range_clause
from edgar_search.search.reading.stated_periods import AskedPeriod
from edgar_search.stored.financials import StoredAuditor

_ANNUAL = ("10-K", "10-KT", "20-F", "40-F")
# The item of an 8-K that reports a change of auditor.
_CHANGED = "4.01"
# How far the end of a year of whole weeks may be from a day that is named.
_BESIDE = timedelta(days=7)


class AuditedReport(NamedTuple):
    """An annual report, and the auditor that it names."""

    filing: FinancialFiling
    auditor: StoredAuditor


async def find_auditor(
    engine: Engine, cik: str, period: AskedPeriod | None
) -> AuditedReport | None:
    """Find the auditor of a company's year, or of its newest annual report; None unless certain.

    Makes one engine request, and for the newest report another one: a change of auditor may have
    been reported since.
    """
    report = certain_auditor(await list_filings(engine, [cik]), period)
    if report is None or period is not None:
        return report
    changed = [
        {"term": {"ciks": cik}},
        {"term": {"items": _CHANGED}},
        range_clause("filing_date", report.filing.filing_date, None),
    ]
    (changes,) = await count_matches(engine, "filings", [{"bool": {"filter": changed}}])
    return None if changes else report


def certain_auditor(
    filings: Sequence[FinancialFiling], period: AskedPeriod | None
) -> AuditedReport | None:
    """Return the annual report of a year, or the newest one, with its auditor.

    None if one of the years that may be meant has no auditor, or if reports name several.
    """
    annual = [
        (filing.period_end, filing)
        for filing in filings
        if filing.period_end and root_form(filing.form_type) in _ANNUAL
    ]
    newest = max((end for end, _ in annual), default=None)
    meant = [
        (end, filing)
        for end, filing in annual
        if (end == newest if period is None else _may_mean(period, filing, end))
    ]
    named = [(end, filing, filing.auditor) for end, filing in meant if filing.auditor]
    if {end for end, _ in meant} != {end for end, _, _ in named}:
        return None
    if len({auditor_key(auditor.name) for _, _, auditor in named}) != 1:
        return None
    _, filing, auditor = max(
        named,
        key=lambda each: (
            period is not None and each[1].fiscal_year == period.year,
            not each[1].amendment,
            each[1].filing_date,
        ),
    )
    return AuditedReport(filing, auditor)


def _may_mean(period: AskedPeriod, filing: FinancialFiling, end: date) -> bool:
    """Return True if a year may be the report's, by its fiscal year or by the calendar."""
    if period.day is not None:
        return abs(end - period.day) <= _BESIDE
    return period.year in (filing.fiscal_year, end.year)
