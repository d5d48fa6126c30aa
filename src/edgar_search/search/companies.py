"""The companies that a person means by some words of a name."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.search.bodies.entities import MAX_CIKS, any_filing_body, names_body
from edgar_search.search.clauses import Clause, literal
from edgar_search.search.hits import NamesHit
from edgar_search.text.rules import normalise, tokens

# How a word of the request may stand in a word of a name; the next way only if no name has it so.
_WAYS: tuple[tuple[str, str, Callable[[str, str], bool]], ...] = (
    ("term", "{}", str.__eq__),
    ("prefix", "{}", str.startswith),
    ("wildcard", "*{}*", str.__contains__),
)


async def company_ciks(engine: Engine, text: str) -> list[str]:
    """The CIKs of entities that have, or had, a name with all words of `text`, in any order.

    Whole words; only if no filing is of those, beginnings of words; only then parts of them. Empty
    where no filing is of any: ticker files name thousands of companies that have none here.
    Raises BadRequest where they are more than the engine takes.
    """
    words = list(dict.fromkeys(tokens(normalise(text))))
    for kind, pattern, stands_in in _WAYS:
        body = names_body(_clauses(kind, pattern, words))
        hits = (await engine.search("entities", body, NamesHit)).hits.hits
        if len(hits) > MAX_CIKS:
            raise BadRequest(f"company: {text[:80]} is in the names of too many; name it in full")
        # The words of several former names are one field: all must be in one of them.
        found = [
            hit.fields.cik[0] for hit in hits if any(_has(n, words, stands_in) for n in hit.names)
        ]
        if found and await _have_filings(engine, found):
            return found
    return []


async def _have_filings(engine: Engine, ciks: Sequence[str]) -> bool:
    return bool((await engine.search("filings", any_filing_body(ciks), Struct)).hits.hits)


def _has(name: str, words: Sequence[str], stands_in: Callable[[str, str], bool]) -> bool:
    own = tokens(normalise(name))
    return all(any(stands_in(each, word) for each in own) for word in words)


def _clauses(kind: str, pattern: str, words: Sequence[str]) -> list[Clause]:
    special = kind == "wildcard"
    values = [pattern.format(literal(word) if special else word) for word in words]
    return [
        {"bool": {"filter": [{kind: {field: {"value": value}}} for value in values]}}
        for field in ("name.words", "former_names.name.words")
    ]
