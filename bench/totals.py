"""What decision 0009 rests on: an exact total in one request, or in a second one."""

import random
import statistics
import time
from typing import Any

from bench.installation import Installation
from bench.searching import QUERIES, WARM_UP
from edgar_search.engine.index_names import read_alias
from edgar_search.search.bodies.documents import documents_body
from edgar_search.web.v1.parameters import search_params

MORE = ("the OR of", "company OR the OR revenue", "income OR loss OR tax", '"in the"')


async def measure_totals(here: Installation, rounds: int) -> None:
    """Print p50 at the client of the page with its total, without it, and of the count alone."""
    # The cache of counts would answer all but the first.
    path = f"/{read_alias(here.settings.prefix, 'documents')}/_search?request_cache=false"
    print("page with total / page without / count alone, ms (p50)")
    for query in (*QUERIES, *MORE):
        bodies = _bodies(query)
        times: dict[str, list[float]] = {name: [] for name in bodies}
        for number in range(rounds + WARM_UP):
            for name in random.sample(list(bodies), len(bodies)):
                began = time.perf_counter()
                await here.engine.administer("POST", path, bodies[name])
                if number >= WARM_UP:
                    times[name].append((time.perf_counter() - began) * 1000)
        print(f"  {query}: {' / '.join(f'{statistics.median(t):.1f}' for t in times.values())}")


def _bodies(query: str) -> dict[str, dict[str, Any]]:
    page = documents_body(search_params({"query": [query]}, 100_000), ())
    count = {"query": page["query"], "size": 0, "track_total_hits": True}
    return {"whole": page, "page": {**page, "track_total_hits": False}, "count": count}
