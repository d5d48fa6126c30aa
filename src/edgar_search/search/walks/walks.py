"""Pages of walks, as a search answers with a page, each with the place after it."""

from typing import NamedTuple

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.bodies.filings import filings_body
from edgar_search.search.bodies.walks import walked_body
from edgar_search.search.criteria import DocumentSearch, FilingSearch, Window
from edgar_search.search.documents import DocumentPage
from edgar_search.search.entities import Directory
from edgar_search.search.filings import FilingPage
from edgar_search.search.hits import ListedFilingHit
from edgar_search.search.placed_snippets import shown_hits
from edgar_search.search.stored_versions import require_for_documents, require_for_filings
from edgar_search.search.walks.documents import DocumentWalk
from edgar_search.search.walks.place import Place
from edgar_search.search.walks.seal import Seal
from edgar_search.search.walks.snapshots import Snapshots
from edgar_search.search.walks.views import view_of

# What a snapshot is a view of: of documents with what their snippets are cut from.
OF_DOCUMENTS: tuple[Kind, ...] = ("documents", "passages")
_OF_FILINGS: tuple[Kind, ...] = ("filings",)


class Walks(NamedTuple):
    """What the walks of one worker need beside the engine."""

    seal: Seal
    snapshots: Snapshots

    @classmethod
    def of(cls, engine: Engine) -> "Walks":
        """The walks over an engine."""
        return cls(Seal(engine), Snapshots(engine))


class Start(NamedTuple):
    """Where a page of a walk begins; without a place at the beginning, over a snapshot or not."""

    place: Place | None = None
    snapshot: bool = False


class WalkedDocuments(NamedTuple):
    """A page of documents, and the place after it; None at the end."""

    page: DocumentPage
    place: Place | None


class WalkedFilings(NamedTuple):
    """A page of filings, and the place after it; None at the end."""

    page: FilingPage
    place: Place | None


async def walk_documents(
    walks: Walks, directory: Directory, search: DocumentSearch, start: Start, account: str
) -> WalkedDocuments:
    """The documents after a place, in the order and with the scores of `search_documents`.

    As many as the search's window has rows. Raises SnapshotExpired and SnapshotsAtOnce.
    """
    await require_for_documents(directory.engine, search)
    filings = search.criteria.filings
    kinds = OF_DOCUMENTS if start.snapshot else ()
    async with view_of(walks.snapshots, directory, filings, start.place, kinds, account) as view:
        walk = DocumentWalk(view.directory, search, view.ciks, account)
        step = await walk.step(view.place)
        shown = await shown_hits(view.directory.engine, search, step.hits, account)
        view.after = step.place
    page = DocumentPage(step.total, step.hits, shown.snippets, step.warnings, shown.placed)
    return WalkedDocuments(page, step.place)


async def walk_filings(
    walks: Walks, directory: Directory, search: FilingSearch, start: Start, account: str
) -> WalkedFilings:
    """The filings after a place, in the order of `look_up_filings`; raises as `walk_documents`."""
    await require_for_filings(directory.engine, search.criteria)
    kinds = _OF_FILINGS if start.snapshot else ()
    size = search.window.size
    async with view_of(
        walks.snapshots, directory, search.criteria, start.place, kinds, account
    ) as view:
        place = view.place
        page = filings_body(structs.replace(search, window=Window(0, size + 1)), view.ciks)
        body = walked_body(page, place.after, counted=place.totals is None)
        engine = view.directory.engine
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
    return WalkedFilings(FilingPage(total, [hit.source for hit in hits]), view.after)
