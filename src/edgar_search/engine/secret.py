"""Secrets that all workers and hosts of an installation sign with."""

import secrets
from datetime import UTC, datetime

from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh
from edgar_search.errors import Conflict, EngineUnavailable
from edgar_search.stored.installation import StoredSecret

_BYTES = 32


class Secret:
    """A secret by its name; the first worker that needs it makes it."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._fresh: Fresh[bytes] = Fresh(self._read)

    async def value(self) -> bytes:
        """Return the secret; raises EngineUnavailable."""
        return await self._fresh.value()

    async def _read(self) -> bytes:
        for _ in range(2):
            stored = await self._engine.get("secrets", self._name, StoredSecret)
            if stored is not None and stored.source is not None:
                return stored.source.value
            made = StoredSecret(secrets.token_bytes(_BYTES), datetime.now(UTC))
            try:
                await self._engine.create("secrets", self._name, made, visible=False)
            except Conflict:
                continue  # Another worker was faster: its secret is the one.
            return made.value
        raise EngineUnavailable(f"the secret of {self._name} could not be read; try again later")
