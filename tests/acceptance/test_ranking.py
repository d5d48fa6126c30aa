"""The quality of answers to the judged queries: `python -m evaluation.ranking` prints each.

The bounds are what was measured on the corpus, with a little room: a few hits may change their
places. Where a change gains more than the room, it raises them.
"""

from typing import NamedTuple

import pytest

from evaluation.judged_queries import figures, judged_queries
from evaluation.ranking import means, search_parameters, supported_variants
from tests.acceptance.service import Service

pytestmark = pytest.mark.long


class Bounds(NamedTuple):
    """The least nDCG@10 and recall@20, and the most queries without a hit."""

    ndcg: float
    recall: float
    zeros: int


BOUNDS = {
    "exact": Bounds(0.59, 0.54, 4),
    "word_forms=all": Bounds(0.635, 0.605, 2),
    "operands=most": Bounds(0.68, 0.695, 1),
    "both": Bounds(0.71, 0.725, 1),
}
# With more unjudged first hits than these the figures speak of the judges, not of the service.
MOST_UNJUDGED = 40


@pytest.mark.parametrize("variant", supported_variants())
def test_judged_queries_are_answered_as_well_as_measured(service: Service, variant: str) -> None:
    added = supported_variants()[variant]
    measured = []
    for query in judged_queries():
        items = service.search(**search_parameters(query, added))["items"]
        measured.append(figures(query, [item["document_id"] for item in items]))
    found, bounds = means(measured), BOUNDS[variant]
    print(f"{variant}: {found}")
    assert found.ndcg >= bounds.ndcg
    assert found.recall >= bounds.recall
    assert found.zeros <= bounds.zeros
    assert found.unjudged <= MOST_UNJUDGED
