"""What decision 0007 rests on: a page of documents with and without stored fields."""

import random
import statistics
from typing import Any

from bench.installation import Installation
from bench.searching import QUERIES, WARM_UP
from edgar_search.engine.index_names import read_alias
from edgar_search.search.bodies.documents import documents_body
from edgar_search.web.v1.parameters import search_params


async def measure_stored_fields(here: Installation, rounds: int) -> None:
    """Print Elasticsearch's own time for the ten queries, on segments as a load leaves them."""
    path = f"/{read_alias(here.settings.prefix, 'documents')}/_search"
    times: dict[str, list[int]] = {"_none_": [], "_id": []}
    for number in range(rounds + WARM_UP):
        for fields, query in random.sample([(f, q) for f in times for q in QUERIES], 20):
            reply = await here.engine.administer("POST", path, _body(query, fields))
            if number >= WARM_UP:
                times[fields].append(reply["took"])
    none, ids = (statistics.mean(times[fields]) for fields in ("_none_", "_id"))
    print(f"documents without stored fields: {none:.1f} ms, with ids: {ids:.1f} ms (mean took)")


def _body(query: str, fields: str) -> dict[str, Any]:
    body = documents_body(search_params({"query": [query]}, 100_000), ())
    return {**body, "stored_fields": fields}
