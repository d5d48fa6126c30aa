"""Auditors of reports: the names that instances have, how they are compared, and answers."""

from datetime import date
from typing import Any

import pytest
from msgspec import structs

from edgar_search.api.answer import AuditorAnswer, FactAnswer
from edgar_search.api.financials import TextPlace
from edgar_search.edgar.auditors import auditor_key, auditor_keys
from edgar_search.financials.auditors import certain_auditor
from edgar_search.financials.filings import FinancialFiling
from edgar_search.search.reading.stated_periods import AskedPeriod
from edgar_search.stored.financials import StoredAuditor, StoredPlace
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from edgar_search.web.pages.answer_card import card_of
from edgar_search.web.pages.statements import place_address
from edgar_search.web.pages.templates import day
from ingest.reading.xbrl.instance import read_instance
from ingest.reading.xbrl.places import fact_places
from tests.support.made_up_xbrl import instance

FIRM = {"AuditorName": "Heath &\n Ling, LLP", "AuditorLocation": "Moor, VT", "AuditorFirmId": "9"}
HEATH = StoredAuditor("Heath & Ling, LLP", "Moor, VT", "9")


def context(name: str, year: int, member: str = "") -> str:
    """Return a context of a year, of a subsidiary if one is named."""
    axis = '<xbrldi:explicitMember dimension="dei:LegalEntityAxis">'
    segment = f"<segment>{axis}{member}</xbrldi:explicitMember></segment>" if member else ""
    return (
        f'<context id="{name}"><entity><identifier scheme="s">1</identifier>{segment}</entity>'
        f"<period><startDate>{year}-01-01</startDate><endDate>{year}-12-31</endDate></period>"
        "</context>"
    )


def auditor(
    *more: str, about: dict[str, str] = FIRM, places: dict[str, StoredPlace] | None = None
) -> StoredAuditor | None:
    """Read the auditor of an instance for 2023, with more elements."""
    text = instance([], about).replace("</xbrl>", f"{''.join(more)}</xbrl>")
    return read_instance(text.encode(), places or {}).auditor


def named(context: str, name: str, what: str = "AuditorName", id: str = "") -> str:
    return f'<dei:{what} contextRef="{context}" id="{id}">{name}</dei:{what}>'


def test_auditor_has_its_name_location_and_number() -> None:
    assert auditor() == HEATH
    assert auditor(about={"AuditorName": "Heath LLP"}) == StoredAuditor("Heath LLP")
    assert auditor(about={"AuditorLocation": "Moor, VT"}) is None


def test_auditor_of_the_year_before_does_not_count() -> None:
    before = (
        context("before", 2022),
        named("before", "Fern PC"),
        named("before", "Fen", "AuditorLocation"),
    )
    assert auditor(*before) == HEATH
    after = context("after", 2024), named("after", "Fern PC")
    assert auditor(*after) == StoredAuditor("Fern PC")


def test_auditor_of_a_subsidiary_does_not_count() -> None:
    part = context("part", 2023, "moss:PowerMember"), named("part", "Fern PC")
    assert auditor(*part) == HEATH
    assert auditor(*part, about={}) is None


def test_of_two_auditors_of_a_year_there_is_none() -> None:
    assert auditor(named("about", "Fern PC")) is None
    assert auditor(named("about", "HEATH AND LING L.L.P.")) == HEATH
    places = named("about", "Elsewhere", "AuditorLocation"), named("about", "10", "AuditorFirmId")
    assert auditor(*places) == StoredAuditor(HEATH.name)


def test_name_without_words_or_context_is_no_auditor() -> None:
    assert auditor(about={"AuditorName": "LLP"}) is None
    assert auditor(named("nowhere", "Fern PC"), about={}) is None


def test_auditor_is_where_the_text_shows_its_name() -> None:
    html = (
        '<html><body><ix:nonNumeric name="dei:AuditorLocation" id="town">Moor, VT</ix:nonNumeric>'
        "<p>Revenue <ix:nonFraction id='a'>1</ix:nonFraction>. Signed by <ix:nonNumeric"
        ' contextRef="c" name="dei:AuditorName" id="firm"><b>Heath &amp;</b> Ling, LLP'
        "</ix:nonNumeric>.</p></body></html>"
    )
    text = text_of(DocumentKind.HTML, html)
    spans = fact_places(html.encode(), text)
    assert {name: text[slice(*span)] for name, span in spans.items()} == {
        "a": "1",
        "firm": "Heath & Ling, LLP",
    }
    place = StoredPlace("d", "h", *spans["firm"])
    found = auditor(named("about", "Heath &amp; Ling LLP", id="firm"), places={"firm": place})
    assert found == StoredAuditor(HEATH.name, HEATH.location, HEATH.firm_id, place)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Ernst & Young LLP", "ernst young"),
        ("ERNST\xa0AND YOUNG, L.L.P.", "ernst young"),
        ("M&K CPAS, PLLC", "m k"),
        ("WithumSmith+Brown, PC", "withumsmith brown"),
        ("Cohen & Company, Ltd.", "cohen"),
        ("Marcum LLP, Certified Public Accountants", "marcum"),
        ("Crowe U.K. LLP", "crowe uk"),
        ("Company LLP", ""),
    ],
)
def test_names_are_compared_without_case_punctuation_and_legal_form(name: str, key: str) -> None:
    assert auditor_key(name) == key


