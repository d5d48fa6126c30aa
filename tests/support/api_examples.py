"""The calls whose answers over the samples are the examples of the OpenAPI document.

What differs from run to run (moments, ids, keys, scores' last digits) is replaced, and what is long
is cut, so that the file of examples is the same for everybody.
"""

from collections.abc import Awaitable, Callable
from typing import Any

Json = dict[str, Any]
# Sends a request of this method, path and parameters; gives the JSON of the answer.
Ask = Callable[[str, str, Json], Awaitable[Any]]

LONGEST_TEXT = 300
LONGEST_LIST = 2
# Stands in parameters for the id of what the area made, or listed first, last.
MADE_ID = "0123456789abcdef"

_ASKED: dict[str, Json] = {
    "GET /v1/lookup": {"ticker": "QLFP", "form_type": "10-K", "limit": 1},
    "GET /v1/search": {"query": '"material weakness" NOT restatement', "limit": 1},
    "GET /v1/matches": {
        "document_id": "0009990101-25-000004-1",
        "query": '"chief executive officer" OR tariffs',
        "limit": 2,
    },
    "GET /v1/text": {
        "document_id": "0009990101-25-000004-1",
        "section": "10-K item 1A",
        "length": 200,
    },
    "GET /v1/compare": {
        "from": "0009990101-21-000005-1",
        "to": "0009990101-25-000004-1",
        "section": "item7",
        "limit": 2,
    },
    "GET /v1/facets": {"query": "goodwill impairment", "by": "form_type,company", "limit": 2},
    "GET /v1/screen": {
        "figures": "total_assets>1m",
        "columns": "company,period,total_assets,net_income",
        "limit": 2,
    },
    "GET /v1/export": {"query": '"twice a year"', "format": "jsonl", "what": "documents"},
    "POST /v1/check_draft": {
        "text": 'It wrote: "Two data centers become one by the end of 2025." It did not write'
        ' "three data centers become one by the end of 2026" (0009990103-25-000008).'
    },
    "GET /v1/similar": {"document_id": "0009990101-25-000004-1", "start": 1145, "length": 300},
    "POST /v1/similar": {
        "text": "The company tests goodwill for impairment once a year.",
        "limit": 1,
    },
    "GET /v1/check_number": {
        "cik": "9990080",
        "item": "total assets",
        "period": "2024-12-31",
        "value": "$1.2 million",
    },
    "GET /v1/answer": {"query": "Bramblewick revenue fiscal 2021"},
    "GET /v1/check": {"query": 'goodwil OR impair* NOT "10-K"'},
    "GET /v1/statements": {"cik": "0009990080", "statement": "balance_sheet"},
    "GET /v1/facts": {"concept": "us-gaap:Revenues", "sort": "largest", "limit": 2},
    "GET /v1/concepts": {"query": "liabilities equity", "limit": 2},
    "GET /v1/coverage": {"from_date": "2025-03-01", "to_date": "2025-03-10"},
    "POST /v2/entity_lookup": {"tickers": ["BRMW"]},
    "POST /v2/filing_lookup": {"form_types": ["8-K"], "items": ["4.01"], "to": 1},
    "POST /v2/filing_info": {"accession_number": "0009990101-25-000004"},
    "POST /v2/fulltext_search": {
        "query": "goodwill impairment",
        "form_types": ["10-K"],
        "to": 1,
    },
    "POST /v2/document": {"document_id": "0009990101-25-000004-2", "output_format": "json"},
    "POST /v2/8k_items": {"accession_numbers": ["0009990106-22-000019"]},
    "POST /v2/filing_sections": {"document_id": "0009990101-25-000004-1", "form_type": "10-K"},
    "POST /v2/financials": {"cik": "9990080"},
    "POST /v2/financials/balance-sheet": {"cik": "9990080", "format": "table"},
    "POST /v2/financials/income-statement": {"cik": "9990080"},
    "POST /v2/financials/cash-flow": {"cik": "9990080"},
    "POST /v2/financials/raw": {"cik": "9990080"},
    "POST /v2/financials/filings": {"cik": "9990080"},
    "POST /v2/financials/history": {"cik": "9990080", "concepts": ["Revenues", "Assets"]},
    "POST /v2/health": {},
    "GET /health/ready": {},
}
# What takes a body takes the same in the query string.
DATA: dict[str, Json] = {
    **_ASKED,
    **{name.replace("POST", "GET"): sent for name, sent in _ASKED.items() if " /v2/" in name},
}
_FAVORITE: Json = {"type": "entity", "target_id": "0009990101", "label": "paper"}
_LINK: Json = {"url": "https://example.com/paper", "title": "On paper", "tags": ["mills"]}
_TRIGGER: Json = {
    "name": "auditors",
    "query": '"material weakness"',
    "filters": {"form_type": ["8-K"]},
}
_WEBHOOK: Json = {"name": "mine", "url": "https://example.com/hook"}
_KEY: Json = {"name": "laptop", "scopes": ["v1/search"]}
# In this order; a key that is made makes the call that the history then has.
USER: tuple[tuple[str, Json], ...] = (
    ("POST /auth/favorites/add", _FAVORITE),
    ("GET /auth/favorites/get", {"limit": 1}),
    ("POST /auth/favorites/remove", {"id": MADE_ID}),
    ("POST /auth/favorites/add", _FAVORITE),
    ("DELETE /auth/favorites/remove", {"id": MADE_ID}),
    ("POST /auth/saved-links/add", _LINK),
    ("POST /auth/saved-links/update", {"id": MADE_ID, "note": "read again in March"}),
    ("GET /auth/saved-links/get", {"limit": 1}),
    ("POST /auth/saved-links/remove", {"id": MADE_ID}),
    ("POST /auth/saved-links/add", _LINK),
    ("DELETE /auth/saved-links/remove", {"id": MADE_ID}),
    ("POST /auth/alert_triggers/add", _TRIGGER),
    ("POST /auth/alert_triggers/update", {"id": MADE_ID, "enabled": False}),
    ("GET /auth/alert_triggers/get", {"limit": 1}),
    # Of one document: several come in the order in which they were loaded.
    ("GET /auth/alert_triggers/test", {"query": '"twice a year"', "limit": 1}),
    ("POST /auth/alert_triggers/remove", {"id": MADE_ID}),
    ("POST /auth/alert_triggers/add", _TRIGGER),
    ("DELETE /auth/alert_triggers/remove", {"id": MADE_ID}),
    ("POST /auth/webhooks/add", _WEBHOOK),
    ("POST /auth/webhooks/update", {"id": MADE_ID, "name": "for me"}),
    ("GET /auth/webhooks/get", {"limit": 1}),
    ("POST /auth/webhooks/rotate", {"id": MADE_ID}),
    ("POST /auth/webhooks/test", {"id": MADE_ID}),
    ("GET /auth/webhooks/deliveries", {"limit": 1}),
    ("POST /auth/webhooks/replay", {"id": MADE_ID}),
    ("POST /auth/webhooks/add", _WEBHOOK),
    ("POST /auth/webhooks/remove", {"id": MADE_ID}),
    ("POST /auth/webhooks/add", _WEBHOOK),
    ("DELETE /auth/webhooks/remove", {"id": MADE_ID}),
    ("POST /auth/notifications/mark_read", {"all": True}),
    ("GET /auth/notifications/get", {"limit": 1}),
    ("POST /auth/notifications/remove", {"id": MADE_ID}),
    ("GET /auth/notifications/get", {"limit": 1}),
    ("DELETE /auth/notifications/remove", {"id": MADE_ID}),
    ("POST /auth/api_keys/create", _KEY),
    ("GET /auth/history/get", {"limit": 1}),
    ("POST /auth/history/clear", {}),
    ("GET /auth/api_keys/get", {"limit": 1}),
    ("POST /auth/api_keys/rotate", {"id": MADE_ID}),
    ("POST /auth/api_keys/revoke", {"id": MADE_ID}),
    ("POST /auth/api_keys/create", _KEY),
    ("POST /auth/api_keys/remove", {"id": MADE_ID}),
    ("POST /auth/api_keys/create", _KEY),
    ("DELETE /auth/api_keys/revoke", {"id": MADE_ID}),
    ("POST /auth/api_keys/create", _KEY),
    ("DELETE /auth/api_keys/remove", {"id": MADE_ID}),
    ("GET /auth/usage_limits", {}),
    ("GET /auth/subscription/get", {}),
    ("GET /auth/subscription/plans", {}),
)
CREATED_KEY = "POST /auth/api_keys/create"

