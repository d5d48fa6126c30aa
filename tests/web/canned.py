"""Contents of the stub engine: two keys, two tickers, one filing, one document, one passage."""

from collections.abc import Mapping
from typing import Any

from edgar_search.access.api_keys import key_hash
from edgar_search.search.snippets.marks import MARK_END, MARK_START

# All are well-formed; the last is stored nowhere.
KEY = "sk_live_0123456789ABCDEFGHIJKLMG92o0"
REVOKED_KEY = "sk_live_ABCDEFGHIJKLMNOPQRSTUV51kZ00"
UNKNOWN_KEY = "sk_live_LKJIHGFEDCBA9876543210b0VrF2"

Json = dict[str, Any]


def stored_key(key: str, **more: Any) -> Json:
    """Return a key as the engine has it."""
    return {
        "id": "id-of-" + key[8:12],
        "account": "account-of-" + key[8:12],
        "name": "test",
        "prefix": key[:12],
        "created_at": "2024-01-01T00:00:00Z",
        **more,
    }


KEYS: Mapping[str, Json] = {
    key_hash(KEY): stored_key(KEY),
    key_hash(REVOKED_KEY): stored_key(REVOKED_KEY, revoked_at="2024-01-02T00:00:00Z"),
}
TICKERS: Mapping[str, str] = {"AAPL": "0000320193", "MSFT": "0000789019"}

_WHOLE = {"timed_out": False, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}}


def search_reply(hits: list[Json], total: int | None = None) -> Json:
    """Return a whole reply to a search."""
    counted = {} if total is None else {"total": {"value": total, "relation": "eq"}}
    return {"took": 1, **_WHOLE, "hits": {**counted, "max_score": None, "hits": hits}}


def only_asked(reply: Json, body: Json) -> Json:
    """Return a reply with the aggregations that the body asks for, of those that it has.

    One by filters has as many buckets as there are filters, all like its first, or with the number
    of all hits if the reply has none; under their names if they have names. So has one by a filter.
    """
    asked, known = body.get("aggs", {}), reply.get("aggregations", {})
    counted = {name: known[name] for name in asked if name in known}
    every = {"doc_count": reply["hits"].get("total", {"value": 0})["value"]}
    for name in asked:
        if "filter" in asked[name]:
            counted[name] = known.get(name, every)
        if "filters" in asked[name]:
            filters = asked[name]["filters"]["filters"]
            (bucket,) = known.get(name, {"buckets": [every]})["buckets"][:1]
            named = isinstance(filters, dict)
            counted[name] = {
                "buckets": dict.fromkeys(filters, bucket) if named else [bucket] * len(filters)
            }
    return {**reply, "aggregations": counted} if counted or known else reply


