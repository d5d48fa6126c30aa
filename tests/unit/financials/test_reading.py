"""Statements and facts of submissions whose XBRL is unusual, damaged or hostile."""

import binascii
import io
import zipfile
from datetime import date

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.financials import StoredFact
from ingest.reading.financials import Financials, read_financials
from ingest.reading.xbrl.instance import json_number, read_instance
from ingest.reading.xbrl.linkbases import read_taxonomy
from ingest.reading.xbrl.schedule_scale import DOUBT
from ingest.reading.xbrl.statements import RoleConcepts, choose_statements
from ingest.reading.xbrl.xml_stream import MAX_DEPTH, XbrlError, join_lines
from tests.support.made_up_xbrl import (
    BALANCE_SHEET,
    ROLES,
    MadeUpFact,
    MadeUpLine,
    MadeUpRole,
    documents,
    instance,
    presentation,
    report,
    report_facts,
)
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

NUMBER, CIK, DAY = "0009990080-24-000001", "0009990080", date(2024, 2, 1)
NAMED = {"DocumentFiscalYearFocus": "2022", "DocumentFiscalPeriodFocus": "Q3"}
YEAR_END, YEAR_START = date(2023, 12, 31), date(2023, 1, 1)


def read(data: bytes) -> Financials:
    return read_financials(parse_submission(data), 10_000_000)


def read_report(facts: list[MadeUpFact], **more: dict[str, str]) -> Financials:
    (data,) = report(NUMBER, CIK, facts, DAY, **more).values()  # type: ignore[arg-type]
    return read(data)


def uuencoded(name: str, data: bytes) -> str:
    lines = [binascii.b2a_uu(data[at : at + 45]).decode() for at in range(0, len(data), 45)]
    return f"begin 644 {name}\n{''.join(lines)}`\nend\n"


def test_lines_that_edgar_broke_are_joined() -> None:
    whole = b"a" * 1_023 + b"b" * 1_023 + b"c\n" + b"d" * 500 + b"\n"
    broken = b"a" * 1_023 + b"\n" + b"b" * 1_023 + b"\r\n" + b"c\n" + b"d" * 500 + b"\n"
    assert join_lines(broken) == whole


def test_zip_is_read_if_the_instance_is_damaged() -> None:
    xbrl = documents(instance(report_facts(2023), cik=CIK), ROLES)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for each in xbrl:
            body = each.body.removeprefix("<XBRL>\n").removesuffix("\n</XBRL>\n")
            archive.writestr(each.file_name, body)
    damaged = MadeUpDocument("<XBRL>\n<xbrl><a>\n</XBRL>\n", "EX-101.INS", "moss.xml")
    name = f"{NUMBER}-xbrl.zip"
    second = MadeUpDocument(uuencoded(name, packed.getvalue()), "ZIP", name)
    entity = MadeUpEntity(CIK, "MOSS QUARRIES CORP")
    made = MadeUp(NUMBER, (entity,), (damaged, *xbrl[1:], second), "10-K", DAY)

    found = read(txt(made))

    assert found.problem is None
    assert found.statements is not None
    assert found.statements.kinds == ["balance_sheet", "income_statement", "cash_flow"]


def test_damaged_instance_and_zip_are_both_named() -> None:
    damaged = MadeUpDocument("<XBRL>\n<xbrl><a>\n</XBRL>\n", "EX-101.INS", "moss.xml")
    second = MadeUpDocument(uuencoded("x", b"no zip"), "ZIP", f"{NUMBER}-xbrl.zip")
    entity = MadeUpEntity(CIK, "MOSS QUARRIES CORP")
    found = read(txt(MadeUp(NUMBER, (entity,), (damaged, second), "10-K", DAY)))
    assert found.problem is not None
    assert found.problem.startswith("financials: not well-formed")
    assert found.problem.endswith(f"; nor is {NUMBER}-xbrl.zip readable")


