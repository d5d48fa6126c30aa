"""Documents page after page, in the order in which a search has them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import structs

from edgar_search.engine.replies import SearchReply
from edgar_search.search.bodies.documents import page_body
from edgar_search.search.bodies.walks import walked_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.documents import shown_fields
from edgar_search.search.entities import Directory
from edgar_search.search.filters import CikLists
from edgar_search.search.hits import DocumentHit
from edgar_search.search.language import And
from edgar_search.search.operands import FEW, loosened, part_scores, warning
from edgar_search.search.questions import others_question, whole_question, wide_patterns
from edgar_search.search.ranking import Question
from edgar_search.search.walks.place import Place


class DocumentStep(NamedTuple):
    """Hits that follow a place, and the place after them: None at the end.

    `begin` is the place before them, with what was decided; the first `of_whole` have all operands.
    """

    total: int
    hits: list[DocumentHit]
    begin: Place
    of_whole: int
    more: bool
    warnings: tuple[str, ...] = ()

    @property
    def place(self) -> Place | None:
        """The place after all of them; None where nothing follows."""
        return self.after(len(self.hits)) if self.more else None

    def after(self, number: int) -> Place:
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
    """Hits of one of the two parts of a result, one more than wanted where there are more."""

    total: int
    hits: list[DocumentHit]
    close: bool | None


class DocumentWalk:
    """A search for documents that is walked through from a place on."""

    def __init__(
        self,
        directory: Directory,
        search: DocumentSearch,
        ciks: CikLists,
        account: str,
    ) -> None:
        self._directory = directory
        self._search = search
        self._ciks = ciks
        self._account = account

    async def step(self, place: Place) -> DocumentStep:
        """The hits that follow; one engine request, more at the beginning and for `operands`."""
        size = self._search.window.size
        node = self._search.criteria.query
        wide = place.wide
        if wide is None:
            wide = sorted(await wide_patterns(self._directory, node))
        whole = await self._whole(place, wide, size + 1)
        others, loose = Part(0, [], place.close_others), self._loosened(place, whole)
        if loose is not None:
            others = await self._others(place, loose, wide, size + 1 - len(whole.hits))
            if place.others is None and not others.total:
                loose = None
        if loose is not None:
            part_scores(whole.hits, others.hits)
        found = [*whole.hits, *others.hits]
        totals = place.totals or (whole.total, others.total)
        begin = structs.replace(
            place,
            others=loose is not None,
            wide=wide,
            close=whole.close,
            close_others=others.close,
            totals=totals if place.snapshot else None,
            documents=0,
            matches=0,
        )
        said = () if loose is None else (warning(loose, *totals),)
        return DocumentStep(
            sum(totals),
            found[:size],
            begin,
            len(whole.hits),
            len(found) > size,
            said,
        )

    def _loosened(self, place: Place, whole: Part) -> And | None:
        """The query of which one operand may be absent, where such documents follow."""
        follow = place.others
        if follow is None:
            follow = self._search.operands == "most" and whole.total < FEW
        return loosened(self._search.criteria.query) if follow else None

    async def _whole(self, place: Place, wide: Collection[str], size: int) -> Part:
        question = whole_question(self._search.criteria, self._ciks, wide)
        if not place.in_others:
            return await self._part(question, place, place.after, place.close, size)
        if place.totals is not None:
            return Part(0, [], place.close)
        return await self._part(question, place, None, place.close, 0)

    async def _others(self, place: Place, node: And, wide: Collection[str], size: int) -> Part:
        question = others_question(self._search.criteria, self._ciks, node, wide)
        after = place.after if place.in_others else None
        return await self._part(question, place, after, place.close_others, size)

    async def _part(
        self,
        question: Question,
        place: Place,
        after: Sequence[object] | None,
        close: bool | None,
        size: int,
    ) -> Part:
        """Up to `size` hits of a part."""
        counted = place.totals is None or close is None
        fields, hit = shown_fields(self._search)
        window = structs.replace(self._search, window=Window(0, size))

        def body(query: Clause) -> Clause:
            return walked_body(page_body(query, window, fields), after, counted=counted)

        engine, ranking = self._directory.engine, self._directory.ranking
        reply: SearchReply[DocumentHit]
        reply, decided = await ranking.decided(engine, question, body, hit, self._account, close)
        total = reply.total if counted else 0
        return Part(total, reply.hits.hits, decided if size else close)
