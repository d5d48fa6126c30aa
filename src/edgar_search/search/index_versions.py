"""Mapping versions: refuses searches that older entries cannot answer."""

from collections.abc import Iterable, Mapping, Sequence

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import StoredByOlderVersion
from edgar_search.search.criteria import (
    CITATION,
    OFFSETS,
    SECTION,
    DocumentCriteria,
    DocumentSearch,
    FacetSearch,
    FilingCriteria,
)
from edgar_search.search.filters import FILTERS

# The first mapping version whose entries have the fields that these searches need.
_DOCUMENTS, _FILINGS, _ENTITIES, _SECTIONS = 3, 4, 4, 2
_NEW_DETAILS: Mapping[str, int] = {
    **dict.fromkeys(("period", "eight_k_items", "primary", "url", OFFSETS, CITATION), _DOCUMENTS),
    **dict.fromkeys(("auditor", "auditor_location", "auditor_firm_id"), 6),
}
_NEW_FACETS: Mapping[str, int] = {"state": _DOCUMENTS, "auditor": 6}
_LOAD_AGAIN = "`edgar-ingest update`"
_REBUILD = "`edgar-ingest indices rebuild entities`, then `indices switch entities`"


async def require_for_documents(engine: Engine, search: DocumentSearch) -> None:
    """Raise StoredByOlderVersion if documents lack a field of this search."""
    details = [
        (f"include={name}", _NEW_DETAILS[name]) for name in search.details if name in _NEW_DETAILS
    ]
    details += [("snippets", _DOCUMENTS)] if search.snippets else []
    await require_for_criteria(engine, search.criteria, details)
    if SECTION in search.details:
        await require_for_texts(engine)


async def require_for_facets(engine: Engine, search: FacetSearch) -> None:
    """Raise StoredByOlderVersion if documents lack a field of these facets."""
    facets = [(f"by={name}", _NEW_FACETS[name]) for name in search.names if name in _NEW_FACETS]
    await require_for_criteria(engine, search.criteria, facets)


async def require_for_criteria(
    engine: Engine, criteria: DocumentCriteria, more: Iterable[tuple[str, int]] = ()
) -> None:
    """Raise StoredByOlderVersion if documents lack a field of these criteria, or one of `more`.

    Each of `more` has its first mapping version.
    """
    fields = [
        (name, filter_.documents) for filter_ in FILTERS for name in filter_.given(criteria.filings)
    ]
    await _require_fields(engine, "documents", [*fields, *more])
    await _require_names(engine, criteria.filings)


async def require_for_filings(engine: Engine, criteria: FilingCriteria) -> None:
    """Raise StoredByOlderVersion if filings lack a field of these criteria."""
    fields = [(name, filter_.filings) for filter_ in FILTERS for name in filter_.given(criteria)]
    await _require_fields(engine, "filings", fields)
    await _require_names(engine, criteria)


async def _require_fields(engine: Engine, kind: Kind, fields: Sequence[tuple[str, int]]) -> None:
    """Raise StoredByOlderVersion if entries lack a field; each has its first mapping version."""
    if not any(first for _, first in fields):
        return
    version = await engine.mapping_version(kind)
    missing = [name for name, first in fields if version < first]
    if missing:
        raise _too_old(missing, _LOAD_AGAIN)


async def require_for_texts(engine: Engine) -> None:
    """Raise StoredByOlderVersion if positions in texts are not stored."""
    if await engine.mapping_version("documents") < _DOCUMENTS:
        raise _too_old(["places in a text"], _LOAD_AGAIN)
    if await engine.mapping_version("sections") < _SECTIONS:
        raise _too_old(["sections' places in a text"], _LOAD_AGAIN)


async def filings_have_sort_keys(engine: Engine) -> bool:
    """Return True if all filings can be sorted by name, ignoring case."""
    return await engine.mapping_version("filings") >= _FILINGS


async def _require_names(engine: Engine, criteria: FilingCriteria) -> None:
    if criteria.company and await engine.mapping_version("entities") < _ENTITIES:
        raise _too_old(["company"], _REBUILD)


def _too_old(names: Iterable[str], step: str) -> StoredByOlderVersion:
    return StoredByOlderVersion(
        f"{', '.join(names)}: not possible yet, since the entries were loaded by an older version;"
        f" the operator's next step is {step} (docs/operations.md, Upgrades)"
    )
