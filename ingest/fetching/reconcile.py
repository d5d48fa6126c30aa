"""Compares loaded submissions with EDGAR: changed bytes, and removed filings."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, date, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from edgar_search.edgar.identifiers import submission_path
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.errors import EdgarUnavailable
from edgar_search.stored.events import StoredEvent, withdrawn_event_id
from edgar_search.stored.installation import EdgarFile, LedgerEntry
from ingest.fetching.client import HEAD_BYTES, Edgar, archive_path
from ingest.fetching.fetch import Entry, Fetcher, FetchSummary
from ingest.fetching.index_files import IndexCache, Quarter, quarters
from ingest.fetching.listing import IncompleteIndex, listed_quarter
from ingest.loading.ledger import Entry as Stored
from ingest.loading.ledger_entries import (
    absent_entry,
    checked_entry,
    present_entry,
    removed_entry,
)
from ingest.loading.retry import Retry
from ingest.sources.paths import FilingFilter

# The statuses that mean a removed file; other refusals may be errors.
_GONE = (404, 410)


class Compared(NamedTuple):
    """A submission at EDGAR compared with the loaded one.

    `same`; `unsure` if only the bytes can decide; `gone` if EDGAR answers that the file does not
    exist; `refused` if it refuses the file for another reason. `file` holds EDGAR's headers of a
    file that is the same.
    """

    kind: Literal["same", "unsure", "gone", "refused"]
    file: EdgarFile | None = None


async def compare(
    edgar: Edgar, path: str, sha256: str, known: EdgarFile | None, fetched_at: datetime | None
) -> Compared:
    """Compare EDGAR's file with the version that has the hash `sha256`, without fetching it.

    `known` are EDGAR's headers for that version; without them, the file is the same if it was not
    modified since it was fetched. Raises EdgarUnavailable.
    """
    if known is not None and known.sha256 != sha256:
        known = None
    headers = _conditions(known, fetched_at)

    async def attempt() -> Compared:
        async with edgar.http.stream(edgar.url + path, headers) as answer:
            if answer.status in _GONE:
                return Compared("gone")
            head = b""
            if answer.status != 304:
                async for piece in answer.pieces:
                    head += piece
                    if len(head) >= HEAD_BYTES:
                        break
            if not edgar.accept(answer.status, answer.headers, head[:HEAD_BYTES]):
                return Compared("refused")
            if answer.status == 304 or _is_same(answer.headers, known, fetched_at):
                etag, modified = answer.headers.get("ETag"), answer.headers.get("Last-Modified")
                if known is not None:
                    etag, modified = etag or known.etag, modified or known.last_modified
                return Compared("same", EdgarFile(sha256, etag, modified))
            return Compared("unsure")

    # Without a validator or a time only the bytes can decide.
    return await edgar.repeat(path, attempt) if headers else Compared("unsure")


def _conditions(known: EdgarFile | None, fetched_at: datetime | None) -> dict[str, str]:
    """Return the headers that request the file only if it has changed."""
    if known is not None and (known.etag or known.last_modified):
        conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        return {name: value for name, value in conditions.items() if value is not None}
    if known is None and fetched_at is not None:
        return {"If-Modified-Since": format_datetime(fetched_at.astimezone(UTC), usegmt=True)}
    return {}


def _is_same(
    headers: Mapping[str, str], known: EdgarFile | None, fetched_at: datetime | None
) -> bool:
    """Return True if a file's headers show that it is the known one.

    Servers may send a file in spite of the conditions.
    """
    etag, modified = headers.get("ETag"), headers.get("Last-Modified")
    if known is not None and known.etag and etag:
        return known.etag.removeprefix("W/") == etag.removeprefix("W/")
    if known is not None:
        return known.last_modified is not None and known.last_modified == modified
    if fetched_at is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= fetched_at
    except (ValueError, TypeError):
        return False


_log = logging.getLogger(__name__)
# How many submissions one run compares by bytes by default: about 17 minutes.
MOST = 10_000
# An index of a quarter may lack one in `SHARE` of its loaded submissions, or a few. An index that
# lacks more is not trusted.
SHARE, FEW = 20, 3
# Concurrent requests; only one while something else fetches, which then waits for at most one.
AT_ONCE = 8
# If this many addresses in a row fail, EDGAR is down, not the files.
_MAX_FAILURES = 5
_PAGE, _KEPT_SECONDS = 1_000, 600
_WINDOW = 200


class _Loaded(Struct):
    """A loaded submission, as found in the ledger."""

    number: str = field(name="_id")
    entry: LedgerEntry = field(name="_source")
    sort: list[Any] = []


class _Ciks(Struct):
    accession_number: str
    ciks: list[str] = []


class _Bound(Struct):
    day: date | None = field(name="value_as_string", default=None)


class _Bounds(Struct):
    first: _Bound
    last: _Bound


class _Suspect(Struct, frozen=True):
    """A submission whose bytes must be fetched again."""

    accession_number: str
    form_type: str
    filing_date: date
    file_name: str
    accepted_at: datetime | None = None


class ReconcileSummary:
    """The result of one run.

    `incomplete` are the quarters whose index is not trusted, with the reason. `withdrawn` and
    `returned` were marked and unmarked in this run, `absent` wait for a second index. `gone` are
    listed without a file at EDGAR; for `failed` EDGAR gave no answer.
    """

    def __init__(self) -> None:
        self.quarters: list[str] = []
        self.incomplete: dict[str, str] = {}
        self.compared = self.checked = self.unchanged = self.left = 0
        self.absent: list[str] = []
        self.withdrawn: list[str] = []
        self.returned: list[str] = []
        self.gone: list[str] = []
        self.failed: list[dict[str, str]] = []
        self.fetched = FetchSummary()
        self._started = time.monotonic()

    @property
    def complete(self) -> bool:
        """True if EDGAR answered for all submissions, and all changed ones are loaded."""
        return not (self.incomplete or self.failed) and self.fetched.complete

    def as_dict(self) -> dict[str, Any]:
        """Return the summary for the last line of output."""
        load = self.fetched.load
        return {
            "compared": self.compared,
            "quarters": self.quarters,
            "incomplete": self.incomplete,
            "absent": self.absent,
            "withdrawn": self.withdrawn,
            "returned": self.returned,
            "checked": self.checked,
            "unchanged": self.unchanged + load.unchanged,
            "changed": load.loaded,
            "gone": self.gone,
            "pending": self.fetched.pending,
            "failed": [*self.failed, *self.fetched.failed],
            "refusals": load.refusals,
            "left": self.left,
            "seconds": round(time.monotonic() - self._started, 2),
        }

    def line(self) -> str:
        """Describe the progress of the run, or its result."""
        return (
            f"{self.compared} looked for in {len(self.quarters)} indices:"
            f" {len(self.absent)} absent, {len(self.withdrawn)} withdrawn,"
            f" {len(self.returned)} returned; {self.checked} compared:"
            f" {self.fetched.load.loaded} changed, {self.left} left"
        )


class Reconciler:
    """Compares loaded submissions with EDGAR, run after run; a stopped run loses nothing.

    A submission is marked as withdrawn if the complete index of its quarter lacked it in two runs,
    and EDGAR answers 404 at its address in the second. The mark is removed when EDGAR lists it, or
    has its file, again. `most` limits the submissions whose bytes a run compares, the ones compared
    longest ago first. An index is always trusted if it lacks no more than `most_absent`.
    """

    def __init__(
        self,
        engine: Engine,
        edgar: Edgar,
        fetcher: Fetcher,
        home: Path,
        retry: Retry,
        *,
        most: int = MOST,
        most_absent: int = 0,
        at_once: int = AT_ONCE,
    ) -> None:
        self._engine = engine
        self._edgar = edgar
        self._fetcher = fetcher
        self._ledger = fetcher.ledger
        self._home = home
        self._retry = retry
        self._most = most
        self._most_absent = most_absent
        self._at_once = at_once
        self._failures = 0

    async def run(self, wanted: FilingFilter, today: date) -> ReconcileSummary:
        """Compare the loaded submissions of these days and forms; mark, and load changed ones.

        Raises EdgarUnavailable and EngineUnavailable if one of them stays away.
        """
        summary = ReconcileSummary()
        self._failures = 0
        await self._fetcher.set_up()
        await self._retry(self._engine.refresh, "ledger")
        cache = IndexCache(self._edgar, self._home, once=True)
        for quarter in await self._quarters(wanted):
            await self._compare_listing(cache, quarter, wanted, today, summary)
        # The next search must find marked filings as they are now.
        await self._retry(self._engine.refresh, "ledger")
        await self._compare_bytes(wanted, summary)
        await self._retry(self._engine.refresh, "ledger")
        return summary

    async def _quarters(self, wanted: FilingFilter) -> Sequence[Quarter]:
        """Return the quarters that have loaded submissions."""
        body = {
            "query": _loaded_query(wanted),
            "size": 0,
            "track_total_hits": False,
            "aggs": {
                name: {kind: {"field": "filing_date", "format": "strict_date"}}
                for name, kind in (("first", "min"), ("last", "max"))
            },
        }
        bounds = await self._retry(self._engine.aggregate, "ledger", body, _Bounds)
        if bounds.first.day is None or bounds.last.day is None:
            return []
        return list(quarters(bounds.first.day, bounds.last.day))

    async def _compare_listing(
        self,
        cache: IndexCache,
        quarter: Quarter,
        wanted: FilingFilter,
        today: date,
        summary: ReconcileSummary,
    ) -> None:
        """Check the loaded submissions of a quarter against everything that EDGAR lists for it."""
        of_quarter = _within(wanted, quarter.first_day, quarter.last_day)
        name = f"{quarter.year}/QTR{quarter.number}"
        began = datetime.now(UTC)
        try:
            if not await self._count(of_quarter):
                return
            listed = await listed_quarter(cache.read, quarter, today)
            reached = _within(of_quarter, quarter.first_day, listed.until)
            absent, marked, number = [], [], 0
            async for page in self._pages(_loaded_query(reached), ["_shard_doc"]):
                number += 1
                known = page.entry.absent_since or page.entry.withdrawn_at
                if page.number not in listed.numbers:
                    absent.append(page)
                elif known is not None:
                    marked.append(page)
            self._require_few(absent, number)
        except IncompleteIndex as error:
            summary.incomplete[name] = str(error)
            _log.warning("%s: this index is not believed, nothing is marked by it: %s", name, error)
            return
        summary.quarters.append(name)
        summary.compared += number
        await self._unmark(marked, summary)
        await self._change([loaded.number for loaded in absent], partial(absent_entry, now=began))
        for loaded in absent:
            if loaded.entry.withdrawn_at is None:
                await self._mark_if_gone(loaded, summary)
        self._require_answers()

    def _require_few(self, absent: Sequence[_Loaded], number: int) -> None:
        """Raise IncompleteIndex if more is newly absent than EDGAR would remove."""
        new = [loaded for loaded in absent if loaded.entry.withdrawn_at is None]
        allowed = max(1, min(FEW, number // 2), number // SHARE, self._most_absent)
        if len(new) > allowed:
            raise IncompleteIndex(
                f"it lacks {len(new)} of the {number} submissions that are loaded, such as"
                f" {new[0].number}; more than {allowed} are not believed (--most-absent)"
            )

    async def _mark_if_gone(self, each: _Loaded, summary: ReconcileSummary) -> None:
        """Mark a submission that two complete indices lacked, if its address answers 404."""
        if each.entry.absent_since is not None and await self._is_gone(each, summary):
            await self._tell_withdrawn(each)
            if await self._change([each.number], removed_entry):
                summary.withdrawn.append(each.number)
                _log.warning("%s is withdrawn: EDGAR no longer has it", each.number)
            return
        summary.absent.append(each.number)

    async def _tell_withdrawn(self, each: _Loaded) -> None:
        """Append the event of a withdrawal to the log, before updating the ledger."""
        since = each.entry.absent_since
        if each.entry.withdrawn_at is None and since is not None:
            event = StoredEvent(
                "withdrawn", datetime.now(UTC), each.number, documents=sorted(each.entry.parts)
            )
            key = withdrawn_event_id(each.number, since)
            await self._retry(self._engine.create_many, "events", [(key, event)])

    async def _is_gone(self, each: _Loaded, summary: ReconcileSummary) -> bool:
        """Return True if EDGAR answers 404 at each address of a submission."""
        paths = (await self._find_paths([each])).get(each.number, [])
        try:
            kinds = [
                (await compare(self._edgar, path, "", None, datetime.now(UTC))).kind
                for path in paths
            ]
        except EdgarUnavailable as error:
            self._note_failure(each.number, error, summary)
            return False
        return bool(kinds) and all(kind == "gone" for kind in kinds)

    async def _compare_bytes(self, wanted: FilingFilter, summary: ReconcileSummary) -> None:
        """Compare the bytes of the submissions compared longest ago."""
        order = [
            {"checked_at": {"order": "asc", "missing": "_first"}},
            {"filing_date": "desc"},
            "_shard_doc",
        ]
        loaded: list[_Loaded] = []
        async with aclosing(self._pages(_loaded_query(wanted), order)) as pages:
            async for page in pages:
                loaded.append(page)
                if len(loaded) >= self._most:
                    break
        summary.left = max(0, await self._count(wanted) - len(loaded))
        for window in chunks(loaded, _WINDOW):
            suspects = await self._find_suspects(window, summary)
            if suspects:
                summary.fetched.join(fetched := await self._fetcher.run(suspects, anew=True))
                summary.fetched.pending += fetched.pending
                summary.fetched.failed += fetched.failed
            _log.info("%s", summary.line())

    async def _find_suspects(
        self, window: Sequence[_Loaded], summary: ReconcileSummary
    ) -> "_Entries | None":
        """Return the submissions whose bytes must be fetched; record the others as compared."""
        paths = await self._find_paths(window)
        slots = asyncio.Semaphore(self._at_once)
        same: dict[str, EdgarFile] = {}
        back: list[_Loaded] = []
        suspects: list[_Suspect] = []

        async def look(loaded: _Loaded) -> None:
            entry, path = loaded.entry, paths[loaded.number][0]
            async with slots:
                if self._failures >= _MAX_FAILURES:
                    return
                try:
                    compared = await self._compare_at(loaded, path)
                except EdgarUnavailable as error:
                    self._note_failure(loaded.number, error, summary)
                    return
            self._failures = 0
            summary.checked += 1
            if compared.kind in ("gone", "refused"):
                if entry.withdrawn_at is None and entry.absent_since is None:
                    summary.gone.append(loaded.number)
                return
            if entry.withdrawn_at is not None:
                back.append(loaded)
            if compared.kind == "same":
                assert compared.file is not None
                summary.unchanged += 1
                same[loaded.number] = compared.file
                return
            form, day = entry.form_type or "", entry.filing_date
            assert day is not None
            name = path.removeprefix(archive_path(""))
            suspects.append(_Suspect(loaded.number, form, day, name, entry.accepted_at))

        async with asyncio.TaskGroup() as group:
            for loaded in window:
                if paths[loaded.number]:
                    group.create_task(look(loaded))
        now = datetime.now(UTC)

        def checked(stored: Stored) -> LedgerEntry | None:
            return stored.source and checked_entry(stored.source, same[stored.id], now)

        await self._ledger.change(await self._ledger.read(same), checked)
        await self._unmark(back, summary)
        self._require_answers()
        return _Entries(suspects) if suspects else None

    def _note_failure(
        self, number: str, error: EdgarUnavailable, summary: ReconcileSummary
    ) -> None:
        self._failures += 1
        summary.failed.append({"accession_number": number, "reason": str(error)})

    def _require_answers(self) -> None:
        """Raise EdgarUnavailable if many addresses in a row got no answer."""
        if self._failures >= _MAX_FAILURES:
            raise EdgarUnavailable(f"EDGAR did not answer for {self._failures} files in a row")

    async def _compare_at(self, each: _Loaded, path: str) -> Compared:
        """Compare a submission with the file at its address; raises EdgarUnavailable."""
        entry = each.entry
        if entry.absent_since is not None:
            there = await compare(self._edgar, path, "", None, datetime.now(UTC))
            if there.kind in ("gone", "refused"):
                return there
        # If the loaded version is not EDGAR's last one, only the bytes can decide.
        other = entry.edgar_file is not None and entry.edgar_file.sha256 != entry.loaded_hash
        fetched_at = None if other else entry.fetched_at
        return await compare(
            self._edgar, path, entry.loaded_hash or "", entry.edgar_file, fetched_at
        )

    async def _unmark(self, found: Sequence[_Loaded], summary: ReconcileSummary) -> None:
        """Remove the marks of submissions that EDGAR lists or returns again."""
        await self._change([loaded.number for loaded in found], present_entry)
        for loaded in found:
            if loaded.entry.withdrawn_at is not None:
                summary.returned.append(loaded.number)
                _log.warning("%s has returned: EDGAR has it again", loaded.number)

    async def _change(
        self, numbers: Sequence[str], change: Callable[[LedgerEntry], LedgerEntry | None]
    ) -> list[Stored]:
        """Change the entries of these submissions, page by page; return the changed ones."""
        changed = []
        for some in chunks(numbers, _PAGE):
            entries = await self._ledger.read(some)
            changed += await self._ledger.change(entries, lambda e: e.source and change(e.source))
        return changed

    async def _find_paths(self, window: Iterable[_Loaded]) -> dict[str, list[str]]:
        """Return EDGAR's paths of submissions: as fetched, otherwise below the first company."""
        entries = {loaded.number: loaded.entry for loaded in window}
        body = {
            "query": {"terms": {"accession_number": list(entries)}},
            "size": len(entries),
            "track_total_hits": False,
            "_source": ["accession_number", "ciks"],
        }
        reply = await self._retry(self._engine.search, "filings", body, SourceHit[_Ciks])
        paths = {}
        for number, entry in entries.items():
            own = entry.source.removeprefix(self._edgar.url)
            paths[number] = [own] if own != entry.source else []
        for hit in reply.hits.hits:
            number = hit.source.accession_number
            if not paths[number]:
                default_paths = [submission_path(cik, number) for cik in hit.source.ciks[:1]]
                paths[number] = [archive_path(loaded) for loaded in default_paths]
        return paths

    async def _count(self, wanted: FilingFilter) -> int:
        """Count the loaded submissions."""
        body = {"query": _loaded_query(wanted), "size": 0, "track_total_hits": True}
        return (await self._retry(self._engine.search, "ledger", body, Struct)).total

    async def _pages(
        self, query: dict[str, Any], order: list[Any]
    ) -> AsyncGenerator[_Loaded, None]:
        """Yield all submissions that matched at the first page."""
        open_point = partial(self._engine.open_point, "ledger", _KEPT_SECONDS, query)
        point = await self._retry(open_point)
        frozen = self._engine.at({"ledger": point})
        fields = [name for name in LedgerEntry.__struct_fields__ if name not in _LARGE]
        body = {
            "query": query,
            "size": _PAGE,
            "sort": order,
            "track_total_hits": False,
            "_source": fields,
        }
        try:
            while True:
                hits = (await self._retry(frozen.search, "ledger", body, _Loaded)).hits.hits
                for hit in hits:
                    yield hit
                if len(hits) < _PAGE:
                    return
                body = {**body, "search_after": hits[-1].sort}
        finally:
            await self._engine.close_point(point)


