"""The reference as one short page of Markdown, for language models (llmstxt.org); pure."""

from collections.abc import Iterable

from edgar_search.web.declaration import API_KEY, Credential, Endpoint, Parameter
from edgar_search.web.openapi.parameters import plain

_HEAD = """\
# edgar-search

> Look-ups and full-text search over filings of the SEC's EDGAR system, by HTTP and JSON.

The whole reference is [OpenAPI 3.1](/openapi.json). Send an API key in the header `X-API-Key`, and
a bearer token to what is below `/auth/`. An unknown parameter is a 400 that lists the known ones;
every error is an object with `error`.

The query language: words must all occur; `AND`, `OR`, `NOT` in capitals; parentheses; `"a phrase"`;
`"a phrase"~5` with up to five words between; `*` and `?` inside or at the end of a word. Nothing is
stemmed unless `word_forms=all` is sent.

## Endpoints
"""
_NEEDS: dict[Credential, str] = {"key": "API key", "token": "bearer token", "none": "no key"}


def llms_text(endpoints: Iterable[Endpoint]) -> str:
    """One paragraph for each endpoint: what it does and what it takes."""
    return _HEAD + "".join(map(_entry, endpoints))


def _entry(endpoint: Endpoint) -> str:
    methods = ", ".join(endpoint.methods)
    what = f"{plain(endpoint.summary)} ({_NEEDS[endpoint.credential]})"
    head = f"\n### {methods} {endpoint.path}\n\n{what}\n"
    lines = [_line(each) for each in endpoint.parameters if each != API_KEY]
    return head + ("\n" + "".join(lines) if lines else "")


def _line(parameter: Parameter) -> str:
    needed = ", needed" if parameter.required else ""
    kind = "|".join(parameter.choices) if parameter.kind == "choice" else parameter.kind
    default = "" if parameter.default is None else f", default {str(parameter.default).lower()}"
    return f"- `{parameter.name}` ({kind}{needed}{default}): {plain(parameter.description)}\n"
