"""Comparison of an index with its copy by queries, before the copy is put into use.

Sampled queries show the effect of a difference, but can miss a rare one. Differences between the
mappings and settings are certain.

If a rebuild changes nothing in meaning, both indices find the same entries with the same scores,
and so in the same order. A score depends on how many entries have a word, which Elasticsearch
counts in each shard, deleted entries included until they are merged away. So each query is sent to
both indices in one request that first counts words over all their shards: an entry then has the
same score in both, whatever is deleted and however many shards there are, unless it is scored by
other rules.

Only kinds that hold filings are sampled: their values may be shown.
"""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from edgar_search.engine.index_names import read_alias
from edgar_search.engine.templates import flat
from ingest.upkeep.copying import KEYS, IndexPair

TEXTS, EXACT = ("text", "match_only_text"), ("keyword", "date")
Effect = Literal["finds", "ranks"]
Rules: TypeAlias = dict[str, str]
# The parameters of BM25 by default.
_BM25 = {"type": "BM25", "k1": 1.2, "b": 0.75, "discount_overlaps": True}
# Keys of a field's mapping that are read elsewhere by name, and keys that change no search.
_APART = ("properties", "fields", "analyzer", "search_analyzer", "normalizer", "similarity")
_UNSEARCHED = ("doc_values", "store", "eager_global_ordinals", "meta", "copy_to")
_RANKING = ("similarity.", "norms")


class Field(NamedTuple):
    """A searchable field; its value is at `source`."""

    name: str
    source: str
    text: bool


class RuleDifference(NamedTuple):
    """A rule that some fields of two indices have differently; None if it is not set."""

    rule: str
    fields: list[str]
    old: str | None
    new: str | None

    @property
    def effect(self) -> Effect:
        """The possible effect of the difference: other entries, or only other scores and order."""
        return "ranks" if self.rule.startswith(_RANKING) else "finds"

    def __str__(self) -> str:
        """The difference for a person."""
        fields = ", ".join(f"`{name}`" for name in self.fields)
        old, new = ["not set" if each is None else each for each in (self.old, self.new)]
        return f"{self.rule} of {fields} was {old} and is {new}"


def fields_of(mapping: dict[str, Any]) -> list[Field]:
    """Return the fields in which words or filters are searched."""
    return [
        Field(name, source, field["type"] in TEXTS)
        for name, source, field in _searchable_fields(mapping)
    ]


def rule_differences(
    old: dict[str, Any], new: dict[str, Any], old_settings: Any, new_settings: Any
) -> list[RuleDifference]:
    """Return the differences between fields of two mappings, equal ones grouped.

    The settings are those of the two indices, below `index`.
    """
    before, now = _rules(old, old_settings), _rules(new, new_settings)
    fields: dict[tuple[str, str | None, str | None], list[str]] = {}
    for name, rules in before.items():
        there = now.get(name, {})
        for rule in sorted(rules.keys() | there.keys()) if there else ["type"]:
            if rules.get(rule) != there.get(rule):
                fields.setdefault((rule, rules.get(rule), there.get(rule)), []).append(name)
    return [RuleDifference(rule, names, *both) for (rule, *both), names in fields.items()]


def _rules(mapping: dict[str, Any], settings: Any) -> dict[str, Rules]:
    return {name: _rules_of(field, settings) for name, _, field in _searchable_fields(mapping)}


