"""What tells of a search as a whole, with what is to be said of the question."""

import asyncio

from edgar_search.search.criteria import DocumentCriteria, FacetSearch
from edgar_search.search.entities import Directory
from edgar_search.search.explanation import Explanation, explain
from edgar_search.search.facets import FacetPage, count_facets
from edgar_search.search.warnings.known_values import KnownValues
from edgar_search.search.warnings.query import query_doubts
from edgar_search.search.warnings.searches import or_none, search_warnings
from edgar_search.search.warnings.unknown import Found
from edgar_search.search.warnings.words import telling_words


async def count_facets_and_warn(
    directory: Directory, known: KnownValues, search: FacetSearch, account: str
) -> FacetPage:
    """The facets of a search, with all warnings that the search has.

    Where something was found and all values are known, no more engine requests than the facets'.
    """
    page = await count_facets(directory, search, account)
    found = Found(page.total, _values(page, "form_type"), _values(page, "company"))
    said = await search_warnings(directory, known, search.criteria, found, account)
    return page._replace(warnings=tuple(said))


async def explain_and_warn(
    directory: Directory, known: KnownValues, criteria: DocumentCriteria, account: str
) -> Explanation:
    """What the criteria's query means, which they have, with all that there is to say of it.

    Beside what a search says that is whatever of it could be meant otherwise, and its words that
    no document has, or nearly all.
    """
    assert criteria.query is not None
    explained = await explain(directory, criteria.query, criteria)
    doubts = query_doubts(criteria.query)
    doubted = [doubt.position for doubt in doubts]
    found = Found(explained.total, frozenset(), frozenset())
    said, words = await asyncio.gather(
        search_warnings(directory, known, criteria, found, account),
        or_none([], telling_words, directory.engine, criteria.query, doubted, account),
    )
    sentences = [*(doubt.sentence for doubt in doubts), *words, *said]
    return explained._replace(warnings=tuple(dict.fromkeys(sentences)))


def _values(page: FacetPage, name: str) -> frozenset[str]:
    facet = page.facets.get(name)
    return frozenset() if facet is None else frozenset(each.value for each in facet.values)
