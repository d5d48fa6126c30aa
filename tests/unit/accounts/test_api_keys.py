"""API keys: made, listed, revoked; over an engine that only remembers."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import msgspec
import pytest

from edgar_search.access.api_keys import ApiKeys, ends_at, is_well_formed, key_hash
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Hits, IdHit, SearchReply, ShardCounts, SourceHit
from edgar_search.errors import BadRequest, NotFound
from edgar_search.stored.accounts import StoredApiKey
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio
FIRST = datetime(2024, 1, 1, tzinfo=UTC)


class Memory(MemoryEngine):
    """An engine in memory, which finds the keys that are requested."""

    def __init__(self, *keys: StoredApiKey) -> None:
        super().__init__()
        self.searches: list[dict[str, Any]] = []
        for key in keys:
            self.put(f"hash of {key.id}", key)

    @property
    def keys(self) -> dict[str, StoredApiKey]:
        """The keys by their hashes."""
        return {key: document for (_, key), (document, _) in self.documents.items()}

    def put(self, key: str, document: StoredApiKey) -> None:
        """Store a key without a request."""
        self.documents["api_keys", key] = document, 0

    async def search(self, kind: str, body: dict[str, Any], hit: type[Any]) -> SearchReply[Any]:
        self.searches.append(dict(body))
        newest = sorted(self.keys.items(), key=lambda item: item[1].created_at, reverse=True)
        hits: list[Any]
        if hit is IdHit:
            [wanted] = body["query"]["bool"]["filter"]
            hits = [IdHit(at) for at, key in newest if key.id == wanted["term"]["id"]]
        else:
            begin = 0
            if "search_after" in body:
                begin = [key.id for _, key in newest].index(body["search_after"][1]) + 1
            hits = [SourceHit[StoredApiKey](key) for _, key in newest[begin : begin + body["size"]]]
        return SearchReply(False, ShardCounts(1, 0), Hits(hits))


def keys_in(memory: Memory) -> ApiKeys:
    return ApiKeys(cast(Engine, memory))


def stored(number: int, revoked_at: datetime | None = None) -> StoredApiKey:
    created_at = FIRST + timedelta(minutes=number)
    return StoredApiKey(f"id-{number}", "account", "name", "sk_live_abcd", created_at, revoked_at)


async def test_new_key_is_stored_by_its_hash_and_nowhere_itself() -> None:
    memory = Memory()
    key, shown = await keys_in(memory).create("laptop", "alice")
    assert is_well_formed(key)
    assert memory.keys == {key_hash(key): shown}
    assert (shown.name, shown.account, shown.prefix) == ("laptop", "alice", key[:12])
    assert key[12:] not in msgspec.json.encode(shown).decode()
    assert key_hash(key) not in msgspec.json.encode(shown).decode()


async def test_new_keys_have_ids_of_their_own() -> None:
    keys = keys_in(Memory())
    ids = [(await keys.create("laptop", "alice"))[1].id for _ in range(20)]
    assert len(set(ids)) == 20


async def test_keys_are_listed_newest_first() -> None:
    assert await keys_in(Memory(stored(1), stored(3), stored(2))).list() == [
        stored(3),
        stored(2),
        stored(1),
    ]


async def test_more_keys_than_a_page_are_all_listed() -> None:
    memory = Memory(*[stored(number) for number in range(2_001)])
    found = await keys_in(memory).list()
    assert [key.id for key in found] == [f"id-{number}" for number in range(2_000, -1, -1)]
    assert [search.get("search_after") for search in memory.searches] == [
        None,
        [stored(1_001).created_at.isoformat(), "id-1001"],
        [stored(1).created_at.isoformat(), "id-1"],
    ]


async def test_revoked_key_says_since_when() -> None:
    memory = Memory(stored(1), stored(2))
    before = datetime.now(UTC)
    revoked = await keys_in(memory).revoke("id-1")
    assert revoked.revoked_at is not None
    assert before <= revoked.revoked_at <= datetime.now(UTC)
    assert memory.keys == {"hash of id-1": revoked, "hash of id-2": stored(2)}


async def test_revoking_again_changes_nothing() -> None:
    memory = Memory(stored(1, revoked_at=FIRST))
    assert await keys_in(memory).revoke("id-1") == stored(1, revoked_at=FIRST)


async def test_revoking_an_unknown_key_is_refused() -> None:
    with pytest.raises(NotFound, match="^no API key has the id id-9$"):
        await keys_in(Memory(stored(1))).revoke("id-9")


@pytest.mark.parametrize("name", ["", "  ", "a\tb", "a\nb", "x" * 101])
async def test_name_that_would_not_read_well_in_a_list_is_refused(name: str) -> None:
    memory = Memory()
    with pytest.raises(BadRequest) as caught:
        await ApiKeys(cast(Engine, memory)).create(name, "account")
    assert str(caught.value) == "name: must be 1 to 100 printable characters"
    assert memory.keys == {}


DAY, HOUR = timedelta(days=1), timedelta(hours=1)


async def test_key_rotated_twice_leaves_two_keys_without_an_end() -> None:
    """As where the answer was lost on its way, and the caller asks again."""
    memory = Memory(stored(1))
    keys = keys_in(memory)
    made = [await keys.rotate("id-1", None, DAY) for _ in range(2)]
    assert [ends_at(key.stored) for key in made] == [None, None]


async def test_new_key_has_the_expiry_of_the_old_one() -> None:
    expires_at = datetime.now(UTC) + 10 * DAY
    memory = Memory(msgspec.structs.replace(stored(1), expires_at=expires_at))
    keys = keys_in(memory)
    made = [await keys.rotate("id-1", None, DAY) for _ in range(2)]
    assert [ends_at(key.stored) for key in made] == [expires_at, expires_at]


@pytest.mark.parametrize("overlaps", [[HOUR, DAY], [DAY, HOUR], [HOUR, HOUR]])
async def test_rotated_key_lives_no_longer_for_being_rotated_again(
    overlaps: list[timedelta],
) -> None:
    memory = Memory(stored(1))
    keys = keys_in(memory)
    for overlap in overlaps:
        await keys.rotate("id-1", None, overlap)
    ends = ends_at(memory.keys["hash of id-1"])
    assert ends is not None
    assert HOUR - timedelta(minutes=1) < ends - datetime.now(UTC) <= HOUR


async def test_overlap_ends_at_the_expiry_where_that_is_earlier() -> None:
    expires_at = datetime.now(UTC) + HOUR
    memory = Memory(msgspec.structs.replace(stored(1), expires_at=expires_at))
    await keys_in(memory).rotate("id-1", None, DAY)
    assert ends_at(memory.keys["hash of id-1"]) == expires_at


async def test_last_use_waits_for_an_engine_that_is_away_and_asks_it_once() -> None:
    memory = Memory()
    keys = keys_in(memory)
    made = [await keys.create("laptop", "alice") for _ in range(3)]
    for new in made:
        await keys.verify(new.key)
    memory.away, memory.requests = True, 0
    await keys.close()
    assert memory.requests == 1
    memory.away = False
    await keys.close()
    assert [key.last_used_at is None for key in memory.keys.values()] == [False] * 3


async def test_key_revoked_by_this_worker_is_refused_by_it_at_once() -> None:
    memory = Memory()
    keys = keys_in(memory)
    key, made = await keys.create("laptop", "alice")
    assert await keys.verify(key) == made
    await keys.revoke(made.id)
    assert await keys.verify(key) is None


async def test_last_use_follows_a_key_that_is_used_again() -> None:
    memory = Memory()
    key, made = await keys_in(memory).create("laptop", "alice")
    before = datetime.now(UTC) - timedelta(minutes=2)
    memory.put(key_hash(key), msgspec.structs.replace(made, last_used_at=before))
    keys = keys_in(memory)
    await keys.verify(key)
    await keys.close()
    used = memory.keys[key_hash(key)].last_used_at
    assert used is not None and used > before


async def test_last_use_is_not_written_for_every_call() -> None:
    memory = Memory()
    key, made = await keys_in(memory).create("laptop", "alice")
    used = msgspec.structs.replace(made, last_used_at=datetime.now(UTC) - timedelta(seconds=30))
    memory.put(key_hash(key), used)
    keys = keys_in(memory)
    await keys.verify(key)
    await keys.close()
    assert memory.keys == {key_hash(key): used}
