"""Scopes of API keys: the endpoints that a key may call."""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlencode

from edgar_search.api.draft import CHECK_DRAFT
from edgar_search.api.export import EXPORT
from edgar_search.api.operations import OPERATIONS
from edgar_search.api.similar import SIMILAR
from edgar_search.errors import BadRequest

_ENDPOINTS = (*(each.endpoint for each in OPERATIONS), CHECK_DRAFT, EXPORT, SIMILAR)
SCOPES: tuple[str, ...] = (
    # EDGAR's own interfaces, which are not declared like our operations.
    *("efts", "mirror", "sets"),
    *sorted([*(endpoint.scope for endpoint in _ENDPOINTS), "v1/stream"]),
    "v2/8k_items",
    "v2/document",
    "v2/entity_lookup",
    "v2/filing_info",
    "v2/filing_lookup",
    "v2/filing_sections",
    "v2/financials",
    "v2/financials/balance-sheet",
    "v2/financials/cash-flow",
    "v2/financials/export/excel",
    "v2/financials/filings",
    "v2/financials/history",
    "v2/financials/income-statement",
    "v2/financials/raw",
    "v2/fulltext_search",
    "v2/pdf",
)
# The names of pages in the history; no key can call them.
PAGE_CALLS: tuple[str, ...] = (
    "page/search",
    "page/screen",
    "page/export",
    "page/document",
    "page/as-filed",
    "page/cite",
    "page/similar",
    "page/drafts",
    "page/table",
    "page/compare",
    "page/filing",
    "page/statements",
    "page/pdf",
    "page/company",
    "page/coverage",
)


# The path of feeds, with which the scope of a key for a single feed begins.
FEED = "search.atom"
_MAX_FEED = 8_000


def feed_scope(lists: Mapping[str, Sequence[str]]) -> str:
    """Return the scope of a key for the feed with these parameters, in any order."""
    pairs = [(name, value) for name, values in lists.items() for value in values if value.strip()]
    return f"{FEED}?{urlencode(sorted(pairs))}"


def _is_feed(scope: str) -> bool:
    """Return True if a scope is a feed's, written by `feed_scope`."""
    path, _, query = scope.partition("?")
    if path != FEED or not query or len(scope) > _MAX_FEED:
        return False
    return feed_scope(parse_qs(query)) == scope


def check_scopes(scopes: Sequence[str] | None) -> list[str] | None:
    """Check scopes and return them without repetitions; None means all.

    Raises BadRequest for an unknown scope or an empty list.
    """
    if scopes is None:
        return None
    unknown = [scope for scope in scopes if scope not in SCOPES and not _is_feed(scope)]
    if unknown or not scopes:
        problem = f"{unknown[0]} is not a scope" if unknown else "at least one is needed"
        raise BadRequest(f"scopes: {problem}; scopes are {', '.join(SCOPES)}")
    return list(dict.fromkeys(scopes))
