"""`edgar-search search`

It searches Elasticsearch directly or calls a service; both return the JSON of `/v1/search`.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

import msgspec

from edgar_search.api.context import Context
from edgar_search.api.cursor import BEGIN, CURSOR, given_cursor
from edgar_search.api.search import FIND_DOCUMENTS, MAX_LIMIT, SEARCH
from edgar_search.commands.engine import with_engine
from edgar_search.commands.given import raw_parameters
from edgar_search.commands.output import OUTPUTS, Output, Progress
from edgar_search.engine.engine import Engine
from edgar_search.errors import FetchFailed, SettingsError
from edgar_search.http_client import HttpClient, Reply
from edgar_search.settings import VARIABLE_PREFIX, Settings

Answer: TypeAlias = dict[str, Any]
Given = Mapping[str, Sequence[str]]

# The account of searches by commands; it decides which shard copies they use.
ACCOUNT = "command line"
# A busy service says when to try again: the number of attempts, and the longest wait in seconds.
TRIES, MOST_SECONDS = 10, 120
_BUSY = (429, 503)


async def local_answers(
    engine: Engine, settings: Settings, raw: Given, everything: bool
) -> AsyncIterator[Answer]:
    """Yield one answer, or all pages; raises the errors of `/v1/search`."""
    context = Context.of_command(engine, settings, ACCOUNT)
    if everything:
        async for reply in FIND_DOCUMENTS.pages(context, _export_request(raw)):
            yield msgspec.to_builtins(reply)
        return
    given_cursor(raw, SEARCH)
    search = await FIND_DOCUMENTS.read(context, raw)
    yield msgspec.to_builtins((await FIND_DOCUMENTS.run(context, search, None)).answer)


async def service_answers(
    http: HttpClient, url: str, key: str, raw: Given, everything: bool
) -> AsyncIterator[Answer]:
    """Yield the answers of the service at an address; raises FetchFailed if it refuses."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise SettingsError("--url: must begin with http:// or https://")
    question = _export_request(raw) if everything else raw
    while True:
        query = urlencode(question, doseq=True)
        answer = await _ask_service(http, f"{url.rstrip('/')}{SEARCH.path}?{query}", key)
        yield answer
        if not answer.get("next_cursor"):
            return
        question = {CURSOR.name: [answer["next_cursor"]]}


def _export_request(raw: Given) -> dict[str, Sequence[str]]:
    """Return the parameters for walking all pages, which are large by default."""
    return {"limit": [str(MAX_LIMIT)], **raw, CURSOR.name: [BEGIN]}


async def _ask_service(http: HttpClient, url: str, key: str) -> Answer:
    for _ in range(TRIES):
        reply = await http.get(url, {"X-API-Key": key})
        wait = _seconds(reply)
        if reply.status not in _BUSY or wait is None:
            break
        await asyncio.sleep(wait)
    if reply.status != 200:
        raise FetchFailed(f"the service answered {reply.status}: {_reason(reply)}")
    try:
        answer: Answer = msgspec.json.decode(reply.body, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise FetchFailed("the answer does not come from edgar-search") from None
    return answer


def _seconds(reply: Reply) -> int | None:
    """Return the seconds until the next attempt; None if the wait is unknown or too long."""
    text = reply.headers.get("Retry-After", "")
    return int(text) if text.isdecimal() and int(text) <= MOST_SECONDS else None


def _reason(reply: Reply) -> str:
    try:
        return str(msgspec.json.decode(reply.body)["error"])
    except (msgspec.MsgspecError, KeyError, TypeError):
        return "no reason given"


USER_AGENT = "edgar-search"
# A search may wait in the queue, and then take until the service's own timeout.
TIMEOUT = 60.0


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print the results of a search, here or at a service; raises EdgarSearchError."""
    raw = raw_parameters(options)
    output = OUTPUTS[options.format](sys.stdout)
    if options.url is None:

        async def search(engine: Engine) -> None:
            await _print(local_answers(engine, settings, raw, options.all), output, options)

        return with_engine(settings, search)

    async def ask() -> None:
        key = options.key or settings.key
        if not key:
            raise SettingsError(f"--url needs a key: --key, or {VARIABLE_PREFIX}KEY")
        async with HttpClient(USER_AGENT, TIMEOUT) as http:
            await _print(service_answers(http, options.url, key, raw, options.all), output, options)

    asyncio.run(ask())
    return 0


async def _print(
    answers: AsyncIterator[Answer], output: Output, options: argparse.Namespace
) -> None:
    """Print items as they arrive; warnings and totals go to standard error."""
    printed = total = 0
    exact = True
    with Progress(options.all and not output.is_shown) as progress:
        async for answer in answers:
            if not printed:
                total, exact = answer["total_count"], answer.get("total_count_exact", True)
                progress.total(total)
                for warning in answer.get("warnings", ()):
                    _say(warning)
            for item in answer["items"]:
                output.item(item)
            printed += len(answer["items"])
            progress.done(len(answer["items"]))
    output.end()
    least = "" if exact else "at least "
    more = "" if options.all or printed == total else "; --all prints all"
    _say(f"{printed:,} of {least}{total:,}{more}")


def _say(text: str) -> None:
    print(f"edgar-search: {text}", file=sys.stderr, flush=True)
