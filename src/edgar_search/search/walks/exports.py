"""Everything that matches, page after page, over a snapshot that stays open all the while."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.entities import Directory, cik_lists
from edgar_search.search.language import Node
from edgar_search.search.passages import snippets
from edgar_search.search.stored_versions import require_for_documents
from edgar_search.search.walks.documents import DocumentStep, DocumentWalk
from edgar_search.search.walks.place import BEGINNING, Place
from edgar_search.search.walks.snapshots import Snapshot
from edgar_search.search.walks.walks import OF_DOCUMENTS, Walks
from edgar_search.search.withdrawn import WITHDRAWN, withdrawn_since

# Matches say in which section they are, of the same load as their document.
_OF_EXPORTS: tuple[Kind, ...] = (*OF_DOCUMENTS, "sections")


class ExportPage(NamedTuple):
    """A step of an export; `snippets` are empty where none are wanted.

    `withdrawn` says since when filings are withdrawn, where that is asked for, by their number.
    """

    step: DocumentStep
    snippets: Sequence[str]
    withdrawn: Mapping[str, str] = {}


class Export:
    """A search for documents that is read to its end, in pages of the size of its window."""

    def __init__(
        self,
        walks: Walks,
        directory: Directory,
        search: DocumentSearch,
        snapshot: Snapshot,
        account: str,
    ) -> None:
        self._snapshots = walks.snapshots
        self._directory = directory._replace(engine=snapshot.engine)
        self._search = search
        self._snapshot = snapshot
        self._account = account
        self._walk = DocumentWalk(self._directory, search, snapshot.ciks, account)

    @classmethod
    async def begin(
        cls, walks: Walks, directory: Directory, search: DocumentSearch, key: str, account: str
    ) -> "Export":
        """An export over a new snapshot, or over the one of this key.

        Raises SnapshotExpired and SnapshotsAtOnce; `close` it.
        """
        if key:
            snapshot = await walks.snapshots.resume(key, account)
        else:
            await require_for_documents(directory.engine, search)
            filings = search.criteria.filings
            ciks = await cik_lists(directory, filings)
            snapshot = await walks.snapshots.open(_OF_EXPORTS, account, ciks, filings)
        return cls(walks, directory, search, snapshot, account)

    @property
    def engine(self) -> Engine:
        """The engine, which asks the snapshot."""
        return self._directory.engine

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
    def beginning(self) -> Place:
        """The place before everything."""
        return structs.replace(BEGINNING, snapshot=self._snapshot.key)

    async def page(self, place: Place, *, with_snippets: bool) -> ExportPage:
        """What follows a place; raises SnapshotExpired, and what a search raises."""
        await self.keep()
        step = await self._walk.step(place)
        shown: list[str] = []
        if with_snippets:
            query = self._search.criteria.query
            shown = await snippets(self._directory.engine, query, step.hits, self._account)
        withdrawn = {}
        if WITHDRAWN in self._search.details:
            numbers = (hit.fields.accession_number[0] for hit in step.hits)
            withdrawn = await withdrawn_since(self._directory.engine, numbers)
        return ExportPage(step, shown, withdrawn)

    async def keep(self) -> None:
        """Let the snapshot be there for another while; raises SnapshotExpired."""
        self._snapshot = await self._snapshots.keep(self._snapshot)

    async def close(self) -> None:
        """Let go of the snapshot."""
        await self._snapshots.close(self._snapshot)
