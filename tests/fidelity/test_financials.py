"""Statements of real filings, against the SEC's own pages and its Financial Statement Data Sets."""

import csv
import gzip
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from lxml import etree
from pyarrow import parquet

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Submission, parse_submission
from edgar_search.financials.statements import cells, local_name, presented
from edgar_search.stored.financials import STANDARD_ITEMS, StoredPlace, StoredStatement
from edgar_search.text.document_text import searchable_text, text_of
from edgar_search.text.versions import DocumentKind
from ingest.reading.financials import Financials, read_financials
from ingest.reading.xbrl.ex27 import is_schedule
from ingest.reading.xbrl.places import fact_places
from ingest.reading.xbrl.standard_items import ITEMS
from ingest.reading.xbrl.statements import RoleConcepts, choose_statements
from tests.support.xbrl_sets import SETS, wrapped

# Submissions of 2009 to 2012 with statements in XBRL and the SEC's pages of them.
WITH_PAGES = tuple(
    f"0001193125-{rest}"
    for rest in (
        "09-153165 09-212454 09-214859 10-015598 10-016098 10-088957 10-090367 10-233883"
        " 11-110197 12-187203"
    ).split()
)
_FLOWS = ("operations", "investing", "financing")
_RATE = "EffectOfExchangeRateOnCash"
_KINDS = {"BS": "balance_sheet", "IS": "income_statement", "CF": "cash_flow"}


def submission(corpus: Path, number: str) -> Submission:
    return parse_submission(gzip.decompress((corpus / f"filings/{number}.txt.gz").read_bytes()))


@cache
def every_filing(corpus: Path) -> list[Financials]:
    """The statements and facts of all filings at hand."""
    found = [read_financials(submission(corpus, number), 10**9) for number in WITH_PAGES]
    for name in SETS:
        found.append(read_financials(parse_submission(wrapped(corpus / "xbrl", name)), 10**9))
    return found


def pages(filing: Submission) -> dict[str, etree._Element]:
    """The SEC's pages in XML, by the titles of their roles."""
    bodies = {each.file_name: each.body for each in filing.documents}
    summary = etree.fromstring(bodies["FilingSummary.xml"])
    return {
        " ".join(report.findtext("LongName", "").split()): etree.fromstring(bodies[name])
        for report in summary.iter("Report")
        if (name := report.findtext("XmlFileName", "")) in bodies
    }


def page_rows(page: etree._Element) -> Iterator[tuple[str, list[Decimal]]]:
    """The label and the amounts of each row without dimensions, as they are shown."""
    plain = {
        column.findtext("Id") for column in page.iter("Column") if not column.findall(".//Segment")
    }
    for row in page.iter("Row"):
        amounts = [
            Decimal(cell.findtext("NumericAmount") or 0)
            for cell in row.iter("Cell")
            if cell.findtext("IsNumeric") == "true"
            and cell.findtext("Id") in plain
            and cell.findtext("NonNumbericText") in ("", None)
        ]
        yield " ".join((row.findtext("Label") or "").split()), amounts


def shown_rows(statement: StoredStatement) -> Counter[tuple[str, Decimal]]:
    """Labels and amounts of a statement in its columns, with the signs that are shown."""
    return Counter(
        (line.label, amount.normalize())
        for line in (*statement.lines, *statement.breakdowns)
        for cell in cells(statement, line)
        if cell is not None and (amount := presented(line, cell)) is not None
    )


@pytest.mark.parametrize("number", WITH_PAGES[:-1])
def test_amounts_signs_and_labels_are_those_of_the_pages_of_the_sec(
    corpus: Path, number: str
) -> None:
    filing = submission(corpus, number)
    found = read_financials(filing, 10**9).statements
    assert found is not None
    by_title = pages(filing)
    for statement in found.statements:
        page = by_title[statement.long_name]
        wanted = Counter(
            (label, amount.normalize()) for label, amounts in page_rows(page) for amount in amounts
        )
        assert shown_rows(statement) - wanted == Counter()
        assert wanted - shown_rows(statement) == Counter()


Row = dict[str, str]


@cache
def presented_rows(corpus: Path, quarter: str) -> list[Row]:
    """The rows of `pre` of a quarter's data set."""
    if quarter == "2009q3":
        with zipfile.ZipFile(corpus / "xbrl/2009q3.zip") as archive:
            lines = io.TextIOWrapper(archive.open("pre.txt"), "utf-8", newline="")
            return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    table = parquet.read_table(corpus / "xbrl/fsds-2010q1/pre.parquet")
    return [{name: str(value) for name, value in row.items()} for row in table.to_pylist()]


