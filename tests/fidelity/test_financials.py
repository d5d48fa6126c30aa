"""Statements and facts of real filings, against other readings of the same bytes."""

import gzip
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from html import unescape
from pathlib import Path

import pytest
from msgspec import structs

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import parse_submission
from edgar_search.settings.extras import is_installed
from edgar_search.stored.financials import STANDARD_ITEMS, StoredAuditor, StoredPlace
from edgar_search.text.document_text import searchable_text, text_of
from edgar_search.text.versions import DocumentKind
from ingest.reading.financials import read_financials
from ingest.reading.xbrl.ex27 import is_schedule
from ingest.reading.xbrl.places import fact_places
from ingest.reading.xbrl.standard_items import ITEMS
from tests.fidelity import financials
from tests.fidelity.financials import Checked, every_filing
from tests.support.made_up_xbrl import ROLES, documents, instance
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.xbrl_sets import wrap

# A second calculation of this total has whole lines of the balance sheet as its parts.
OTHER_PARTS = "0001193125-15-272806 us-gaap:DeferredIncomeTaxLiabilitiesNet"


@pytest.mark.parametrize(
    ("compare", "least"),
    [
        (financials.page_amounts, 1_900),
        (financials.data_set_lines, 230),
        (financials.data_set_values, 700),
        (financials.sec_values, 770),
        (financials.balances, 44),
        (financials.flows, 68),
        (financials.closing_cash, 70),
        (financials.sums, 1_400),
        pytest.param(financials.workbooks, 5_500, marks=pytest.mark.long),
    ],
)
def test_nothing_differs(corpus: Path, compare: Callable[[Path], Checked], least: int) -> None:
    found = compare(corpus)
    assert [each for each in found.differ if not each.startswith(OTHER_PARTS)] == []
    assert found.compared >= least


@pytest.mark.parametrize("quarter", financials.QUARTERS)
def test_statements_are_those_that_the_sec_names(corpus: Path, quarter: str) -> None:
    found = financials.chosen_statements(corpus, quarter)
    assert len(found.differ) <= 0.005 * found.compared


@pytest.mark.long
def test_numbers_are_those_of_a_second_reader(corpus: Path) -> None:
    if not is_installed("edgar"):
        pytest.skip("the extra `peers` is not installed: it has edgartools")
    found = financials.second_reader(corpus)
    assert found.differ == []
    assert found.compared >= 10_000


def test_items_have_the_names_of_answers_and_are_mostly_found(corpus: Path) -> None:
    assert tuple(item.name for item in ITEMS) == STANDARD_ITEMS
    found = financials.items(corpus)
    everywhere = [name for name in STANDARD_ITEMS if found[name] == len(every_filing(corpus))]
    assert {"revenue", "net_income", "total_assets", "cash_from_operations"} <= {*everywhere}


def digits(text: str) -> str:
    """Return the digits of a number that may be scaled and have a sign; a dash is zero."""
    return text.replace(",", "").replace(".", "").strip("0-") or "0"


def test_places_of_facts_show_their_amounts(corpus: Path) -> None:
    filing = parse_submission(wrap(corpus / "xbrl", "aapl_20250329"))
    report = filing.documents[0]
    text = searchable_text(report)
    assert text is not None
    places = {
        name: StoredPlace(report.document_id, "", *span)
        for name, span in fact_places(report.body, text).items()
    }
    found = read_financials(filing, 10**9, places)
    assert found.statements is not None
    values = [(fact.value, fact.place) for fact in found.facts if not fact.sources]
    values += [
        (value.value or "", value.place)
        for statement in found.statements.statements
        for line in statement.lines
        for value in line.values
    ]
    shown = [(value, text[place.start : place.end]) for value, place in values if place]
    in_words = [
        each for each in shown if not any(map(str.isdigit, each[1])) and each[1] != "\u2014"
    ]
    differ = [each for each in shown if digits(each[0]) != digits(each[1].replace("\u2014", "-"))]
    print(len(values), len(shown), in_words)
    assert differ == in_words
    assert len(shown) >= 0.99 * len(values)


def test_auditors_of_real_instances_are_read(corpus: Path) -> None:
    sets = ("aapl_10k_2022", "aapl_10k_2023", "nflx_10k_2024", "segments_amzn", "aapl_10q_2023")
    found = {
        name: read_financials(parse_submission(wrap(corpus / "xbrl", name)), 10**9).auditor
        for name in sets
    }
    apple = StoredAuditor("Ernst & Young LLP", "San Jose, California", "42")
    seattle = structs.replace(apple, location="Seattle, Washington")
    expected = [apple, apple, apple, seattle, None]
    assert found == dict(zip(sets, expected, strict=True))


