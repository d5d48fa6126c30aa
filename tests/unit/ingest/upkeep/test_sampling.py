"""Which fields of a mapping are sampled, and the values of an entry."""

from typing import Any

from ingest.upkeep.sampling import Field, fields_of, values_at

MAPPING: dict[str, Any] = {
    "properties": {
        "text": {"type": "text"},
        "day": {"type": "date", "index": False},
        "form": {"type": "keyword"},
        "size": {"type": "long"},
        "archive": {"type": "object", "enabled": False},
        "names": {
            "properties": {
                "name": {
                    "type": "keyword",
                    "fields": {"words": {"type": "text", "index_options": "docs"}},
                }
            }
        },
    }
}


def test_fields_are_those_that_can_be_searched_for_words_or_filtered_by() -> None:
    assert fields_of(MAPPING) == [
        Field("text", "text", text=True, phrases=True),
        Field("form", "form", text=False, phrases=True),
        Field("names.name", "names.name", text=False, phrases=True),
        Field("names.name.words", "names.name", text=True, phrases=False),
    ]


def test_values_are_those_of_all_objects_on_the_way() -> None:
    entry = {"form": "8-K", "names": [{"name": ["A", "B"]}, {}, {"name": None}, {"name": "C"}]}
    assert values_at(entry, "form") == ["8-K"]
    assert values_at(entry, "names.name") == ["A", "B", "C"]
    assert values_at(entry, "day") == []
