"""Queries made of what is stored, asked of an index and of its copy before that is put into use.

Where a rebuilding changes nothing in meaning the two find the same entries, in the same order and
with the same scores. A score depends on how many entries have a word, which Elasticsearch counts
in each shard, with what is deleted until it is merged away. So each query is asked of both indices
in one request that counts words over all their shards first: an entry then has the same score on
both sides, whatever is deleted and however many shards there are, unless it is scored otherwise.

Only kinds that hold filings are asked of: their values may be shown.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from edgar_search.engine.index_names import read_alias
from ingest.upkeep.copying import KEYS, IndexPair
from ingest.upkeep.field_rules import Field, RuleDifference, fields_of, rule_differences

# Entries that queries are made of, and how long they may be asked while loads wait, in seconds.
ENTRIES = 40
_SECONDS = 10.0
# Words of a question, and characters of a word that is longer than any that is searched for.
_WORDS = 3
_LONGEST = 100
# Entries of an answer that must be the same, in the same order.
_FIRST = 20
# Scores that differ by a smaller part are equal: sums of floats, added in another order.
_EQUAL = 1e-5
_ORDERS = {**KEYS, "entities": ("cik",)}

Source: TypeAlias = dict[str, Any]
Scores: TypeAlias = dict[str, float]
Ask = Callable[[str, str, Any], Awaitable[Any]]


class Sampled(NamedTuple):
    """How many queries were asked, and those that the two indices answered otherwise.

    `found` are those that find other entries, `ordered` those that find the same in another order,
    `scored` those that give the same other scores; `largest` is the largest part by which a score
    differs, and `rules` what the two have otherwise. `unasked` says why nothing was asked.
    """

    asked: int
    found: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()
    largest: float = 0.0
    rules: tuple[RuleDifference, ...] = ()
    unasked: str = ""

    @property
    def finds_otherwise(self) -> bool:
        """If other entries are found, or by what was set could be."""
        return bool(self.found) or any(each.effect == "finds" for each in self.rules)

    @property
    def differs(self) -> bool:
        """If anything at all differs."""
        return bool(self.found or self.ordered or self.scored or self.rules)

    def __str__(self) -> str:
        """Describe the findings for a person."""
        asked = f"{self.asked} sampled queries"
        if self.unasked:
            text = f"no queries were compared: {self.unasked}"
        elif not (self.found or self.ordered or self.scored):
            text = f"{asked} find the same, in the same order and with the same scores"
        else:
            example = (*self.found, *self.ordered, *self.scored)[0]
            text = (
                f"{len(self.found)} of {asked} find other entries, {len(self.ordered)} have another"
                f" order, {len(self.scored)} other scores (up to {100 * self.largest:.3g} %,"
                f" such as `{example}`)"
            )
        return "; ".join([text, *map(str, self.rules)])


class Question(NamedTuple):
    """A query in words for a person, and as Elasticsearch takes it."""

    words: str
    query: dict[str, Any]


class Answer(NamedTuple):
    """How many entries were found, and the scores of the first ones in their order."""

    total: int
    scores: Scores


class _Index(NamedTuple):
    mappings: dict[str, Any]
    settings: dict[str, Any]


_NOTHING = Answer(0, {})


class Sampler:
    """Compares the two indices of a pair that have the same entries, and nothing is written to."""

    def __init__(self, ask: Ask, prefix: str, chance: random.Random | None = None) -> None:
        self._ask = ask
        self._prefix = prefix
        self._chance = chance or random.Random()

    async def compare(self, pair: IndexPair) -> Sampled:
        """Ask both for words, phrases and filters of entries of the old one."""
        if pair.kind not in _ORDERS:
            return Sampled(0, unasked=f"{pair.kind} are not searched by words")
        old, new = [await self._index(name) for name in (pair.old, pair.new)]
        rules = rule_differences(old.mappings, new.mappings, old.settings, new.settings)
        fields = _common(fields_of(old.mappings), fields_of(new.mappings))
        sampled = Sampled(0, rules=tuple(rules), unasked=f"{pair.old} is empty")
        began = time.monotonic()
        for entry in await self._entries(pair):
            questions = list(self._questions(fields, entry))
            answers = await asyncio.gather(*(self._answers(pair, each) for each in questions))
            for question, both in zip(questions, answers, strict=True):
                sampled = _with(sampled, question.words, *both)
            if time.monotonic() - began > _SECONDS:
                break
        return sampled

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
        some = " ".join(words[at : at + _WORDS])
        # The order of several words depends on more than that of one.
        yield Question(f"{field.name} {some}", {"match": {field.name: some}})
        if field.phrases:
            yield Question(f'{field.name} "{some}"', {"match_phrase": {field.name: some}})

    async def _answers(self, pair: IndexPair, question: Question) -> tuple[Answer, Answer]:
        """The answers of the old and of the new one, with scores by words counted in both."""
        order: list[Any] = [{"_score": "desc"}, *_ORDERS[pair.kind]]
        first = {"size": _FIRST, "sort": order, "track_scores": True, "_source": False}
        body = {
            "query": question.query,
            "size": 0,
            "aggs": {
                "indices": {"terms": {"field": "_index"}, "aggs": {"first": {"top_hits": first}}}
            },
        }
        path = f"/{pair.old},{pair.new}/_search?search_type=dfs_query_then_fetch"
        reply = await self._ask("POST", path, body)
        answers = {
            bucket["key"]: Answer(
                bucket["doc_count"],
                {hit["_id"]: hit["_score"] for hit in bucket["first"]["hits"]["hits"]},
            )
            for bucket in reply["aggregations"]["indices"]["buckets"]
        }
        return answers.get(pair.old, _NOTHING), answers.get(pair.new, _NOTHING)

    async def _index(self, name: str) -> _Index:
        mappings = await self._ask("GET", f"/{name}/_mapping", None)
        settings = await self._ask("GET", f"/{name}/_settings", None)
        return _Index(mappings[name]["mappings"], settings[name]["settings"]["index"])


def _common(old: list[Field], new: list[Field]) -> list[Field]:
    """The fields that both have, with phrases where both keep places."""
    there = {field.name: field for field in new}
    return [
        field._replace(phrases=field.phrases and there[field.name].phrases)
        for field in old
        if field.name in there
    ]


def _with(sampled: Sampled, words: str, old: Answer, new: Answer) -> Sampled:
    """Return the findings with the answers to one more query added."""
    sampled = sampled._replace(asked=sampled.asked + 1, unasked="")
    if old.total != new.total or (old.total <= _FIRST and old.scores.keys() != new.scores.keys()):
        return sampled._replace(found=(*sampled.found, words))
    if in_other_order(old.scores, new.scores):
        sampled = sampled._replace(ordered=(*sampled.ordered, words))
    largest = largest_difference(old.scores, new.scores)
    if largest > _EQUAL:
        sampled = sampled._replace(scored=(*sampled.scored, words))
    return sampled._replace(largest=max(sampled.largest, largest))


def largest_difference(old: Scores, new: Scores) -> float:
    """The largest part by which the score of an entry that both have first differs."""
    return max((_apart(old[key], new[key]) for key in old.keys() & new.keys()), default=0.0)


def in_other_order(old: Scores, new: Scores) -> bool:
    """If an entry stands before another one here and behind it there, ties left out of account.

    Entries that are not among the first stand behind all that are.
    """
    if list(old) == list(new):
        return False
    behind = [min(scores.values(), default=0.0) for scores in (old, new)]
    places = [(old.get(key, behind[0]), new.get(key, behind[1])) for key in old.keys() | new.keys()]
    return any(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        and all(_apart(*scores) > _EQUAL for scores in zip(one, other, strict=True))
        for one, other in combinations(places, 2)
    )


def _apart(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-30)


def _any_of(query: dict[str, Any]) -> dict[str, Any]:
    """What finds the same in an order of chance."""
    return {"function_score": {"query": query, "random_score": {}}}


def values_at(source: Any, path: str) -> list[str]:
    """The values of a path in an entry, of all objects of lists on the way."""
    name, _, rest = path.partition(".")
    value = source.get(name)
    values = [each for each in (value if isinstance(value, list) else [value]) if each is not None]
    if not rest:
        return [str(each) for each in values]
    return [found for each in values for found in values_at(each, rest)]
