"""Answers rendered from templates, and the style sheet and scripts."""

import asyncio
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import NotFound
from edgar_search.web.pages.links import address
from edgar_search.web.static_answers import StaticAnswer
from edgar_search.web.strangers import admit_stranger

FOLDER = "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"


async def static_file(request: Request) -> Response:
    """GET /static/DIGEST/NAME; an old digest gets the current file, uncached."""
    await admit_stranger(request)
    digest, name = request.path_params["digest"], request.path_params["name"]
    answer = static_files().get(name)
    if answer is None:
        raise NotFound("no such path")
    headers = {
        "Cache-Control": _FOR_EVER if digest == static_digest() else "no-cache",
        "Content-Security-Policy": "default-src 'none'; style-src 'self'",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return answer.respond(request, headers)


def static_address(name: str) -> str:
    """Return the address of a file in its current version.

    Scripts import each other by relative names.
    """
    assert name in static_files(), name
    return f"/{FOLDER}/{static_digest()}/{name}"


@cache
def static_files() -> dict[str, StaticAnswer]:
    """Read all files, by name."""
    answers = {}
    for file in files("edgar_search.web.pages").joinpath(FOLDER).iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in _TYPES:
            answers[file.name] = StaticAnswer(file.read_bytes(), _TYPES[suffix])
    return answers


@cache
def static_digest() -> str:
    """Return one digest for all files, so that a script and its imports have the same version."""
    tags = "".join(f"{name}{file.etag}" for name, file in sorted(static_files().items()))
    return sha256(tags.encode()).hexdigest()[:12]


FILES = [Route(f"/{FOLDER}/{{digest}}/{{name}}", static_file)]


# Nothing is loaded from other hosts, and pages contain no inline scripts or styles.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
# A snippet begins or ends with these if the text continues.
_ELLIPSES = re.compile(r"^\.\.\.|\.\.\.$")
# A message about the query field, into which the reader typed.
_NAMED_FIRST = re.compile("^`?query`?: ")
# EDGAR's time zone.
_EASTERN = ZoneInfo("America/New_York")
# Weekends and holidays have no filings, and a day's filings arrive in the evening.
_LONGEST_REST = 4
_WORDS = re.compile(r"[^\W_]+")
# Words with which many filers describe a document of any form.
_EMPTY = frozenset(
    "a and current document documents edgar exhibit filing form htm html main none of on ownership"
    " pdf primary report schedule submission text the txt xml".split()
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    # A page may show one reader's data, and may change a moment later.
    "Cache-Control": "private, no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Vary": "Cookie",
}


def render(name: str, status: int = 200, /, **content: Any) -> Response:
    """Render a template with this content as an answer."""
    body = environment().get_template(name).render(content)
    return Response(body, status, headers=dict(HEADERS), media_type="text/html")


class KeptCode(FileSystemBytecodeCache):
    """Compiled templates in files of this folder, as Python keeps its modules.

    They belong to one version of Jinja and of this module, whose settings and filters compiling
    uses.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "%s.html.code")
        self._made_by = version("jinja2") + sha256(Path(__file__).read_bytes()).hexdigest()

    def get_source_checksum(self, source: str) -> str:
        """Return a checksum of all inputs to compiling a template."""
        return super().get_source_checksum(self._made_by + source)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template if Python stores modules, and if the folder is writable."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


async def compile_all() -> None:
    """Compile every template, so that the first reader of a page does not wait for it."""
    templates = environment()
    for name in templates.list_templates(extensions=["html"]):
        # A thread for each, because a service that ends waits for one at most.
        await asyncio.to_thread(templates.get_template, name)


@cache
def environment() -> Environment:
    """Return the environment of all templates, which escapes all values.

    A missing value is an error.
    """
    templates = Environment(
        loader=PackageLoader("edgar_search.web.pages"),
        bytecode_cache=KeptCode(Path(cache_from_source(__file__)).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {"static": static_address, "address": address}
    templates.filters |= {
        "number": number,
        "amount": amount,
        "whole": whole,
        "day": day,
        "month_day": month_day,
        "moment": moment,
        "in_words": in_words,
        "as_sentence": as_sentence,
        "size": size,
        "marked": as_markup,
        "plural": plural,
        "duration": duration,
        "is_behind": is_behind,
        "form_name": form_name,
        "describe_document": describe_document,
    }
    return templates


def number(value: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{value:,}"


def amount(value: Decimal | None) -> str:
    """Format an amount with all its digits, or return "" for None."""
    return "" if value is None else f"{value:,f}"


def whole(value: Decimal | None) -> str:
    """Format an amount of dollars without cents, or return "" for None."""
    return "" if value is None else f"{value:,.0f}"


def plural(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def day(value: date | str | None) -> str:
    """Write a day in words, such as March 6, 2025, or "" for None."""
    if not value:
        return ""
    parsed = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return f"{parsed:%B} {parsed.day}, {parsed.year}"


def month_day(value: str) -> str:
    """Write EDGAR's day of a year (1231) in words; unchanged if there is no such day."""
    try:
        parsed = datetime.strptime(f"2000{value}", "%Y%m%d")
    except ValueError:
        return value
    return f"{parsed:%B} {parsed.day}"


def moment(value: datetime | None) -> str:
    """Write a moment in EDGAR's time, to the minute, with the time in UTC as a tooltip."""
    if value is None:
        return ""
    there, utc = value.astimezone(_EASTERN), value.astimezone(UTC)
    eastern = f"{day(there.date())}, {there:%H:%M} {there:%Z}"
    in_utc = f"{day(utc.date())}, {utc:%H:%M} UTC"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{utc:%Y-%m-%dT%H:%MZ}", in_utc, eastern
    )


