"""The search rules of the fields in an index, and the differences between two indices.

A copy of an index has the same entries by construction. It answers otherwise only if its mapping or
its settings say so, and these are compared with certainty.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from edgar_search.engine.templates import flat

TEXTS, EXACT = ("text", "match_only_text"), ("keyword", "date")
Effect = Literal["finds", "ranks"]
Rules: TypeAlias = dict[str, str]
# The default parameters of BM25.
_BM25 = {"type": "BM25", "k1": 1.2, "b": 0.75, "discount_overlaps": True}
# Keys of a field's mapping that are read elsewhere by name, and keys that change no search.
_APART = ("properties", "fields", "analyzer", "search_analyzer", "normalizer", "similarity")
_UNSEARCHED = ("doc_values", "store", "eager_global_ordinals", "meta", "copy_to")
_RANKING = ("similarity.", "norms")


class RuleDifference(NamedTuple):
    """A rule on which some fields of two indices differ; None if it is not set."""

    rule: str
    fields: list[str]
    old: str | None
    new: str | None

    @property
    def effect(self) -> Effect:
        """The possible effect of the difference: other entries, or only other scores and order."""
        return "ranks" if self.rule.startswith(_RANKING) else "finds"

    def __str__(self) -> str:
        """Describe the difference for a person."""
        fields = ", ".join(f"`{name}`" for name in self.fields)
        old, new = ["not set" if value is None else value for value in (self.old, self.new)]
        return f"{self.rule} of {fields} was {old} and is {new}"


def rule_differences(
    old: dict[str, Any], new: dict[str, Any], old_settings: Any, new_settings: Any
) -> list[RuleDifference]:
    """Return the differences between fields of two mappings, equal ones grouped.

    The settings are the two indices', below `index`.
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
    return {name: _rules_of(field, settings) for name, field in _searchable_fields(mapping)}


def _searchable_fields(mapping: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path of each searchable field and its mapping."""
    for name, field in mapping.get("properties", {}).items():
        path = above + name
        for sub, sub_field in [("", field), *field.get("fields", {}).items()]:
            kind = sub_field.get("type")
            if kind in TEXTS or (kind in EXACT and sub_field.get("index", True)):
                yield (f"{path}.{sub}" if sub else path), sub_field
        yield from _searchable_fields(field, f"{path}.")


def _rules_of(field: dict[str, Any], settings: Any) -> Rules:
    """Return the rules of a field; named analyzers and similarities are written out."""
    analysis = settings.get("analysis", {})
    rules = {name: field[name] for name in field if name not in (*_APART, *_UNSEARCHED)}
    if field["type"] in TEXTS:
        own = field.get("analyzer", "default")
        rules["analyzer"] = _analyzer(analysis, "analyzer", own)
        search_analyzer = field.get("search_analyzer", own)
        if search_analyzer != own:
            rules["search_analyzer"] = _analyzer(analysis, "analyzer", search_analyzer)
        rules["similarity"] = _similarity(settings, field.get("similarity", "default"))
    elif "normalizer" in field:
        rules["normalizer"] = _analyzer(analysis, "normalizer", field["normalizer"])
    return flat(rules)


def _analyzer(analysis: Any, family: str, name: str) -> Any:
    """Return an analyzer or normalizer, with its parts as they are set, else by name."""
    definition = analysis.get(family, {}).get(name)
    if definition is None:
        return {"type": name}
    parts = {"type": "custom", **definition}
    for part in ("char_filter", "tokenizer", "filter"):
        if part in definition:
            names = definition[part] if isinstance(definition[part], list) else [definition[part]]
            parts[part] = [analysis.get(part, {}).get(part_name, part_name) for part_name in names]
    return parts


def _similarity(settings: Any, name: str) -> Any:
    """Return a similarity's settings, which Elasticsearch gives as text; BM25's with defaults."""
    definition = settings.get("similarity", {}).get(name)
    if definition is None:
        definition = {"type": "BM25" if name == "default" else name}
    if definition.get("type", "BM25") != "BM25":
        return definition
    return _BM25 | {
        key: value if key == "type" else json.loads(str(value).lower())
        for key, value in definition.items()
    }