def _searchable_fields(mapping: dict[str, Any], above: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield the path of each searchable field, the path of its value, and its mapping."""
    for name, field in mapping.get("properties", {}).items():
        path = above + name
        for sub, each in [("", field), *field.get("fields", {}).items()]:
            kind = each.get("type")
            if kind in TEXTS or (kind in EXACT and each.get("index", True)):
                yield (f"{path}.{sub}" if sub else path), path, each
        yield from _searchable_fields(field, f"{path}.")


def _rules_of(field: dict[str, Any], settings: Any) -> Rules:
    """Return the rules of a field; named analyzers and similarities are written out."""
    analysis = settings.get("analysis", {})
    rules = {name: field[name] for name in field if name not in (*_APART, *_UNSEARCHED)}
    if field["type"] in TEXTS:
        own = field.get("analyzer", "default")
        rules["analyzer"] = _analyzer(analysis, "analyzer", own)
        asked = field.get("search_analyzer", own)
        if asked != own:
            rules["search_analyzer"] = _analyzer(analysis, "analyzer", asked)
        rules["similarity"] = _similarity(settings, field.get("similarity", "default"))
    elif "normalizer" in field:
        rules["normalizer"] = _analyzer(analysis, "normalizer", field["normalizer"])
    return flat(rules)


def _analyzer(analysis: Any, family: str, name: str) -> Any:
    """Return an analyzer or normalizer, with its parts as they are set, else by name."""
    found = analysis.get(family, {}).get(name)
    if found is None:
        return {"type": name}
    parts = {"type": "custom", **found}
    for part in ("char_filter", "tokenizer", "filter"):
        if part in found:
            names = found[part] if isinstance(found[part], list) else [found[part]]
            parts[part] = [analysis.get(part, {}).get(each, each) for each in names]
    return parts


def _similarity(settings: Any, name: str) -> Any:
    """Return a similarity's settings, which Elasticsearch gives as text; BM25's with defaults."""
    found = settings.get("similarity", {}).get(name)
    if found is None:
        found = {"type": "BM25" if name == "default" else name}
    if found.get("type", "BM25") != "BM25":
        return found
    return _BM25 | {
        key: value if key == "type" else json.loads(str(value).lower())
        for key, value in found.items()
    }


# Entries from which queries are made, and the seconds of asking, while loads wait.
ENTRIES = 40
_SECONDS = 10.0
# Words of a query, and characters of the longest word in it.
_WORDS = 3
_LONGEST = 100
# The first entries of an answer, which must be the same.
_FIRST = 20
# Scores that differ by a smaller part are equal: sums of floats, added in another order.
_EQUAL = 1e-5
_ORDERS = {**KEYS, "entities": ("cik",)}

Source: TypeAlias = dict[str, Any]
Scores: TypeAlias = dict[str, float]
Ask = Callable[[str, str, Any], Awaitable[Any]]


class Sampled(NamedTuple):
    """The number of sampled queries, and those that the two indices answered differently.

    `found` are queries that find other entries, `scored` those with other scores; `largest` is the
    largest relative difference of a score, `rules` are the differences of mappings and settings.
    `unasked` says why no query was asked.
    """

    asked: int
    found: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()
    largest: float = 0.0
    rules: tuple[RuleDifference, ...] = ()
    unasked: str = ""

    @property
    def finds_otherwise(self) -> bool:
        """True if other entries are found, or could be by the rules."""
        return bool(self.found) or any(each.effect == "finds" for each in self.rules)

    @property
    def differs(self) -> bool:
        """True if anything differs."""
        return bool(self.found or self.scored or self.rules)

    def __str__(self) -> str:
        """Describe the findings for a person."""
        asked = f"{self.asked} sampled queries"
        if self.unasked:
            text = f"no queries were compared: {self.unasked}"
        elif not (self.found or self.scored):
            text = f"{asked} find the same, in the same order and with the same scores"
        else:
            text = (
                f"{len(self.found)} of {asked} find other entries, {len(self.scored)} have other"
                f" scores (up to {100 * self.largest:.3g} %, such as"
                f" `{(*self.found, *self.scored)[0]}`)"
            )
        return "; ".join([text, *map(str, self.rules)])


class Answer(NamedTuple):
    """The number of found entries, and the scores of the first ones."""

    total: int
    scores: Scores


_NOTHING = Answer(0, {})


class Sampler:
    """Compares the two indices of a pair, which have the same entries and take no writes."""

    def __init__(self, ask: Ask, prefix: str) -> None:
        self._ask = ask
        self._prefix = prefix

    async def compare(self, pair: IndexPair) -> Sampled:
        """Ask both indices for words and values that entries of the old one have."""
        if pair.kind not in _ORDERS:
            return Sampled(0, unasked=f"{pair.kind} are not searched by words")
        old, old_settings = await self._index(pair.old)
        new, new_settings = await self._index(pair.new)
        rules = rule_differences(old, new, old_settings, new_settings)
        sampled = Sampled(0, rules=tuple(rules), unasked=f"{pair.old} is empty")
        fields = [field for field in fields_of(old) if field in fields_of(new)]
        began = time.monotonic()
        for entry in await self._entries(pair):
            queries = _sample_queries(fields, entry)
            answers = await asyncio.gather(*(self._answers(pair, *each) for each in queries))
            for (field, words), both in zip(queries, answers, strict=True):
                sampled = _add_answers(sampled, f"{field.name} {words}", *both)
            if time.monotonic() - began > _SECONDS:
                break
        return sampled

    async def _entries(self, pair: IndexPair) -> list[Source]:
        """Return some entries of the old index, documents with the text of one passage."""
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

    async def _answers(self, pair: IndexPair, field: Field, words: str) -> tuple[Answer, Answer]:
        """Return the answers of the old and the new index, scored by counts of words in both."""
        order: list[Any] = [{"_score": "desc"}, *_ORDERS[pair.kind]]
        first = {"size": _FIRST, "sort": order, "track_scores": True, "_source": False}
        body = {
            "query": {"match" if field.text else "term": {field.name: words}},
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

    async def _index(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the mapping of an index and its settings."""
        mappings = await self._ask("GET", f"/{name}/_mapping", None)
        settings = await self._ask("GET", f"/{name}/_settings", None)
        return mappings[name]["mappings"], settings[name]["settings"]["index"]


def _sample_queries(fields: list[Field], entry: Source) -> list[tuple[Field, str]]:
    """Return some words of each text of an entry, and one of its other values."""
    texts: list[tuple[Field, str]] = []
    filters: list[tuple[Field, str]] = []
    for field in fields:
        values = values_at(entry, field.source)
        if values:
            (texts if field.text else filters).append((field, random.choice(values)))
    queries = random.sample(filters, min(1, len(filters)))
    for field, text in texts:
        words = [word for word in text.split() if len(word) <= _LONGEST]
        if words:
            at = random.randrange(len(words))
            queries.append((field, " ".join(words[at : at + random.randint(1, _WORDS)])))
    return queries


def _add_answers(sampled: Sampled, words: str, old: Answer, new: Answer) -> Sampled:
    """Add the answers to one more query to the findings."""
    sampled = sampled._replace(asked=sampled.asked + 1, unasked="")
    if old.total != new.total or (old.total <= _FIRST and old.scores.keys() != new.scores.keys()):
        return sampled._replace(found=(*sampled.found, words))
    largest = largest_difference(old.scores, new.scores)
    if largest > _EQUAL:
        sampled = sampled._replace(scored=(*sampled.scored, words))
    return sampled._replace(largest=max(sampled.largest, largest))


def largest_difference(old: Scores, new: Scores) -> float:
    """Return the largest relative difference between the scores of the same entry.

    An entry that is not among the first counts as the last of them: in the same order it has that
    score.
    """
    last = [min(scores.values(), default=0.0) for scores in (old, new)]
    pairs = [(old.get(key, last[0]), new.get(key, last[1])) for key in old.keys() | new.keys()]
    return max((abs(one - other) / max(one, other, 1e-30) for one, other in pairs), default=0.0)


def _any_of(query: dict[str, Any]) -> dict[str, Any]:
    """Make a query find the same entries in random order."""
    return {"function_score": {"query": query, "random_score": {}}}


def values_at(source: Any, path: str) -> list[str]:
    """Return the values at a path of an entry, of all objects of lists on the way."""
    name, _, rest = path.partition(".")
    value = source.get(name)
    values = [each for each in (value if isinstance(value, list) else [value]) if each is not None]
    if not rest:
        return [str(each) for each in values]
    return [found for each in values for found in values_at(each, rest)]
