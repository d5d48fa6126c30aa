"""Questions as people write them: the query that they are read as, and what is recognised."""

from datetime import date, timedelta

import pytest

from edgar_search.search.language import ALL, QueryError, Word, add_word_forms, leaves, query_text
from edgar_search.search.language.dialects import guess
from edgar_search.search.reading.names import (
    Names,
    holders,
    is_person,
    name_candidates,
    person_candidates,
    ticker_of,
)
from edgar_search.search.reading.periods import YearEnd, find_periods
from edgar_search.search.reading.question import (
    Boosts,
    CompanyName,
    Period,
    Person,
    read_question,
)

NAMES = Names(
    {"3m": ("0000066740",), "procter gamble": ("0000080424",), "apple": ("0000320193",)},
    {"0000320193": YearEnd(9, 28)},
)


@pytest.mark.parametrize(
    ("query", "read", "recognised"),
    [
        ("goodwill impairment", "goodwill AND impairment", []),
        (
            "What is the FY2018 capital expenditure of 3M? Please answer in USD millions.",
            "capital AND expenditure",
            ["FY2018", "3M", "What is the of Please answer in USD millions."],
        ),
        ("show me lease liabilities", "lease AND liabilities", ["show me"]),
        ("lease terms show growth", "lease AND terms AND show AND growth", []),
        ('"what is" revenue growth', '"what is" AND revenue AND growth', []),
        ("what is the", "what AND is AND the", []),
        ("(the OR a) lease", "(the OR a) AND lease", []),
        ("Goodwill of Units NOT the", "goodwill AND units NOT the", ["of"]),
        ("Apple revenue growth", "revenue AND growth", ["Apple"]),
        # With one other word nearly everything would match.
        ("Apple revenue", "revenue AND Apple", ["Apple"]),
        (
            "Procter & Gamble's dividend policy in its 10-K",
            "dividend AND policy",
            ["Procter & Gamble's", "10-K", "in its"],
        ),
        ("proxy statement 2019 say on pay", "say AND pay", ["proxy statement", "2019", "on"]),
        ("annual report", "annual AND report", ["annual report"]),
        ("FY2018", "FY2018", ["FY2018"]),
        ("Tim D. Cook", "tim AND cook", ["Tim D. Cook"]),
        ("tim cook", "tim AND cook", ["tim cook"]),
        (
            "$1.2 billion goodwill",
            '("1.2 billion" OR "1,200 million" OR "1200 million" OR 1,200,000,000) AND goodwill',
            ["$1.2 billion"],
        ),
        ("365 * (", "365", ["365 * ("]),
        ('revenue "net sales" AND', 'revenue AND "net sales"', ['revenue "net sales" AND']),
        # An exclusion stays one, whatever else is wrong.
        ("-goodwill (impairment", "impairment NOT goodwill", ["-goodwill (impairment"]),
        (
            '"going concern" -"substantial doubt"',
            '"going concern" NOT "substantial doubt"',
            ["all"],
        ),
        ("apple !settlement", "apple NOT settlement", ["apple", "all"]),
        ("fraud % settlement", "fraud NOT settlement", ["all"]),
    ],
)
def test_question_is_read_as_a_query(query: str, read: str, recognised: list[str]) -> None:
    reading = read_question(query, NAMES)
    wanted = [query if each == "all" else each for each in recognised]
    assert (query_text(reading.node), [each.text for each in reading.recognised]) == (read, wanted)


def test_names_are_operands_of_a_search_whose_operands_may_be_absent() -> None:
    query = "What did Apple say on revenue growth under Tim Cook in FY2018?"
    assert query_text(read_question(query, NAMES).node) == "say AND revenue AND growth"
    asked = read_question(query, NAMES, asks_names=True)
    assert query_text(asked.node) == "say AND revenue AND growth AND Apple AND tim AND cook"
    assert asked.boosts == read_question(query, NAMES).boosts


def test_question_without_words_is_refused_as_it_is_written() -> None:
    with pytest.raises(QueryError, match="never closed at character 1"):
        read_question("(")


def test_recognised_parts_have_their_place() -> None:
    query = "was 3M's revenue growth in FY2018?"
    parts = [each for each in read_question(query, NAMES).recognised if each.kind != "left_out"]
    assert [(part.kind, query[part.start : part.end]) for part in parts] == [
        ("company", "3M's"),
        ("period", "FY2018"),
    ]


