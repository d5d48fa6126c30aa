"""Warnings about a search as a whole whose client goes away."""

import asyncio
import gc
from typing import Any, cast

import pytest

from edgar_search.search import explanation
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Node, Word
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio
QUERY = Word("basalt", 0)


async def test_explanation_that_is_given_up_leaves_nothing_unawaited(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    async def counted(*_: object) -> dict[Node, int]:
        return {QUERY: 1}

    monkeypatch.setattr(explanation, "_count_parts", counted)
    nothing = cast(Any, None)
    context = SearchContext.from_settings(nothing, Settings())
    criteria = DocumentCriteria(query=QUERY)
    asking = asyncio.create_task(explanation.explain(context, criteria))
    # Now the query is explained, and what there is to say of it is about to be looked up.
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []
