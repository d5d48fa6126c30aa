"""Matches in documents of the real corpus, and the texts that the service gives."""

import hashlib
import html
import re
from bisect import bisect_right
from collections import Counter
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from edgar_search.search.language import ALL
from edgar_search.text.words import tokens
from ingest.reading.transform import cut
from tests.acceptance.made_queries import SEED, each_made_tree
from tests.acceptance.service import Service
from tests.oracle.matches import places
from tests.oracle.texts import Texts
from tests.oracle.tree import Quoted, Tree, query_text, with_forms

# Of each query so many documents that match and one that does not; of those so many matches.
DOCUMENTS, MAX_WALKED = 2, 5_000
PAGE = 1_000
CONTEXT = 150


def check_matches(service: Service, texts: Texts, examples: int) -> None:
    """Compare matches of this many made trees with the oracle's places."""
    met: Counter[str] = Counter()
    each_made_tree(texts, examples, ALL, partial(_compare, service, texts, Random(SEED), met))
    print(dict(met))
    # Otherwise the test would prove nothing.
    assert met["documents"] > examples
    assert met["matches"] > 10 * examples


def test_made_queries_match_where_the_oracle_says(service: Service, texts: Texts) -> None:
    check_matches(service, texts, examples=40)


@pytest.mark.long
def test_two_thousand_made_queries_match_where_the_oracle_says(
    service: Service, texts: Texts
) -> None:
    check_matches(service, texts, examples=2_000)


def test_phrases_across_passages_match(service: Service, texts: Texts) -> None:
    random = Random(SEED)
    met: Counter[str] = Counter()
    long = sorted(text for text in texts.texts if 10_000 < len(texts.texts[text]) < 200_000)
    for document in random.sample(long, 40):
        border = random.choice(_borders(texts.texts[document])[:-1])
        phrase = _around(texts.texts[document], border)
        tree, asked = Quoted(phrase), {"document_id": document, "query": f'"{phrase}"'}
        _compare_document(service, texts, met, tree, asked)
    assert met["across passages"] >= 40


def test_longest_and_some_other_texts_are_the_texts(service: Service, texts: Texts) -> None:
    longest = sorted(texts.texts, key=lambda document: -len(texts.texts[document]))
    check_texts(service, texts, [*longest[:3], *Random(SEED).sample(longest[3:], 40)])


@pytest.mark.long
def test_all_texts_are_the_texts(service: Service, texts: Texts) -> None:
    check_texts(service, texts, list(texts.texts))


QUERIES = [
    "company",
    '"material weakness"',
    "goodwill impairment",
    '"of the company" OR swap*',
    '"the total"~4',
    "401(k)",
]


@pytest.mark.parametrize("query", QUERIES)
def test_snippets_stand_where_they_say(service: Service, texts: Texts, query: str) -> None:
    plain = service.search(query=query)
    reply = service.search(query=query, snippets=5, include="offsets")
    for item in reply["items"]:
        text = texts.texts[item["document_id"]]
        assert item.pop("text_sha256") == hashlib.sha256(text.encode()).hexdigest()
        places, snippets = item.pop("offsets"), item.pop("snippets")
        assert {**places, "snippet": item["snippet"]} == snippets[0]
        for snippet in snippets:
            _check_place(text, snippet)
    assert reply == plain


def _check_place(text: str, placed: dict[str, Any]) -> None:
    """A snippet leaves out white space, rulers and leaders, and no letter or digit."""
    shown = html.unescape(re.sub("</?mark>", "", placed["snippet"]))
    assert _letters(text[placed["start"] : placed["end"]]) == _letters(shown)
    marks = re.findall("<mark>(.*?)</mark>", placed["snippet"], re.DOTALL)
    assert [_letters(text[start:end]) for start, end in placed["marks"]] == [
        _letters(html.unescape(mark)) for mark in marks
    ]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def check_texts(service: Service, texts: Texts, documents: list[str]) -> None:
    """Read texts slice by slice; joined they are the text, and have its hash."""
    random = Random(SEED)
    for document in documents:
        slices = _slices(service, document, random)
        joined = "".join(each["text"] for each in slices).encode()
        assert joined == texts.texts[document].encode(), document
        assert {each["text_sha256"] for each in slices} == {hashlib.sha256(joined).hexdigest()}
        assert {each["text_length"] for each in slices} == {len(texts.texts[document])}
        for one, next_one in pairwise(slices):
            assert one["next_start"] == one["end"] == next_one["start"]


def _slices(service: Service, document: str, random: Random) -> list[dict[str, Any]]:
    slices: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        length = random.choice([100_000, 30_000, 7_001])
        reply = service.http.get(
            "/v1/text", params={"document_id": document, "start": str(start), "length": length}
        )
        assert reply.status_code == 200, reply.text
        slices.append(reply.json())
        start = slices[-1]["next_start"]
    return slices


def _compare(service: Service, texts: Texts, random: Random, met: Counter[str], tree: Tree) -> None:
    formed = random.random() < 0.2
    meant = with_forms(tree) if formed else tree
    matching = sorted(texts.matching(meant))
    others = sorted(texts.texts.keys() - matching)
    asked = {"query": query_text(tree, implied=True), "word_forms": "all" if formed else "exact"}
    for document in random.sample(matching, min(DOCUMENTS, len(matching))):
        met["documents"] += 1
        _compare_document(service, texts, met, meant, {"document_id": document, **asked})
    if others:
        nothing = _page(service, {"document_id": random.choice(others), **asked})
        assert (nothing["total_count"], nothing["items"]) == (0, []), asked


def _compare_document(
    service: Service, texts: Texts, met: Counter[str], tree: Tree, asked: dict[str, str]
) -> None:
    document = asked["document_id"]
    text, wanted = texts.texts[document], places(texts, document, tree)
    page = _page(service, asked)
    items = page["items"]
    while len(items) < min(len(wanted), MAX_WALKED):
        items += _page(service, {**asked, "offset": str(len(items))})["items"]
    assert page["total_count"] == len(wanted), asked
    found = [(item["start"], item["end"]) for item in items]
    assert found == wanted[: len(found)], asked
    assert len(found) == min(len(wanted), max(len(found), MAX_WALKED)), asked
    for item in items:
        _check_context(text, item)
    borders = _borders(text)
    met["across passages"] += sum(
        bisect_right(borders, start) != bisect_right(borders, end - 1) for start, end in found
    )
    met["matches"] += len(found)


def _borders(text: str) -> list[int]:
    """The ends of its passages."""
    return [end for _, end in cut(text)]


def _around(text: str, border: int) -> str:
    """Return two words before a border and two after it."""
    before, after = tokens(text[max(0, border - 1_000) : border]), tokens(text[border:][:1_000])
    return " ".join([*before[-2:], *after[:2]])


def _check_context(text: str, item: dict[str, Any]) -> None:
    start, end = item["start"], item["end"]
    before, after = item["before"], item["after"]
    shown = text[start - len(before) : end + len(after)]
    assert shown == f"{before}{item['text']}{after}"
    assert item["text"] == text[start:end]
    assert max(len(before), len(after)) <= CONTEXT


def _page(service: Service, asked: dict[str, str]) -> dict[str, Any]:
    reply = service.http.get("/v1/matches", params={**asked, "limit": PAGE})
    assert reply.status_code == 200, f"{asked}: {reply.text}"
    page: dict[str, Any] = reply.json()
    return page
