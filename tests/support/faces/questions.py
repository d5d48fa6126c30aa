"""Questions to every face, made of what the older checkout declares and what it answers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import urlencode

Json = dict[str, Any]
Record = dict[str, str]

# Values that no answer has.
_QUERIES = (
    "revenue", "goodwill impairment", '"risk factors"', "merger OR acquisition NOT tender",
    "cyber*", "goodwil impairment", "Which companies reported a material weakness?", "10-K item 1A",
)  # fmt: skip
_CONSTANT: Mapping[str, tuple[str, ...]] = {
    "query": _QUERIES,
    "section": ("item1a", "10-K item 7"),
    "fiscal_year": ("2019", "2023"),
    "concept": ("us-gaap:Assets", "Revenues"),
    "concepts": ("Assets", "Revenues"),
    "unit": ("USD", "shares"),
    "min_value": ("1000",),
    "max_value": ("100000",),
    "state": ("CA", "NY"),
    "compare_to": ("2023Q4", "2024Q3"),
    "fiscal_period": ("FY", "Q2"),
    "code": ("S", "A"),
}
_DAYS = {"from": ("2020-06-30",), "to": ("2024-06-30",), "of": ("2024-12-31",)}
_NUMBERS = ("1", "3")
# Parameters by the names under which answers have their values.
_SAME = {
    "accession_number": "accnum",
    "ids": "document_id",
    "from": "document_id",
    "to": "document_id",
    "company": "company_name",
    "name_includes": "company_name",
    "owner": "owner_name",
    "person": "person_name",
    "manager": "manager_name",
    "companies": "cik",
    "forms": "form_type",
    "form_family": "form_type",
    "excluded_form_types": "form_type",
    "name_or_ticker": "company_name",
    "item": "eight_k_item",
}
# Parameters without which an endpoint refuses or has nothing, beside the required ones.
_BESIDE: Mapping[str, tuple[str, ...]] = {
    "/v1/statements": ("cik",),
    "/v1/facets": ("query",),
    "/v1/export": ("query",),
    "/v1/holders": ("cusip",),
    "/v1/quote": ("document_id",),
    "get_holdings": ("manager",),
    "get_statements": ("company",),
}
# Bases of a question that needs values: each is another document, company or query.
_MOST_BASES = 8
_MOST_VALUES = 2
_WORD = re.compile(r"[a-z]{5,12}")


class Asked(NamedTuple):
    """A path or the name of a tool, with its required parameters and all that it declares.

    A parameter has the words that it is one of, if there are any, and its type in JSON.
    """

    name: str
    required: Sequence[str]
    parameters: Mapping[str, tuple[Sequence[str], str]]


class Values:
    """Values of parameters that an installation has, found in answers of the older checkout."""

    def __init__(self, answers: Iterable[Json], texts: Iterable[str]) -> None:
        self._records = [record for answer in answers for record in records(answer)]
        self._made: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            words = [word for word, _ in Counter(_WORD.findall(text.lower())).most_common(40)]
            self._made["query"] += words[10:12]
            lines = [line for line in text.splitlines() if 60 < len(line) < 300]
            self._made["quote"] += lines[len(lines) // 2 :][:1]

    def of(self, name: str, kind: str) -> list[str]:
        """Return some values of a parameter, from anywhere in the installation."""
        if name in _CONSTANT:
            return [*_CONSTANT[name], *self._made.get(name, ())]
        if name in self._made:
            return self._made[name]
        if kind == "integer":
            return list(_NUMBERS)
        last = name.rpartition("_")[2]
        if last in _DAYS and name != last or name in ("date_from", "date_to"):
            return list(_DAYS[last])
        found = list(dict.fromkeys(r[key] for r in self._records if (key := _key(name, r))))
        return found[:: max(1, len(found) // _MOST_BASES)]

    def together(self, names: Sequence[str], kinds: Mapping[str, str]) -> list[Record]:
        """Return values for several parameters, of one thing if there is one that has them all."""
        whole = [
            {name: record[key] for name, key in keys.items() if key}
            for record in self._records
            if all((keys := {name: _key(name, record) for name in names}).values())
        ]
        distinct = list({tuple(each.values()): each for each in whole}.values())
        if distinct:
            return distinct[:: max(1, len(distinct) // _MOST_BASES)][:_MOST_BASES]
        lists = [self.of(name, kinds[name]) for name in names]
        longest = min(_MOST_BASES, max(map(len, lists), default=0)) if all(lists) else 0
        return [
            {name: each[number % len(each)] for name, each in zip(names, lists, strict=True)}
            for number in range(longest)
        ]


def _key(name: str, record: Record) -> str:
    """Return the name under which a record has a value of a parameter; "" if it has none."""
    singular = name.removesuffix("s")
    names = (name, singular, _SAME.get(name), _SAME.get(singular))
    return next((each for each in names if each and record.get(each)), "")


def records(value: Any) -> Iterator[Record]:
    """The things of an answer's lists, each with what is in it: `owners[0].cik` is `owner_cik`."""
    if isinstance(value, dict):
        for each in value.values():
            if isinstance(each, list):
                for item in each:
                    if isinstance(item, dict):
                        yield from _flat(item)


