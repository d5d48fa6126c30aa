"""Which version of its template all entries of a kind have the fields of, remembered briefly."""

import time

from msgspec import Struct, field

from edgar_search.engine.replies import decode
from edgar_search.engine.requests import Requests

_LIFETIME = 5.0  # seconds: an operator who has finished an upgrade waits no longer


class _Meta(Struct):
    version: int = 0


class _Mappings(Struct):
    meta: _Meta = field(name="_meta", default_factory=_Meta)


class _Index(Struct):
    mappings: _Mappings = field(default_factory=_Mappings)


class MappingVersions:
    """Asks for the versions behind a read alias, once in a while."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._known: dict[str, tuple[int, float]] = {}

    async def of(self, alias: str) -> int:
        """The lowest version of all indices behind `alias`; raises as any request."""
        known = self._known.get(alias)
        if known and time.monotonic() - known[1] < _LIFETIME:
            return known[0]
        data = await self._requests.send("GET", f"/{alias}/_mapping")
        indices = decode(data, dict[str, _Index])
        version = min((index.mappings.meta.version for index in indices.values()), default=0)
        self._known[alias] = (version, time.monotonic())
        return version