def test_what_is_named_scores() -> None:
    query = "revenue growth of Apple under Tim Cook, 10-Q for Q2 2019"
    assert read_question(query, NAMES).boosts == Boosts(
        ciks=("0000320193",),
        root_forms=("10-Q",),
        # The second quarter of its own fiscal year, and the weeks in which it is announced.
        periods=(
            Period(date(2019, 3, 16), date(2019, 4, 9), (date(2019, 3, 28), date(2019, 6, 11))),
        ),
        persons=(Person(("tim", "timothy"), "cook"),),
        words=("apple", "10", "q", "q2", "2019"),
        names=(CompanyName(("apple",), ("0000320193",)),),
    )


def test_given_name_is_a_form_of_its_short_one() -> None:
    node = add_word_forms(read_question("Tim Cook").node, ALL)
    forms = [leaf.forms for leaf in leaves(node) if isinstance(leaf, Word)]
    assert (forms[0][0], len(forms)) == ("timothy", 2)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("fy2018", date(2018, 1, 8), date(2019, 2, 7)),
        ("fy18", date(2018, 1, 8), date(2019, 2, 7)),
        ("fiscal year 2018", date(2018, 1, 8), date(2019, 2, 7)),
        ("2018", date(2018, 1, 8), date(2019, 1, 7)),
        ("q3 2019", date(2019, 7, 8), date(2019, 10, 7)),
        ("3q19", date(2019, 7, 8), date(2019, 10, 7)),
        ("fourth quarter of 2019", date(2019, 10, 8), date(2020, 1, 7)),
        ("2019 q3", date(2019, 7, 8), date(2019, 10, 7)),
        ("fy2019q3", date(2019, 7, 8), date(2019, 10, 7)),
        ("q3 fy19", date(2019, 7, 8), date(2019, 10, 7)),
        ("h1 2019", date(2019, 4, 8), date(2019, 7, 7)),
        ("first half of 2019", date(2019, 4, 8), date(2019, 7, 7)),
        ("2nd half of fiscal 2019", date(2019, 10, 8), date(2020, 1, 7)),
        ("2017-2019", date(2019, 1, 8), date(2020, 1, 7)),
        ("'19", date(2019, 1, 8), date(2020, 1, 7)),
        ("july 1 2019", date(2019, 6, 24), date(2019, 7, 8)),
        ("1st july 2019", date(2019, 6, 24), date(2019, 7, 8)),
        ("july 2019", date(2019, 7, 1), date(2019, 12, 29)),
    ],
)
def test_period_is_read(text: str, first: date, last: date) -> None:
    (found,) = find_periods(f"sales {text} growth")
    assert (found.first, found.last) == (first, last)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("q1 2019", date(2018, 9, 30)),
        ("fy19 q2", date(2018, 12, 30)),
        ("third quarter of fiscal 2019", date(2019, 3, 30)),
        ("fy2019", date(2019, 6, 30)),
    ],
)
def test_quarters_are_those_of_the_company(text: str, end: date) -> None:
    (found,) = find_periods(text, YearEnd(6, 30))
    assert (found.first, found.last) == (end - timedelta(days=12), end + timedelta(days=12))
    assert found.announced == (end, end + timedelta(days=75))


@pytest.mark.parametrize(
    ("text", "year_end", "first", "last"),
    [
        ("last year", None, date(2025, 1, 8), date(2026, 1, 7)),
        ("last year's", YearEnd(6, 30), date(2025, 1, 8), date(2026, 1, 7)),
        ("this year", None, date(2026, 1, 8), date(2027, 1, 7)),
        ("last fiscal year", None, date(2025, 1, 8), date(2026, 2, 7)),
        ("last fiscal year", YearEnd(6, 30), date(2025, 6, 18), date(2025, 7, 12)),
        ("last quarter", None, date(2025, 12, 19), date(2026, 1, 12)),
        ("latest quarter", YearEnd(11, 30), date(2026, 2, 16), date(2026, 3, 12)),
    ],
)
def test_period_is_named_from_the_day_of_the_question(
    text: str, year_end: YearEnd | None, first: date, last: date
) -> None:
    (found,) = find_periods(f"sales {text} growth", year_end, date(2026, 3, 31))
    assert (found.first, found.last) == (first, last)
    assert list(find_periods(f"sales {text} growth", year_end)) == []


def test_question_of_today_has_its_periods() -> None:
    today = date(2026, 3, 31)
    reading = read_question("churn of subscribers last year", today=today)
    assert [(each.kind, each.text) for each in reading.recognised][0] == ("period", "last year")
    assert reading.boosts.periods[0].last == date(2026, 1, 7)


