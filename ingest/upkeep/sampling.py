"""Queries made of what is stored, asked of an index and of its copy before that is put into use.

Where a rebuilding changes nothing in meaning the two answer alike: the same number of entries, the
same ones first. Only kinds that hold filings are asked of: their values may be shown.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from edgar_search.engine.index_names import read_alias
from ingest.upkeep.copying import KEYS, IndexPair

# Entries that queries are made of, and how long they may be asked while loads wait, in seconds.
ENTRIES = 40
_SECONDS = 10.0
# Words of a phrase, and characters of a word that is longer than any that is searched for.
_PHRASE = 3
_LONGEST = 100
# Entries of an answer that must be the same, in the same order.
_FIRST = 20
_ORDERS = {**KEYS, "entities": ("cik",)}
_TEXTS, _EXACT = ("text", "match_only_text"), ("keyword", "date")

Ask = Callable[[str, str, Any], Awaitable[Any]]


class Sampled(NamedTuple):
    """How many queries were asked, and those that the two indices answered otherwise."""

    asked: int
    differing: list[str]


NOTHING = Sampled(0, [])


class Field(NamedTuple):
    """A field that can be searched; its value stands at `source`, phrases where it has places."""

    name: str
    source: str
    text: bool
    phrases: bool


class Question(NamedTuple):
    """A query in words for a person, and as Elasticsearch takes it."""

    words: str
    query: dict[str, Any]


Source: TypeAlias = dict[str, Any]


class Sampler:
    """Compares the two indices of a pair that have the same entries, and nothing is written to."""

    def __init__(self, ask: Ask, prefix: str, chance: random.Random | None = None) -> None:
        self._ask = ask
        self._prefix = prefix
        self._chance = chance or random.Random()

    async def compare(self, pair: IndexPair) -> Sampled:
        """Ask both for words, phrases and filters of entries of the old one."""
        if pair.kind not in _ORDERS:
            return NOTHING
        old, new = [fields_of(await self._mappings(name)) for name in (pair.old, pair.new)]
        fields = [field for field in old if field in new]
        order = list(_ORDERS[pair.kind])
        if await self._scores_are_equal(pair):
            order.insert(0, "_score")
        asked, differing, began = 0, list[str](), time.monotonic()
        for entry in await self._entries(pair):
            for question in self._questions(fields, entry):
                asked += 1
                if not await self._same(pair, question, order):
                    differing.append(question.words)
            if time.monotonic() - began > _SECONDS:
                break
        return Sampled(asked, differing)

    async def _entries(self, pair: IndexPair) -> list[Source]:
        """Some entries of the old index, documents with the text of one of their passages."""
        body = {"size": ENTRIES, "query": _any_of({"match_all": {}})}
        reply = await self._ask("POST", f"/{pair.old}/_search", body)
        entries = [hit["_source"] for hit in reply["hits"]["hits"]]
        if pair.kind == "documents":
            for entry in entries:
                entry["text"] = await self._passage(entry["document_id"])
        return entries

    async def _passage(self, document_id: str) -> str:
        query = _any_of({"term": {"document_id": document_id}})
        body = {"size": 1, "_source": ["text"], "query": query}
        path = f"/{read_alias(self._prefix, 'passages')}/_search"
        hits = (await self._ask("POST", path, body))["hits"]["hits"]
        return str(hits[0]["_source"]["text"]) if hits else ""

    def _questions(self, fields: list[Field], entry: Source) -> Iterator[Question]:
        """A filter by a value of the entry; its words and phrases, each also with that filter."""
        filters = [
            Question(f"{field.name} {value}", {"term": {field.name: value}})
            for field in fields
            if not field.text
            for value in values_at(entry, field.source)
        ]
        chosen = self._chance.choice(filters) if filters else None
        if chosen is not None:
            yield chosen
        for field in fields:
            values = values_at(entry, field.source) if field.text else []
            for question in self._of_text(field, self._chance.choice(values) if values else ""):
                yield question
                if chosen is not None:
                    both = {"bool": {"must": [question.query], "filter": [chosen.query]}}
                    yield Question(f"{question.words} and {chosen.words}", both)

    def _of_text(self, field: Field, text: str) -> Iterator[Question]:
        words = [word for word in text.split() if len(word) <= _LONGEST]
        if not words:
            return
        at = self._chance.randrange(len(words))
        yield Question(f"{field.name} {words[at]}", {"match": {field.name: words[at]}})
        if field.phrases:
            phrase = " ".join(words[at : at + _PHRASE])
            yield Question(f'{field.name} "{phrase}"', {"match_phrase": {field.name: phrase}})

    async def _same(self, pair: IndexPair, question: Question, order: list[str]) -> bool:
        body = {
            "query": question.query,
            "size": _FIRST,
            "sort": order,
            "track_total_hits": True,
            "_source": False,
        }
        paths = [f"/{name}/_search" for name in (pair.old, pair.new)]
        replies = await asyncio.gather(*(self._ask("POST", path, body) for path in paths))
        one, other = [
            (reply["hits"]["total"]["value"], [hit["_id"] for hit in reply["hits"]["hits"]])
            for reply in replies
        ]
        return one == other

    async def _scores_are_equal(self, pair: IndexPair) -> bool:
        """Whether equal entries have equal scores: what is deleted counts until it is merged away.

        So do the entries of other shards not.
        """
        shards, deleted = set(), 0
        for name in (pair.old, pair.new):
            settings = await self._ask("GET", f"/{name}/_settings/index.number_of_shards", None)
            shards.add(settings[name]["settings"]["index"]["number_of_shards"])
            stats = await self._ask("GET", f"/{name}/_stats/docs", None)
            deleted += stats["indices"][name]["total"]["docs"]["deleted"]
        return len(shards) == 1 and not deleted

    async def _mappings(self, index: str) -> dict[str, Any]:
        reply = await self._ask("GET", f"/{index}/_mapping", None)
        return dict(reply[index]["mappings"])


def _any_of(query: dict[str, Any]) -> dict[str, Any]:
    """What finds the same in an order of chance."""
    return {"function_score": {"query": query, "random_score": {}}}


def fields_of(mapping: dict[str, Any], above: str = "") -> list[Field]:
    """The fields of a mapping, or of an object in it, that words or filters are searched in."""
    found = []
    for name, field in mapping.get("properties", {}).items():
        path = above + name
        for sub, each in [("", field), *field.get("fields", {}).items()]:
            kind = each.get("type")
            if kind in _TEXTS or (kind in _EXACT and each.get("index", True)):
                phrases = each.get("index_options", "positions") == "positions"
                whole = f"{path}.{sub}" if sub else path
                found.append(Field(whole, path, kind in _TEXTS, phrases))
        found += fields_of(field, f"{path}.")
    return found


def values_at(source: Any, path: str) -> list[str]:
    """The values of a path in an entry, of all objects of lists on the way."""
    name, _, rest = path.partition(".")
    value = source.get(name)
    values = [each for each in (value if isinstance(value, list) else [value]) if each is not None]
    if not rest:
        return [str(each) for each in values]
    return [found for each in values for found in values_at(each, rest)]
