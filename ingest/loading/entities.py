"""Facts about entities into the index: joined with what is stored, whoever else writes it."""

from collections.abc import Collection, Iterable, Sequence

from edgar_search.engine.changes import change_many
from edgar_search.engine.chunks import chunks
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import EngineFault
from edgar_search.stored.entity import StoredEntity
from ingest.loading.bulk import BulkWriter
from ingest.loading.patience import Patience
from ingest.reading.entity_facts import merge
from ingest.reading.operations import guarded_operation

# An entity that other loaders change at the same time is read and merged again this often.
_TRIES = 20
# Entities that are read, joined and written at once.
_AT_ONCE = 1_000


class EntityWriter:
    """Writes facts; a concurrent write of the same entity loses nothing."""

    def __init__(self, engine: Engine, prefix: str, patience: Patience) -> None:
        self._engine = engine
        self._prefix = prefix
        self._patience = patience
        self._writer = BulkWriter(engine, patience)

    async def write(self, facts: Iterable[StoredEntity]) -> None:
        """Join facts with what is stored; raises EngineUnavailable and EngineFault."""
        for some in chunks(facts, _AT_ONCE):
            await self._write(_joined(some))

    async def _write(self, pending: dict[str, StoredEntity]) -> None:
        async def read(keys: Sequence[str]) -> list[Stored[StoredEntity]]:
            return await self._patience(self._engine.multi_get, "entities", keys, StoredEntity)

        def merged(stored: Stored[StoredEntity]) -> StoredEntity | None:
            entity = merge(stored.source, pending[stored.id])
            return None if entity is stored.source else entity

        async def write(
            new: Sequence[tuple[Stored[StoredEntity], StoredEntity]],
        ) -> Collection[str]:
            return await self._writer.write(self._operation(*each) for each in new)

        left = await change_many(await read(list(pending)), merged, write, read, _TRIES)
        if left:
            raise EngineFault(f"entities could not be written: {', '.join(left[:3])}")

    def _operation(self, stored: Stored[StoredEntity], entity: StoredEntity) -> bytes:
        return guarded_operation("entities", self._prefix, entity.cik, entity, stored)


def _joined(facts: Iterable[StoredEntity]) -> dict[str, StoredEntity]:
    joined: dict[str, StoredEntity] = {}
    for fact in facts:
        joined[fact.cik] = merge(joined.get(fact.cik), fact)
    return joined
