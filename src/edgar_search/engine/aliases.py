"""Aliases that an index of the installation should have and has not; pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast

from edgar_search.engine.index_names import (
    Kind,
    next_alias,
    parse_index_name,
    read_alias,
    write_alias,
)
from edgar_search.errors import EngineRefuses, SettingsError


class MissingAlias(NamedTuple):
    """`of_index` is in use and should have `alias`."""

    of_index: str
    alias: str

    @property
    def action(self) -> dict[str, object]:
        """What puts it there, for a request to `_aliases`."""
        return {"add": {"index": self.of_index, "alias": self.alias}}


def missing_aliases(prefix: str, found: Mapping[str, Iterable[str]]) -> list[MissingAlias]:
    """The aliases that are missing, of all indices with the aliases that they have.

    Raises EngineRefuses, which names them, where it cannot be told which one of several indices is
    the one in use.
    """
    missing = []
    for (kind, partition), indices in sorted(_by_partition(prefix, found).items()):
        wanted = (write_alias(prefix, kind, partition), read_alias(prefix, kind))
        index = _in_use(indices, wanted)
        missing += [MissingAlias(index, alias) for alias in wanted if alias not in indices[index]]
    return missing


_Indices = dict[str, frozenset[str]]


def _by_partition(
    prefix: str, found: Mapping[str, Iterable[str]]
) -> dict[tuple[Kind, str], _Indices]:
    """Indices by kind and partition, without copies that are not in use yet."""
    groups: dict[tuple[Kind, str], _Indices] = defaultdict(dict)
    for name, aliases in found.items():
        try:
            kind, partition, _ = parse_index_name(prefix, name)
        except SettingsError:
            continue  # An index of another installation whose prefix begins with ours.
        if next_alias(prefix, cast(Kind, kind), partition) not in aliases:
            groups[cast(Kind, kind), partition][name] = frozenset(aliases)
    return groups


def _in_use(indices: _Indices, wanted: tuple[str, str]) -> str:
    """The index that has one of the aliases, or the only one there is."""
    used = [name for name in indices if indices[name] & {*wanted}] or sorted(indices)
    if len(used) == 1:
        return used[0]
    raise EngineRefuses(
        f"{' and '.join(sorted(used))} cannot both be in use, and their aliases {wanted[0]} and"
        f" {wanted[1]} do not say which one is: give both aliases to the right one, by a request"
        " to Elasticsearch's `_aliases`, then run `edgar-ingest templates put`"
    )
