"""Versions of mappings: searches that older entries cannot answer are refused."""

from collections.abc import Iterable

from edgar_search.engine.engine import Engine
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

# The first versions of the templates whose entries have the fields of these searches.
_DOCUMENTS, _FILINGS, _ENTITIES, _SECTIONS = 3, 4, 4, 2
_NEW_DETAILS = frozenset({"period", "eight_k_items", "primary", "url", OFFSETS, CITATION})
_NEW_FACETS = frozenset({"state"})
_LOAD_AGAIN = "`edgar-ingest update`"
_REBUILD = "`edgar-ingest indices rebuild entities`, then `indices switch entities`"


async def require_for_documents(engine: Engine, search: DocumentSearch) -> None:
    """Raise StoredByOlderVersion if documents lack a field of this search."""
    details = [f"include={name}" for name in search.details if name in _NEW_DETAILS]
    details += ["snippets"] if search.snippets else []
    await require_for_criteria(engine, search.criteria, details)
    if SECTION in search.details:
        await require_for_texts(engine)


async def require_for_facets(engine: Engine, search: FacetSearch) -> None:
    """Raise StoredByOlderVersion if documents lack a field of these facets."""
    facets = [f"by={name}" for name in search.names if name in _NEW_FACETS]
    await require_for_criteria(engine, search.criteria, facets)


async def require_for_criteria(
    engine: Engine, criteria: DocumentCriteria, more: Iterable[str] = ()
) -> None:
    """Raise StoredByOlderVersion if documents lack a field of these criteria, or one of `more`."""
    needed = [
        *_of_filings(criteria.filings),
        *(["item"] if criteria.filings.items else []),
        *_of_periods(criteria.filings),
        *(["document_type"] if criteria.document_types else []),
        *(["primary"] if criteria.first_only else []),
        *more,
    ]
    if needed and await engine.mapping_version("documents") < _DOCUMENTS:
        raise _too_old(needed, _LOAD_AGAIN)
    await _require_names(engine, criteria.filings)


async def require_for_filings(engine: Engine, criteria: FilingCriteria) -> None:
    """Raise StoredByOlderVersion if filings lack a field of these criteria."""
    needed = _of_filings(criteria)
    if needed and not await filings_have_sort_keys(engine):
        raise _too_old(needed, _LOAD_AGAIN)
    await _require_names(engine, criteria)


async def require_for_texts(engine: Engine) -> None:
    """Raise StoredByOlderVersion if the places of texts are not stored."""
    if await engine.mapping_version("documents") < _DOCUMENTS:
        raise _too_old(["places in a text"], _LOAD_AGAIN)
    if await engine.mapping_version("sections") < _SECTIONS:
        raise _too_old(["sections' places in a text"], _LOAD_AGAIN)


async def filings_have_sort_keys(engine: Engine) -> bool:
    """Say whether all filings can be sorted by name without regard to case."""
    return await engine.mapping_version("filings") >= _FILINGS


async def _require_names(engine: Engine, criteria: FilingCriteria) -> None:
    if criteria.company and await engine.mapping_version("entities") < _ENTITIES:
        raise _too_old(["company"], _REBUILD)


def _of_filings(criteria: FilingCriteria) -> list[str]:
    asked = {"form_family": criteria.root_forms, "state": criteria.states}
    return [name for name, values in asked.items() if values]


def _of_periods(criteria: FilingCriteria) -> list[str]:
    asked = {
        "period_from": criteria.first_period,
        "period_to": criteria.last_period,
        "fiscal_year": criteria.fiscal_years,
    }
    return [name for name, value in asked.items() if value]


def _too_old(names: Iterable[str], step: str) -> StoredByOlderVersion:
    return StoredByOlderVersion(
        f"{', '.join(names)}: not possible yet, since the entries were loaded by an older version;"
        f" the operator's next step is {step} (docs/operations.md, Upgrades)"
    )
