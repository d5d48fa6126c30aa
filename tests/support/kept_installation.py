"""An installation that is kept for the modules of a run, and is as new before each of them."""

from typing import Any

from bench.installation import delete_indices
from edgar_search.engine.engine import Engine
from edgar_search.engine.templates import load_templates, template_path
from edgar_search.settings import Settings
from ingest.indices.indices import Indices

Json = dict[str, Any]
_NOTHING_WRITTEN = -1


class KeptInstallation:
    """Indices and templates that are made once, and then only if they changed.

    Making all of them takes longer than the tests of most modules, which write to few.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._new: Json = {}

    async def renew(self) -> None:
        """Remove every index that was written to or changed, and all that was added; make anew."""
        engine = Engine.from_settings(self.settings)
        try:
            await delete_indices(engine, await self._find_used(engine))
            await self._remove_added_templates(engine)
            await Indices(engine, self.settings).set_up()
            self._new = await self._indices(engine)
        finally:
            await engine.close()

    async def _find_used(self, engine: Engine) -> list[str]:
        """Return the indices that are not as they were made, or were made by others."""
        found = await self._indices(engine)
        path = f"/{self.settings.prefix}*/_stats?level=shards"
        stats = (await engine.administer("GET", path) or {}).get("indices", {})
        return [
            name
            for name, state in found.items()
            if self._new.get(name) != state or name not in stats or _is_written(stats[name])
        ]

    async def _indices(self, engine: Engine) -> Json:
        """Aliases, mappings and settings by index, its unique id among them."""
        path = f"/{self.settings.prefix}*?expand_wildcards=all"
        return dict(await engine.administer("GET", path) or {})

    async def _remove_added_templates(self, engine: Engine) -> None:
        prefix = self.settings.prefix
        found = await engine.administer("GET", f"/_index_template/{prefix}*") or {}
        ours = {prefix + name for name in load_templates(prefix)}
        for each in found.get("index_templates", ()):
            if each["name"] not in ours:
                name = each["name"].removeprefix(prefix)
                await engine.administer("DELETE", template_path(prefix, name))


def _is_written(stats: Json) -> bool:
    copies = [copy for shard in stats["shards"].values() for copy in shard]
    return not copies or any(each["seq_no"]["max_seq_no"] != _NOTHING_WRITTEN for each in copies)
