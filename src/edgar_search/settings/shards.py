"""How many shards indices get, in a setting; pure."""

import re
from collections.abc import Mapping

from edgar_search.errors import SettingsError

_NAME = "EDGAR_SEARCH_SHARDS"
# The kinds that have an index for each year where the loader puts years apart.
SHARDED = ("filings", "documents", "passages", "sections")
_FORM = "write KIND=NUMBER or KIND.YEAR=NUMBER, such as documents=2, passages.2024=3"
_ITEM = re.compile(r"(?P<index>(?P<kind>[a-z]+)(\.[0-9]{4})?)=(?P<number>[0-9]{1,4})", re.ASCII)
_MOST = 1024  # Elasticsearch's own bound

Shards = Mapping[str, int]


def shards_of(text: str) -> Shards:
    """Numbers of shards by `KIND` and `KIND.YEAR`; SettingsError for what is no such list."""
    found: dict[str, int] = {}
    for item in (item.strip() for item in text.split(",")):
        if not item:
            continue
        match = _ITEM.fullmatch(item)
        if match is None or not 1 <= int(match["number"]) <= _MOST:
            raise SettingsError(f"{_NAME}: {item} is none; {_FORM}")
        if match["kind"] not in SHARDED:
            kinds = ", ".join(SHARDED)
            raise SettingsError(f"{_NAME}: {match['kind']} is not one of {kinds}; {_FORM}")
        if match["index"] in found:
            raise SettingsError(f"{_NAME}: {match['index']} is there twice")
        found[match["index"]] = int(match["number"])
    return found


def number_of_shards(shards: Shards, kind: str, partition: str) -> int | None:
    """How many shards an index of this kind and partition gets; None: as its template says."""
    return shards.get(f"{kind}.{partition}", shards.get(kind))
