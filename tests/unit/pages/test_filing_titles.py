"""Titles of filings in the list of a company."""

from datetime import UTC, date, datetime

import pytest
from msgspec import structs

from edgar_search.ownership.rows_of_filings import Row, StakeRow, TradeRow
from edgar_search.search.filings import ListedEntity, ListedFiling
from edgar_search.stored.filings import FilingDocument, FilingItem
from edgar_search.web.pages.filing_titles import title

ISSUER, OWNER, OTHER = "0009990001", "0009990002", "0009990003"
ENTITIES = [ListedEntity(ISSUER, "MOSS & SONS"), ListedEntity(OWNER, "Fern Ada")]
SALE = TradeRow("1", True, ISSUER, "MOSS & SONS", ["Fern Ada"], "S")
EXERCISE = TradeRow("1", True, ISSUER, "MOSS & SONS", ["Fern Ada"], "M")
HELD = TradeRow("1", False, ISSUER, "MOSS & SONS", ["Fern Ada", "Elm LP", "Oak LP", "Ash LP"])
STAKE = StakeRow("1", ISSUER, "MOSS & SONS", ["Fern Ada", "Elm LP"])
ITEMS = [
    FilingItem("5.02", "Departure of Directors", "1-1"),
    FilingItem("9.01", "Exhibits", "1-1"),
]


def filing(form_type: str, description: str = "PRIMARY DOCUMENT") -> ListedFiling:
    document = FilingDocument("1-1", form_type, description, 1, "a.xml")
    now = datetime(2025, 5, 2, tzinfo=UTC)
    period = date(2025, 3, 31)
    ciks = [each.cik for each in ENTITIES]
    return ListedFiling("1", form_type, now.date(), ciks, ENTITIES, [document], now, period=period)


@pytest.mark.parametrize(
    ("form_type", "cik", "rows", "shown"),
    [
        ("4", ISSUER, [EXERCISE, SALE, SALE], "Fern Ada, exercise, sale"),
        ("4", OWNER, [SALE, HELD], "MOSS & SONS, sale"),
        ("3", ISSUER, [HELD], "Fern Ada, Elm LP and 2 more, holdings"),
        ("4", ISSUER, [], "Fern Ada"),
        ("SCHEDULE 13D/A", ISSUER, [STAKE], "Fern Ada, Elm LP"),
        ("SC 13G", OWNER, [], "MOSS & SONS"),
        ("10-Q", ISSUER, [], "10-Q for the period to March 31, 2025"),
        ("13F-HR/A", ISSUER, [], "13F-HR/A for the period to March 31, 2025"),
        ("CORRESP", ISSUER, [], "CORRESP"),
    ],
)
def test_a_title_says_who_and_what(form_type: str, cik: str, rows: list[Row], shown: str) -> None:
    assert title(filing(form_type), cik, rows) == shown


def test_a_title_has_the_names_of_items_or_what_the_filer_says() -> None:
    report = structs.replace(filing("8-K"), eight_k_items=ITEMS)
    assert title(report, ISSUER, []) == "5.02 Departure of Directors; 9.01 Exhibits"
    assert title(filing("424B2", "PRICING SUPPLEMENT"), ISSUER, []) == "PRICING SUPPLEMENT"
