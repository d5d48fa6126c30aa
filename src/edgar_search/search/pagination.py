"""Pagination: the page after a cursor, and the whole of an export."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SearchReply
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, FilingSearch, Window
from edgar_search.search.cursors import BEGINNING, CursorPosition, CursorSigner
from edgar_search.search.entities import cik_lists
from edgar_search.search.filings import (
    WITHDRAWN,
    CheckedFilings,
    FilingPage,
    ListedFilingHit,
    check_filings,
    filings_body,
    withdrawn_since,
)
from edgar_search.search.index_versions import require_for_documents, require_for_filings
from edgar_search.search.language import Node
from edgar_search.search.query.body import (
    CikLists,
    ScoredQuery,
    page_body,
    score_query,
    score_relaxed_query,
    shown_fields,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.operands import (
    FEW,
    RelaxedQuery,
    missing_operands,
    relax,
    relaxed_warning,
)
from edgar_search.search.ranking import relax_search, weigh_search
from edgar_search.search.results import DocumentHit, DocumentPage, separate_scores
from edgar_search.search.search import add_warnings
from edgar_search.search.snapshots import Snapshot, Snapshots, open_view
from edgar_search.search.snippets.passages import make_snippets, snippets


def next_page_body(page: Clause, after: Sequence[Any] | None, *, counted: bool) -> Clause:
    """The body of the page after a row with the sort values `after`, from that of the first page.

    `counted` asks for the number of all matches.
    """
    body = {**page, "track_total_hits": counted}
    return body if after is None else {**body, "search_after": list(after)}


class DocumentStep(NamedTuple):
    """Hits that follow a place, and the place after them: None at the end.

    `begin` is the place before them, with what was decided; the first `of_whole` have all operands.
    """

    total: int
    hits: list[DocumentHit]
    begin: CursorPosition
    of_whole: int
    more: bool
    warnings: tuple[str, ...] = ()

    @property
    def place(self) -> CursorPosition | None:
        """The place after all of them; None if nothing follows."""
        return self.after(len(self.hits)) if self.more else None

    def after(self, number: int) -> CursorPosition:
        """The place after the first `number` of them."""
        if not number:
            return self.begin
        return structs.replace(
            self.begin,
            after=self.hits[number - 1].sort,
            rows=self.begin.rows + number,
            in_others=self.begin.in_others or number > self.of_whole,
        )


class Part(NamedTuple):
    """Hits of one of the two parts of a result, one more than wanted if there are more."""

    total: int
    hits: list[DocumentHit]
    close: bool | None


class DocumentPages:
    """The pages of a search for documents, from a position on."""

    def __init__(
        self,
        context: SearchContext,
        search: DocumentSearch,
        ciks: CikLists,
        account: str,
    ) -> None:
        self._context = context
        self._search = search
        self._ciks = ciks
        self._account = account

    async def step(self, place: CursorPosition) -> DocumentStep:
        """The hits that follow; one engine request, more at the beginning and for `operands`."""
        size = self._search.window.size
        node = self._search.criteria.query
        weights = place.weights
        if weights is None:
            weights = await self._context.ranking.find_weights(self._context.engine, node)
        self._search = weigh_search(self._search, weights)
        broad = place.broad
        if broad is None:
            broad = sorted(
                await self._context.ranking.find_broad_wildcards(self._context.engine, node)
            )
        whole = await self._whole(place, broad, size + 1)
        others, relaxed = Part(0, [], place.close_others), await self._relaxed(place, whole)
        if relaxed is not None:
            others = await self._others(place, relaxed, broad, size + 1 - len(whole.hits))
            if place.others is None and not others.total:
                relaxed = None
        if relaxed is not None:
            separate_scores(whole.hits, others.hits)
            for hit in others.hits:
                hit.lacks = missing_operands(relaxed.node, hit.matched)
        found = [*whole.hits, *others.hits]
        totals = place.totals or (whole.total, others.total)
        begin = structs.replace(
            place,
            others=relaxed is not None,
            least=relaxed.least if relaxed else 0,
            broad=broad,
            weights=weights,
            close=whole.close,
            close_others=others.close,
            totals=totals if place.snapshot else None,
            documents=0,
            matches=0,
        )
        said = () if relaxed is None else (relaxed_warning(relaxed, *totals),)
        return DocumentStep(
            sum(totals),
            found[:size],
            begin,
            len(whole.hits),
            len(found) > size,
            said,
        )

    async def _relaxed(self, place: CursorPosition, whole: Part) -> RelaxedQuery | None:
        """Return the query with fewer operands, if such documents follow."""
        criteria = self._search.criteria
        if place.others is None:
            if self._search.operands != "most" or whole.total >= FEW:
                return None
            return await relax_search(self._context.engine, criteria, self._ciks)
        node = relax(criteria.query) if place.others else None
        # A cursor of before other numbers of operands were tried says none.
        return None if node is None else RelaxedQuery(node, place.least or len(node.positive) - 1)

    async def _whole(self, place: CursorPosition, broad: Collection[str], size: int) -> Part:
        scored = score_query(self._search.criteria, self._ciks, broad)
        if not place.in_others:
            return await self._part(scored, place, place.after, place.close, size)
        if place.totals is not None:
            return Part(0, [], place.close)
        return await self._part(scored, place, None, place.close, 0)

    async def _others(
        self, place: CursorPosition, relaxed: RelaxedQuery, broad: Collection[str], size: int
    ) -> Part:
        scored = score_relaxed_query(self._search.criteria, self._ciks, relaxed, broad)
        after = place.after if place.in_others else None
        return await self._part(scored, place, after, place.close_others, size)

    async def _part(
        self,
        scored: ScoredQuery,
        place: CursorPosition,
        after: Sequence[object] | None,
        close: bool | None,
        size: int,
    ) -> Part:
        """Up to `size` hits of a part."""
        counted = place.totals is None or close is None
        fields, hit = shown_fields(self._search)
        window = structs.replace(self._search, window=Window(0, size))

        def body(query: Clause) -> Clause:
            return next_page_body(page_body(query, window, fields), after, counted=counted)

        engine, ranking = self._context.engine, self._context.ranking
        reply: SearchReply[DocumentHit]
        reply, decided = await ranking.rank(engine, scored, body, hit, self._account, close)
        total = reply.total if counted else 0
        return Part(total, reply.hits.hits, decided if size else close)


# The kinds of a snapshot: documents with the passages of their snippets, or filings.
OF_DOCUMENTS: tuple[Kind, ...] = ("documents", "passages")
_OF_FILINGS: tuple[Kind, ...] = ("filings",)


class Pagination(NamedTuple):
    """The signer of cursors and the snapshots of one worker."""

    signer: CursorSigner
    snapshots: Snapshots

    @classmethod
    def of(cls, engine: Engine) -> "Pagination":
        """The pagination over an engine."""
        return cls(CursorSigner(engine), Snapshots(engine))


class Start(NamedTuple):
    """The position where a page begins; without one it is the first, over a snapshot or not."""

    place: CursorPosition | None = None
    snapshot: bool = False


class NextDocumentPage(NamedTuple):
    """A page of documents, and the place after it; None at the end."""

    page: DocumentPage
    place: CursorPosition | None


class NextFilingPage(NamedTuple):
    """A page of filings, and the place after it; None at the end."""

    checked: CheckedFilings
    place: CursorPosition | None


async def next_document_page(
    pagination: Pagination,
    context: SearchContext,
    search: DocumentSearch,
    start: Start,
    account: str,
) -> NextDocumentPage:
    """The documents after a place, in the order and with the scores of `search_documents`.

    As many as the search's window has rows. Raises SnapshotExpired and SnapshotsAtOnce.
    """
    await require_for_documents(context.engine, search)
    filings = search.criteria.filings
    kinds = OF_DOCUMENTS if start.snapshot else ()
    async with open_view(
        pagination.snapshots, context, filings, start.place, kinds, account
    ) as view:
        pages = DocumentPages(view.context, search, view.ciks, account)
        step = await pages.step(view.place)
        shown = await make_snippets(view.context.engine, search, step.hits, account)
        view.after = step.place
    page = DocumentPage(step.total, step.hits, shown.snippets, step.warnings, shown.placed)
    return NextDocumentPage(await add_warnings(context, search, page, account), step.place)


async def next_filing_page(
    pagination: Pagination, context: SearchContext, search: FilingSearch, start: Start, account: str
) -> NextFilingPage:
    """The filings after a place, in the order of `look_up_filings`.

    Raises as `next_document_page`.
    """
    await require_for_filings(context.engine, search.criteria)
    kinds = _OF_FILINGS if start.snapshot else ()
    size = search.window.size
    async with open_view(
        pagination.snapshots, context, search.criteria, start.place, kinds, account
    ) as view:
        place = view.place
        page = filings_body(structs.replace(search, window=Window(0, size + 1)), view.ciks)
        body = next_page_body(page, place.after, counted=place.totals is None)
        engine = view.context.engine
        reply = await engine.search("filings", body, ListedFilingHit, account=account)
        hits = reply.hits.hits[:size]
        total = reply.total if place.totals is None else sum(place.totals)
        if len(reply.hits.hits) > size:
            view.after = structs.replace(
                place,
                after=hits[-1].sort,
                rows=place.rows + size,
                totals=(total, 0) if place.snapshot else None,
            )
        else:
            view.after = None
    found = FilingPage(total, [hit.source for hit in hits])
    return NextFilingPage(await check_filings(context, search, found), view.after)


# Matches say in which section they are, of the same load as their document.
_OF_EXPORTS: tuple[Kind, ...] = (*OF_DOCUMENTS, "sections")


class ExportPage(NamedTuple):
    """A step of an export; `snippets` are empty if none are wanted.

    `withdrawn` says since when filings are withdrawn, if that is asked for, by their number.
    """

    step: DocumentStep
    snippets: Sequence[str]
    withdrawn: Mapping[str, str] = {}


class Export:
    """A search for documents that is read to its end, in pages of the size of its window."""

    def __init__(
        self,
        pagination: Pagination,
        context: SearchContext,
        search: DocumentSearch,
        snapshot: Snapshot,
        account: str,
    ) -> None:
        self._snapshots = pagination.snapshots
        self._context = context._replace(engine=snapshot.engine)
        self._search = search
        self._snapshot = snapshot
        self._account = account
        self._pages = DocumentPages(self._context, search, snapshot.ciks, account)

    @classmethod
    async def begin(
        cls,
        pagination: Pagination,
        context: SearchContext,
        search: DocumentSearch,
        key: str,
        account: str,
    ) -> "Export":
        """An export over a new snapshot, or over the one of this key.

        Raises SnapshotExpired and SnapshotsAtOnce; `close` it.
        """
        if key:
            snapshot = await pagination.snapshots.resume(key, account)
        else:
            await require_for_documents(context.engine, search)
            filings = search.criteria.filings
            ciks = await cik_lists(context, filings)
            snapshot = await pagination.snapshots.open(_OF_EXPORTS, account, ciks, filings)
        return cls(pagination, context, search, snapshot, account)

    @property
    def engine(self) -> Engine:
        """The engine, which asks the snapshot."""
        return self._context.engine

    @property
    def query(self) -> Node:
        """The query; every export has one."""
        assert self._search.criteria.query is not None
        return self._search.criteria.query

    @property
    def account(self) -> str:
        """The account that exports."""
        return self._account

    @property
    def beginning(self) -> CursorPosition:
        """The place before everything."""
        return structs.replace(BEGINNING, snapshot=self._snapshot.key)

    async def page(self, place: CursorPosition, *, with_snippets: bool) -> ExportPage:
        """Read the page after a place; raises SnapshotExpired, and the errors of a search."""
        await self.keep()
        step = await self._pages.step(place)
        shown: list[str] = []
        if with_snippets:
            query = self._search.criteria.query
            shown = await snippets(self._context.engine, query, step.hits, self._account)
        withdrawn = {}
        if WITHDRAWN in self._search.details:
            numbers = (hit.fields.accession_number[0] for hit in step.hits)
            withdrawn = await withdrawn_since(self._context.engine, numbers)
        return ExportPage(step, shown, withdrawn)

    async def keep(self) -> None:
        """Let the snapshot be there for another while; raises SnapshotExpired."""
        self._snapshot = await self._snapshots.keep(self._snapshot)

    async def close(self) -> None:
        """Let go of the snapshot."""
        await self._snapshots.close(self._snapshot)