FILING_HIT: Json = {
    "_index": "stub-filings.all.v1",
    "_id": "0000320193-24-000001",
    "_score": None,
    "_source": {
        "accession_number": "0000320193-24-000001",
        "form_type": "10-K",
        "filing_date": "2024-01-31",
        "ciks": ["0000320193"],
        "sics": ["3571"],
        "entities": [
            {"role": "FILER", "cik": "0000320193", "name": "Apple Inc.", "sic": "3571"},
        ],
        "documents": [
            {
                "document_id": "0000320193-24-000001-1",
                "form_type": "10-K",
                "description": "10-K",
                "size": 1234,
                "file_name": "a10k.htm",
            }
        ],
        "loaded_at": "2024-02-01T00:00:00Z",
        "period": "2023-12-31",
    },
    "sort": [1706659200000, "0000320193-24-000001"],
}
DOCUMENT_HIT: Json = {
    "_index": "stub-documents.all.v1",
    "_score": 45.0,
    "fields": {
        "document_id": ["0000320193-24-000001-1"],
        "accession_number": ["0000320193-24-000001"],
        "form_type": ["10-K"],
        "filing_date": ["2024-01-31"],
        "passages": [2],
        "entities": ["0000 0000320193 Apple Inc."],
        "file_name": ["a10k.htm"],
        "text_sha256": ["0" * 64],
        "text_length": [14],
        "_version": [1],
    },
    "sort": [30.0, 1706659200000, "0000320193-24-000001-1"],
}
PASSAGE_HIT: Json = {
    "_index": "stub-passages.all.v1",
    "_id": "0000320193-24-000001-1#0",
    "_score": 3.0,
    "fields": {"document_id": ["0000320193-24-000001-1"], "number": [0]},
    "highlight": {"text": [f"<b>net</b> {MARK_START}sales{MARK_END} rose"]},
    "sort": [3.0, 0],
}
# The same as one that is asked for with its place, and the number of those of its document.
PLACED_HIT: Json = {
    **PASSAGE_HIT,
    "_version": 1,
    "fields": {**PASSAGE_HIT["fields"], "start": [0]},
}
COUNTED_PASSAGES: Json = {
    **search_reply([PLACED_HIT]),
    "aggregations": {"counts": {"buckets": [{"key": "0000320193-24-000001-1", "doc_count": 3}]}},
}
SEARCHES: Mapping[str, Json] = {
    "missing_days": search_reply([]),
    "filings": search_reply([FILING_HIT], 1),
    "documents": search_reply([DOCUMENT_HIT], 41),
    "passages": search_reply([PASSAGE_HIT]),
    "user_items": search_reply([], 0),
    "deliveries": search_reply([], 0),
    "history": search_reply([], 0),
    "api_keys": search_reply([]),
    "arrivals": search_reply([], 0),
    "financials": search_reply([]),
    "facts": {**search_reply([], 0), "aggregations": {"concepts": {"buckets": []}}},
}


def found(key: str, source: Json | None) -> Json:
    """Return the reply to a read by id."""
    if source is None:
        return {"_index": "stub-api_keys.all.v1", "_id": key, "found": False}
    return {
        "_index": "stub-api_keys.all.v1",
        "_id": key,
        "_version": 1,
        "_seq_no": 0,
        "_primary_term": 1,
        "found": True,
        "_source": source,
    }


def ticker_files(tickers: Mapping[str, str], with_source: bool) -> Json:
    """Return the reply to a read of all reference files, of which there is one.

    Its revision is as many as it has rows.
    """
    rows = [[ticker, cik, "Nasdaq"] for ticker, cik in tickers.items()]
    source = {"source": "made up", "loaded_at": "2024-01-01T00:00:00Z", "rows": rows}
    file = {"_id": "company_tickers", "_seq_no": len(rows), "_primary_term": 1, "found": True}
    others = ["company_tickers_exchange", "company_tickers_mf", "ticker"]
    return {
        "docs": [
            {**file, **({"_source": source} if with_source else {})},
            *({"_id": name, "found": False} for name in others),
        ]
    }


# The whole bodies that the service makes of the above.
LOOKUP_BODY: Json = {
    "response_details": {"filings_found": 1, "errors": []},
    "filings": [
        {
            "accnum": "0000320193-24-000001",
            "form_type": "10-K",
            "filing_date": "2024-01-31",
            "period": "2023-12-31",
            "tickers": ["AAPL"],
            "filer_details": {"cik": "0000320193", "name": "Apple Inc.", "tickers": ["AAPL"]},
            "documents": FILING_HIT["_source"]["documents"],
        }
    ],
}
SEARCH_BODY: Json = {
    "total_count": 41,
    "items": [
        {
            "related_company_names": ["Apple Inc."],
            "ciks": ["0000320193"],
            "accnum": "0000320193-24-000001",
            "filename": "a10k.htm",
            "filing_date": "2024-01-31",
            "form_type": "10-K",
            "snippet": "&lt;b&gt;net&lt;/b&gt; <mark>sales</mark> rose...",
            "score": 0.75,
            "document_id": "0000320193-24-000001-1",
        }
    ],
}
