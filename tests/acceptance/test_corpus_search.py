"""Searches over the real corpus, against a scan of all its words."""

import html
import re
from collections.abc import Callable

import pytest

from tests.acceptance.service import Service
from tests.oracle.texts import Texts
from tests.support.asking import stands_in

# Of a document's words in lower case, a blank around each.
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
    "10-Q": has("10 q"),
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
    "SOCI\u00c9T\u00c9": has("soci\u00e9t\u00e9"),
}
# Whatever the kind of document: reports, forms in XML, old plain text, tables.
MORE = [
    *("the", "a OR of OR in", "report*", "shares", '"common stock"', "director", "pursuant"),
    *("securities AND exchange AND commission", '"form 4"', "sole", "cusip", "0", "2020"),
    *('"risk factors" OR "forward-looking"', "net AND income NOT loss", "tele*", '"as of"~5'),
    *("merger OR acquisition", "n/a", "e-mail", "non-employee", '"in witness whereof"'),
]


# As large as the language lets a query be.
LARGEST = {
    "words": " ".join(["the", "of", "and", "to", "in"] * 58),
    "letters": "a " * 499,
    "alternatives": " OR ".join(f"a{n}" for n in range(135)),
    "phrase": '"' + "of the " * 142 + '"',
    "sloppy phrase": '"of the and to in for by or on at"~50',
    "wildcards": "con* OR pro* OR int* OR com* OR res*",
    "groups": "(" * 19 + "a" + " OR the) AND of)" * 9 + " OR to)",
    "exclusions": "the " + " ".join(f"NOT x{n}" for n in range(110)),
    "long word": "a" * 1000,
    "ideographs": "\u6771" * 1000,
}

# Letters and digits, with what the standard tokenizer does not part them at: a reading of words
# that is not this project's own.
_TOKEN = re.compile(r"\w+(?:(?:(?<=[^\W\d_])[.':](?=[^\W\d_])|(?<=\d)[.,;'](?=\d))\w+)*")
_RULE = re.compile("_+")
_MARKED = re.compile("<mark>(.*?)</mark>", re.DOTALL)


@pytest.fixture(scope="module")
def words(texts: Texts) -> dict[str, str]:
    """Each document's words."""
    return {key: read(text) for key, text in texts.texts.items()}


def read(text: str) -> str:
    found = [token for token in _TOKEN.findall(text.lower()) if not _RULE.fullmatch(token)]
    return f" {' '.join(found)} "


def having(words: dict[str, str], condition: Condition) -> set[str]:
    return {key for key, of_one in words.items() if condition(of_one)}


def all_hits(service: Service, query: str) -> list[str]:
    """Return the document ids of all hits, page by page."""
    found: list[str] = []
    while items := (reply := service.search(query=query, limit=100, offset=len(found)))["items"]:
        found += [item["document_id"] for item in items]
    assert reply["total_count"] == len(found)
    return found


@pytest.mark.parametrize(("query", "condition"), CASES.items(), ids=map(ascii, CASES))
def test_search_finds_what_a_scan_finds(
    service: Service, words: dict[str, str], query: str, condition: Condition
) -> None:
    assert sorted(all_hits(service, query)) == sorted(having(words, condition))


def test_scans_find_something(words: dict[str, str]) -> None:
    empty = [query for query, condition in CASES.items() if not having(words, condition)]
    assert empty == []


@pytest.mark.parametrize("query", [*CASES, *MORE], ids=ascii)
def test_every_hit_has_a_marked_snippet_out_of_its_text(
    service: Service, texts: Texts, query: str
) -> None:
    for item in service.search(query=query, limit=100)["items"]:
        snippet = item["snippet"]
        assert _MARKED.findall(snippet) != []
        assert stands_in(snippet, texts.texts[item["document_id"]])
        assert len(html.unescape(re.sub("</?mark>", "", snippet))) <= 306


@pytest.mark.parametrize("query", MORE, ids=ascii)
def test_scores_fall_within_a_result(service: Service, query: str) -> None:
    scores = [item["score"] for item in service.search(query=query, limit=100)["items"]]
    assert scores == sorted(scores, reverse=True)
    assert scores and 0 < scores[-1] <= scores[0] < 1


@pytest.mark.parametrize("name", LARGEST)
def test_largest_queries_are_answered(service: Service, name: str) -> None:
    query = LARGEST[name]
    assert len(query) <= 1000
    for item in service.search(query=query, limit=100)["items"]:
        assert _MARKED.findall(item["snippet"]) != []