@pytest.mark.parametrize(
    "xml",
    [
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
        '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>',
        "<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1),
        "<a><b></a>",
        "<a>&undefined;</a>",
        "",
        "no xml",
        "<xbrl/>",
        "<a/>".encode("utf-16").decode("latin-1"),
    ],
)
def test_hostile_and_broken_xml_is_refused(xml: str) -> None:
    with pytest.raises(XbrlError):
        read_instance(xml.encode("latin-1"))


def test_name_that_no_index_takes_is_named_and_the_filing_has_no_facts() -> None:
    (data,) = report(NUMBER, CIK, report_facts(2023), DAY).values()
    assert data.count(b"iso4217:USD") > 0
    found = read(data.replace(b"iso4217:USD", b"iso4217:" + b"U" * 40_000))
    expected = f"financials: a name of more than 1,000 characters: {'U' * 40!r}"
    assert (found.facts, found.problem) == ([], expected)


def test_more_bytes_than_allowed_are_refused() -> None:
    (data,) = report(NUMBER, CIK, report_facts(2023), DAY).values()
    found = read_financials(parse_submission(data), 1_000)
    assert found.problem is not None
    assert found.problem.endswith("bytes of XBRL, more than 1,000")


def test_circle_of_arcs_ends() -> None:
    role = MadeUpRole("a", "moss:A", (MadeUpLine("moss:B", "B"), MadeUpLine("moss:A", "A")))
    circle = presentation([role]).replace('xlink:to="moss:B"', 'xlink:to="moss:A"')
    assert sum(len(each.nodes) for each in read_taxonomy([circle.encode()]).roles) < 100


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("007", "7"),
        ("+1.50", "1.50"),
        ("-.5", "-0.5"),
        ("-0.00", "0.00"),
        ("5.", "5"),
        ("1e3", "1E3"),
        ("999999999999999999.123456789012", "999999999999999999.123456789012"),
        ("1,000", None),
        ("", None),
        (".", None),
        ("NaN", None),
        ("٣", None),
        ("1" * 101, None),
        ("1E100", None),
    ],
)
def test_number_is_written_as_json_with_its_digits(text: str, number: str | None) -> None:
    assert json_number(text) == number


PRODUCTS = '<xbrldi:explicitMember dimension="us-gaap:Axis">us-gaap:AMember</xbrldi:explicitMember>'


@pytest.mark.parametrize(
    ("part", "dimension"),
    [
        (f"<segment>{PRODUCTS}</segment>", ("us-gaap:Axis", "us-gaap:AMember")),
        # Before there were dimensions an element was one, in a segment or a scenario.
        ("<segment><moss:Division>North</moss:Division></segment>", ("moss:Division", "North")),
        ("<scenario><moss:ProForma/></scenario>", ("moss:ProForma", "")),
        (
            '<segment><xbrldi:typedMember dimension="moss:Axis"><moss:Name> A  B </moss:Name>'
            "</xbrldi:typedMember></segment>",
            ("moss:Axis", "A B"),
        ),
        ("<segment></segment>", None),
    ],
)
def test_amount_of_a_part_is_not_that_of_the_company(
    part: str, dimension: tuple[str, str] | None
) -> None:
    text = instance([MadeUpFact("us-gaap:Assets", "5", YEAR_END)])
    end = "</context>" if part.startswith("<scenario>") else "</entity>"
    text = text.replace(end, part + end, 1)
    (fact,) = read_instance(text.encode()).facts
    assert fact.context.dimensions == (() if dimension is None else (dimension,))


