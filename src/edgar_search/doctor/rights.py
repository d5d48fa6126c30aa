"""What the account of the settings may do, each tried by a request that changes nothing."""

from collections.abc import Awaitable
from typing import Any

from edgar_search.doctor.findings import Finding, ok, wrong
from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind, read_alias
from edgar_search.errors import EdgarSearchError

# What `serve` writes to, but for the history, whose months it makes.
WRITTEN: tuple[Kind, ...] = ("accounts", "api_keys", "usage", "user_items", "arrivals", "leases")
# No entry has this id, so deleting it deletes nothing.
_NOTHING = "edgar-search-doctor"
_FORBIDDEN = 403
_REMEDY = "see the roles in docs/operations.md"


async def look_at_rights(engine: Engine, prefix: str) -> list[Finding]:
    """A finding for each privilege that the service needs."""
    findings = [
        await _tried("read", engine.ping()),
        await _tried("view_index_metadata", engine.mapping_version("documents")),
        await _tried("maintenance", engine.refresh("leases")),
    ]
    refused = [kind for kind in WRITTEN if not await _may_write(engine, prefix, kind)]
    if refused:
        text = f"refused for {', '.join(refused)}"
        return [*findings, wrong("right to write", text, _REMEDY)]
    return [*findings, ok("right to write", f"{len(WRITTEN)} indices that the service writes to")]


async def _tried(name: str, request: Awaitable[Any]) -> Finding:
    try:
        await request
    except EdgarSearchError as error:
        return wrong(f"right to {name}", str(error), _REMEDY)
    return ok(f"right to {name}", "there")


async def _may_write(engine: Engine, prefix: str, kind: Kind) -> bool:
    line = bulk_lines.delete(read_alias(prefix, kind), _NOTHING)
    try:
        (item,) = await engine.bulk_items(line)
    except EdgarSearchError:
        return False
    return item.status != _FORBIDDEN
