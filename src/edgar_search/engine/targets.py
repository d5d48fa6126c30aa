"""The indices and parameters of a search: years, limits, scores, points in time, versions.

Shards that first exchange their word counts are asked twice. That is wasted if the answer neither
shows scores nor is sorted by them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.index_names import KINDS, WHOLE
from edgar_search.engine.replies import IndexSettings, decode
from edgar_search.engine.requests import Requests

# EDGAR holds nothing older, and dates in filings are not filing dates.
_FIRST = 1993
_DATE = "filing_date"


class Years(NamedTuple):
    """The first and the last year that may match; None if unbounded."""

    first: int | None
    last: int | None


def years_of(query: Any) -> Years:
    """Find the years in which filings may match: all, unless every match must be within bounds."""
    first: int | None = None
    last: int | None = None
    for bounds in _bounds(query):
        low, high = _year(bounds, "gte", "gt"), _year(bounds, "lte", "lt")
        first = max(first or low, low) if low is not None else first
        last = min(last or high, high) if high is not None else last
    return Years(first, last)


def partitions_of(years: Years, known: Sequence[str]) -> list[str] | None:
    """Return the `known` partitions to search; None means all.

    A year within the bounds is included even if it is unknown: it may have been made since.
    """
    if set(known) <= {WHOLE} or years == Years(None, None):
        return None
    this = datetime.now(UTC).year
    first = max(years.first or _FIRST, _FIRST)
    last = min(years.last if years.last is not None else this + 1, this + 1)
    years_asked = [WHOLE, *(f"{year:04d}" for year in range(first, last + 1))]
    if set(known) <= set(years_asked):
        return None
    # A filing may be dated before EDGAR began, and then has a partition too.
    return [
        *years_asked,
        *(name for name in known if name not in years_asked and _is_old(name, years)),
    ]


def partitions_of_dates(dates: Collection[str], known: Collection[str]) -> list[str] | None:
    """Return the partitions of these filing dates (`2024-01-31`); None means all."""
    partitions = [WHOLE, *sorted({day[:4] for day in dates})]
    return None if set(known) <= set(partitions) else partitions


def _is_old(name: str, years: Years) -> bool:
    year = int(name)
    outside = year < _FIRST or year > datetime.now(UTC).year + 1
    above = years.first is None or year >= years.first
    return outside and above and (years.last is None or year <= years.last)


def _bounds(query: Any) -> Iterator[Any]:
    """Yield the bounds on the filing date that every match must meet."""
    if not isinstance(query, dict):
        return
    if _DATE in query.get("range", {}):
        yield query["range"][_DATE]
    clauses = query.get("bool", {})
    for name in ("filter", "must"):
        inner = clauses.get(name, [])
        for clause in inner if isinstance(inner, list) else [inner]:
            yield from _bounds(clause)
    for name in ("function_score", "constant_score"):
        yield from _bounds(query.get(name, {}).get("query" if name[0] == "f" else "filter"))


def _year(bounds: Any, *names: str) -> int | None:
    for name in names:
        text = str(bounds.get(name, ""))
        if text[:4].isdecimal() and text[4:5] in ("", "-"):
            return int(text[:4])
    return None


_LIFETIME = 60.0  # seconds
_SETTINGS = ("index.number_of_shards", "index.number_of_replicas", "index.max_result_window")
_DEFAULT_WINDOW = 10_000  # Elasticsearch's default


class SearchLimits(NamedTuple):
    """Limits of the indices of a kind: the number of shards, and how far pages reach.

    `copies` is true if a shard has replicas.
    """

    shards: int
    window: int
    copies: bool = False
    # The number of shards of each partition.
    partitions: Mapping[str, int] = {}

    def within(self, partitions: Iterable[str]) -> "SearchLimits":
        """Return the limits for these partitions only, with at least one shard."""
        partition_shards = {
            name: self.partitions[name] for name in partitions if name in self.partitions
        }
        return self._replace(
            shards=max(1, sum(partition_shards.values())), partitions=partition_shards
        )

    def options(
        self, account: str | None, *, scored: bool = True, per_partition: bool = False
    ) -> dict[str, str]:
        """Return the parameters of a search; an `account` always searches the same shard copies.

        It is None at a point in time, which already has its copies. With `per_partition`, scores
        are compared within partitions only.
        """
        options = {"allow_partial_search_results": "false"}
        if account is not None and (self.shards > 1 or self.copies):
            # Each copy refreshes at its own time, so totals could go down from one copy to another.
            options["preference"] = _preference(account)
        shards = (
            max(self.partitions.values(), default=self.shards) if per_partition else self.shards
        )
        if shards > 1 and scored:
            # Scores of several shards are comparable only if they use the word counts of all
            # shards.
            options["search_type"] = "dfs_query_then_fetch"
        return options

    def of_point(self, account: str) -> dict[str, str]:
        """Return the parameters that open a point in time; `account` is as for `options`."""
        return {"allow_partial_search_results": "false", "preference": _preference(account)}


def _preference(account: str) -> str:
    # Elasticsearch reserves values that begin with "_".
    return f"account {account}"


class IndexLimits:
    """The limits of the indices behind read aliases, read again from time to time."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        # Read beside a search: this may take as long as a cluster needs to elect another master.
        self._known = FreshValues(
            self._read, len(KINDS), refresh_age=_LIFETIME / 4, max_age=_LIFETIME
        )

    async def of(self, alias: str) -> SearchLimits:
        """Return the limits of all indices behind `alias`; raises the errors of any request."""
        return await self._known.value(alias)

    async def _read(self, alias: str) -> SearchLimits:
        path = f"/{alias}/_settings/{','.join(_SETTINGS)}"
        indices = decode(await self._requests.send("GET", path), IndexSettings)
        settings = [index["settings"]["index"] for index in indices.values()]
        partitions: Counter[str] = Counter()
        for name, index in indices.items():
            shards = int(index["settings"]["index"]["number_of_shards"])
            partitions[name.rpartition(".v")[0].rpartition(".")[2]] += shards
        return SearchLimits(
            shards=partitions.total(),
            partitions=partitions,
            copies=any(int(index.get("number_of_replicas", 0)) for index in settings),
            window=min(int(index.get("max_result_window", _DEFAULT_WINDOW)) for index in settings),
        )


