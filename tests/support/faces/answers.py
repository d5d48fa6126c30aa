"""Answers without what changes from one to the next, and what differs between two of them."""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

# The older answer is in the newer one whole, if that has more fields and no others.
Verdict: TypeAlias = Literal["equal", "gained", "differs"]

# Times, random names and what is signed with them; the digest in addresses of static files.
_NOISE = tuple(
    (re.compile(pattern.encode()), instead.encode())
    for pattern, instead in (
        (r'(cursor\\?": ?\\?")[^"\\]+', r"\1CURSOR"),
        (r'(<footer class="foot"><p>)[\d,]+ ms', r"\1MS ms"),
        (r"cursor=[\w.%-]{40,}", "cursor=CURSOR"),
        (r"/as-filed/\d+/[\w-]{22}/", "/as-filed/SIGNED/"),
        (r"(key=)[0-9a-f]{32}", r"\1KEY"),
        (r"127\.0\.0\.1(:|%3A)\d+", "HOST"),
        (r"\bn[0-9a-f]{16}\b", "NONCE"),
        (r"(/static/)[0-9a-f]{12}/", r"\1DIGEST/"),
        (r"\bfaces-(old|new)-[0-9a-f]{8}\b", "USER"),
    )
)
# Of those that users made: what is in it and when.
_OF_USERS = tuple(
    (re.compile(pattern.encode()), instead.encode())
    for pattern, instead in (
        (r"sk_live_\w+", "KEY"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z?(\+00:00)?", "MOMENT"),
        (r"user-[0-9a-f]{20,}|\b[0-9a-f]{24}\b|\b[0-9a-f]{16}\b|\b[\w-]{22}\b", "ID"),
        (r"\b[0-9a-f]{32}(-\d+)?\b", "ID"),
        (r'(<td class="num right">)\d+(</td><td><code>)', r"\1MS\2"),
        (r'("duration_ms": ?)[\d.]+', r"\g<1>0"),
        (r"\d{1,2}:\d\d(:\d\d)?", "TIME"),
        (r"[\d.,]+ (ms|seconds?|s)\b", "DURATION"),
    )
)
_IGNORED_HEADERS = {
    *("date", "x-request-id", "etag", "content-length", "set-cookie", "server", "retry-after"),
    *("ratelimit", "ratelimit-policy", "last-modified", "server-timing"),
}
_SHOWN, _MOST_PATHS = 70, 4


class Answered(NamedTuple):
    """A status, the headers that say something of the content, and the content."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, status: int, headers: Any, body: bytes, *, of_users: bool = False) -> "Answered":
        """Return an answer without noise; a workbook is the text of its parts."""
        if body.startswith(b"PK\x03\x04"):
            body = _unpacked(body)
        for pattern, instead in (*_NOISE, *(_OF_USERS if of_users else ())):
            body = pattern.sub(instead, body)
        kept = sorted(
            (name.lower(), _plain(value))
            for name, value in headers
            if name.lower() not in _IGNORED_HEADERS
        )
        return cls(status, tuple(kept), body)


def _plain(text: str) -> str:
    """Return a header without noise."""
    encoded = text.encode()
    for pattern, instead in _NOISE:
        encoded = pattern.sub(instead, encoded)
    return encoded.decode()


def _unpacked(body: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        parts = [(name, packed.read(name)) for name in sorted(packed.namelist())]
    return b"\n".join(
        b"== " + name.encode() + b"\n" + data for name, data in parts if "core.xml" not in name
    )


def compared(old: Answered, new: Answered) -> tuple[Verdict, str]:
    """Compare two answers; the detail names what differs."""
    if old == new:
        return "equal", ""
    if old.status != new.status:
        bodies = f"{_cut(old.body)} -> {_cut(new.body)}"
        return "differs", f"status {old.status} -> {new.status}: {bodies}"
    if old.headers != new.headers:
        return "differs", f"headers {sorted({*old.headers} ^ {*new.headers})}"
    try:
        before, after = _values(old.body), _values(new.body)
    except ValueError:
        return "differs", _first_difference(old.body, new.body)
    found = list(_differences("", before, after))
    if not found:
        return "differs", "the order or the writing of its JSON"
    counted = Counter(path for path, _ in found)
    paths = ", ".join(f"{path} x{times}" for path, times in counted.most_common(_MOST_PATHS))
    if all(path.startswith("+") for path in counted):
        return "gained", paths
    path, change = next(each for each in found if not each[0].startswith("+"))
    return "differs", f"{paths}; first {path}: {change}"


def _values(body: bytes) -> Any:
    """JSON, or lines of JSON."""
    try:
        return json.loads(body)
    except ValueError:
        return [json.loads(line) for line in body.splitlines()]


def _differences(path: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Yield paths without the numbers of items, `+` before those that only the newer answer has."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            below = f"{path}.{name}"
            if name not in old:
                yield f"+{below}", _cut(new[name])
            elif name not in new:
                yield f"-{below}", _cut(old[name])
            else:
                yield from _differences(below, old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            yield from _differences(f"{path}[]", before, after)
    elif old != new or type(old) is not type(new):
        yield path or ".", f"{_cut(old)} -> {_cut(new)}"


def _first_difference(old: bytes, new: bytes) -> str:
    ends = min(len(old), len(new))
    at = next((n for n in range(ends) if old[n] != new[n]), ends)
    begin = max(0, at - _SHOWN // 2)
    return f"byte {at} of {len(old)}, {len(new)}: {_cut(old[begin:])} -> {_cut(new[begin:])}"


def _cut(value: Any) -> str:
    return repr(value[:_SHOWN] if isinstance(value, bytes | str) else value)[: 2 * _SHOWN]
