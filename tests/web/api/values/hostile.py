"""Requests with hostile values under every declared parameter, made by a seeded generator."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from edgar_search.api.parameters.declaration import Endpoint, Parameter

_CONTROLS = [chr(code) for code in (0, 7, 9, 10, 11, 13, 27, 28, 29, 30, 31, 127, 0x85)]
_ODD = [*_CONTROLS, "\u00a0", "\u2028", "\u202e", "\u3000", "\ufeff", "\ufffd", "\U0010ffff"]
_DIGITS = ["\u0663", "\uff13", "\u00b2", "\u0969", "\U0001d7d7", "\u2167"]
_NUMBERS = [
    "0", "-1", "-0", "+1", "007", "1.0", "1e3", "1_000", "0x10", "1,000", "NaN", "Infinity",
    "2147483648", "9223372036854775808", "1" * 400, "9" * 1_001, "-" + "9" * 5_000,
]  # fmt: skip
_DAYS = [
    "0001-01-01", "9999-12-31", "0000-00-00", "2024-02-30", "2024-02-29T24:00:00Z", "2024-W01-1",
    "10000-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:60-23:59", "now",
    "2024-01-01||/M",
]  # fmt: skip
_TEXTS = [
    "", " ", ",", ",,,", '"', '"""', "(", "))))", "NOT", "a AND", "a*", "*", "*a", '"a b"~50',
    "~", "\\", "{", "[", "[]", "[1]", '["a"', '[["a"]]', "{}", '{"a":1}', "[" * 5_000, "null",
    "true", "../../etc/passwd", "%00", "a" * 1_001, "a," * 2_000, "\ud7ff", "e\u0301" * 300,
    "0000320193", "0000320193-24-000001", "0000320193-24-000001-1", "10-K", "BRK-B", "1.01",
]  # fmt: skip
_JSON: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e308, 2**63, 2**64, 10**400, "", [], {}, [None], [True], [1],
    [[]], [{}], ["a", 1], {"a": 1}, {"": ""}, {"cik": [1]}, {"ciks": "1"}, [""] * 70_000,
]  # fmt: skip


class HostileRequest(NamedTuple):
    """A request with hostile values; `body` is JSON."""

    method: str
    target: str
    body: bytes | None


def requests(endpoints: list[Endpoint], random: Random) -> Iterator[HostileRequest]:
    """Requests without an end, each endpoint and each of its parameters in turn."""
    while True:
        for endpoint in endpoints:
            for parameter in endpoint.parameters:
                yield _request(endpoint, parameter, random)


def _request(endpoint: Endpoint, parameter: Parameter, random: Random) -> HostileRequest:
    values = {other.name: _proper(other) for other in endpoint.parameters if other.required}
    if random.random() < 0.3:
        other = random.choice(endpoint.parameters)
        values[other.name] = _hostile(other, random)
    name = random.choice(parameter.all_spellings)
    values.pop(parameter.name, None)
    values[name] = _hostile(parameter, random)
    values.pop("api_key", None) if random.random() < 0.9 else None
    method = random.choice(endpoint.methods)
    in_body = endpoint.where == "body" or (endpoint.where == "both" and random.random() < 0.5)
    if in_body:
        return HostileRequest(method, endpoint.path, json.dumps(values).encode())
    pairs = [f"{quote(key)}={_in_query(value)}" for key, value in values.items()]
    if random.random() < 0.1:
        pairs.append(random.choice([pairs[-1] if pairs else "", "%FF=1", "a=%F0", "&&=&", "=;"]))
    return HostileRequest(method, f"{endpoint.path}?{'&'.join(pairs)}"[:30_000], None)


def _proper(parameter: Parameter) -> Any:
    """Return a value that is taken, so that the others are looked at."""
    proper = {
        "query": "sales", "accession_number": "0000320193-24-000001", "target_id": "0000320193",
        "document_id": "0000320193-24-000001-1", "url": "http://a.example",
    }  # fmt: skip
    if parameter.kind == "choice":
        return parameter.choices[0]
    return (
        [proper["accession_number"]]
        if parameter.kind == "list"
        else proper.get(parameter.name, "a")
    )


def _hostile(parameter: Parameter, random: Random) -> Any:
    if parameter.fields and random.random() < 0.7:
        inner = random.choice(parameter.fields)
        return {random.choice(inner.all_spellings): _hostile(inner, random)}
    kinds: list[Callable[[Parameter, Random], Any]] = [
        _wrapped,
        _edge,
        _text,
        _wrong_type,
        _several,
    ]
    return random.choice(kinds)(parameter, random)


def _text(parameter: Parameter, random: Random) -> str:
    pool = {"integer": _NUMBERS, "day": _DAYS, "date": _DAYS, "moment": _DAYS}.get(parameter.kind)
    return random.choice(pool if pool and random.random() < 0.7 else _TEXTS + _NUMBERS + _DAYS)


def _wrapped(parameter: Parameter, random: Random) -> str:
    """Something that would be right, with what is invisible or no digit before, after or in it."""
    right = {
        "integer": str(parameter.least or 1), "day": "2024-01-31", "date": "2024-01-31",
        "moment": "2030-01-31T00:00:00Z", "flag": "true",
        "choice": random.choice(parameter.choices or ("a",)),
    }.get(parameter.kind, random.choice(_TEXTS[-8:]))  # fmt: skip
    at = random.choice([0, len(right), random.randrange(len(right) + 1)])
    return right[:at] + random.choice(_ODD + _DIGITS) + right[at:]


def _edge(parameter: Parameter, random: Random) -> Any:
    """Return a value at its declared bounds, or one beyond."""
    longest = (parameter.longest or 1_000) + random.choice([0, 1])
    if parameter.kind == "list":
        most = (parameter.most or 100) + random.choice([0, 1])
        return [f"{n:04}" for n in range(most)] if random.random() < 0.7 else ["x" * longest]
    if parameter.kind == "integer":
        bound = random.choice([parameter.least or 0, parameter.most or 10**9])
        return bound + random.choice([-1, 0, 1])
    return random.choice(["x", "\U0001f600", "\x00", " x"]) * longest


def _wrong_type(parameter: Parameter, random: Random) -> Any:
    return random.choice(_JSON)


def _several(parameter: Parameter, random: Random) -> list[Any]:
    return [_text(parameter, random) for _ in range(random.randrange(4))]


_KINDS: list[Callable[[Parameter, Random], Any]] = [_wrapped, _edge, _text, _wrong_type, _several]


def _in_query(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return quote(text.encode("utf-8", "surrogatepass"))