def test_short_name_is_a_firms_own_or_the_whole_ones() -> None:
    assert auditor_keys("EY") == ["ey", "ernst young"]
    assert auditor_keys("Deloitte LLP") == ["deloitte", "deloitte touche"]
    assert auditor_keys("KPMG") == ["kpmg"]


def audited(year: int, auditor: str = "", form: str = "10-K", **more: Any) -> FinancialFiling:
    """Return a report for the calendar year, unless `more` has another end or fiscal year."""
    end = date(year, 12, 31)
    named = StoredAuditor(auditor) if auditor else None
    made = FinancialFiling(
        f"0009990001-{year % 100 + 1}-000001",
        "0009990001",
        "MOSS CORP",
        form,
        date(year + 1, 2, 1),
        ["balance_sheet"],
        form.endswith("/A"),
        end,
        year,
        "FY",
        named,
    )
    return structs.replace(made, **more)


YEAR = AskedPeriod(2023, 0, 12)
JANUARY = date(2024, 1, 28)


@pytest.mark.parametrize(
    ("filings", "period", "name"),
    [
        ([audited(2023, "Fern"), audited(2022, "Heath")], None, "Fern"),
        ([audited(2023, "Fern"), audited(2022, "Heath")], AskedPeriod(2022, 0, 12), "Heath"),
        # A part of the year's report is filed again.
        ([audited(2023, "", "10-K/A"), audited(2023, "Fern")], None, "Fern"),
        ([audited(2023, "Heath", "10-K/A"), audited(2023, "Fern")], None, None),
        ([audited(2024, "", "10-Q"), audited(2023, "Fern")], None, "Fern"),
        ([audited(2023), audited(2022, "Fern")], None, None),
        ([audited(2023, "Fern", period_end=None)], None, None),
        ([], None, None),
        # By the fiscal year and by the calendar, one firm.
        (
            [audited(2023, "Fern", period_end=JANUARY), audited(2022, "Fern, LLP")],
            YEAR,
            "Fern",
        ),
        (
            [
                audited(2024, "Fern", period_end=JANUARY),
                audited(2023, "Heath", period_end=date(2023, 1, 29)),
            ],
            YEAR,
            "Heath",
        ),
        (
            [
                audited(2023, "Fern", period_end=JANUARY),
                audited(2022, "Heath", period_end=date(2023, 1, 29)),
            ],
            YEAR,
            None,
        ),
        ([audited(2023, "Fern")], AskedPeriod(months=12, day=date(2023, 12, 30)), "Fern"),
        ([audited(2023, "Fern")], AskedPeriod(months=12, day=date(2023, 6, 30)), None),
    ],
)
def test_auditor_is_certain_if_the_reports_meant_agree(
    filings: list[FinancialFiling], period: AskedPeriod | None, name: str | None
) -> None:
    found = certain_auditor(filings, period)
    assert (found and found.auditor.name) == name


def test_original_is_the_source_rather_than_its_amendment() -> None:
    again = audited(2023, "Fern", "10-K/A", filing_date=date(2024, 5, 1))
    found = certain_auditor([again, original := audited(2023, "Fern LLP")], None)
    assert found is not None
    assert found.filing == original


def test_card_of_an_auditor_links_to_the_name_in_the_text() -> None:
    place = TextPlace("0009990001-24-000001-1", "h", 5, 22)
    auditor = AuditorAnswer(
        "Fern LLP",
        "Moor, VT",
        "9",
        2023,
        date(2023, 12, 31),
        "0009990001-24-000001",
        "10-K",
        date(2024, 2, 1),
        place,
    )
    card = card_of(FactAnswer("0009990001", "MOSS CORP", auditor=auditor))
    assert (card.company, card.what) == ("MOSS CORP", "auditor")
    assert card.value == "Fern LLP, Moor, VT, PCAOB firm 9"
    assert card.when == f"fiscal year 2023, 10-K filed {day(date(2024, 2, 1))}"
    assert [link.text for link in card.links] == ["in the filed text", "the filing"]
    assert card.links[0].address == place_address(place)