@pytest.mark.parametrize("text", ["june 31 2019", "2019 was the year"])
def test_day_that_is_not_there_is_only_a_year(text: str) -> None:
    assert [(period.first, period.last) for period in find_periods(text)] == [
        (date(2019, 1, 8), date(2020, 1, 7))
    ]


@pytest.mark.parametrize("text", ["1200", "20189", "2018-05", "fy", "rule 144 of 1933"])
def test_other_numbers_are_not_periods(text: str) -> None:
    assert list(find_periods(text)) == []


def candidates(query: str) -> list[str]:
    return [candidate.name for candidate in name_candidates(query)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ('Bank of America "Wells Fargo" fees', ["bank", "bank of america"]),
        ("sales of granox, net income", ["granox"]),
        ("what did apple say", ["apple"]),
        ("target price and a gap in interest rates", []),
        ("Q2 results of New products, FY23, in June", []),
        ("2021 Q3 sales of Granox", ["granox"]),
        ("p&g margins", ["p&g"]),
    ],
)
def test_words_that_may_be_names(query: str, names: list[str]) -> None:
    found = [
        candidate for candidate in candidates(query) if " " not in candidate or candidate in names
    ]
    assert sorted(found) == sorted(names)


@pytest.mark.parametrize("word", ["A" + "\u58f2" * 60, "A-" * 60, "A" * 101])
def test_long_text_without_blanks_names_nothing(word: str) -> None:
    assert candidates(f"sales of {word} in Granox") == ["granox"]


def test_tickers_are_in_capitals_or_behind_a_dollar_or_no_words() -> None:
    names = ("aapl", "msft", "$tsla", "ceo", "key")
    found = [ticker_of(name, "AAPL msft $tsla CEO key") for name in names]
    assert found == ["AAPL", "MSFT", "TSLA", None, None]


@pytest.mark.parametrize(
    ("candidate", "name"),
    [
        ("walmart", "WAL MART STORES INC"),
        ("super micro computer", "SUPERMICRO COMPUTER, INC."),
        ("amazon.com", "AMAZON COM INC"),
        ("lowe", "LOWES COMPANIES INC"),
        ("google", "Alphabet Inc."),
        ("j&j", "JOHNSON & JOHNSON"),
        ("bell and howell", "BELL & HOWELL CO/"),
    ],
)
def test_name_is_the_same_joined_apart_or_as_people_say(candidate: str, name: str) -> None:
    assert holders(candidate, [("1", name), ("2", "OTHER CORP")]) == ("1",)


def test_name_means_the_entities_that_have_it_but_for_the_legal_form() -> None:
    entities = [
        ("1", "COCA COLA CO"),
        ("2", "COCA COLA BOTTLING CO"),
        ("3", "JPMORGAN CHASE & CO"),
        ("4", "APPLE HOSPITALITY REIT, INC."),
    ]
    found = [holders(each, entities) for each in ("coca-cola", "jpmorgan", "apple")]
    # `apple` is an ordinary word, which has to be the whole name.
    assert found == [("1",), ("3",), ()]


@pytest.mark.parametrize(
    ("query", "filing", "person"),
    [
        ("tim cook salary", (), "tim cook"),
        ("mark zuckerberg", (), "mark zuckerberg"),
        ("william c fallon pay", (), "william c fallon"),
        ("bill gates stock sales", ("bill gates",), "bill gates"),
        ("bill gates stock sales", (), ""),
        ("mark to market losses", (), ""),
        ("satya compensation", (), ""),
        ("virginia power", (), ""),
        ("dot com bubble", (), ""),
        ("will revenue grow", (), ""),
    ],
)
def test_names_of_persons_in_lower_case(query: str, filing: tuple[str, ...], person: str) -> None:
    recognised = read_question(query, Names(persons=filing)).recognised
    assert [each.text for each in recognised if each.kind == "person"] == [person] * bool(person)


def test_persons_who_file_are_not_companies() -> None:
    assert person_candidates("what did bill c fallon sell") == (("bill", "fallon"),)
    assert is_person("bill", "fallon", "FALLON WILLIAM C")
    assert not is_person("charles", "schwab", "SCHWAB CHARLES CORP")
    assert not is_person("bill", "fallon", "FALLON ADA")


def test_places_and_parts_of_words_are_not_companies() -> None:
    found = candidates("north america and non granox")
    assert "granox" in found
    assert not {"non", "north america"} & set(found)


def test_percent_is_no_exclusion() -> None:
    assert guess("who owns more than 5 % of moss") is None
    assert guess("fraud % settlement") == "lexis"
