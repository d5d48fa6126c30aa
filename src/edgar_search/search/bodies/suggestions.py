"""Request body for companies by what has been typed of a name."""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause


def suggestions_body(words: Sequence[str], ciks: Sequence[str], size: int) -> Clause:
    """Entities of these CIKs, and those with names of these words, the last of which may go on.

    First those that are named, then those with a name of now, each by name.
    """
    return {
        "query": {
            "bool": {
                "should": [
                    {"constant_score": {"filter": {"terms": {"cik": list(ciks)}}, "boost": 4}},
                    {"constant_score": {"filter": _named("name.words", words), "boost": 2}},
                    {"constant_score": {"filter": _named("former_names.name.words", words)}},
                ],
                "minimum_should_match": 1,
            }
        },
        "size": size,
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"cik": "asc"}],
        "track_total_hits": False,
    }


def _named(field: str, words: Sequence[str]) -> Clause:
    whole: list[Clause] = [{"term": {field: {"value": word}}} for word in words[:-1]]
    return {"bool": {"filter": [*whole, {"prefix": {field: {"value": words[-1]}}}]}}