# Queries that give all matches the same score, whatever their words.
_CONSTANT = frozenset(
    {"constant_score", "exists", "ids", "match_all", "match_none", "range", "terms"}
)


def is_scored(body: dict[str, Any]) -> bool:
    """Return True if a search uses scores and they depend on words."""
    query = body.get("query")
    if query is None or not _by_words(query):
        return False
    if _best_of_groups(body.get("aggs", {})):
        return True
    # Elasticsearch's defaults: ten hits, the best first.
    if not body.get("size", 10):
        return False
    sort = body.get("sort", ["_score"])
    return bool(body.get("track_scores")) or any("_score" in key for key in sort)


def _by_words(query: dict[str, Any]) -> bool:
    (kind, inner), *_ = query.items()
    if kind != "bool":
        return kind not in _CONSTANT
    clauses = [inner.get(name, []) for name in ("must", "should")]
    return any(
        _by_words(clause)
        for some in clauses
        for clause in (some if isinstance(some, list) else [some])
    )


def _best_of_groups(aggregations: dict[str, Any]) -> bool:
    return any(
        "top_hits" in aggregation or _best_of_groups(aggregation.get("aggs", {}))
        for aggregation in aggregations.values()
    )


class Point(NamedTuple):
    """A point in time by Elasticsearch's id; it lasts for `seconds` after each search."""

    id: str
    seconds: int

    @property
    def body(self) -> dict[str, Any]:
        """The fields of a body that searches at this point and makes it last longer."""
        return {"pit": {"id": self.id, "keep_alive": f"{self.seconds}s"}}


class OpenedPoint(Struct):
    """The reply to the request that opens a point in time."""

    id: str


class _Meta(Struct):
    version: int = 0


class _Mappings(Struct):
    meta: _Meta = field(name="_meta", default_factory=_Meta)


class _Index(Struct):
    mappings: _Mappings = field(default_factory=_Mappings)


async def lowest_version(requests: Requests, alias: str) -> int:
    """Return the lowest version of all indices behind `alias`; raises the errors of any request."""
    indices = decode(await requests.send("GET", f"/{alias}/_mapping"), dict[str, _Index])
    return min((index.mappings.meta.version for index in indices.values()), default=0)
