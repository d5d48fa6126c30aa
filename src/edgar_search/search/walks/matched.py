"""All matches in one document after another, of which only some are in memory."""

from collections.abc import AsyncGenerator
from typing import cast

from edgar_search.engine.engine import Engine
from edgar_search.search.language import Node
from edgar_search.search.matches import Match, ShownMatch, matches_of, shown_matches
from edgar_search.search.texts.document_text import DocumentText, document_text
from edgar_search.search.texts.passages import Passages
from edgar_search.search.texts.sections import Sections, text_sections

# Matches that are shown at once: what stands around each is read too.
_AT_ONCE = 500


class DocumentMatches:
    """The matches of a query in one document without the first `after`.

    `text` is known once some were asked for.
    """

    def __init__(
        self, engine: Engine, document_id: str, query: Node, account: str, after: int = 0
    ) -> None:
        self._engine = engine
        self._document_id = document_id
        self._query = query
        self._account = account
        self.text: DocumentText | None = None
        self._passages: Passages | None = None
        self._sections: Sections | None = None
        self._found: AsyncGenerator[list[Match], None] | None = None
        # Matches that were given out, and those that were found since it was begun.
        self._given, self._passed = after, 0

    async def some(self) -> list[ShownMatch]:
        """The next matches, in order; none at the end. What has failed may be tried again.

        Raises NotFound, StoredByOlderVersion, TextChanging, SearchTimedOut.
        """
        try:
            return await self._some()
        except BaseException:
            # What looks for matches has ended with the error: the next try begins anew.
            await self.close()
            self.text, self._found = None, None
            raise

    async def _some(self) -> list[ShownMatch]:
        if self.text is None:
            await self._begin()
        rows: list[Match] = []
        if self._found is not None:
            async for some in self._found:
                known = min(len(some), self._given - self._passed)
                self._passed += len(some)
                rows += some[known:] if known > 0 else some
                if len(rows) >= _AT_ONCE:
                    break
        if not rows or self._passages is None or self._sections is None:
            return []
        shown = await shown_matches(self._passages, rows, self._sections)
        self._given = self._passed
        return shown

    async def close(self) -> None:
        """End what is still looked for."""
        if self._found is not None:
            await self._found.aclose()

    async def _begin(self) -> None:
        engine, account = self._engine, self._account
        text = await document_text(engine, self._document_id, account, self._query)
        if text.matches:
            self._passages = Passages(engine, text, account)
            self._sections = await text_sections(self._passages)
            found = matches_of(self._passages, self._query)
            self._found = cast(AsyncGenerator[list[Match], None], found)
        self.text, self._passed = text, 0
