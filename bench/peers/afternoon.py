"""A search as one writes it in an afternoon: FastAPI, Elasticsearch's default client, one index.

`uvicorn bench.peers.afternoon:app` serves it; BENCH_ES_URL and BENCH_INDEX say of what.
"""

import os
from typing import Any

from elasticsearch import AsyncElasticsearch
from fastapi import FastAPI

# All hits of a frequent word take longer than the ten seconds that are usual.
client = AsyncElasticsearch(os.environ["BENCH_ES_URL"], request_timeout=300)
app = FastAPI()


async def search(
    query: str,
    form_type: str | None = None,
    from_date: str | None = None,
    to_date: str | None = None,
    limit: int = 20,
    snippets: bool = True,
) -> dict[str, Any]:
    """Return a page of hits."""
    filters: list[dict[str, Any]] = []
    if form_type:
        filters.append({"term": {"form_type.keyword": form_type}})
    if from_date or to_date:
        filters.append({"range": {"filing_date": {"gte": from_date, "lte": to_date}}})
    found = {"query_string": {"query": query, "fields": ["text"], "default_operator": "AND"}}
    field = {"fragment_size": 300, "number_of_fragments": 1}
    highlight = {"pre_tags": ["<mark>"], "post_tags": ["</mark>"], "fields": {"text": field}}
    reply = await client.search(
        index=os.environ["BENCH_INDEX"],
        query={"bool": {"must": [found], "filter": filters}},
        size=limit,
        track_total_hits=True,
        source_excludes=["text"],
        highlight=highlight if snippets else None,
    )
    hits = reply["hits"]
    return {"total": hits["total"]["value"], "items": [_item(hit) for hit in hits["hits"]]}


def _item(hit: dict[str, Any]) -> dict[str, Any]:
    snippet = "".join(hit.get("highlight", {}).get("text", []))
    return {**hit["_source"], "score": hit["_score"], "snippet": snippet}


app.get("/search")(search)
