"""Names of industries: asked for once, and codes without a name once a minute."""

from typing import Any

import pytest
from msgspec import convert

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SearchReply
from edgar_search.search.industries import Industries, IndustryHit

pytestmark = pytest.mark.anyio


class FakeEngine(Engine):
    """Entities of two industries, of which only headers of 2621 have a name."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def search(self, kind: str, body: dict[str, Any], *_: Any, **__: Any) -> Any:
        codes = body["query"]["bool"]["filter"][0]["terms"]["sic"]
        self.asked.append(codes)
        names = {"2621": "PAPER MILLS", "6770": None}
        hits = [
            {
                "fields": {"sic": [code]},
                "inner_hits": {
                    "named": {"hits": {"hits": [{"_source": {"sic_description": names[code]}}]}}
                },
            }
            for code in codes
        ]
        shards = {"total": 1, "successful": 1, "failed": 0}
        reply = {"timed_out": False, "_shards": shards, "hits": {"hits": hits}}
        return convert(reply, SearchReply[IndustryHit])


async def test_an_industry_is_asked_for_once() -> None:
    engine = FakeEngine()
    industries = Industries(engine)
    assert await industries.names(["2621", "6770"]) == {"2621": "Paper mills"}
    assert await industries.names(["6770", "2621"]) == {"2621": "Paper mills"}
    assert engine.asked == [["2621", "6770"]]


async def test_only_industries_that_are_not_remembered_are_asked_for() -> None:
    engine = FakeEngine()
    industries = Industries(engine)
    await industries.names(["2621"])
    assert await industries.names(["2621", "6770"]) == {"2621": "Paper mills"}
    assert engine.asked == [["2621"], ["6770"]]
