"""The most expensive query that a search of some seconds finds below the bound on cost."""

import pytest

from bench.dearest import dearest
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio
SECONDS = 60.0
SEED = 14
# A query may take so long on the whole corpus, ten times over: here it takes much less.
MOST_SECONDS = 2.0


@pytest.mark.long
async def test_dearest_query_that_is_allowed_is_cheap_enough(settings: Settings) -> None:
    assert (await dearest(settings, SECONDS, SEED)).cpu < MOST_SECONDS
