"""Titles of filings in lists: items, periods, who traded and how, else the filer's own words."""

from collections.abc import Sequence

from edgar_search.edgar import codes
from edgar_search.financials.filings import REPORTS
from edgar_search.ownership.rows_of_filings import Row, TradeRow, rows_of_filings
from edgar_search.search.context import SearchContext
from edgar_search.search.filings import ListedFiling
from edgar_search.search.warnings.warnings import or_default
from edgar_search.web.pages.owners import INSIDER_FORMS, STAKE_FORMS
from edgar_search.web.pages.templates import day, describe_document, form_name

# Forms named after a quarter or a year.
_PERIODIC = frozenset((*REPORTS, "11-K", "13F-HR", "13F-NT", "N-CEN", "N-CSR", "NPORT-P", "10-D"))
# How many persons are named before "and others".
_FEW = 2


def title(filing: ListedFiling, cik: str, rows: Sequence[Row]) -> str:
    """Return a filing's title in the list of the company or person with this CIK."""
    form = filing.form_type.removesuffix("/A")
    if filing.eight_k_items:
        return "; ".join(f"{item.number} {item.name}" for item in filing.eight_k_items)
    if filing.period and form in _PERIODIC:
        return f"{filing.form_type} for the period to {day(filing.period)}"
    if rows:
        return ", ".join(filter(None, [_others(rows[0], cik), *_done(rows)]))
    names = [entity.name for entity in filing.entities]
    if form in INSIDER_FORMS | STAKE_FORMS:
        others = [entity.name for entity in filing.entities if entity.cik != cik and entity.name]
        if others:
            return _few(others)
    described = filing.documents[0].description if filing.documents else ""
    return describe_document(described, filing.form_type, names) or form_name(filing.form_type)


def _others(row: Row, cik: str) -> str:
    """Return the owners or persons on an issuer's page, and the issuer on theirs."""
    if row.issuer_cik != cik:
        return row.issuer_name
    return _few(row.owner_names if isinstance(row, TradeRow) else row.person_names)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def _done(rows: Sequence[Row]) -> list[str]:
    """Return the kinds of trades, without duplicates; "holdings" for a form without trades."""
    trades = [row for row in rows if isinstance(row, TradeRow)]
    kinds = [codes.TRANSACTIONS.get(row.code or "", "transaction") for row in trades if row.trade]
    return [*dict.fromkeys(kinds)] or ["holdings"] * bool(trades)


async def titles_of(
    context: SearchContext, filings: Sequence[ListedFiling], cik: str
) -> dict[str, str]:
    """Return titles by accession number.

    Makes one engine request for each kind of rows that these filings may contain.
    """

    def numbers(forms: frozenset[str]) -> list[str]:
        listed = (filing for filing in filings if filing.form_type.removesuffix("/A") in forms)
        return [listed_filing.accession_number for listed_filing in listed]

    rows = await or_default(
        {}, rows_of_filings, context.engine, numbers(INSIDER_FORMS), numbers(STAKE_FORMS)
    )
    return {
        filing.accession_number: title(filing, cik, rows.get(filing.accession_number, ()))
        for filing in filings
    }