@pytest.mark.parametrize("quarter", ["2009q3", "2010q1"])
def test_statements_are_those_that_the_sec_names(corpus: Path, quarter: str) -> None:
    reports: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in presented_rows(corpus, quarter):
        if row["inpth"] in ("0", "0.0", "False"):
            reports[row["adsh"]][int(float(row["report"]))].append(row)
    outcomes: Counter[str] = Counter()
    for parts in reports.values():
        numbered = sorted(parts.items())
        roles = [RoleConcepts("", frozenset(row["tag"] for row in rows)) for _, rows in numbered]
        chosen = choose_statements(roles)
        kinds = [rows[0]["stmt"] for _, rows in numbered]
        for short, kind in _KINDS.items():
            place = chosen.get(kind)  # type: ignore[call-overload]
            if place is None:
                outcomes["absent" if short not in kinds else "missed"] += 1
            else:
                outcomes["agrees" if kinds[place] == short else f"{kinds[place]} as {short}"] += 1
    print(quarter, len(reports), dict(outcomes))
    assert outcomes["agrees"] + outcomes["absent"] >= 0.995 * outcomes.total()


@pytest.mark.parametrize(
    ("number", "quarter"),
    [
        ("0001193125-09-153165", "2009q3"),
        ("0001193125-10-015598", "2010q1"),
        ("0001193125-10-016098", "2010q1"),
    ],
)
def test_lines_their_order_labels_and_signs_are_those_of_the_data_sets(
    corpus: Path, number: str, quarter: str
) -> None:
    found = read_financials(submission(corpus, number), 10**9).statements
    assert found is not None
    of_filing = [row for row in presented_rows(corpus, quarter) if row["adsh"] == number]
    for statement in found.statements:
        rows = [
            row
            for row in of_filing
            if _KINDS.get(row["stmt"]) == statement.kind and row["inpth"] in ("0", "0.0", "False")
        ]
        wanted = [
            (row["tag"], row["plabel"], row["negating"] in ("1", "1.0", "True"))
            for row in sorted(rows, key=lambda each: int(float(each["line"])))
        ]
        ours = [
            (local_name(line.concept), line.label, line.negated)
            for line in statement.lines
            if line.values
        ]
        assert ours == [row for row in wanted if row in ours]
        assert len(set(wanted) - set(ours)) <= 1  # One line is nil in all columns.


def test_balance_sheets_and_cash_flows_add_up(corpus: Path) -> None:
    outcomes: Counter[tuple[str, bool]] = Counter()
    for filing in every_filing(corpus):
        values: dict[str, dict[tuple[date | None, date], Decimal]] = defaultdict(dict)
        for fact in filing.facts:
            if not fact.dimensions:
                key = (fact.start, fact.end)
                name = fact.concept if fact.taxonomy == "standard" else fact.local_name
                values[name][key] = Decimal(fact.value)
        assets, claims = values["Assets"], values["LiabilitiesAndStockholdersEquity"]
        for key in assets.keys() & claims.keys():
            outcomes["balance", assets[key] == claims[key]] += 1
        flows = [values[f"standard:cash_from_{name}"] for name in _FLOWS]
        change = values["standard:change_in_cash"]
        rates = {k: v for name in values if name.startswith(_RATE) for k, v in values[name].items()}
        for key in change.keys() & set.intersection(*(set(flow) for flow in flows)):
            total = sum((flow[key] for flow in flows), Decimal())
            outcomes["flow", change[key] in (total, total + rates.get(key, 0))] += 1
    print(outcomes)
    assert {held for _, held in outcomes} == {True}


def test_items_have_the_names_of_answers_and_are_mostly_found(corpus: Path) -> None:
    assert tuple(item.name for item in ITEMS) == STANDARD_ITEMS
    found = Counter(
        name
        for filing in every_filing(corpus)
        for name in {fact.local_name for fact in filing.facts if fact.taxonomy == "standard"}
    )
    print({name: found[name] for name in STANDARD_ITEMS})
    everywhere = [name for name in STANDARD_ITEMS if found[name] == len(every_filing(corpus))]
    assert {"revenue", "net_income", "total_assets", "cash_from_operations"} <= {*everywhere}


def digits(text: str) -> str:
    """The digits of a number that may be scaled and have a sign; a dash is zero."""
    return text.replace(",", "").replace(".", "").strip("0-") or "0"


def test_places_of_facts_show_their_amounts(corpus: Path) -> None:
    filing = parse_submission(wrapped(corpus / "xbrl", "aapl_20250329"))
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
        outcomes["schedules"] += sum(is_schedule(each.form_type) for each in filing.documents)
    print(outcomes)
    assert outcomes["differ"] == 0
    assert outcomes["schedules"] >= 35
