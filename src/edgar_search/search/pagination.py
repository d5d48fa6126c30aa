"""Pagination: the page after a cursor, and complete exports."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SearchReply, SortedHit
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, FilingSearch, Window
from edgar_search.search.cursors import BEGINNING, CursorPosition, CursorSigner
from edgar_search.search.entities import cik_lists
from edgar_search.search.filings import (
    WITHDRAWN,
    CheckedFilings,
    FilingPage,
    ListedFiling,
    NumberHit,
    check_filings,
    filings_body,
    listed_filings,
    of_reports,
    reports_body,
    require_for_lookup,
    withdrawn_since,
)
from edgar_search.search.index_versions import require_for_documents
from edgar_search.search.query.body import (
    CikLists,
    ScoredQuery,
    page_body,
    score_query,
    shown_fields,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.ranking import Ranked, weigh_search
from edgar_search.search.respelling import find_respelling, respell
from edgar_search.search.results import (
    DocumentHit,
    DocumentPage,
    FoundDocument,
    Respelling,
    tell_lacks,
)
from edgar_search.search.search import add_warnings
from edgar_search.search.snapshots import Snapshot, Snapshots, open_view
from edgar_search.search.snippets.passages import make_snippets
from edgar_search.search.warnings.nearest import RowWarning
from edgar_search.search.warnings.warnings import or_default


def next_page_body(page: Clause, after: Sequence[Any] | None, *, counted: bool) -> Clause:
    """Build the request for the page after a row with the sort values `after`.

    `counted` asks for the number of all matches.
    """
    body = {**page, "track_total_hits": counted}
    return body if after is None else {**body, "search_after": list(after)}


class Hit(Protocol):
    """A hit with its sort values, in order."""

    sort: list[Any]


H = TypeVar("H", bound=Hit)


class Step(NamedTuple, Generic[H]):
    """The hits after a position, and the position after them: None at the end.

    `begin` is the position before them, with the decisions made for the first page. `whole` counts
    the documents with all operands, if others match too. `about` holds anything else learned, and
    `respelling` is what was searched instead of a question that finds nothing.
    """

    total: int
    hits: list[H]
    begin: CursorPosition
    more: bool
    warnings: tuple[RowWarning, ...] = ()
    about: Any = None
    whole: int | None = None
    respelling: Respelling | None = None

    @property
    def place(self) -> CursorPosition | None:
        """The position after the last hit; None if nothing follows."""
        return self.after(len(self.hits)) if self.more else None

    def after(self, number: int) -> CursorPosition:
        """Return the position after the first `number` hits."""
        if not number:
            return self.begin
        after, rows = self.hits[number - 1].sort, self.begin.rows + number
        return structs.replace(self.begin, after=after, rows=rows)


async def next_step(
    engine: Engine,
    kind: Kind,
    body: Callable[[Window], Clause],
    size: int,
    hit: type[H],
    place: CursorPosition,
) -> Step[H]:
    """Read the `size` hits after a position; one engine request."""
    page = next_page_body(body(Window(0, size + 1)), place.after, counted=place.totals is None)
    reply = await engine.search(kind, page, hit)
    total = reply.total if place.totals is None else place.totals[0]
    begin = structs.replace(place, totals=(total, None) if place.snapshot else None)
    return Step(total, reply.hits.hits[:size], begin, len(reply.hits.hits) > size)


async def next_documents(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    place: CursorPosition,
) -> Step[DocumentHit]:
    """Read the documents after a position, as many as the search's window has.

    Makes one engine request, more at the beginning and for `operands`. A question that finds
    nothing is searched in its closest spelling, and so are all pages after this one.
    """
    criteria = search.criteria
    other: Respelling | None = None
    if place.respelled is None:
        step = await _step_of(context, search, ciks, place)
        if not step.total and not place.rows:
            other = await or_default(None, find_respelling, context, criteria)
        if other is None:
            return step
    else:
        other = await respell(context, criteria, place.respelled)
        if other is None:
            return await _step_of(context, search, ciks, place)
    begin = structs.replace(place, respelled=other.words)
    respelled = structs.replace(search, criteria=other.criteria)
    respelled_step = await _step_of(context, respelled, ciks, begin)
    if not respelled_step.total and place.respelled is None:
        return step
    return respelled_step._replace(respelling=other)


async def _step_of(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    place: CursorPosition,
) -> Step[DocumentHit]:
    size = search.window.size
    node = search.criteria.query
    weights = place.weights
    if weights is None:
        weights = await context.ranking.find_weights(context.engine, node)
    broad = place.broad
    if broad is None:
        broad = sorted(await context.ranking.find_broad_wildcards(context.engine, node))
    search = weigh_search(search, weights)
    scored = score_query(search, ciks, broad)
    ranked = await _find_after(context, search, scored, place)
    total, whole = place.totals or (ranked.total, ranked.whole)
    if whole is not None:
        tell_lacks(ranked.hits, search.criteria.query)
    begin = structs.replace(
        place,
        broad=broad,
        weights=weights,
        close=ranked.close,
        totals=(total, whole) if place.snapshot else None,
        documents=0,
        matches=0,
    )
    return Step(total, ranked.hits[:size], begin, len(ranked.hits) > size, whole=whole)


async def _find_after(
    context: SearchContext,
    search: DocumentSearch,
    scored: ScoredQuery,
    place: CursorPosition,
) -> Ranked[DocumentHit]:
    """Find the hits after a position, one more than the window holds if there are more."""
    size, (fields, hit) = search.window.size + 1, shown_fields(search)
    counted = place.totals is None or place.close is None
    # The first documents with any operand have an order of their own, so they are searched again.
    near = scored.is_near(place.rows)
    after = None if near else place.after

    def body(query: Clause, window: Window) -> Clause:
        page = page_body(query, structs.replace(search, window=window), fields)
        return next_page_body(page, after, counted=counted)

    engine, ranking = context.engine, context.ranking
    if scored.whole is not None:
        start = place.rows if near else 0
        window = Window(start, start + size)
        return await ranking.find_any(engine, scored, body, window, hit, near)
    reply: SearchReply[DocumentHit]
    window = Window(0, size)
    reply, close = await ranking.rank(
        engine, scored, lambda query: body(query, window), hit, place.close
    )
    return Ranked(reply.total if counted else 0, reply.hits.hits, close=close)


# The kinds in a snapshot: documents with the passages of their snippets, or filings.
OF_DOCUMENTS: tuple[Kind, ...] = ("documents", "passages")
_OF_FILINGS: tuple[Kind, ...] = ("filings",)
_OF_REPORTS: tuple[Kind, ...] = ("documents", "filings")


class Pagination(NamedTuple):
    """The cursor signer and the snapshots of one worker."""

    signer: CursorSigner
    snapshots: Snapshots

    @classmethod
    def of(cls, engine: Engine) -> "Pagination":
        """Make the cursor signer and the snapshots for an engine."""
        return cls(CursorSigner(engine), Snapshots(engine))

    def for_account(self, account: str) -> "Pagination":
        """Return the same signer, with the account's snapshots."""
        return self._replace(snapshots=self.snapshots.for_account(account))


