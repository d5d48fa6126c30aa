"""Which version of its template all entries of a kind have the fields of."""

from msgspec import Struct, field

from edgar_search.engine.replies import decode
from edgar_search.engine.requests import Requests


class _Meta(Struct):
    version: int = 0


class _Mappings(Struct):
    meta: _Meta = field(name="_meta", default_factory=_Meta)


class _Index(Struct):
    mappings: _Mappings = field(default_factory=_Mappings)


async def lowest_version(requests: Requests, alias: str) -> int:
    """The lowest version of all indices behind `alias`; raises as any request."""
    indices = decode(await requests.send("GET", f"/{alias}/_mapping"), dict[str, _Index])
    return min((index.mappings.meta.version for index in indices.values()), default=0)
