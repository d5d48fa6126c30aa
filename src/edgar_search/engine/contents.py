"""The kinds of content that a load extracts from a submission, with their versions.

A submission's entry in the ledger records, for each kind its load knew, the version that was
extracted, or that the submission contains none. Content of another version is outdated, and so is
content of a document that could not be read: the next load may succeed.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from edgar_search.edgar.items import TITLED_FORMS
from edgar_search.engine.replies import Bucket, IdHit
from edgar_search.text.versions import TEXT_VERSIONS

# Processes that read filings use only the versions: the client would be most of their imports.
if TYPE_CHECKING:
    from edgar_search.engine.engine import Engine

# Raise a version if the content extracted from a submission may now differ from what is stored.
# Adding a kind makes every earlier load outdated; a new version only the loads that have the kind.
CONTENTS: Mapping[str, int] = {
    "entries": 1,  # the fields of filings and documents beside the text
    "financials": 6,  # the statements, facts, figures and auditors of XBRL, and EX-27
    "ownership": 2,  # the rows of ownership forms
    "sections": 3,  # the items of reports, with what they point at, and titled parts
    "portfolios": 2,  # the reports of managers on Form 13F, and their holdings
    **{kind.value: version.number for kind, version in TEXT_VERSIONS.items()},
}
_NONE = "none"
# Forms for which an older version recorded that a kind has none: their entries are outdated.
_NONE_BEFORE: Mapping[str, Collection[str]] = {"sections": TITLED_FORMS}
UNREAD = "unread"  # the kind of a document that could not be read
_EXAMPLES = 3


def contents_made(kinds: Collection[str]) -> list[str]:
    """Return the ledger values for a submission that contains these kinds of CONTENTS."""
    values = [f"{kind}:{version if kind in kinds else _NONE}" for kind, version in CONTENTS.items()]
    return [*values, *({UNREAD} & set(kinds))]


def is_outdated(contents: Collection[str], form_type: str | None) -> bool:
    """Return True if ledger values include an older version of a kind, or an unread document."""
    return UNREAD in contents or any(
        f"{kind}:{now}" not in contents
        and (f"{kind}:{_NONE}" not in contents or form_type in _NONE_BEFORE.get(kind, ()))
        for kind, now in CONTENTS.items()
    )


def outdated_query(statuses: Collection[str] = ("loaded",)) -> dict[str, Any]:
    """Return the query for submissions with an older version of a kind, or an unread document."""
    return {
        "bool": {
            "filter": [{"terms": {"status": list(statuses)}}],
            "should": list(_outdated_by_kind().values()),
            "minimum_should_match": 1,
        }
    }


def oldest_first(statuses: Collection[str]) -> list[dict[str, Any]]:
    """Split the outdated query into disjoint ones: documents of an unknown version come first."""
    known = {"exists": {"field": "contents"}}
    outdated = outdated_query(statuses)
    queries = [{"bool": {"filter": [outdated], "must_not": [known]}}]
    older: list[str] = []
    for version in range(max(CONTENTS.values())):
        of_version = [f"{kind}:{version}" for kind, now in CONTENTS.items() if version < now]
        queries.append(
            {
                "bool": {
                    "filter": [outdated, known, {"terms": {"contents": of_version}}],
                    "must_not": [{"terms": {"contents": list(older)}}],
                }
            }
        )
        older += of_version
    # Submissions without a kind that was added since.
    rest = {"bool": {"filter": [outdated, known], "must_not": [{"terms": {"contents": older}}]}}
    return [*queries, rest]


def made_by_older_version() -> dict[str, Any]:
    """Return the query for submissions with an older version of a kind, read or not."""
    older = [query for kind, query in _outdated_by_kind().items() if kind != UNREAD]
    return {"bool": {"should": older, "minimum_should_match": 1}}


def _outdated_by_kind() -> dict[str, dict[str, Any]]:
    older = {kind: _outdated_of(kind, now) for kind, now in CONTENTS.items()}
    return {**older, UNREAD: {"term": {"contents": UNREAD}}}


def _outdated_of(kind: str, now: int) -> dict[str, Any]:
    none = f"{kind}:{_NONE}"
    older = {"bool": {"must_not": [{"terms": {"contents": [f"{kind}:{now}", none]}}]}}
    if kind not in _NONE_BEFORE:
        return older
    forms = {"terms": {"form_type": sorted(_NONE_BEFORE[kind])}}
    had_none = {"bool": {"filter": [{"term": {"contents": none}}, forms]}}
    return {"bool": {"should": [older, had_none], "minimum_should_match": 1}}


class Outdated(Struct, frozen=True):
    """Submissions that an older version loaded, or that were not read completely.

    Their number, a sample, and the number by kind.
    """

    submissions: int
    examples: list[str]
    kinds: dict[str, int]


def describe_outdated(outdated: Outdated) -> str:
    """Describe how many submissions are outdated, by kind, and how many were not read."""
    number = "1 was" if outdated.submissions == 1 else f"{outdated.submissions} were"
    kinds = ", ".join(f"{kind} in {count}" for kind, count in outdated.kinds.items())
    if outdated.kinds.keys() == {UNREAD}:
        return f"{number} not read whole"
    return f"{number} loaded by an older version, or not read whole ({kinds})"


class OutdatedCounts(Struct):
    """The number of outdated submissions by kind, as Elasticsearch counts them."""

    buckets: dict[str, Bucket]

    @property
    def kinds(self) -> dict[str, int]:
        """The number of outdated submissions of each kind, without zeros."""
        return {kind: bucket.count for kind, bucket in self.buckets.items() if bucket.count}


class _Aggregations(Struct):
    kinds: OutdatedCounts


def outdated_counts() -> dict[str, Any]:
    """Return the aggregation that counts loaded submissions by outdated kind.

    Read as OutdatedCounts.
    """
    loaded = {"term": {"status": "loaded"}}
    filters = {
        kind: {"bool": {"filter": [loaded, query]}} for kind, query in _outdated_by_kind().items()
    }
    return {"filters": {"filters": filters}}


async def count_outdated(
    engine: "Engine",
    query: Mapping[str, Any] | None = None,
    statuses: Collection[str] = ("loaded",),
) -> Outdated:
    """Count outdated submissions, in all or among the matches of `query`, with two requests."""
    wanted = {"bool": {"filter": [outdated_query(statuses), *([query] if query else [])]}}
    body = {"query": wanted, "size": _EXAMPLES, "_source": False, "track_total_hits": True}
    reply = await engine.search("ledger", body, IdHit)
    counts = {"query": wanted, "size": 0, "aggs": {"kinds": outdated_counts()}}
    counted = await engine.aggregate("ledger", counts, _Aggregations)
    return Outdated(reply.total, [hit.id for hit in reply.hits.hits], counted.kinds.kinds)