class Start(NamedTuple):
    """The start of a page: without a position it is the first page, with or without a snapshot."""

    place: CursorPosition | None = None
    snapshot: bool = False


class NextDocumentPage(NamedTuple):
    """A page of documents, and the position after it; None at the end."""

    page: DocumentPage
    place: CursorPosition | None


class NextFilingPage(NamedTuple):
    """A page of filings, and the position after it; None at the end."""

    checked: CheckedFilings
    place: CursorPosition | None


async def next_document_page(
    pagination: Pagination,
    context: SearchContext,
    search: DocumentSearch,
    start: Start,
) -> NextDocumentPage:
    """Return the documents after a position, ordered and scored as by `search_documents`.

    As many as the search's window has rows. Raises SnapshotExpired and SnapshotsAtOnce.
    """
    await require_for_documents(context.engine, search)
    filings = search.criteria.filings
    kinds = OF_DOCUMENTS if start.snapshot else ()
    async with open_view(pagination.snapshots, context, filings, start.place, kinds) as view:
        step = await next_documents(view.context, search, view.ciks, view.place)
        if step.respelling:
            search = structs.replace(search, criteria=step.respelling.criteria)
        documents = await make_snippets(view.context.engine, search, step.hits)
        view.after = step.place
    page = DocumentPage(
        step.total,
        documents,
        whole=step.whole,
        respelling=step.respelling,
    )
    return NextDocumentPage(await add_warnings(context, search, page, view.ciks), step.place)


