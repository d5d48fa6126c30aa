"""Searches over the real corpus, against a scan of all its words."""

import html
import re
from collections.abc import Callable

import pytest

from tests.acceptance.commands import Asker, marked
from tests.acceptance.texts import Texts

Condition = Callable[[str], object]


def has(phrase: str) -> Condition:
    return lambda words: f" {phrase} " in words


def like(pattern: str) -> Condition:
    compiled = re.compile(f" {pattern} ")
    return lambda words: compiled.search(words)


def every(*conditions: Condition) -> Condition:
    return lambda words: all(condition(words) for condition in conditions)


def some(*conditions: Condition) -> Condition:
    return lambda words: any(condition(words) for condition in conditions)


def none(*conditions: Condition) -> Condition:
    return lambda words: not any(condition(words) for condition in conditions)


CASES: dict[str, Condition] = {
    "goodwill": has("goodwill"),
    "goodwill impairment charge": every(has("goodwill"), has("impairment"), has("charge")),
    "goodwill OR derivative": some(has("goodwill"), has("derivative")),
    "goodwill NOT impairment": every(has("goodwill"), none(has("impairment"))),
    '"material weakness"': has("material weakness"),
    '"of the company"': has("of the company"),
    "impair*": like(r"impair\S*"),
    "hed*ing": like(r"hed\S*ing"),
    "organi?ation": like("organi.ation"),
    '("interest rate" AND swap*) NOT libor': every(
        has("interest rate"), like(r"swap\S*"), none(has("libor"))
    ),
    "revenue OR goodwill AND libor": some(has("revenue"), every(has("goodwill"), has("libor"))),
    "10-K/A": has("10 k a"),
    "10-K405": has("10 k405"),
    "AT&T": has("at t"),
    "401(k)": has("401 k"),
    "company's": has("company's"),
    "company\u2019s common": every(has("company's"), has("common")),
    "U.S. dollars": every(has("u.s"), has("dollars")),
    "1,000": has("1,000"),
    '"fair value"~2 NOT "fair value"': every(
        some(*(like(rf"fair(?: \S+){{{n}}} value") for n in (1, 2)), has("value fair")),
        none(has("fair value")),
    ),
    "13(d)(1)": has("13 d 1"),
    "Nestl\u00e9": has("nestl\u00e9"),
}
# Whatever the kind of document: reports, forms in XML, old plain text, tables.
MORE = [
    *("the", "a OR of OR in", "report*", "shares", '"common stock"', "director", "pursuant"),
    *("securities AND exchange AND commission", '"form 4"', "sole", "cusip", "0", "2020"),
    *('"risk factors" OR "forward-looking"', "net AND income NOT loss", "tele*", '"as of"~5'),
    *("merger OR acquisition", "n/a", "e-mail", "non-employee", '"in witness whereof"'),
]


@pytest.mark.parametrize(("query", "condition"), CASES.items(), ids=ascii)
def test_search_finds_what_a_scan_finds(
    asker: Asker, texts: Texts, query: str, condition: Condition
) -> None:
    found = [item["document_id"] for item in asker.hits(query)]
    assert len(found) == len(set(found))
    assert set(found) == texts.having(condition)


def test_the_scan_is_no_empty_one(texts: Texts) -> None:
    numbers = {query: len(texts.having(condition)) for query, condition in CASES.items()}
    assert [query for query, number in numbers.items() if number == 0] == ["Nestl\u00e9"]


@pytest.mark.parametrize("query", [*CASES, *MORE], ids=ascii)
def test_every_hit_has_a_marked_snippet_out_of_its_text(
    asker: Asker, texts: Texts, query: str
) -> None:
    for item in asker.search(query, limit=100)["items"]:
        snippet = item["snippet"]
        assert marked(snippet)
        plain = html.unescape(re.sub("</?mark>", "", snippet)).removeprefix("...")
        assert len(plain) <= 303
        assert plain.removesuffix("...") in texts.texts[item["document_id"]]


@pytest.mark.parametrize("query", MORE, ids=ascii)
def test_scores_fall_within_a_result(asker: Asker, query: str) -> None:
    scores = [item["score"] for item in asker.search(query, limit=100)["items"]]
    assert scores == sorted(scores, reverse=True)
    assert scores and 0 < scores[-1] <= scores[0] < 1
