"""The privileges of the configured user, each tested by a request that changes nothing."""

from collections.abc import Awaitable, Sequence
from typing import Any

from edgar_search.doctor.findings import Finding, ok, wrong
from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind, parse_index_name, read_alias, write_alias
from edgar_search.engine.requests import missing_index_error
from edgar_search.errors import EngineFault, EngineRefuses, SettingsError

# The kinds of indices that `serve` writes to, except the history, whose months it creates and
# deletes.
WRITTEN: tuple[Kind, ...] = (
    "accounts",
    "api_keys",
    "usage",
    "user_items",
    "deliveries",
    "arrivals",
    "events",
    "leases",
    "secrets",
    "snapshots",
    "sessions",
)
# No entry, index or template has this name: deleting it has no effect.
_NOTHING = "edgar-search-doctor"
_FORBIDDEN, _BLOCKED = 403, "cluster_block_exception"
_REMEDY = "see the roles in docs/operations.md"


async def look_at_rights(engine: Engine, prefix: str) -> list[Finding]:
    """Check each privilege that the service needs."""
    aliases = [read_alias(prefix, kind) for kind in WRITTEN]
    return [
        await _try_right("read", engine.ping()),
        await _try_right("view_index_metadata", engine.mapping_version("documents")),
        await _try_right("maintenance", engine.refresh("leases")),
        await _try_right("monitor", engine.log_end("events")),
        await _may_write(engine, "write", aliases, "indices that the service writes to"),
        *await _history_rights(engine, prefix),
    ]


async def look_at_loading_rights(engine: Engine, prefix: str) -> list[Finding]:
    """Check each privilege that `edgar-ingest` needs."""
    name = await _find_index(engine, prefix, "documents")
    fields: dict[str, Any] = {"properties": {}}
    partition = parse_index_name(prefix, name).partition
    aliases = [write_alias(prefix, "documents", partition), read_alias(prefix, "ledger")]
    return [
        *await look_at_template_right(engine, prefix),
        await _try_right("create_index", engine.create_index(name, {})),
        await _try_right("manage", engine.administer("PUT", f"/{name}/_mapping", fields)),
        await _may_write(engine, "load", aliases, "indices that a load writes to"),
    ]


async def look_at_template_right(engine: Engine, prefix: str) -> list[Finding]:
    """Check the only one of these privileges that can be tested before indices exist."""
    template = f"/_index_template/{prefix}{_NOTHING}"
    return [await _try_right("manage_index_templates", engine.administer("DELETE", template))]


async def _history_rights(engine: Engine, prefix: str) -> list[Finding]:
    """Check the history, whose monthly indices the service creates, writes and deletes."""
    name = await _find_index(engine, prefix, "history")
    month = parse_index_name(prefix, name).partition
    alias = write_alias(prefix, "history", month)
    return [
        # The index exists, so none is created; no month has that name, so none is deleted.
        await _try_right("create_index of the history", engine.create_index(name, {})),
        await _try_right("manage the history", _delete_none(engine, f"{alias}.{_NOTHING}")),
        await _may_write(engine, "write the history", [alias], "month of it"),
    ]


async def _find_index(engine: Engine, prefix: str, kind: Kind) -> str:
    """Return the name of an index of this kind."""
    for name in sorted(await engine.administer("GET", f"/{prefix}{kind}.*/_alias") or {}):
        try:
            parse_index_name(prefix, name)
        except SettingsError:
            continue  # Another installation's, whose prefix begins with ours.
        return str(name)
    raise missing_index_error()


async def _delete_none(engine: Engine, name: str) -> None:
    try:
        await engine.administer("DELETE", f"/{name}")
    except EngineRefuses as error:
        # A missing privilege is reported before a missing index.
        if str(error) != str(missing_index_error()):
            raise


async def _try_right(name: str, request: Awaitable[Any]) -> Finding:
    try:
        await request
    except (EngineRefuses, EngineFault) as error:
        return wrong(f"right to {name}", str(error), _REMEDY)
    return ok(f"right to {name}", "there")


async def _may_write(engine: Engine, name: str, aliases: Sequence[str], owner: str) -> Finding:
    refused = [alias for alias in aliases if not await _takes_writes(engine, alias)]
    if refused:
        return wrong(f"right to {name}", f"refused for {', '.join(refused)}", _REMEDY)
    return ok(f"right to {name}", f"{len(aliases)} {owner}")


async def _takes_writes(engine: Engine, alias: str) -> bool:
    try:
        (item,) = await engine.bulk_items(bulk_lines.delete(alias, _NOTHING))
    except (EngineRefuses, EngineFault):
        return False
    # A blocked index, such as during a switch, gives the same status.
    blocked = item.error is not None and item.error.type == _BLOCKED
    return blocked or item.status != _FORBIDDEN
