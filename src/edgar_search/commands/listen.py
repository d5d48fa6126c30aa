"""`edgar-search listen`: prints events of filings as lines of JSON, or runs a command for each.

It reads the event log of Elasticsearch, or a service's stream. After an interruption it continues
after the last event that was printed, or that the command has processed.
"""

import argparse
import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec

from edgar_search.api.parameters.reader import Parameters
from edgar_search.commands.engine import with_engine
from edgar_search.commands.given import OF_EVENTS, given_parameters
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError, FetchFailed, PositionGone, SettingsError
from edgar_search.events.feed import Feed
from edgar_search.http_client import HttpClient
from edgar_search.search.context import SearchContext
from edgar_search.search.event_matching import EventMatcher
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.stored.events import FILING_EVENTS
from edgar_search.web.filing_stream import STREAM, filing_events, stream_criteria
from edgar_search.web.streams import begins_after

USER_AGENT = "edgar-search"
# A stream sends at least a comment every 15 seconds.
TIMEOUT = 45.0
# Seconds to wait after an interruption, doubled each time up to the most.
_WAIT, _MOST_WAIT = 1.0, 60.0
# Statuses after which to try again; any other error status ends the command.
_AGAIN = (429, 502, 503, 504)
_LOOK_SECONDS = 15.0

Take = Callable[[Mapping[str, Any]], Any]


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print events until interrupted; raises EdgarSearchError if it cannot continue."""
    raw = given_parameters(options, STREAM, OF_EVENTS)
    take = _print if options.exec is None else _Command(options.exec).take
    if options.url is None:

        async def listen(engine: Engine) -> None:
            await _hand_over(local_events(engine, settings, raw), take)

        return with_engine(settings, listen)
    key = options.key or settings.key
    if not key:
        raise SettingsError(f"--url needs a key: --key, or {VARIABLE_PREFIX}KEY")
    if urlsplit(options.url).scheme not in ("http", "https"):
        raise SettingsError("--url: must begin with http:// or https://")

    async def ask() -> None:
        async with HttpClient(USER_AGENT, TIMEOUT) as http:
            url = f"{options.url.rstrip('/')}{STREAM.path}"
            await _hand_over(service_events(http, url, {"X-API-Key": key}, raw), take)

    asyncio.run(ask())
    return 0


async def _hand_over(events: AsyncIterator[Mapping[str, Any]], take: Take) -> None:
    async for event in events:
        await take(event)


async def local_events(
    engine: Engine, settings: Settings, raw: Mapping[str, Sequence[str]]
) -> AsyncIterator[Mapping[str, Any]]:
    """Yield events of the log in the form of `/v1/stream`; raises its errors."""
    context = SearchContext.from_settings(engine, settings)
    feed, matcher = Feed(engine), EventMatcher(context)
    parameters = Parameters(raw, STREAM.declared)
    criteria = stream_criteria(parameters)
    after = begins_after(parameters)
    if after is not None:
        await feed.log.require(after)
    position = await feed.log.end() if after is None else after
    following = asyncio.create_task(feed.run_forever())
    wait = _WAIT
    try:
        while True:
            try:
                page = await feed.page(position, _LOOK_SECONDS, kinds=FILING_EVENTS)
                rendered = await filing_events(context, matcher, criteria, page, False)
            except PositionGone:
                raise
            except EdgarSearchError as error:
                if error.status < 500:
                    raise
                wait = await _wait(wait, str(error))
                continue
            for event in rendered:
                data = msgspec.to_builtins(event.content)
                yield {"id": event.position, "event": event.name, **data}
            position, wait = page.position, _WAIT
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def service_events(
    http: HttpClient, url: str, credentials: Mapping[str, str], raw: Mapping[str, Sequence[str]]
) -> AsyncIterator[Mapping[str, Any]]:
    """Yield events of a service's stream, reconnecting when it ends; FetchFailed if refused."""
    last, wait = "", _WAIT
    query = urlencode(raw, doseq=True)
    while True:
        headers = {**credentials} | ({"Last-Event-ID": last} if last else {})
        reason = "the stream broke off"
        try:
            async with http.stream(f"{url}?{query}", headers) as answer:
                if answer.status == 200:
                    async for fields in _blocks(answer.pieces):
                        last, wait = fields.get("id", last), _WAIT
                        if fields.get("event") == "end":
                            reason = str(msgspec.json.decode(fields["data"])["reason"])
                        elif "data" in fields:
                            data = msgspec.json.decode(fields["data"])
                            yield {"id": int(last), "event": fields["event"], **data}
                else:
                    body = b"".join([piece async for piece in answer.pieces])
                    reason = f"the service answered {answer.status}: {_reason(body)}"
                    if answer.status not in _AGAIN:
                        raise SettingsError(reason)
        except FetchFailed as error:
            reason = str(error)
        wait = await _wait(wait, reason)


async def _blocks(pieces: AsyncIterator[bytes]) -> AsyncIterator[dict[str, str]]:
    """Yield the fields of each event of a stream, without comments."""
    rest = b""
    async for piece in pieces:
        *blocks, rest = (rest + piece).split(b"\n\n")
        for block in blocks:
            lines = [line for line in block.decode().split("\n") if not line.startswith(":")]
            yield dict(line.split(": ", 1) for line in lines if ": " in line)


def _reason(body: bytes) -> str:
    try:
        return str(msgspec.json.decode(body)["error"])
    except (msgspec.MsgspecError, KeyError, TypeError):
        return "no reason given"


async def _wait(seconds: float, reason: str) -> float:
    print(f"edgar-search: {reason}; trying again in {seconds:g} s", file=sys.stderr, flush=True)
    await asyncio.sleep(seconds)
    return min(_MOST_WAIT, seconds * 2)


async def _print(event: Mapping[str, Any]) -> None:
    print(msgspec.json.encode(event).decode(), flush=True)


class _Command:
    """A command that is run for each event, one event after the other."""

    def __init__(self, text: str) -> None:
        self._words = shlex.split(text)
        if not self._words:
            raise SettingsError("--exec: needs a command")

    async def take(self, event: Mapping[str, Any]) -> None:
        """Run the command with an event.

        If it fails, SettingsError names the position from which to continue.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words, stdin=asyncio.subprocess.PIPE
            )
        except OSError as error:
            raise SettingsError(f"--exec: {self._words[0]}: {error.strerror}") from None
        await process.communicate(msgspec.json.encode(event) + b"\n")
        if process.returncode:
            raise SettingsError(
                f"--exec: {self._words[0]} exited with status {process.returncode} for the event"
                f" {event['id']}; `--after {event['id'] - 1}` repeats it"
            )