_MOMENT = "2026-01-31T12:00:00Z"
_INSTEAD: Json = {
    **dict.fromkeys(
        (
            *("at", "created_at", "updated_at", "createdAt", "updatedAt", "last_used_at", "since"),
            *("read_at", "expires_at", "last_matched_at", "next_try_at"),
        ),
        _MOMENT,
    ),
    **dict.fromkeys(("p50", "p90", "p99", "duration_ms"), 7.5),
    "used": 412,
    "remaining": 588,
    "key": "sk_live_0123456789ABCDEFGHIJKLMG92o0",
    **dict.fromkeys(("key_prefix", "prefix"), "sk_live_0123"),
}
# Below `/auth/` an id is random, and a day is one of the last.
_OF_USERS = {
    "id": MADE_ID,
    "webhook_id": MADE_ID,
    "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    "body": f'{{"type":"webhook.test","timestamp":"{_MOMENT}","data":{{}}}}',
    "alert_trigger_id": MADE_ID,
    "date": "2026-01-31",
    "period_start": _MOMENT,
    "period_end": _MOMENT,
}


async def examples(ask: Ask, calls: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the request of each call, and the example of its answer."""
    found: dict[str, Json] = {}
    made = MADE_ID
    for name, parameters in calls:
        method, _, path = name.partition(" ")
        sent = {**parameters, "id": made} if parameters.get("id") == MADE_ID else parameters
        answer = await ask(method, path, sent)
        if path.startswith("/auth/") and isinstance(answer, dict):
            made = answer.get("id") or _first_id(answer) or made
        found[name] = {"parameters": parameters, "answer": show(answer, path)}
    return found


def _first_id(answer: Json) -> str | None:
    """Return the id of the first thing of a list."""
    lists = [each for each in answer.values() if isinstance(each, list) and each]
    return lists[0][0].get("id") if lists and isinstance(lists[0][0], dict) else None


def show(answer: Any, path: str) -> Any:
    """Return an answer as the examples have it."""
    instead = {**_INSTEAD, **(_OF_USERS if path.startswith("/auth/") else {})}
    return _show_value(answer, instead)


def _show_value(value: Any, instead: Json) -> Any:
    match value:
        case dict():
            return {
                name: instead[name] if name in instead and each else _show_value(each, instead)
                for name, each in value.items()
            }
        case list():
            return [_show_value(each, instead) for each in value[:LONGEST_LIST]]
        case str() if len(value) > LONGEST_TEXT:
            return value[:LONGEST_TEXT] + "..."
        case float():
            return round(value, 3)
    return value