@pytest.mark.parametrize(
    ("namespace", "concept"),
    [
        ("http://xbrl.ifrs.org/taxonomy/2019-03-27/ifrs-full", "ifrs-full:Assets"),
        ("https://xbrl.ifrs.org/taxonomy/2024-03-27/ifrs-full", "ifrs-full:Assets"),
        ("http://fasb.org/us-gaap/2024", "us-gaap:Assets"),
        ("http://xbrl.us/us-gaap/2009-01-31", "us-gaap:Assets"),
        ("http://moss.example/2024", "any:Assets"),
    ],
)
def test_standard_taxonomies_have_their_usual_prefix(namespace: str, concept: str) -> None:
    text = instance([MadeUpFact("any:Assets", "5", YEAR_END)])
    text = text.replace("<xbrl ", f'<xbrl xmlns:any="{namespace}" ')
    assert [fact.concept for fact in read_instance(text.encode()).facts] == [concept]


def test_the_most_precise_of_equal_facts_stays() -> None:
    facts = [
        MadeUpFact("us-gaap:Assets", "1200", YEAR_END, decimals="-2"),
        MadeUpFact("us-gaap:Assets", "1234", YEAR_END, decimals="0"),
        MadeUpFact("us-gaap:Assets", None, YEAR_END),
        MadeUpFact("us-gaap:Assets", "1000", YEAR_END, decimals="-3"),
    ]
    assert [fact.value for fact in read_report(facts).facts if fact.taxonomy == "us-gaap"] == [
        "1234"
    ]


def test_facts_without_context_unit_or_number_are_left_out() -> None:
    text = instance([*report_facts(2023), MadeUpFact("us-gaap:Goodwill", "many", YEAR_END)])
    lost = (
        '<us-gaap:A contextRef="none" unitRef="USD">1</us-gaap:A>'
        '<us-gaap:A contextRef="c0" unitRef="none">1</us-gaap:A></xbrl>'
    )
    found = read_instance(text.replace("</xbrl>", lost).encode())
    assert len(found.facts) == len(report_facts(2023))


def test_nil_is_a_line_without_a_value_and_no_fact() -> None:
    facts = report_facts(2023)
    facts[0] = facts[0]._replace(value=None)
    found = read_report(facts)
    assert found.statements is not None
    cash = found.statements.statements[0].lines[1]
    assert [(value.end, value.value) for value in cash.values][0] == (YEAR_END, None)
    assert all(
        fact.end != YEAR_END
        for fact in found.facts
        if "CashAndCash" in fact.local_name and fact.start is None
    )


def test_facts_of_two_instances_are_one_set() -> None:
    first = documents(instance(report_facts(2023), cik=CIK), ROLES)
    fee = MadeUpFact("moss:Fee", "12", YEAR_END)
    second = MadeUpDocument(
        f"<XBRL>\n{instance([fee, *report_facts(2023)[:3]], cik=CIK)}\n</XBRL>\n",
        "XML",
        "fees_htm.xml",
    )
    made = MadeUp(NUMBER, (MadeUpEntity(CIK, "MOSS"),), (*first, second), "10-K", DAY)
    facts = [fact for fact in read(txt(made)).facts if fact.taxonomy != "standard"]
    assert len(facts) == len(report_facts(2023)) + 1


def test_line_of_one_member_only_has_dimensions_and_others_are_breakdowns() -> None:
    axis, north, south = "moss:AreaAxis", "moss:NorthMember", "moss:SouthMember"
    tree = MadeUpRole(
        BALANCE_SHEET.definition,
        BALANCE_SHEET.heading,
        (
            *(MadeUpLine(name, name) for name in (axis, north, south)),
            *BALANCE_SHEET.lines,
            MadeUpLine("us-gaap:Goodwill", "Goodwill"),
        ),
    )
    facts = [
        *report_facts(2023),
        MadeUpFact("us-gaap:Goodwill", "5", YEAR_END, members=((axis, north),)),
        MadeUpFact("us-gaap:Assets", "60", YEAR_END, members=((axis, north),)),
        MadeUpFact("us-gaap:Assets", "40", YEAR_END, members=((axis, south),)),
        MadeUpFact("us-gaap:Assets", "9", YEAR_END, members=((axis, "moss:OtherMember"),)),
    ]
    xbrl = documents(instance(facts, cik=CIK), (tree, *ROLES[1:]))
    made = MadeUp(NUMBER, (MadeUpEntity(CIK, "MOSS"),), xbrl, "10-K", DAY)
    found = read(txt(made)).statements
    assert found is not None
    sheet = found.statements[0]
    assert [(line.label, line.dimensions[0].member) for line in sheet.lines if line.dimensions] == [
        ("Goodwill", north)
    ]
    assert [(breakdown.label, breakdown.values[0].value) for breakdown in sheet.breakdowns] == [
        ("Total assets", "60"),
        ("Total assets", "40"),
    ]


