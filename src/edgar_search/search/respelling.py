"""Searches questions that find nothing in their closest spelling.

Only a natural-language question is respelled, and only if no document contains its words as
written.
"""

from collections.abc import Mapping, Sequence

from msgspec import structs

from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import QueryError
from edgar_search.search.reading.companies import find_names
from edgar_search.search.reading.question import read_with_forms
from edgar_search.search.results import Respelling
from edgar_search.search.warnings.query_text import find_query_warnings
from edgar_search.search.warnings.words import MissingWord, find_missing_words
from edgar_search.text.words import lower, token_spans


async def find_respelling(context: SearchContext, criteria: DocumentCriteria) -> Respelling | None:
    """Find the closest spelling of a question; None if there is no other.

    Makes at most three engine requests, and none if the criteria are not a question's.
    """
    if criteria.query is None or criteria.reading is None:
        return None
    skipped = [warning.position for warning in find_query_warnings(criteria.query)]
    missing = await find_missing_words(context.engine, context.known, criteria.query, skipped)
    return await respell(context, criteria, nearest_words(missing))


async def respell(
    context: SearchContext, criteria: DocumentCriteria, words: Mapping[str, str]
) -> Respelling | None:
    """Read a question again with these tokens replaced; None if it contains none of them.

    Makes at most one engine request.
    """
    question = criteria.reading.question if criteria.reading else None
    if question is None:
        return None
    text = respelled_text(question.text, words)
    if text == question.text:
        return None
    names = await find_names(context, text)
    try:
        node, reading = read_with_forms(structs.replace(question, text=text), names)
    except QueryError:  # Longer, or with more forms, than a query may be.
        return None
    return Respelling(structs.replace(criteria, query=node, reading=reading), text, dict(words))


def nearest_words(missing: Sequence[MissingWord]) -> dict[str, str]:
    """Return the closest words, keyed by the missing tokens."""
    return {word.token: word.nearest for word in missing if word.nearest}


def respelled_text(text: str, words: Mapping[str, str]) -> str:
    """Replace these tokens in the text of a query.

    Prefixes (`*`) stay.
    """
    for start, end in reversed(list(token_spans(text))):
        if (other := words.get(lower(text[start:end]))) and text[end : end + 1] != "*":
            text = text[:start] + other + text[end:]
    return text
