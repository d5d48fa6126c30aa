"""The time by Elasticsearch's clock."""

from datetime import UTC, datetime, timedelta

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


async def test_elasticsearch_says_what_time_it_is(engine: Engine, settings: Settings) -> None:
    await Indices(engine, settings).set_up()
    # The tests' Elasticsearch may be another machine's, but is no day off.
    assert abs(await engine.now("history", "at") - datetime.now(UTC)) < timedelta(days=1)
