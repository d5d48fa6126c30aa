"""Indices that a search asks, and how: years, limits, scores, points in time, versions.

Shards that first exchange their counts of words are asked twice. That is wasted if the answer
neither has scores nor is sorted by them.
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

# EDGAR has nothing older, and dates in filings are not the date of filing.
_FIRST = 1993
_DATE = "filing_date"


class Years(NamedTuple):
    """The first and the last year that can match; None without a bound."""

    first: int | None
    last: int | None


def years_of(query: Any) -> Years:
    """Find the years in which filings may match: all, unless the query bounds them for sure."""
    first: int | None = None
    last: int | None = None
    for bounds in _bounds(query):
        low, high = _year(bounds, "gte", "gt"), _year(bounds, "lte", "lt")
        first = max(first or low, low) if low is not None else first
        last = min(last or high, high) if high is not None else last
    return Years(first, last)


def partitions_of(years: Years, known: Sequence[str]) -> list[str] | None:
    """Return the partitions to ask, of those `known`; None means all of them.

    A year within the bounds is among them even if it is not known: it may have been made since.
    """
    if set(known) <= {WHOLE} or years == Years(None, None):
        return None
    this = datetime.now(UTC).year
    first = max(years.first or _FIRST, _FIRST)
    last = min(years.last if years.last is not None else this + 1, this + 1)
    asked = [WHOLE, *(f"{year:04d}" for year in range(first, last + 1))]
    if set(known) <= set(asked):
        return None
    # A filing may have a date before EDGAR, and then has a partition too.
    return [*asked, *(name for name in known if name not in asked and _is_old(name, years))]


def partitions_of_dates(dates: Collection[str], known: Collection[str]) -> list[str] | None:
    """Return the partitions of these dates of filing (`2024-01-31`); None means all."""
    asked = [WHOLE, *sorted({day[:4] for day in dates})]
    return None if set(known) <= set(asked) else asked


def _is_old(name: str, years: Years) -> bool:
    year = int(name)
    outside = year < _FIRST or year > datetime.now(UTC).year + 1
    above = years.first is None or year >= years.first
    return outside and above and (years.last is None or year <= years.last)


def _bounds(query: Any) -> Iterator[Any]:
    """Yield the bounds on the date of filing that every match must keep."""
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
_DEFAULT_WINDOW = 10_000  # Elasticsearch's own, unless an index has another


class SearchLimits(NamedTuple):
    """Facts about the indices of a kind: the number of shards, and how far pages reach.

    `copies` is true if a shard has replicas.
    """

    shards: int
    window: int
    copies: bool = False
    # The partitions and the number of shards of each.
    partitions: Mapping[str, int] = {}

    def within(self, partitions: Iterable[str]) -> "SearchLimits":
        """Return the limits of these partitions only, with one shard at least."""
        asked = {name: self.partitions[name] for name in partitions if name in self.partitions}
        return self._replace(shards=max(1, sum(asked.values())), partitions=asked)

    def options(
        self, account: str | None, *, scored: bool = True, per_partition: bool = False
    ) -> dict[str, str]:
        """Return the parameters of a search; an `account` always asks the same shard copies.

        It is None at a point in time, which has its copies already. `per_partition` says that
        scores are compared within partitions only.
        """
        options = {"allow_partial_search_results": "false"}
        if account is not None and (self.shards > 1 or self.copies):
            # Each copy refreshes at its own time: between two copies totals would go back.
            options["preference"] = _preference(account)
        shards = (
            max(self.partitions.values(), default=self.shards) if per_partition else self.shards
        )
        if shards > 1 and scored:
            # Scores of several shards can be compared only if they use the counts of all shards.
            options["search_type"] = "dfs_query_then_fetch"
        return options

    def of_point(self, account: str) -> dict[str, str]:
        """Return the parameters that open a point in time; `account` is as for `options`."""
        return {"allow_partial_search_results": "false", "preference": _preference(account)}


def _preference(account: str) -> str:
    # Elasticsearch reserves values that begin with "_".
    return f"account {account}"


class IndexLimits:
    """The limits after read aliases, requested now and then."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        # Read beside a search: it may take as long as a cluster needs to elect another master.
        self._known = FreshValues(
            self._read, len(KINDS), refresh_age=_LIFETIME / 4, max_age=_LIFETIME
        )

    async def of(self, alias: str) -> SearchLimits:
        """Return the limits of all indices after `alias`; raises as any request."""
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


# Queries that give all matches the same score, independent of words.
_CONSTANT = frozenset(
    {"constant_score", "exists", "ids", "match_all", "match_none", "range", "terms"}
)


def is_scored(body: dict[str, Any]) -> bool:
    """Return True if the scores of a search matter, and depend on words."""
    query = body.get("query")
    if query is None or not _by_words(query):
        return False
    if _best_of_groups(body.get("aggs", {})):
        return True
    # Elasticsearch's defaults: ten hits, the best first.
    if not body.get("size", 10):
        return False
    sort = body.get("sort", ["_score"])
    return bool(body.get("track_scores")) or any("_score" in each for each in sort)


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
        "top_hits" in each or _best_of_groups(each.get("aggs", {}))
        for each in aggregations.values()
    )


class Point(NamedTuple):
    """A point in time by Elasticsearch's id; it lasts for `seconds` after each search."""

    id: str
    seconds: int

    @property
    def body(self) -> dict[str, Any]:
        """The part of a body that searches at this point, and makes it last longer."""
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
    """Return the lowest version of all indices after `alias`; raises as any request."""
    indices = decode(await requests.send("GET", f"/{alias}/_mapping"), dict[str, _Index])
    return min((index.mappings.meta.version for index in indices.values()), default=0)
