"""Secrets with which all workers and hosts of an installation sign."""

import secrets
from datetime import UTC, datetime

from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh
from edgar_search.errors import Conflict, EngineUnavailable
from edgar_search.stored.installation import StoredSecret

_BYTES = 32


class Secret:
    """A named secret, made by the first worker that needs it."""

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
            secret = StoredSecret(secrets.token_bytes(_BYTES), datetime.now(UTC))
            try:
                await self._engine.create("secrets", self._name, secret, visible=False)
            except Conflict:
                continue  # Another worker was faster, so its secret counts.
            return secret.value
        raise EngineUnavailable(f"the secret of {self._name} could not be read; try again later")
