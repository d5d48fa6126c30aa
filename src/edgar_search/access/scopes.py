"""What a key may reach: one scope for each data endpoint, named by its path."""

from collections.abc import Sequence

from edgar_search.errors import BadRequest

SCOPES: tuple[str, ...] = (
    "v1/lookup",
    "v1/search",
    "v1/check",
    "v1/coverage",
    "v1/export",
    "v1/facets",
    "v1/matches",
    "v1/text",
    "v2/8k_items",
    "v2/document",
    "v2/entity_lookup",
    "v2/filing_info",
    "v2/filing_lookup",
    "v2/filing_sections",
    "v2/fulltext_search",
)
# What pages are called in the history, which no key reaches.
PAGE_CALLS: tuple[str, ...] = (
    "page/search",
    "page/export",
    "page/document",
    "page/as-filed",
    "page/filing",
    "page/company",
    "page/coverage",
)


def checked_scopes(scopes: Sequence[str] | None) -> list[str] | None:
    """The scopes, each once; None for all of them. BadRequest for an unknown one, or for none."""
    if scopes is None:
        return None
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        what = f"{unknown[0]} is no scope" if unknown else "at least one is needed"
        raise BadRequest(f"scopes: {what}; scopes are {', '.join(SCOPES)}")
    return list(dict.fromkeys(scopes))