def test_auditor_of_a_real_report_is_cited_in_its_text(corpus: Path) -> None:
    body = gzip.decompress((corpus / "html" / "aapl-10-k-2024-11-01.html.gz").read_bytes())
    source = decode_bytes(body)
    firm = _INLINE_AUDITOR.search(source)
    assert firm is not None
    named = f'<dei:AuditorName contextRef="about" id="{firm[1]}">{firm[2]}</dei:AuditorName>'
    xbrl = documents(instance([]).replace("</xbrl>", f"{named}</xbrl>"), ROLES)
    report = MadeUpDocument(source, "10-K", "report.htm")
    entity = MadeUpEntity("0000320193", "APPLE INC", fiscal_year_end="0925")
    made = MadeUp("0000320193-24-000123", (entity,), (report, *xbrl), "10-K", date(2024, 11, 1))
    filing = parse_submission(txt(made))
    text = searchable_text(filing.documents[0])
    assert text is not None
    places = {
        name: StoredPlace(filing.documents[0].document_id, "", *span)
        for name, span in fact_places(filing.documents[0].body, text).items()
    }
    auditor = read_financials(filing, 10**9, places).auditor
    assert auditor is not None
    assert auditor.place is not None
    assert text[auditor.place.start : auditor.place.end] == auditor.name == "Ernst & Young LLP"


@pytest.mark.long
def test_auditors_are_at_their_places_in_all_inline_documents(corpus: Path) -> None:
    outcomes: Counter[str] = Counter()
    for path in sorted((corpus / "html").glob("*.gz")):
        body = gzip.decompress(path.read_bytes())
        source = decode_bytes(body)
        text = text_of(DocumentKind.HTML, source) if b"dei:AuditorName" in body else ""
        places = fact_places(body, text) if text else {}
        for match in _INLINE_AUDITOR.finditer(source):
            filed = "".join(unescape(re.sub("<[^>]*>", "", match[2])).split())
            span = places.get(match[1])
            got = "" if span is None else "".join(text[slice(*span)].split())
            outcomes["right" if got == filed else "other"] += 1
    print(outcomes)
    assert outcomes["other"] == 0
    assert outcomes["right"] >= 25


@pytest.mark.long
def test_places_of_numbers_are_certain_in_all_inline_documents(corpus: Path) -> None:
    outcomes: Counter[str] = Counter()
    for path in sorted((corpus / "html").glob("*.gz")):
        body = gzip.decompress(path.read_bytes())
        if b"<ix:nonFraction" not in body:
            continue
        text, source = text_of(DocumentKind.HTML, decode_bytes(body)), decode_bytes(body)
        places = fact_places(body, text)
        for match in _INLINE_NUMBER.finditer(_INLINE_HEADER.sub("", source)):
            filed = "".join(unescape(re.sub("<[^>]*>", "", match[2])).split())
            span = places.get(match[1])
            got = "" if span is None else "".join(text[slice(*span)].split())
            outcomes["right" if got == filed else "other"] += 1
    print(outcomes)
    assert outcomes["right"] >= 50_000
    assert outcomes["other"] == 0


_INLINE_AUDITOR = re.compile(
    r'<ix:nonNumeric\b(?=[^>]*name="dei:AuditorName")[^>]*\bid="([^"]*)"[^>]*>(.*?)</ix:nonNumeric>',
    re.DOTALL,
)
_INLINE_HEADER = re.compile("<ix:header>.*?</ix:header>", re.DOTALL)
_INLINE_NUMBER = re.compile(
    r'<ix:nonFraction\b[^<>]*?\bid="([^"]*)"[^<>]*(?<!/)>((?:(?!ix:nonFraction).)*)</ix:nonFraction>',
    re.DOTALL,
)


def test_schedules_before_xbrl_balance(corpus: Path) -> None:
    outcomes: Counter[str] = Counter()
    for path in sorted((corpus / "filings").glob("*.txt.gz")):
        data = gzip.decompress(path.read_bytes())
        if b"<TYPE>EX-27" not in data:
            continue
        filing = parse_submission(data)
        rows = read_financials(filing, 10**9).facts
        values = {(row.local_name, row.end): row.value for row in rows}
        days = {end for name, end in values if name == "TOTAL-ASSETS"}
        for day in days:
            other = values.get(("TOTAL-LIABILITY-AND-EQUITY", day))
            outcomes["balance" if values["TOTAL-ASSETS", day] == other else "differ"] += 1
        outcomes["schedules"] += sum(
            is_schedule(document.form_type) for document in filing.documents
        )
    print(outcomes)
    assert outcomes["differ"] == 0
    assert outcomes["schedules"] >= 35
