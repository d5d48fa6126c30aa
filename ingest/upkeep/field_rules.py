"""The rules by which the fields of an index are searched and scored, and where two indices differ.

Sampled queries show what a difference does; they can miss one that is rare. What was set says so
for certain.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from edgar_search.engine.templates import flat

TEXTS, EXACT = ("text", "match_only_text"), ("keyword", "date")
Effect = Literal["finds", "ranks"]
Rules: TypeAlias = dict[str, str]
# What BM25 has where nothing is set.
_BM25 = {"type": "BM25", "k1": 1.2, "b": 0.75, "discount_overlaps": True}
# Of a field's mapping, what is read by its name elsewhere, or changes no search.
_APART = ("properties", "fields", "analyzer", "search_analyzer", "normalizer", "similarity")
_UNSEARCHED = ("doc_values", "store", "eager_global_ordinals", "meta", "copy_to")
_RANKING = ("similarity.", "norms")


class Field(NamedTuple):
    """A field that can be searched; its value stands at `source`, phrases where it has places."""

    name: str
    source: str
    text: bool
    phrases: bool


class RuleDifference(NamedTuple):
    """A rule of some fields that another index has otherwise; None where it was not set."""

    rule: str
    fields: list[str]
    old: str | None
    new: str | None

    @property
    def effect(self) -> Effect:
        """Say what a difference may change: which entries are found, or only scores and order."""
        return "ranks" if self.rule.startswith(_RANKING) else "finds"

    def __str__(self) -> str:
        """The difference for a person."""
        fields = ", ".join(f"`{name}`" for name in self.fields)
        old, new = ["not set" if each is None else each for each in (self.old, self.new)]
        return f"{self.rule} of {fields} was {old} and is {new}"


def fields_of(mapping: dict[str, Any]) -> list[Field]:
    """The fields that words or filters are searched in."""
    return [
        Field(
            name,
            source,
            field["type"] in TEXTS,
            field.get("index_options", "positions") == "positions",
        )
        for name, source, field in _searched(mapping)
    ]


def rule_differences(
    old: dict[str, Any], new: dict[str, Any], old_settings: Any, new_settings: Any
) -> list[RuleDifference]:
    """Name the differences between fields of two mappings, equal ones together.

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
    return {name: _rules_of(field, settings) for name, _, field in _searched(mapping)}


def _searched(mapping: dict[str, Any], above: str = "") -> Iterator[tuple[str, str, Any]]:
    """The path of each field that is searched, the path of its value, and its mapping."""
    for name, field in mapping.get("properties", {}).items():
        path = above + name
        for sub, each in [("", field), *field.get("fields", {}).items()]:
            kind = each.get("type")
            if kind in TEXTS or (kind in EXACT and each.get("index", True)):
                yield (f"{path}.{sub}" if sub else path), path, each
        yield from _searched(field, f"{path}.")


def _rules_of(field: dict[str, Any], settings: Any) -> Rules:
    """The rules of a field, those that it has by name written out."""
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
    """An analyzer or a normalizer, with its parts where they are set, else by their names."""
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
    """A similarity by its settings, which come back as text; BM25's with those not set."""
    found = settings.get("similarity", {}).get(name)
    if found is None:
        found = {"type": "BM25" if name == "default" else name}
    if found.get("type", "BM25") != "BM25":
        return found
    return _BM25 | {key: _value(key, value) for key, value in found.items()}


def _value(key: str, value: Any) -> Any:
    return value if key == "type" else json.loads(str(value).lower())