async def next_filing_page(
    pagination: Pagination, context: SearchContext, search: FilingSearch, start: Start
) -> NextFilingPage:
    """Return the filings after a position, in the order of `look_up_filings`.

    Raises as `next_document_page`.
    """
    await require_for_lookup(context.engine, search.criteria)
    reports = of_reports(search.criteria)
    kinds = (_OF_REPORTS if reports else _OF_FILINGS) if start.snapshot else ()
    async with open_view(
        pagination.snapshots, context, search.criteria, start.place, kinds
    ) as view:
        engine = view.context.engine

        def body(window: Window) -> Clause:
            page_search = structs.replace(search, window=window)
            return (
                reports_body(page_search, view.ciks)
                if reports
                else filings_body(page_search, view.ciks)
            )

        size, place = search.window.size, view.place
        step: Step[NumberHit] | Step[SortedHit[ListedFiling]]
        if reports:
            step = await next_step(engine, "documents", body, size, NumberHit, place)
            filings = await listed_filings(engine, step.hits)
        else:
            step = await next_step(engine, "filings", body, size, SortedHit[ListedFiling], place)
            filings = [hit.source for hit in step.hits]
        view.after = step.place
    page = FilingPage(step.total, filings)
    return NextFilingPage(await check_filings(context, search, page), step.place)


# Matches name their section, which must be from the same load as their document.
_OF_EXPORTS: tuple[Kind, ...] = (*OF_DOCUMENTS, "sections")


class ExportPage(NamedTuple, Generic[H]):
    """A step of an export; `found` contains its documents, with snippets if requested.

    `withdrawn` gives since when filings are withdrawn, by accession number, if requested.
    """

    step: Step[H]
    found: Sequence[FoundDocument] = ()
    withdrawn: Mapping[str, str] = {}


class Export(Generic[H]):
    """A search that is read to its end, page by page, from one snapshot.

    `read` reads the page after a position; raises SnapshotExpired, and the errors of a search.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        snapshot: Snapshot,
        read: Callable[[CursorPosition], Awaitable[ExportPage[H]]],
    ) -> None:
        self._snapshots = snapshots
        self._snapshot = snapshot
        self._read = read

    @property
    def engine(self) -> Engine:
        """The engine that searches the snapshot."""
        return self._snapshot.engine

    @property
    def beginning(self) -> CursorPosition:
        """The position before everything."""
        return structs.replace(BEGINNING, snapshot=self._snapshot.key)

    async def page(self, place: CursorPosition) -> ExportPage[H]:
        """Read the page after a position; raises SnapshotExpired, and the errors of a search."""
        await self.keep()
        return await self._read(place)

    async def keep(self) -> None:
        """Extend the life of the snapshot; raises SnapshotExpired."""
        self._snapshot = await self._snapshots.keep(self._snapshot)

    async def close(self) -> None:
        """Release the snapshot."""
        await self._snapshots.close(self._snapshot)


async def open_export(
    pagination: Pagination,
    context: SearchContext,
    search: DocumentSearch,
    key: str,
    kinds: Sequence[Kind],
) -> Snapshot:
    """Open a new snapshot of these kinds for an export, or return the one with this key.

    Raises SnapshotExpired and SnapshotsAtOnce.
    """
    if key:
        return await pagination.snapshots.resume(key)
    await require_for_documents(context.engine, search)
    filings = search.criteria.filings
    ciks = await cik_lists(context, filings)
    return await pagination.snapshots.open(kinds, ciks, filings)


async def begin_export(
    pagination: Pagination,
    context: SearchContext,
    search: DocumentSearch,
    key: str,
    *,
    with_snippets: bool,
) -> Export[DocumentHit]:
    """Begin an export of documents from a new snapshot, or from the one with this key.

    Its pages are as large as the search's window. Raises SnapshotExpired and SnapshotsAtOnce; the
    caller closes it.
    """
    snapshot = await open_export(pagination, context, search, key, _OF_EXPORTS)
    context = context._replace(engine=snapshot.engine)

    async def read(place: CursorPosition) -> ExportPage[DocumentHit]:
        step = await next_documents(context, search, snapshot.ciks, place)
        documents = list(map(FoundDocument, step.hits))
        if with_snippets:
            asked = search
            if step.respelling:
                asked = structs.replace(search, criteria=step.respelling.criteria)
            documents = await make_snippets(context.engine, asked, step.hits)
        withdrawn = {}
        if WITHDRAWN in search.details:
            numbers = (hit.fields.accession_number[0] for hit in step.hits)
            withdrawn = await withdrawn_since(context.engine, numbers)
        return ExportPage(step, documents, withdrawn)

    return Export(pagination.snapshots, snapshot, read)