def test_columns_are_the_periods_of_most_lines() -> None:
    quarter = {"end": date(2023, 3, 31), "start": YEAR_START}
    facts = [
        *report_facts(2023),
        MadeUpFact("us-gaap:Revenues", "12", quarter["end"], quarter["start"]),
    ]
    found = read_report(facts).statements
    assert found is not None
    income = found.statements[1]
    assert [(p.start, p.end) for p in income.periods] == [
        (YEAR_START, YEAR_END),
        (date(2022, 1, 1), date(2022, 12, 31)),
    ]
    assert len(income.lines[1].values) == 3


def test_statement_is_chosen_by_its_concepts_and_of_two_the_fuller() -> None:
    sheet = frozenset({"Assets", "LiabilitiesAndStockholdersEquity", "Liabilities"})
    roles = [
        RoleConcepts("001 - Disclosure - Balance sheet of the parent", frozenset({"Assets"})),
        RoleConcepts("002 - Statement - BALANCE SHEET (Parenthetical)", sheet | {"Goodwill"}),
        RoleConcepts("003 - Statement - Something else", sheet),
        RoleConcepts("004 - Disclosure - BALANCE SHEET", sheet),
        RoleConcepts("005 - Statement - INCOME TAXES", frozenset({"IncomeTaxExpenseBenefit"})),
    ]
    assert choose_statements(roles) == {"balance_sheet": 2}


@pytest.mark.parametrize(
    ("about", "year_end", "expected"),
    [
        (NAMED, "1231", (2022, "Q3")),
        ({}, "1231", (2023, "FY")),
        ({"DocumentPeriodEndDate": "2023-09-30"}, "1231", (2023, "Q3")),
        ({"DocumentPeriodEndDate": "1999-01-03"}, "0103", (1998, "FY")),
        ({"DocumentPeriodEndDate": "1999-04-04"}, "0103", (1999, "Q1")),
        ({"DocumentPeriodEndDate": "1999-01-07"}, "1231", (1998, "FY")),
        ({"DocumentPeriodEndDate": "1999-01-31"}, "0131", (1999, "FY")),
        ({"DocumentPeriodEndDate": "2023-04-22"}, "1231", (2023, "Q1")),
        ({"DocumentPeriodEndDate": "2023-03-25"}, "1230", (2023, "Q1")),
        ({"DocumentPeriodEndDate": "2023-09-09"}, "1230", (2023, "Q3")),
        ({"DocumentPeriodEndDate": "2023-12-30"}, "0928", (2024, "Q1")),
        ({"DocumentPeriodEndDate": "2023-12-31"}, "", (None, None)),
    ],
)
def test_fiscal_period_is_as_named_else_by_the_end_of_the_fiscal_year(
    about: dict[str, str], year_end: str, expected: tuple[int | None, str | None]
) -> None:
    xbrl = documents(instance(report_facts(2023), about, cik=CIK), ROLES)
    entity = MadeUpEntity(CIK, "MOSS", fiscal_year_end=year_end)
    made = MadeUp(NUMBER, (entity,), xbrl, "10-K", DAY, YEAR_END)
    found = read(txt(made)).statements
    assert found is not None
    assert (found.fiscal_year, found.fiscal_period) == expected


