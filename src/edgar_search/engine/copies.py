"""Which data nodes have copies of the shards, and how a request is told to avoid some; pure."""

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

# Of these operations Elasticsearch takes the copies that are preferred, by a parameter.
_PREFERRING = frozenset({"_search", "_mget", "_pit"})


class Shard(Struct):
    """One copy of a shard."""

    index: str
    shard: int
    node: str | None = None
    state: str = ""


class ShardCopies(Struct):
    """The copies of all shards as one node of the cluster knows them, a list for each shard."""

    shards: list[list[Shard]] = []

    @property
    def nodes(self) -> frozenset[str]:
        """The ids of the nodes that have a copy which can be asked."""
        return frozenset(self.first_on_each())

    def first_on_each(self) -> dict[str, Shard]:
        """For each node one of the copies that it has."""
        found: dict[str, Shard] = {}
        for copies in self.shards:
            for copy in copies:
                if copy.node is not None and copy.state == "STARTED":
                    found.setdefault(copy.node, copy)
        return found


class Preference(NamedTuple):
    """Data nodes that hang, and those that are asked instead as far as they have a copy."""

    avoided: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The value of the parameter of a request."""
        return "_prefer_nodes:" + ",".join(sorted(self.asked))

    def betters(self, other: "Preference") -> bool:
        """Say whether a request that waits with the other one has something to gain by this one.

        That one may ask a node that hangs: one that it does not know of, or one that has the only
        other copy where it avoids a node that is asked again.
        """
        newly_asked = self.asked - other.asked if other.avoided else frozenset()
        return bool(self.avoided - other.avoided or newly_asked)


def can_avoid(method: str, path: str) -> bool:
    """Say whether a request can be told which copies to ask."""
    first, _, rest = path.removeprefix("/").partition("/")
    operation = rest.partition("/")[0]
    # A search without an index is one at a point in time, which has its copies already.
    return first == "_msearch" or operation in _PREFERRING or (method, operation) == ("GET", "_doc")


def avoiding(path: str, options: dict[str, Any], preference: Preference) -> dict[str, Any]:
    """The `params` and `body` of a request, which then asks other copies where there are any."""
    if path == "/_msearch":
        lines = options["body"].splitlines()
        for number in range(0, len(lines), 2):
            head = msgspec.json.decode(lines[number])
            lines[number] = msgspec.json.encode(head | {"preference": preference.text})
        return options | {"body": b"\n".join(lines) + b"\n"}
    return options | {"params": {**(options.get("params") or {}), "preference": preference.text}}
