"""The most expensive request of every path that OpenAPI lists, as attacks: none can be forgotten.

Names in braces stand for what the ground of the attack has: the id of a long document and of its
filing, that of a document with as large a table as an answer may have, and the most common words.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Literal, NamedTuple

from bench.dear_queries import COMMON
from edgar_search.search.language.word_forms import related_groups
from tests.torture.filings import REPORT, REPORTER

_EVERYTHING = {"limit": "1000", "from_date": "1993-01-01"}
_ANY = " OR ".join(COMMON[:30])
# Words with the most phrases that mean the same, as many as a query may have.
_GROUPS = sorted(related_groups(), key=lambda group: -sum(map(len, group)))
RELATED = " ".join(dict.fromkeys(word for group in _GROUPS for word in group if " " not in word))
RELATED = " OR ".join(RELATED.split()[:20])
# Quotes of common words, so few that an answer ends within the time of an attack.
_QUOTES = [f'"{" ".join((COMMON * 4)[place : place + 12])}"' for place in range(5)]
_UNKNOWN = {"id": "0" * 32}


class Dear(NamedTuple):
    """A request: its method and parameters, in a body for a POST, and what identifies it.

    Some of the answers have the `status`, otherwise it was not an attack.
    """

    sent: Mapping[str, Any]
    method: Literal["GET", "POST", "DELETE"] = "GET"
    by: Literal["key", "token", "nothing"] = "key"
    status: int = 200


def _own(
    sent: Mapping[str, Any] | None = None,
    method: Literal["GET", "POST"] = "POST",
    status: int = 200,
) -> Dear:
    return Dear(sent or {}, method, "token", status)


_FINANCIALS = Dear({"cik": REPORTER}, "POST")
_LIST = _own({"limit": "100"}, "GET")
_FREE = Dear({}, by="nothing")
DEAREST: Mapping[str, Dear] = {
    "/v1/lookup": Dear({**_EVERYTHING, "form_type": "8-K,10-K,10-Q,4", "include": "withdrawn"}),
    "/v1/search": Dear({"query": RELATED, "word_forms": "related", "limit": "40", "snippets": "5"}),
    "/v1/coverage": Dear({"from_date": "2024-01-01", "to_date": "2024-12-31"}),
    "/v1/matches": Dear({"document_id": "{document}", "query": _ANY, "limit": "1000"}),
    "/v1/text": Dear({"document_id": "{document}", "length": "100000"}),
    "/v1/tables": Dear({"document_id": "{table}", "table": "1", "format": "xlsx"}),
    "/v1/compare": Dear({"from": "{document}", "to": "{table}", "limit": "100"}),
    "/v1/screen": Dear({"query": _ANY, "word_forms": "all", "limit": "1000"}),
    "/v1/facets": Dear({"query": _ANY, "word_forms": "all", "limit": "500"}),
    "/v1/check_draft": Dear({"text": "\n".join(_QUOTES)}, "POST"),
    "/v1/similar": Dear(
        {"text": (RELATED + " ") * 20, "limit": 50, "group_by": "document"}, "POST"
    ),
    "/v1/check": Dear({"query": _ANY, "word_forms": "all"}),
    "/v1/insider_trades": Dear(_EVERYTHING),
    "/v1/insider_holdings": Dear(_EVERYTHING),
    "/v1/stakes": Dear(_EVERYTHING),
    "/v1/planned_sales": Dear(_EVERYTHING),
    "/v1/holdings": Dear({"limit": "1000"}),
    "/v1/portfolio": Dear({"manager_cik": "0009990080", "quarter": "2024Q4", "limit": "1000"}),
    "/v1/holders": Dear({"issuer_cik": "0000320193", "quarter": "2024Q4", "limit": "1000"}),
    "/v1/export": Dear({"query": _ANY, "word_forms": "all", "what": "matches", "format": "csv"}),
    "/v1/stream": Dear({"query": _ANY, "word_forms": "all", "after": "0"}),
    "/v1/check_number": Dear(
        {"cik": "320193", "item": "net sales", "period": "Q4 2023", "value": "$89.5 billion"}
    ),
    "/v1/answer": Dear({"query": "insider trades at Apple in 2024"}),
    "/v1/quote": Dear({"quote": "{words}"}),
    "/v1/statements": Dear({"accnum": REPORT, "format": "xlsx"}),
    "/v1/facts": Dear({"concept": "us-gaap:Revenues", "sort": "largest", "limit": "1000"}),
    "/v1/concepts": Dear({"query": "the of and", "limit": "100"}),
    "/v2/entity_lookup": Dear({"name_includes": ["corp", "inc", "co"], "to": 100}, "POST"),
    "/v2/filing_lookup": Dear({"date_from": "1993-01-01", "to": 100}, "POST"),
    "/v2/filing_info": Dear({"accession_number": "{filing}"}, "POST"),
    "/v2/fulltext_search": Dear({"query": _ANY, "to": 100}, "POST"),
    "/v2/document": Dear({"document_id": "{table}", "output_format": "json"}, "POST"),
    "/v2/8k_items": Dear({"accession_numbers": ["{filing}"] * 100}, "POST"),
    "/v2/filing_sections": Dear({"document_id": "{document}", "form_type": "10-K"}, "POST"),
    "/v2/financials": _FINANCIALS,
    "/v2/financials/balance-sheet": _FINANCIALS,
    "/v2/financials/income-statement": _FINANCIALS,
    "/v2/financials/cash-flow": _FINANCIALS,
    "/v2/financials/raw": _FINANCIALS,
    "/v2/financials/filings": _FINANCIALS,
    "/v2/financials/history": Dear({"cik": REPORTER, "concepts": ["Revenues"] * 20}, "POST"),
    "/v2/financials/export/excel": _FINANCIALS,
    "/v2/pdf": Dear({"document_id": "{document}"}, "POST"),
    "/v2/health": _FREE,
    "/auth/favorites/get": _LIST,
    "/auth/favorites/add": _own({"type": "entity", "target_id": REPORTER}, status=201),
    "/auth/favorites/remove": _own(_UNKNOWN, status=404),
    "/auth/history/get": _LIST,
    "/auth/history/clear": _own(),
    "/auth/saved-links/get": _LIST,
    "/auth/saved-links/add": _own(
        {"url": "https://example.com/", "title": "moss " * 40}, status=201
    ),
    "/auth/saved-links/update": _own({**_UNKNOWN, "note": "moss"}, status=404),
    "/auth/saved-links/remove": _own(_UNKNOWN, status=404),
    "/auth/notifications/get": _LIST,
    "/auth/notifications/mark_read": _own({"all": True}),
    "/auth/notifications/stream": _own({"after": "0"}, "GET"),
    "/auth/notifications/remove": _own(_UNKNOWN, status=404),
    "/auth/alert_triggers/get": _LIST,
    "/auth/alert_triggers/add": _own({"name": "moss", "query": _ANY}, status=201),
    "/auth/alert_triggers/update": _own({**_UNKNOWN, "enabled": False}, status=404),
    "/auth/alert_triggers/remove": _own(_UNKNOWN, status=404),
    "/auth/alert_triggers/test": _own({"query": _ANY, "word_forms": "all", "limit": "200"}, "GET"),
    "/auth/webhooks/get": _LIST,
    "/auth/webhooks/add": _own({"name": "moss", "url": "https://example.com/"}, status=403),
    "/auth/webhooks/update": _own({**_UNKNOWN, "enabled": False}, status=404),
    "/auth/webhooks/rotate": _own(_UNKNOWN, status=403),
    "/auth/webhooks/test": _own(_UNKNOWN, status=404),
    "/auth/webhooks/remove": _own(_UNKNOWN, status=404),
    "/auth/webhooks/deliveries": _LIST,
    "/auth/webhooks/replay": _own(_UNKNOWN, status=404),
    "/auth/api_keys/get": _LIST,
    "/auth/api_keys/create": _own({"name": "moss"}, status=201),
    "/auth/api_keys/rotate": _own(_UNKNOWN, status=404),
    "/auth/api_keys/revoke": _own(_UNKNOWN, status=404),
    "/auth/api_keys/remove": _own(_UNKNOWN, status=404),
    "/auth/usage_limits": _own(method="GET"),
    "/auth/subscription/get": _own(method="GET"),
    "/auth/subscription/plans": _own(method="GET"),
    "/auth/subscription/change": _own({"plan": "unlimited"}, status=403),
    "/health/live": _FREE,
    "/health/ready": _FREE,
    "/openapi.json": _FREE,
    "/llms.txt": _FREE,
}


class OfEdgar(NamedTuple):
    """The dearest request to one of EDGAR's paths: the address, and what is sent to it."""

    address: str
    dear: Dear = Dear({})


