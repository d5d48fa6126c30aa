"""Questions for one fact of a company: what they ask for, and which are not understood."""

import time
from datetime import date

import pytest

from edgar_search.api.asked_facts import (
    LONGEST_QUESTION,
    AskedAuditor,
    AskedFact,
    AskedNumber,
    AskedOwners,
    AskedTrades,
    read_asked,
)
from edgar_search.search.reading.names import Names
from edgar_search.search.reading.periods import YearEnd
from edgar_search.search.reading.question import Question, read_with_forms
from edgar_search.search.reading.stated_periods import AskedPeriod

CIK = "0009990001"
NAMES = Names({"moss": (CIK,), "slate": ("0009990002",), "lichen": (CIK, "0009990003")})
DECEMBER, JUNE = YearEnd(12, 31), YearEnd(6, 30)
YEAR, Q2 = AskedPeriod(2024, 0, 12), AskedPeriod(2024, 2, 3)


def asked(text: str, year_end: YearEnd | None = DECEMBER) -> AskedFact | None:
    _, reading = read_with_forms(Question(text), NAMES)
    return read_asked(reading, year_end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("moss revenue 2024", AskedNumber("revenue", 1, YEAR)),
        ("What was the net income of Moss in Q2 2024?", AskedNumber("net_income", 1, Q2)),
        ("moss 2024 Q2 net sales", AskedNumber("revenue", 1, Q2)),
        ("Moss, Inc. 2024 second quarter net sales", AskedNumber("revenue", 1, Q2)),
        ("how much revenue did Moss report for 2024", AskedNumber("revenue", 1, YEAR)),
        ("moss net loss 2024", AskedNumber("net_income", -1, YEAR)),
        ("moss EPS 2024", AskedNumber("eps_diluted", 1, YEAR)),
        ("moss total assets at the end of 2024", AskedNumber("total_assets", 1, YEAR)),
        (
            "total assets of Moss at December 31, 2024",
            AskedNumber("total_assets", 1, AskedPeriod(day=date(2024, 12, 31))),
        ),
        ("revenue of Moss's energy segment in Q2 2024", AskedNumber("revenue", 1, Q2, ("energy",))),
        ("moss north america revenue 2024", AskedNumber("revenue", 1, YEAR, ("north", "america"))),
        (
            "insider buying at Moss in March 2010",
            AskedTrades("bought", date(2010, 3, 1), date(2010, 3, 31)),
        ),
        ("moss insider sales Q4 2024", AskedTrades("sold", date(2024, 10, 1), date(2024, 12, 31))),
        (
            "were there insider trades at moss during 2024-02?",
            AskedTrades("", date(2024, 2, 1), date(2024, 2, 29)),
        ),
        (
            "insider sales at moss in 2024",
            AskedTrades("sold", date(2024, 1, 1), date(2024, 12, 31)),
        ),
        ("who owns more than 5 % of Moss?", AskedOwners()),
        ("who holds over five percent of the shares of moss", AskedOwners()),
        ("moss 5% shareholders", AskedOwners()),
        ("who audits moss", AskedAuditor()),
        ("Which firm audits Moss?", AskedAuditor()),
        ("moss auditor", AskedAuditor()),
        ("who is the auditor of Moss, Inc. 2024", AskedAuditor(YEAR)),
        ("who audited Moss in fiscal 2024", AskedAuditor(YEAR._replace(fiscal=True))),
        (
            "Moss's independent auditor for the year ended December 31, 2024",
            AskedAuditor(AskedPeriod(months=12, day=date(2024, 12, 31))),
        ),
    ],
)
def test_questions_for_a_fact(text: str, expected: AskedFact) -> None:
    assert asked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "moss revenue",
        "moss revenue growth rate 2024 estimate",
        "moss revenue 2023 and 2024",
        "moss revenue and net income 2024",
        "moss and slate revenue 2024",
        "lichen revenue 2024",
        "zebra revenue 2024",
        "moss gross margin 2024",
        "moss total debt 2024",
        "moss cash 2024",
        "moss earnings 2024",
        "moss net income excluding charges 2024",
        "moss total assets of the north 2024",
        "moss revenue 2024 quarter",
        "moss revenue 2024 10-q",
        "moss revenue by segment 2024",
        "moss (revenue 2024",
        "insider buying at moss",
        "insider buying and selling at moss in March 2010",
        "directors buying at moss in March 2010",
        "insider trading policy of moss 2024",
        "who owns moss",
        "who owns more than 10 % of moss",
        "who owned more than 5 % of moss in 2024",
        "moss owns more than 5 % of which company",
        "who does moss own 5 % of",
        "what is 5 % of moss revenue 2024",
        "who does moss audit",
        "who audits moss and slate",
        "which company audits moss",
        "moss auditor fees",
        "former auditor of moss",
        "internal auditor of moss",
        "why did moss change its auditor in 2024",
        "auditor of moss 2023 and 2024",
        "auditor of moss in Q2 2024",
        "auditor of moss on December 31, 2024",
        "auditor of moss's parent",
        "moss auditor report opinion 2024",
        "moss co-auditor",
        '"moss revenue 2024"',
    ],
)
def test_what_is_not_understood_as_a_whole_asks_for_nothing(text: str) -> None:
    found = asked(text)
    # Words that may be a part of the company are looked up, and no member has these.
    assert found is None or (isinstance(found, AskedNumber) and found.part)


@pytest.mark.parametrize(
    "text",
    [
        "moss revenue calendar 2024",
        "moss total assets at the end of 2024",
        "insider buying at moss in Q2 2024",
        "insider buying at moss in fiscal 2024",
    ],
)
def test_periods_that_are_another_in_the_calendar_are_not_sure(text: str) -> None:
    assert asked(text) is not None
    assert asked(text, JUNE) is None


def test_a_long_question_is_not_read() -> None:
    assert asked("moss revenue 2024 " + "a " * LONGEST_QUESTION) is None
    began = time.process_time()
    asked("moss " + "revenue 5 % q1 " * 12)
    assert time.process_time() - began < 1