SCHEDULE = (
    "<ARTICLE> 5\n{}<PERIOD-TYPE> YEAR\n<PERIOD-END> {}\n<CASH> {}\n<TOTAL-ASSETS> {}\n"
    "<NET-INCOME> {}\n<EPS-PRIMARY> 2.27\n"
)


def schedule_facts(schedule: str, *reports: str) -> dict[str, StoredFact]:
    """The facts of a filing with these reports and this schedule, without those of periods."""
    made = MadeUp(
        NUMBER,
        (MadeUpEntity(CIK, "MOSS"),),
        (
            *(MadeUpDocument(report, "10-K", "a.txt") for report in reports),
            MadeUpDocument(schedule, "EX-27", "ex27.txt"),
        ),
        "10-K",
        date(1999, 11, 1),
    )
    return {fact.concept: fact for fact in read(txt(made)).facts}


@pytest.mark.parametrize(
    ("end", "cash", "assets"),
    [
        ("JAN-03-1999 <F1>", "1,927", "26,211"),
        ("<F1>  JAN-03-1999", "1,927<F1>", "26,211 <F2>,<F3>"),
        ("JAN-03-1999<F1>", "1,927 (a)", "26,211 (1)"),
        ("Jan-03-99", "1,927*", "$26,211"),
        ("JANUARY-3-1999", "1,927", "26,211"),
        ("JAN 3, 1999", "1,927", "26,211"),
    ],
)
def test_footnotes_and_other_ways_to_write_a_day_leave_a_schedule_whole(
    end: str, cash: str, assets: str
) -> None:
    found = schedule_facts(SCHEDULE.format("<MULTIPLIER> 1,000 <F1>\n", end, cash, assets, "(5)"))
    assert {name: (fact.end, fact.value, fact.doubt) for name, fact in found.items()} == {
        "ex-27:CASH": (date(1999, 1, 3), "1927000", None),
        "ex-27:TOTAL-ASSETS": (date(1999, 1, 3), "26211000", None),
        "ex-27:NET-INCOME": (date(1999, 1, 3), "-5000", None),
        "ex-27:EPS-PRIMARY": (date(1999, 1, 3), "2.27", None),
        "standard:cash": (date(1999, 1, 3), "1927000", None),
        "standard:total_assets": (date(1999, 1, 3), "26211000", None),
        "standard:net_income": (date(1999, 1, 3), "-5000", None),
        "standard:eps_basic": (date(1999, 1, 3), "2.27", None),
    }


ROWS = "<TABLE>\nCash      $ 1,927\nTotal assets    26,211\n</TABLE>\n"
IN_DOLLARS = "Cash  1,927,000\nTotal assets  26,211,000\n"


@pytest.mark.parametrize(
    ("filed", "reports", "assets"),
    [
        (("1,927", "26,211"), [f"(Dollars in millions)\n{ROWS}"], "26211000000"),
        (("1,927", "26,211"), [f"(in thousands, except per share)\n{ROWS}"], "26211000"),
        (("1,927", "26,211"), [f"(000's omitted)\n{ROWS}"], "26211000"),
        (("1,927", "26,211"), ["The cover.", f"Thousands of dollars\n{ROWS}"], "26211000"),
        (("1,927", "26,211"), [ROWS], "26211"),
        (("1,927,000", "26,211,000"), [f"(In thousands)\n{ROWS}"], "26211000"),
        (("1,927,000", "26,211,000"), [f"5 in millions.\n{'x ' * 5_000}{IN_DOLLARS}"], "26211000"),
    ],
)
def test_schedule_without_a_multiplier_has_the_scale_of_the_statements(
    filed: tuple[str, str], reports: list[str], assets: str
) -> None:
    found = schedule_facts(SCHEDULE.format("", "JAN-03-1999", *filed, "5"), *reports)
    fact = found["ex-27:TOTAL-ASSETS"]
    assert (fact.value, fact.doubt) == (assets, None)
    assert (found["standard:total_assets"].value, found["ex-27:EPS-PRIMARY"].value) == (
        assets,
        "2.27",
    )


