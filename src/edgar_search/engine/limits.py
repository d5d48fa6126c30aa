"""What the indices of a kind allow in a search, remembered for a minute."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.replies import IndexSettings, decode
from edgar_search.engine.requests import Requests

_LIFETIME = 60.0  # seconds
_SETTINGS = ("index.number_of_shards", "index.number_of_replicas", "index.max_result_window")
_DEFAULT_WINDOW = 10_000  # Elasticsearch's own, where an index does not say otherwise


class Limits(NamedTuple):
    """What the indices of a kind are like: all their shards, and how far their pages go.

    `copies` says whether a shard has replicas.
    """

    shards: int
    window: int
    copies: bool = False
    # The partitions and the number of shards of each.
    partitions: Mapping[str, int] = {}

    def within(self, partitions: Iterable[str]) -> "Limits":
        """The same of these partitions only; at least one shard."""
        asked = {name: self.partitions[name] for name in partitions if name in self.partitions}
        return self._replace(shards=max(1, sum(asked.values())), partitions=asked)

    def options(
        self, account: str | None, *, scored: bool = True, apart: bool = False
    ) -> dict[str, str]:
        """The parameters of a search; `account` keeps to the same shard copies.

        It is None at a point in time, which has its copies already. Scores that are `apart` are
        compared within partitions only.
        """
        options = {"allow_partial_search_results": "false"}
        if account is not None and (self.shards > 1 or self.copies):
            # Copies refresh each at its own time: from one to the other totals would go back.
            options["preference"] = _preference(account)
        shards = max(self.partitions.values(), default=self.shards) if apart else self.shards
        if shards > 1 and scored:
            # Scores of several shards are comparable only with the counts of them all.
            options["search_type"] = "dfs_query_then_fetch"
        return options

    def of_point(self, account: str) -> dict[str, str]:
        """The parameters with which a point in time is opened; `account` as of `options`."""
        return {"allow_partial_search_results": "false", "preference": _preference(account)}


def _preference(account: str) -> str:
    # Elasticsearch keeps what begins with "_" for itself.
    return f"account {account}"


class IndexLimits:
    """Asks for the limits behind a read alias, once in a while."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        # Beside a search: to ask may take as long as a cluster needs to elect another master.
        self._known = FreshValues(
            self._read, len(KINDS), refresh_age=_LIFETIME / 4, max_age=_LIFETIME
        )

    async def of(self, alias: str) -> Limits:
        """The limits of all indices behind `alias`; raises as any request."""
        return await self._known.value(alias)

    async def _read(self, alias: str) -> Limits:
        path = f"/{alias}/_settings/{','.join(_SETTINGS)}"
        indices = decode(await self._requests.send("GET", path), IndexSettings)
        settings = [index["settings"]["index"] for index in indices.values()]
        partitions: Counter[str] = Counter()
        for name, index in indices.items():
            shards = int(index["settings"]["index"]["number_of_shards"])
            partitions[name.rpartition(".v")[0].rpartition(".")[2]] += shards
        return Limits(
            shards=partitions.total(),
            partitions=partitions,
            copies=any(int(index.get("number_of_replicas", 0)) for index in settings),
            window=min(int(index.get("max_result_window", _DEFAULT_WINDOW)) for index in settings),
        )
