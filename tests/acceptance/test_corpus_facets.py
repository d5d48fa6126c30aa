"""Facets over the real corpus, against what all pages of the search have."""

import os
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.acceptance.service import Service
from tests.oracle.texts import Texts

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "16"))
MAX_WALKED, LIMIT = 400, 500
# Values of filters; nothing stands for no filter of this kind.
FILTERS: dict[str, tuple[str, ...]] = {
    "form_type": ("", "", "10-K", "8-K", "10-Q,10-K/A", "4"),
    "from_date": ("", "", "2000-01-01", "2008-06-30"),
    "to_date": ("", "", "2009-12-31", "2020-06-01"),
    "ticker": ("", "", "aapl", "msft,aapl"),
    "state": ("", "", "CA", "NY,WA"),
    "document_type": ("", "", "", "EX-99.1", "10-K"),
    "primary": ("", "", "true"),
    "original": ("", "", "true"),
    "word_forms": ("", "all"),
    "operands": ("", "most"),
}


def asked(texts: Texts, choose: Random) -> Iterator[dict[str, str]]:
    """Made parameters of searches."""
    words = [word for word in texts.vocabulary[:3_000] if word.isalpha()]
    while True:
        one, two, three = choose.sample(words, 3)
        forms = (one, f"{one} {two}", f"{one} {two} {three}", f"{one} OR {two} NOT {three}")
        query = choose.choice([*forms, f'"{one} {two}"~9', f"{one[:3]}* {two}"])
        filters = {name: choose.choice(values) for name, values in FILTERS.items()}
        yield {"query": query, **filters} if len(one) > 2 else {"query": one, **filters}


def walked(service: Service, parameters: dict[str, str]) -> list[dict[str, Any]]:
    """Return all items of a search, page by page."""
    items: list[dict[str, Any]] = []
    paging = {**parameters, "limit": "100", "include": "document_type"}
    while page := service.search(**paging, offset=len(items))["items"]:
        items += page
    return items


def counts(items: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    return {
        "form_type": Counter(item["form_type"] for item in items),
        "document_type": Counter(item["document_type"] for item in items),
        "year": Counter(item["filing_date"][:4] for item in items),
        "month": Counter(item["filing_date"][:7] for item in items),
        "company": Counter(cik for item in items for cik in set(item["ciks"])),
    }


@pytest.mark.parametrize("requests", [8, pytest.param(40, marks=pytest.mark.long)])
def test_facets_are_what_all_pages_have(service: Service, texts: Texts, requests: int) -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    compared = 0
    for parameters in asked(texts, Random(SEED)):
        reply = service.facets(**parameters, limit=LIMIT)
        if reply["total_count"] > MAX_WALKED:
            continue
        items = walked(service, parameters)
        assert reply["total_count"] == len(items), parameters
        assert reply["filing_count"] == len({item["accnum"] for item in items}), parameters
        for name, numbers in counts(items).items():
            facet = reply["facets"][name]
            shown = {value["value"]: value["count"] for value in facet["values"]}
            assert list(shown) == ordered(name, numbers), (name, parameters)
            assert shown.items() <= numbers.items(), (name, parameters)
            assert facet["sum_other"] == numbers.total() - sum(shown.values())
        check_by_filters(service, parameters, reply)
        compared += bool(items)
        if compared == requests:
            return


def ordered(name: str, numbers: Counter[str]) -> list[str]:
    if name in ("year", "month"):
        return sorted(numbers)
    return sorted(numbers, key=lambda value: (-numbers[value], value))[:LIMIT]


def check_by_filters(service: Service, parameters: dict[str, str], reply: dict[str, Any]) -> None:
    """Check that each of the most common values is the total of the search with that filter."""
    for name in ("sic", "state"):
        if parameters.get(name) or parameters["operands"]:
            continue
        for value in reply["facets"][name]["values"][:2]:
            found = service.search(**{**parameters, name: value["value"]}, limit=1)
            assert found["total_count"] == value["count"], (name, value, parameters)
