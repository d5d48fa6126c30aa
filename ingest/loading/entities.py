"""Facts about entities into the index: joined with what is stored, whoever else writes it."""

from collections.abc import Iterable
from itertools import islice

from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import EngineFault
from edgar_search.stored.entity import StoredEntity
from ingest.loading.bulk import BulkWriter
from ingest.loading.patience import Patience
from ingest.reading.entity_facts import merge
from ingest.reading.operations import Revision, guarded_operation

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
        facts = iter(facts)
        while some := _joined(islice(facts, _AT_ONCE)):
            await self._write(some)

    async def _write(self, pending: dict[str, StoredEntity]) -> None:
        for _ in range(_TRIES):
            stored = await self._patience(
                self._engine.multi_get, "entities", list(pending), StoredEntity
            )
            merged = [(s, merge(s.source, pending[s.id])) for s in stored]
            refusals = await self._writer.write(
                self._operation(s, entity) for s, entity in merged if entity is not s.source
            )
            pending = {cik: facts for cik, facts in pending.items() if cik in refusals}
            if not pending:
                return
        raise EngineFault(f"entities could not be written: {', '.join(list(pending)[:3])}")

    def _operation(self, stored: Stored[StoredEntity], entity: StoredEntity) -> bytes:
        revision = Revision(stored.seq_no, stored.primary_term) if stored.found else None
        return guarded_operation("entities", self._prefix, entity.cik, entity, revision)


def _joined(facts: Iterable[StoredEntity]) -> dict[str, StoredEntity]:
    joined: dict[str, StoredEntity] = {}
    for fact in facts:
        joined[fact.cik] = merge(joined.get(fact.cik), fact)
    return joined