def _flat(thing: Json) -> Iterator[Record]:
    found: Record = {}
    for name, value in thing.items():
        singular = name.removesuffix("s")
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict):
            inner = {key: each for key, each in first.items() if isinstance(each, str)}
            found |= {f"{singular}_{key}": each for key, each in inner.items()}
            found = {**inner, **found}
        elif isinstance(first, str):
            found[singular] = first
    found.setdefault("company_name", found.get("name", ""))
    if isinstance(thing.get("documents"), list):
        for document in thing["documents"]:
            yield {**found, "document_id": str(document.get("document_id", ""))}
    yield found


def of_endpoint(asked: Asked, values: Values) -> list[Record]:
    """Parameters of questions: some with what is required only, then each other one in turn."""
    kinds = {name: kind for name, (_, kind) in asked.parameters.items()}
    names = [*asked.required, *_BESIDE.get(asked.name, ())]
    bases = values.together(names, kinds) if names else [{}]
    found = list(bases)
    for name, (words, kind) in asked.parameters.items():
        if name in (*names, "cursor", "snapshot", "api_key"):
            continue
        given = list(words) or (["true"] if kind == "boolean" else values.of(name, kind))
        given = given if words else given[:_MOST_VALUES]
        found += [{**base, name: each} for base, each in product(bases[:1], given)]
    return found


def declared(document: Json, prefix: str) -> Iterator[Asked]:
    """Yield the operations of an OpenAPI document that are read by GET, below a path."""
    for path, operations in document["paths"].items():
        if path.startswith(prefix) and "get" in operations:
            listed = operations["get"].get("parameters", [])
            known = {each["name"]: each.get("schema") for each in listed}
            yield Asked(
                path,
                [each["name"] for each in listed if each.get("required")],
                {name: _type(schema) for name, schema in known.items() if schema},
            )


def tool(declaration: Json) -> Asked:
    """Return a tool of MCP, by its declaration."""
    schema = declaration["inputSchema"]
    known = {name: _type(each) for name, each in schema["properties"].items()}
    return Asked(declaration["name"], schema.get("required", []), known)


def _type(schema: Json) -> tuple[Sequence[str], str]:
    inner = schema.get("items", schema)
    kind = schema.get("type", "string")
    kind = next(each for each in kind if each != "null") if isinstance(kind, list) else kind
    return inner.get("enum", ()), kind


def exports(by_path: Mapping[str, Sequence[Record]], formats: Sequence[str]) -> Iterator[Record]:
    """Each kind of records in each format, and the questions of its endpoint as JSON lines."""
    paths = {"documents": "search", "filings": "lookup", "matches": "search"}
    for what in (
        *paths,
        *("insider_trades", "insider_holdings", "stakes", "planned_sales"),
        *("holdings", "portfolio", "holders", "facts"),
    ):
        asked = by_path.get(f"/v1/{paths.get(what, what)}", [])
        usual = next((each for each in asked if "limit" not in each), {})
        filters = {"concept": "us-gaap:Assets"} if what == "facts" else usual
        filters = {"form_type": "10-K"} if what == "filings" else filters
        for name in formats:
            yield {"what": what, "format": name, **filters}
        for each in asked:
            kept = {name: each[name] for name in each if name not in ("limit", "offset")}
            yield {"what": what, "format": "jsonl", **kept}


def address(path: str, parameters: Mapping[str, str]) -> str:
    """Return a path with parameters."""
    return f"{path}?{urlencode(parameters)}" if parameters else path
