"""What is asked of Elasticsearch about indices, aliases and templates, not of what is in them."""

from collections.abc import Mapping
from typing import Any

from edgar_search.engine.aliases import MissingAlias, missing_aliases
from edgar_search.engine.client import ADMINISTRATION_TIMEOUT
from edgar_search.engine.index_names import IndexName, Kind, index_name, read_alias, write_alias
from edgar_search.engine.replies import decode
from edgar_search.engine.requests import Requests

# The master of a busy cluster takes its time; it answers before the client gives up.
_MASTER_TIMEOUT = f"{int(ADMINISTRATION_TIMEOUT * 0.9)}s"
_THE_MASTERS = frozenset(
    "_aliases _component_template _index_template _mapping _settings _snapshot".split()
)


class Administration:
    """The indices of one installation (one prefix)."""

    def __init__(self, requests: Requests, prefix: str) -> None:
        self._requests = requests
        self._prefix = prefix

    async def create_index(self, name: str, body: dict[str, Any]) -> None:
        """Make an index with all its shards ready; nothing happens where it is there already."""
        params = {"wait_for_active_shards": "1", "master_timeout": _MASTER_TIMEOUT}
        await self._requests.send(
            "PUT",
            f"/{name}",
            body=body,
            params=params,
            taken=True,
            seconds=ADMINISTRATION_TIMEOUT,
        )

    async def ensure_partition(
        self, kind: Kind, partition: str, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Make one partition of a kind with its aliases, unless it is there.

        `settings` are for it beside those of its template.
        An index that is there without them gets them back; raises EngineRefuses where it cannot be
        told which of several.
        """
        alias = write_alias(self._prefix, kind, partition)
        if await self.administer("GET", f"/_alias/{alias}") is not None:
            return
        # Else another index would be made beside one with a later version, and the data be lost.
        if await self.mend_aliases(f"{alias}.v*"):
            return
        name = index_name(self._prefix, IndexName(kind, partition, 1))
        # A kind that is never partitioned is written through its read alias.
        body: dict[str, Any] = {"aliases": {alias: {}, self._alias(kind): {}}}
        await self.create_index(name, {**body, "settings": dict(settings or {})})

    async def missing_aliases(self, names: str) -> list[MissingAlias]:
        """What `missing_aliases` finds among the indices of these names; raises as that."""
        found = await self.administer("GET", f"/{names}/_alias") or {}
        return missing_aliases(
            self._prefix, {name: each["aliases"] for name, each in found.items()}
        )

    async def mend_aliases(self, names: str) -> list[MissingAlias]:
        """Put back the aliases that are missing of indices of these names; those put back."""
        missing = await self.missing_aliases(names)
        if missing:
            await self.administer("POST", "/_aliases", {"actions": [m.action for m in missing]})
        return missing

    async def administer(self, method: str, path: str, body: Any = None) -> Any:
        """One request on templates, aliases or indices; the decoded reply, None where not found."""
        seconds = None if method == "GET" else ADMINISTRATION_TIMEOUT
        if method != "GET" and _is_the_masters(path):
            path += f"{'&' if '?' in path else '?'}master_timeout={_MASTER_TIMEOUT}"
        data = await self._requests.send(method, path, body=body, missing=b"null", seconds=seconds)
        return decode(data, object)

    def _alias(self, kind: Kind) -> str:
        return read_alias(self._prefix, kind)


def _is_the_masters(path: str) -> bool:
    """Say whether the master makes a change of this path: of an index as a whole, or as named."""
    parts = path.partition("?")[0].strip("/").split("/")
    return not _THE_MASTERS.isdisjoint(parts) or not parts[-1].startswith("_") and len(parts) == 1