_FILED, _CIK = "0009990301-21-000000", "CIK0009990080"
_FOLDER = f"/Archives/edgar/data/9990300/{_FILED.replace('-', '')}"
_NOT_LOADED = Dear({}, status=404)
# By the paths of the routes; what is of the long report, or of the commonest words, is dearest.
OF_EDGAR: Mapping[str, OfEdgar] = {
    "/LATEST/search-index": OfEdgar("/LATEST/search-index", Dear({"q": _ANY})),
    "/submissions/{name}": OfEdgar(f"/submissions/{_CIK}.json"),
    "/api/xbrl/companyfacts/{name}": OfEdgar(
        f"/api/xbrl/companyfacts/{_CIK}.json", Dear({"all": "true"})
    ),
    "/api/xbrl/companyconcept/{name}/{taxonomy}/{tag}.json": OfEdgar(
        f"/api/xbrl/companyconcept/{_CIK}/us-gaap/Assets.json", Dear({"all": "true"})
    ),
    "/api/xbrl/frames/{taxonomy}/{tag}/{unit}/{frame}.json": OfEdgar(
        "/api/xbrl/frames/us-gaap/Assets/USD/CY2023Q4I.json"
    ),
    "/Archives/edgar/data/{cik}/{name}": OfEdgar(f"/Archives/edgar/data/9990300/{_FILED}.txt"),
    "/Archives/edgar/data/{cik}/{name}/{file:path}": OfEdgar(f"{_FOLDER}/{_FILED}.txt"),
    "/Archives/edgar/full-index/{year}/{quarter}/{file:path}": OfEdgar(
        "/Archives/edgar/full-index/2021/QTR1/crawler.zip"
    ),
    "/Archives/edgar/daily-index/{year}/{quarter}/{file:path}": OfEdgar(
        "/Archives/edgar/daily-index/2024/QTR1/form.20240201.idx.gz"
    ),
    "/Archives/edgar/daily-index/bulkdata/submissions.zip": OfEdgar(
        "/Archives/edgar/daily-index/bulkdata/submissions.zip"
    ),
    "/Archives/edgar/daily-index/xbrl/companyfacts.zip": OfEdgar(
        "/Archives/edgar/daily-index/xbrl/companyfacts.zip"
    ),
    "/Archives/edgar/cik-lookup-data.txt": OfEdgar("/Archives/edgar/cik-lookup-data.txt"),
    "/Archives/edgar/Feed/{year}/{quarter}/{file:path}": OfEdgar(
        "/Archives/edgar/Feed/2024/QTR1/20240201.nc.tar.gz"
    ),
    "/cgi-bin/browse-edgar": OfEdgar(
        "/cgi-bin/browse-edgar", Dear({"action": "getcurrent", "output": "atom", "count": "100"})
    ),
    **{
        path: OfEdgar(path, _NOT_LOADED)
        for path in (
            "/files/company_tickers.json",
            "/files/company_tickers_exchange.json",
            "/files/company_tickers_mf.json",
            "/include/ticker.txt",
        )
    },
}
# What a client of MCP asks first, which costs no call.
LIST_TOOLS = Dear({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}, "POST")


def filled(value: Any, document_id: str, table_id: str, random: Random) -> Any:
    """Return parameters with what the ground has for the names in braces."""
    if isinstance(value, Mapping):
        return {name: filled(each, document_id, table_id, random) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, document_id, table_id, random) for each in value]
    if not isinstance(value, str):
        return value
    words = " ".join(random.choices(COMMON, k=330))[:1_900] if "{words}" in value else ""
    return value.format(
        document=document_id, table=table_id, filing=document_id.rpartition("-")[0], words=words
    )
