"""Addresses of pages, which hold their state, and the defaults of a page's search; pure.

People type questions, mean other forms of words too, and would rather see a document that lacks a
word than none.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.search import SEARCH
from edgar_search.edgar.form_types import forms_named
from edgar_search.web.pages.text_html import AT

Lists = Mapping[str, Sequence[str]]


def address(path: str, parameters: Lists | None = None, /, **changes: object) -> str:
    """Return the address of a page with these parameters; a change to None or "" removes one."""
    values: dict[str, list[str]] = {
        name: [value for value in found if value.strip()]
        for name, found in (parameters or {}).items()
    }
    for name, value in changes.items():
        values[name] = [] if value in (None, "") else [str(value)]
    pairs = [(name, value) for name, found in values.items() for value in found]
    query = urlencode(pairs)
    return quote(path, safe="/") + (f"?{query}" if query else "")


def cited_address(
    document_id: str, start: int, end: int, text_sha256: str | None, **more: object
) -> str:
    """Return the address of a document's page with the code points `start` to `end` marked.

    `more` are parameters that help to find the passage again if the text changes.
    """
    place = address(
        f"/document/{document_id}",
        cited=start,
        length=end - start,
        text_sha256=text_sha256,
        **more,
    )
    return f"{place}#{AT}"


def without(parameters: Lists, name: str, value: str | None = None) -> dict[str, list[str]]:
    """Remove a parameter, or one of its values, and go back to the first page."""
    remaining = {key: list(values) for key, values in parameters.items() if key != "offset"}
    kept = [item for item in items(parameters.get(name, ())) if value not in (None, item)]
    remaining.pop(name, None)
    if kept:
        remaining[name] = [",".join(kept)]
    return remaining


def items(values: Sequence[str]) -> list[str]:
    """Split lists, comma-separated or repeated, into items."""
    parts = [item.strip() for value in values for item in value.split(",")]
    return [item for item in parts if item]


def by_names(lists: Lists, declared: Mapping[str, Parameter]) -> dict[str, list[str]]:
    """Rename parameters to their own names, where an address spells them otherwise."""
    renamed: dict[str, list[str]] = {}
    for spelling, values in lists.items():
        parameter = declared.get(spelling)
        renamed.setdefault(parameter.name if parameter else spelling, []).extend(values)
    return renamed


def read_forms(lists: Lists) -> dict[str, list[str]]:
    """Rewrite form types in EDGAR's spelling, where a reader typed `10k`."""
    read = {name: list(values) for name, values in lists.items()}
    for name in ("form_type", "form_family"):
        if any(value.strip() for value in lists.get(name, ())):
            read[name] = [",".join(forms_named(items(lists[name])))]
    return read


def curl(call: str, base: str) -> str:
    """Return a shell command that makes this call."""
    quoted = (base + call).replace("'", "%27")
    return f"curl -H \"X-API-Key: $EDGAR_SEARCH_KEY\" '{quoted}'"


BY_DATE = ("newest", "oldest")
DEFAULTS: Mapping[str, str] = {
    each.name: each.shown.default for each in SEARCH.parameters if each.shown and each.shown.default
}


def as_asked(lists: Lists) -> Lists:
    """Add the page's defaults for missing parameters.

    Sorted by date, the first documents with any word would be the newest, or oldest, of nearly all.
    """
    given_names = {name for name, values in lists.items() if any(value.strip() for value in values)}
    by_date = any(value.strip() in BY_DATE for value in lists.get("sort", ()))
    defaults = {**DEFAULTS, "operands": "all"} if by_date else DEFAULTS
    return {
        **lists,
        **{name: [value] for name, value in defaults.items() if name not in given_names},
    }
