"""Auditors of reports: the names that instances have, and how names are compared."""

import pytest

from edgar_search.edgar.auditors import auditor_key, auditor_keys
from edgar_search.stored.financials import StoredAuditor, StoredPlace
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
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
