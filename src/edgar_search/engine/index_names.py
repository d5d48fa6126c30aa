"""Names of aliases, partitions and indices: built and parsed side by side.

    {prefix}{kind}                          alias of all partitions: what is read
    {prefix}{kind}.{partition}              alias of one partition: what is written
    {prefix}{kind}.{partition}.v{version}   the index itself

A partition is a year of filing dates, or a month of calls. A kind that is never partitioned has the
one partition `all`, and is read and written through the first alias.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from edgar_search.errors import EngineRefuses, SettingsError
from edgar_search.settings.values import PartitionedKind

# A filing's date decides the partition of a partitioned kind; every other kind is one index.
Kind: TypeAlias = Literal[
    PartitionedKind,
    "history",
    "entities",
    "ledger",
    "tickers",
    "accounts",
    "api_keys",
    "usage",
    "user_items",
    "deliveries",
    "sessions",
    "arrivals",
    "events",
    "leases",
    "secrets",
    "snapshots",
    "rebuilds",
    "missing_days",
]
Partition = Literal["none", "year"]

# Kinds with one index a month, deleted as a whole when it is old.
MONTHLY: tuple[Kind, ...] = ("history",)
KINDS: tuple[Kind, ...] = get_args(Kind)
WHOLE = "all"

# Only our own kinds, because another installation's prefix may begin with all of ours.
_INDEX_NAME = re.compile(
    rf"(?P<kind>{'|'.join(KINDS)})\.(?P<partition>{WHOLE}|[0-9]{{4}}(-[0-9]{{2}})?)\.v(?P<version>[1-9][0-9]*)",
    re.ASCII,
)


class IndexName(NamedTuple):
    """One index: its kind, partition (`all`, a year or a month) and version (from 1)."""

    kind: str
    partition: str
    version: int


def read_alias(prefix: str, kind: Kind) -> str:
    """Return the alias through which a kind is read, over all its partitions."""
    return prefix + kind


def write_alias(prefix: str, kind: Kind, partition: str) -> str:
    """Return the alias through which one partition of a kind is written."""
    return f"{prefix}{kind}.{partition}"


def next_alias(prefix: str, kind: Kind, partition: str) -> str:
    """Return the alias through which a copy is written until it is in use.

    Bulk requests need an alias.
    """
    return f"{write_alias(prefix, kind, partition)}.next"


def partition_of(partition: Partition, filing_date: date, first: int = 0) -> str:
    """Return the partition for filings of this date.

    With yearly partitions, the years before `first` still share `all`, which is always searched.
    """
    has_own = partition == "year" and filing_date.year >= first
    return f"{filing_date.year:04d}" if has_own else WHOLE


def month_of(day: date) -> str:
    """Return the month of a day, which names the partition of a monthly kind."""
    return f"{day.year:04d}-{day.month:02d}"


def index_name(prefix: str, name: IndexName) -> str:
    """Build the name of an index; the inverse of `parse_index_name`."""
    return f"{prefix}{name.kind}.{name.partition}.v{name.version}"


def is_index_name(prefix: str, text: str) -> bool:
    """Return True if an index belongs to this installation, not to one with a longer prefix."""
    return _match(prefix, text) is not None


def parse_index_name(prefix: str, text: str) -> IndexName:
    """Parse the name of an index; raises SettingsError if it belongs to another installation."""
    match = _match(prefix, text)
    if match is None:
        raise SettingsError(f"{text} is not an index of the installation with the prefix {prefix}")
    return IndexName(match["kind"], match["partition"], int(match["version"]))


def _match(prefix: str, text: str) -> re.Match[str] | None:
    return _INDEX_NAME.fullmatch(text.removeprefix(prefix)) if text.startswith(prefix) else None


class MissingAlias(NamedTuple):
    """An alias that the index `of_index`, which is in use, should have."""

    of_index: str
    alias: str

    @property
    def action(self) -> dict[str, object]:
        """The action that adds it, for a request to `_aliases`."""
        return {"add": {"index": self.of_index, "alias": self.alias}}


def missing_aliases(prefix: str, found: Mapping[str, Iterable[str]]) -> list[MissingAlias]:
    """Find missing aliases, given all indices with the aliases they have.

    Raises EngineRefuses, which names the candidates, if several indices may be the one in use.
    """
    missing = []
    for (kind, partition), indices in sorted(_by_partition(prefix, found).items()):
        wanted = (write_alias(prefix, kind, partition), read_alias(prefix, kind))
        index = _in_use(indices, wanted)
        missing += [MissingAlias(index, alias) for alias in wanted if alias not in indices[index]]
    return missing


_Indices = dict[str, frozenset[str]]


def _by_partition(
    prefix: str, indices: Mapping[str, Iterable[str]]
) -> dict[tuple[Kind, str], _Indices]:
    """Group indices by kind and partition, leaving out copies that are not in use yet."""
    groups: dict[tuple[Kind, str], _Indices] = defaultdict(dict)
    for name, aliases in indices.items():
        try:
            kind, partition, _ = parse_index_name(prefix, name)
        except SettingsError:
            continue  # An index of another installation whose prefix begins with ours.
        if next_alias(prefix, cast(Kind, kind), partition) not in aliases:
            groups[cast(Kind, kind), partition][name] = frozenset(aliases)
    return groups


def _in_use(indices: _Indices, wanted: tuple[str, str]) -> str:
    """Return the index that has one of the aliases, or the only index."""
    used = [name for name in indices if indices[name] & {*wanted}] or sorted(indices)
    if len(used) == 1:
        return used[0]
    raise EngineRefuses(
        f"{' and '.join(sorted(used))} cannot both be in use, and their aliases {wanted[0]} and"
        f" {wanted[1]} do not say which one is: give both aliases to the right one, by a request"
        " to Elasticsearch's `_aliases`, then run `edgar-ingest templates put`"
    )
