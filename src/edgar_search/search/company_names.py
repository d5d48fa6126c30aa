"""Companies by the names people use: the `company` filter, and the closest known name."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.search.counts import count_values
from edgar_search.search.query.matching import Clause, literal
from edgar_search.search.reading.companies import find_company
from edgar_search.search.reading.names import core_of_name
from edgar_search.search.tickers import Tickers
from edgar_search.search.warnings.nearest import nearest_name
from edgar_search.text.words import normalise, tokens

# The most terms that Elasticsearch accepts in one clause, rounded down from 65,536.
MAX_CIKS = 65_000
# How many stored names are compared with an unknown one, and by how many of its words.
_MOST_ALIKE, _MOST_WORDS = 200, 6
# The similarity that a name must reach, in percent of its letters, and the shortest word compared.
_ALIKE, _LEAST_LETTERS = 75, 3


def names_body(clauses: Sequence[Clause]) -> Clause:
    """Build the request for matching entities' names, one more than a clause may contain."""
    return {
        "query": {"bool": {"filter": [{"bool": {"should": list(clauses)}}]}},
        "size": MAX_CIKS + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name", "former_names.name"],
    }


def any_filing_body(ciks: Sequence[str]) -> Clause:
    """Build the request for one filing by any of at most `MAX_CIKS` CIKs, without its fields."""
    return {
        "query": {"bool": {"filter": [{"terms": {"ciks": list(ciks)}}]}},
        "size": 1,
        "terminate_after": 1,
        "track_total_hits": False,
        "stored_fields": "_none_",
    }


def alike_body(words: Sequence[str]) -> Clause:
    """Build the request for names with each of these words, allowing one or two wrong letters.

    Listed companies come first.
    """
    alike = [
        {"fuzzy": {"name.words": {"value": word, "fuzziness": "AUTO", "prefix_length": 1}}}
        for word in words
    ]
    listed = {"constant_score": {"filter": {"exists": {"field": "tickers"}}}}
    return {
        "query": {"bool": {"filter": alike, "should": [listed]}},
        "size": _MOST_ALIKE,
        "sort": [{"_score": "desc"}, {"cik": "asc"}],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name"],
    }


class NameFields(Struct):
    cik: list[str]
    name: list[str] = []
    former_names: list[str] = field(name="former_names.name", default_factory=list)


class NamesHit(Struct):
    fields: NameFields

    @property
    def names(self) -> list[str]:
        """The entity's current and former names."""
        return [*self.fields.name, *self.fields.former_names]


# How a word of a name may match a word of the request; each way is tried if the earlier ones fail.
_WAYS: tuple[tuple[str, str, Callable[[str, str], bool]], ...] = (
    ("term", "{}", str.__eq__),
    ("prefix", "{}", str.startswith),
    ("wildcard", "*{}*", str.__contains__),
)


async def company_ciks(engine: Engine, tickers: Tickers, text: str) -> list[str]:
    """Find the CIKs of the companies that a text names.

    First come companies with this ticker, whole name or short name, and entities with a current or
    former name that contains all its words, in any order. If none of these has a filing, entities
    whose words begin with the given ones are found, and then, unless the text is a company's own
    name, entities whose words contain them. Empty if none has a filing: ticker files name thousands
    of companies without any here. Raises BadRequest if there are more than the engine accepts.
    """
    own = await find_company(engine, await tickers.table(), text)
    words = list(dict.fromkeys(tokens(normalise(text))))
    ways = _WAYS[:-1] if own else _WAYS
    if own and all(len(word) == 1 for word in words):
        ways = ()  # the letters of J&J are initials in other names
    for kind, pattern, is_alike in ways:
        body = names_body(_clauses(kind, pattern, words))
        hits = (await engine.search("entities", body, NamesHit)).hits.hits
        if len(hits) > MAX_CIKS:
            raise BadRequest(f"company: {text[:80]} is in too many names; give the full name")
        # The words of several former names share a field: all must be in one name.
        having = [
            hit.fields.cik[0]
            for hit in hits
            if any(_has_words(name, words, is_alike) for name in hit.names)
        ]
        matching = list(dict.fromkeys([*own, *having]))
        if matching and await _have_filings(engine, matching):
            return matching
    return list(own) if own and await _have_filings(engine, own) else []


class NamedCompany(NamedTuple):
    """A company under its current name."""

    cik: str
    name: str


async def nearest_company(engine: Engine, text: str) -> NamedCompany | None:
    """Find the company with filings whose name is closest to a text.

    Makes at most two engine requests.
    """
    words = core_of_name(text)
    if not 0 < len(words) <= _MOST_WORDS or max(map(len, words)) < _LEAST_LETTERS:
        return None
    hits = (await engine.search("entities", alike_body(words), NamesHit)).hits.hits
    alike = [NamedCompany(hit.fields.cik[0], *hit.fields.name) for hit in hits if hit.fields.name]
    if not alike:
        return None
    filed = await count_values(engine, "filings", "ciks", [company.cik for company in alike])
    # A longer name that begins with these words is as close as an equal one.
    begun = {
        " ".join(core_of_name(company.name)[: len(words)]): company
        for company in reversed(alike)
        if company.cik in filed
    }
    nearest = nearest_name(" ".join(words), list(begun), least=_ALIKE)
    return begun[nearest] if nearest else None


async def _have_filings(engine: Engine, ciks: Sequence[str]) -> bool:
    return bool((await engine.search("filings", any_filing_body(ciks), Struct)).hits.hits)


def _has_words(name: str, words: Sequence[str], is_alike: Callable[[str, str], bool]) -> bool:
    own = tokens(normalise(name))
    return all(any(is_alike(name_word, word) for name_word in own) for word in words)


def _clauses(kind: str, pattern: str, words: Sequence[str]) -> list[Clause]:
    special = kind == "wildcard"
    values = [pattern.format(literal(word) if special else word) for word in words]
    return [
        {"bool": {"filter": [{kind: {field: {"value": value}}} for value in values]}}
        for field in ("name.words", "former_names.name.words")
    ]
