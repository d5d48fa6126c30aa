"""The request for companies by what has been typed of a name, whole."""

from edgar_search.search.entities import suggestions_body


def test_words_are_whole_but_for_the_last() -> None:
    def named(field: str) -> dict[str, object]:
        whole = {"term": {field: {"value": "apple"}}}
        return {"bool": {"filter": [whole, {"prefix": {field: {"value": "comp"}}}]}}

    assert suggestions_body(["apple", "comp"], ["0000000001"], 8) == {
        "query": {
            "bool": {
                "should": [
                    {"constant_score": {"filter": {"terms": {"cik": ["0000000001"]}}, "boost": 4}},
                    {"constant_score": {"filter": named("name.words"), "boost": 2}},
                    {"constant_score": {"filter": named("former_names.name.words")}},
                ],
                "minimum_should_match": 1,
            }
        },
        "size": 8,
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"cik": "asc"}],
        "track_total_hits": False,
    }