class _Entries:
    """Suspects in the form of entries for a fetch."""

    def __init__(self, suspects: Iterable[_Suspect]) -> None:
        self._suspects = suspects

    async def __aiter__(self) -> AsyncIterator[Entry]:
        for suspect in self._suspects:
            yield suspect


# Large fields of an entry, which no comparison needs.
_LARGE = ("parts", "sections", "rows", "announced", "unread", "hashes", "settled")


def _loaded_query(wanted: FilingFilter) -> dict[str, Any]:
    """Return the query for the loaded submissions of these days and forms."""
    bounds = {"gte": wanted.from_date, "lte": wanted.to_date}
    days = {name: day.isoformat() for name, day in bounds.items() if day is not None}
    filters: list[dict[str, Any]] = [{"term": {"status": "loaded"}}]
    filters += [{"range": {"filing_date": days}}] if days else []
    filters += [{"terms": {"form_type": sorted(wanted.forms)}}] if wanted.forms else []
    return {"bool": {"filter": filters}}


def _within(wanted: FilingFilter, first: date, last: date) -> FilingFilter:
    """Narrow a filter to these days."""
    return FilingFilter(
        wanted.forms,
        wanted.ciks,
        max(first, wanted.from_date or first),
        min(last, wanted.to_date or last),
    )
