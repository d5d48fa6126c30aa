"""EDGAR's full-text search over the real corpus: its aggregations are those of all its pages."""

from collections import Counter
from typing import Any

import pytest

from tests.acceptance.service import Service

PATH = "/LATEST/search-index"


def every_source(service: Service, **asked: str) -> list[dict[str, Any]]:
    """Return the sources of all hits, page by page."""
    sources: list[dict[str, Any]] = []
    while True:
        page = service.http.get(PATH, params={**asked, "from": len(sources)}).json()["hits"]
        sources += [hit["_source"] for hit in page["hits"]]
        if not page["hits"]:
            assert len(sources) == page["total"]["value"]
            return sources


@pytest.mark.parametrize(
    "asked",
    [
        {"q": "revenue"},
        {"q": '"material weakness"', "forms": "10-K,10-Q"},
        {"forms": "-0", "locationType": "incorporated"},
    ],
    ids=str,
)
def test_aggregations_are_counts_over_all_pages(service: Service, asked: dict[str, str]) -> None:
    counted = service.http.get(PATH, params=asked).json()["aggregations"]
    sources = every_source(service, **asked)
    assert len(sources) > 10
    states = "inc_states" if "locationType" in asked else "biz_states"
    fields = {"form": "root_forms", "sic": "sics", states: states, "entity": "ciks"}
    for name, field in fields.items():
        in_pages = Counter(
            value for source in sources for value in set(source[field]) if value != ""
        )
        aggregation = counted[f"{name}_filter"]
        for bucket in aggregation["buckets"]:
            # Names of a company change, so entities are counted by the number after the name.
            value = bucket["key"].partition("(CIK ")[2][:-1] if name == "entity" else bucket["key"]
            assert in_pages[value] == bucket["doc_count"], (name, bucket)
        listed = sum(bucket["doc_count"] for bucket in aggregation["buckets"])
        assert listed + aggregation["sum_other_doc_count"] == sum(in_pages.values())
