"""The evidence of decision 0008: the judged set under other parameters of BM25."""

import statistics
from collections.abc import Sequence

from bench.installation import Installation
from edgar_search.api.search import search_params
from edgar_search.engine.index_names import IndexName, index_name
from edgar_search.search.query.body import HIT_FIELDS, page_body, score_query
from evaluation.judged import ASKS_FOR_NOTICES, ASKS_FOR_REPORTS, LONG_FORMS

FIRST = 10
_USUAL = (1.2, 0.75)  # k1 and b; last, so that they are in place for what is measured after
PARAMETERS = ((0.6, 0.75), (1.6, 0.75), (1.2, 0.0), (1.2, 0.2), (1.2, 0.35), (1.2, 0.5), _USUAL)


async def measure_relevance(here: Installation) -> None:
    """Print the share of long documents among the first hits, for both kinds of queries."""
    index = index_name(here.settings.prefix, IndexName("documents", "all", 1))
    print(f"share of long documents among the first {FIRST}: asked for reports / for notices")
    for k1, b in PARAMETERS:
        await here.engine.administer("POST", f"/{index}/_close")
        similarity = {"default": {"type": "BM25", "k1": k1, "b": b}}
        settings = {"index": {"similarity": similarity}}
        await here.engine.administer("PUT", f"/{index}/_settings", settings)
        await here.engine.administer("POST", f"/{index}/_open?wait_for_active_shards=1")
        await here.engine.administer("GET", f"/_cluster/health/{index}?wait_for_status=yellow")
        reports = await _share(here, index, ASKS_FOR_REPORTS)
        notices = await _share(here, index, ASKS_FOR_NOTICES)
        print(f"  k1 {k1}, b {b}: {reports:.2f} / {notices:.2f}")


async def _share(here: Installation, index: str, queries: Sequence[str]) -> float:
    shares = []
    for query in queries:
        search = search_params({"query": [query], "limit": [str(FIRST)]}, FIRST)
        body = page_body(score_query(search, (), ()).query, search, HIT_FIELDS)
        # Copies of one document score alike: the first of them stands for all.
        body |= {"docvalue_fields": ["document_type"]}
        body["query"]["bool"]["filter"].append({"prefix": {"accession_number": "0"}})
        reply = await here.engine.administer("POST", f"/{index}/_search", body)
        kinds = [hit["fields"]["document_type"][0] for hit in reply["hits"]["hits"]]
        shares.append(statistics.mean(kind in LONG_FORMS for kind in kinds))
    return statistics.mean(shares)