def test_schedule_has_the_scale_of_its_own_words() -> None:
    legend = "<LEGEND>\nTHE AMOUNTS ARE IN THOUSANDS\n</LEGEND>\n"
    found = schedule_facts(SCHEDULE.format(legend, "JAN-03-1999", "1,927", "26,211", "5"))
    assert (found["ex-27:CASH"].value, found["ex-27:CASH"].doubt) == ("1927000", None)


@pytest.mark.parametrize(
    ("report", "doubt"),
    [
        (
            f"(in millions)\n{ROWS}",
            "the schedule multiplies its amounts by 1,000, and the filing's words by 1,000,000",
        ),
        (f"(in thousands)\n{ROWS}", None),
        ("(in millions)\nTotal assets  99,999\n", None),
    ],
)
def test_multiplier_that_the_words_contradict_is_doubtful(report: str, doubt: str | None) -> None:
    schedule = SCHEDULE.format("<MULTIPLIER> 1,000\n", "JAN-03-1999", "1,927", "26,211", "5")
    fact = schedule_facts(schedule, report)["ex-27:TOTAL-ASSETS"]
    assert (fact.value, fact.doubt) == ("26211000", doubt)


@pytest.mark.parametrize(
    "reports",
    [
        [],
        ["(in millions)\nTotal assets  99,999\n"],
        [f"(in millions)\n{ROWS}(in thousands)\n{ROWS}"],
        [f"(in millions)\n{'x ' * 5_000}{ROWS}"],
        ["(in millions)\nCash  1,927\n", "(in thousands)\nTotal assets  26,211\n"],
    ],
)
def test_schedule_whose_scale_nothing_shows_is_doubtful(reports: list[str]) -> None:
    found = schedule_facts(SCHEDULE.format("", "JAN-03-1999", "1,927", "26,211", "5"), *reports)
    assert (found["ex-27:TOTAL-ASSETS"].value, found["ex-27:TOTAL-ASSETS"].doubt) == (
        "26211",
        DOUBT,
    )
    assert found["standard:total_assets"].doubt == DOUBT
    assert found["ex-27:EPS-PRIMARY"].doubt is None


def test_schedule_gives_multiplied_amounts_with_their_periods() -> None:
    schedule = (
        "<ARTICLE> 5\n<MULTIPLIER> 1,000\n<PERIOD-TYPE> 3-MOS  9-MOS\n"
        "<PERIOD-END> SEP-30-1999  SEP-30-1999\n<CASH> 1,230  1,230\n<NET-INCOME> (4)  12.5\n"
        "<EPS-PRIMARY> ($.10)  .31\n<TOTAL-ASSETS> unknown\n"
    )
    document = MadeUpDocument(schedule, "EX-27", "ex27.txt")
    made = MadeUp(NUMBER, (MadeUpEntity(CIK, "MOSS"),), (document,), "10-Q", date(1999, 11, 1))
    found = read(txt(made))
    rows = [fact for fact in found.facts if fact.taxonomy == "ex-27"]
    assert [(f.concept, f.start, f.value, f.unit, f.decimals) for f in rows] == [
        ("ex-27:CASH", None, "1230000", "USD", -3),
        ("ex-27:NET-INCOME", date(1999, 7, 1), "-4000", "USD", -3),
        ("ex-27:NET-INCOME", date(1999, 1, 1), "12500", "USD", -2),
        ("ex-27:EPS-PRIMARY", date(1999, 7, 1), "-0.10", "USD/shares", 2),
        ("ex-27:EPS-PRIMARY", date(1999, 1, 1), "0.31", "USD/shares", 2),
    ]
    assert found.statements is None