def in_words(message: str) -> str:
    """Rewrite an API message for people, without the marks around parameters."""
    return _NAMED_FIRST.sub("", message).replace("`", "")


def as_sentence(message: str) -> str:
    """Write a warning, or the reading of a part of a question, as a sentence."""
    stripped = message.strip()
    plain = stripped.replace("`", "")
    # A word of the query stays as it is written.
    sentence = plain if stripped.startswith("`") else plain[:1].upper() + plain[1:]
    return sentence if sentence.endswith((".", "?", "!", ":")) or not sentence else f"{sentence}."


def is_behind(last: date | None) -> bool:
    """Return True if a day is so long ago that later filings must be missing."""
    return last is not None and (datetime.now(UTC).date() - last).days > _LONGEST_REST


def form_name(form_type: str) -> str:
    """Return the common name of a form: Form 4, but 10-K."""
    return f"Form {form_type}" if form_type.removesuffix("/A").isdigit() else form_type


def describe_document(description: str, form_type: str, names: Iterable[str] = ()) -> str:
    """Return a description, or "" if it only repeats the form, the kind of file or these names."""
    form = "".join(_WORDS.findall(form_type.lower()))
    known_words = _EMPTY | {word for name in names for word in _WORDS.findall(name.lower())}
    words = _WORDS.findall(description.lower())
    is_number = re.fullmatch(r"\d{10}-?\d\d-?\d{6}(\.\w+)?", description.strip())
    telling_words = [word for word in words if word not in known_words and word not in form]
    return description if telling_words and not is_number else ""


def size(count: int) -> str:
    """Format a number of bytes in the usual unit."""
    for unit, least in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= least:
            return f"{count / least:.{int(count < 10 * least)}f} {unit}"
    return f"{count} bytes"


def duration(seconds: float | None) -> str:
    """Format a time in the usual unit, or return "" for None."""
    if seconds is None:
        return ""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.1f} s"


def as_markup(snippet: str) -> Markup:
    """Mark a snippet as HTML, because the search escapes its text except for `<mark>`."""
    return Markup(_ELLIPSES.sub("…", snippet))
