"""Kinds of what a load makes of a submission, their versions, and what older versions made.

Each submission's entry in the ledger has, for each kind that its load knew, the version that was
made, or that the submission has none of it. What has another version than now is outdated, and so
is what has a document that could not be read: another load may read it.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from edgar_search.edgar.items import TITLED_FORMS
from edgar_search.text.versions import TEXT_VERSIONS

# Processes that read filings use the versions alone: the client is most of what they would import.
if TYPE_CHECKING:
    from edgar_search.engine.engine import Engine

# A version goes up if what is made of a submission may differ from what is stored. A kind that is
# added here makes everything outdated that was loaded before; a new version only what has the kind.
CONTENTS: Mapping[str, int] = {
    "entries": 1,  # the fields of filings and documents beside the text
    "financials": 5,  # the statements, facts and figures of XBRL and of EX-27
    "ownership": 2,  # the rows of ownership forms
    "sections": 3,  # the items of reports, with what they point at, and parts with titles
    "portfolios": 2,  # the reports of managers on Form 13F, and their holdings
    **{kind.value: version.number for kind, version in TEXT_VERSIONS.items()},
}
_NONE = "none"
# Forms that had none of a kind for an older version: what says so of them is outdated.
_NONE_BEFORE: Mapping[str, Collection[str]] = {"sections": TITLED_FORMS}
UNREAD = "unread"  # the kind of a document of which nothing could be made
_EXAMPLES = 3


def contents_made(kinds: Collection[str]) -> list[str]:
    """Return values of the ledger for a submission that has these kinds, of those in CONTENTS."""
    made = [f"{kind}:{version if kind in kinds else _NONE}" for kind, version in CONTENTS.items()]
    return [*made, *({UNREAD} & set(kinds))]


def is_outdated(contents: Collection[str], form_type: str | None) -> bool:
    """Return True if a kind is not of today's version in these values of the ledger, or unread."""
    return UNREAD in contents or any(
        f"{kind}:{now}" not in contents
        and (f"{kind}:{_NONE}" not in contents or form_type in _NONE_BEFORE.get(kind, ()))
        for kind, now in CONTENTS.items()
    )


def outdated_query(statuses: Collection[str] = ("loaded",)) -> dict[str, Any]:
    """Return the query for submissions of which a kind is not of today's version, or not read."""
    return {
        "bool": {
            "filter": [{"terms": {"status": list(statuses)}}],
            "should": list(_outdated_by_kind().values()),
            "minimum_should_match": 1,
        }
    }


def oldest_first(statuses: Collection[str]) -> list[dict[str, Any]]:
    """Return the same as disjoint queries: first documents of an unknown version."""
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
    # What lacks a kind that was added since.
    rest = {"bool": {"filter": [outdated, known], "must_not": [{"terms": {"contents": older}}]}}
    return [*queries, rest]


def made_by_older_version() -> dict[str, Any]:
    """The query for submissions of which a kind is not of today's version, whatever was read."""
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
    """Submissions that an older version loaded, or that were not read whole.

    Their number, some of them, and the number by kind.
    """

    submissions: int
    examples: list[str]
    kinds: dict[str, int]


def describe_outdated(outdated: Outdated) -> str:
    """Describe how much an older version loaded, and of which kinds, and how much was not read."""
    number = "1 was" if outdated.submissions == 1 else f"{outdated.submissions} were"
    kinds = ", ".join(f"{kind} in {each}" for kind, each in outdated.kinds.items())
    if outdated.kinds.keys() == {UNREAD}:
        return f"{number} not read whole"
    return f"{number} loaded by an older version, or not read whole ({kinds})"


class _Count(Struct):
    doc_count: int


class OutdatedCounts(Struct):
    """The number of outdated submissions by kind, as Elasticsearch counts them."""

    buckets: dict[str, _Count]

    @property
    def kinds(self) -> dict[str, int]:
        """The number of each kind that has any."""
        return {kind: each.doc_count for kind, each in self.buckets.items() if each.doc_count}


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


class _Hit(Struct):
    id: str = field(name="_id")


async def count_outdated(
    engine: "Engine",
    query: Mapping[str, Any] | None = None,
    statuses: Collection[str] = ("loaded",),
) -> Outdated:
    """Count what is outdated, of what `query` finds in the ledger if one is given; two requests."""
    wanted = {"bool": {"filter": [outdated_query(statuses), *([query] if query else [])]}}
    body = {"query": wanted, "size": _EXAMPLES, "_source": False, "track_total_hits": True}
    reply = await engine.search("ledger", body, _Hit)
    counts = {"query": wanted, "size": 0, "aggs": {"kinds": outdated_counts()}}
    found = await engine.aggregate("ledger", counts, _Aggregations)
    return Outdated(reply.total, [hit.id for hit in reply.hits.hits], found.kinds.kinds)
