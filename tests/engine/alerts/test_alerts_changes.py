"""Triggers that users change while filings arrive and the matcher runs, against a sequential model.

A trigger is a row of versions. A document is reported under a version if it arrived while that one
stood. Where a change and an arrival, or a change and the match, are under way at once, both
outcomes are right; all others are certain, and are compared.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from edgar_search.alerts.matcher import Matcher
from edgar_search.alerts.triggers import AlertTrigger
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.support.alerting import Told, Watcher, alerts, filing, hurry, match
from tests.support.loading import Loads

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
WORDS = ("amber", "beryl", "coral", "diorite")
TRIGGERS, LOADS, FILINGS = 12, 10, 5
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "0")) or random.randrange(2**32)


class Version(Struct):
    """A trigger from some moment of its making on; without a word it is off."""

    begun: datetime
    made: datetime
    word: str | None


class Arrived(Struct):
    """A document: its words, when its load began and ended, when it was matched."""

    words: tuple[str, ...]
    begun: datetime
    ended: datetime
    matched: datetime | None = None


class Model:
    """All that happened."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Version]] = {}
        self.documents: dict[str, Arrived] = {}

    def certain(self, trigger: str, document: str) -> bool | None:
        """True if the trigger must notify of the document, None if it may."""
        arrived = self.documents[document]
        versions = self.versions[trigger]
        possible = False
        for version, following in zip(versions, [*versions[1:], None], strict=True):
            if version.word not in arrived.words:
                continue
            overlaps = arrived.ended > version.begun and (
                following is None or arrived.begun < following.made
            )
            possible |= overlaps
            assert arrived.matched is not None
            stood = following is None or arrived.matched < following.begun
            if arrived.begun > version.made and stood:
                return True
        return None if possible else False


def now() -> datetime:
    return datetime.now(UTC)


class User:
    """Makes and changes triggers at random."""

    def __init__(self, watcher: Watcher, model: Model, chosen: random.Random) -> None:
        self._watcher = watcher
        self._model = model
        self._chosen = chosen
        self._triggers: list[AlertTrigger] = []

    async def act(self) -> None:
        """One change."""
        if len(self._triggers) < TRIGGERS:
            await self._add()
            return
        place = self._chosen.randrange(len(self._triggers))
        trigger = self._triggers[place]
        begun, word = now(), self._chosen.choice(WORDS)
        change = self._chosen.choice(["query", "query", "off", "on", "name", "remove"])
        if change == "remove":
            await self._watcher.triggers.remove(self._watcher.account, trigger.id)
            del self._triggers[place]
            self._model.versions[trigger.id].append(Version(begun, now(), None))
            return
        fields: dict[str, dict[str, Any]] = {
            "query": {"query": word},
            "off": {"enabled": False},
            "on": {"enabled": True},
        }
        changed = await self._watcher.change(trigger, **fields.get(change, {"name": word}))
        self._triggers[place] = changed
        new, old = changed.content, trigger.content
        if (new.query, new.enabled) != (old.query, old.enabled):
            word_now = new.query if new.enabled else None
            self._model.versions[trigger.id].append(Version(begun, now(), word_now))

    async def _add(self) -> None:
        begun, word = now(), self._chosen.choice(WORDS)
        trigger = await self._watcher.watch(word)
        self._triggers.append(trigger)
        self._model.versions[trigger.id] = [Version(begun, now(), word)]


async def test_triggers_that_change_while_filings_arrive_tell_of_what_they_should(
    engine: Engine,
    settings: Settings,
    new_number: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matched: dict[str, datetime] = {}

    async def noted(matcher: Matcher, batch: Any, most: int) -> Any:
        result = await match_batch(matcher, batch, most)
        matched.update((each.document_id, datetime.now(UTC)) for each in batch)
        return result

    match_batch = Matcher.match
    monkeypatch.setattr(Matcher, "match", noted)
    hurry(monkeypatch)
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    chosen = random.Random(SEED)
    await Indices(engine, settings).set_up()
    model, watcher = Model(), Watcher(engine, "user")
    user = User(watcher, model, chosen)
    for _ in range(TRIGGERS):
        await user.act()
    matching = asyncio.create_task(alerts(engine, settings).run_forever())
    loading = asyncio.create_task(_load(engine, settings, tmp_path, model, new_number))
    changes = 0
    while not loading.done():
        await asyncio.sleep(chosen.expovariate(1 / 0.2))
        await user.act()
        changes += 1
    await loading
    matching.cancel()
    with suppress(asyncio.CancelledError):
        await matching
    await match(engine, settings)
    for document, arrived in model.documents.items():
        arrived.matched = matched[document]
    _compare(model, await watcher.told(), changes)


def _compare(model: Model, told: list[Told], changes: int) -> None:
    assert max(Counter(told).values()) == 1
    outcomes: Counter[bool | None] = Counter()
    for trigger in model.versions:
        for document in model.documents:
            certain = model.certain(trigger, document)
            outcomes[certain] += 1
            if certain is not None:
                assert (Told(trigger, document) in told) is certain, (trigger, document)
    print(f"{changes} changes, {len(told)} notifications, outcomes {dict(outcomes)}")
    assert outcomes[True] > 20
    assert outcomes[False] > 200


async def _load(
    engine: Engine,
    settings: Settings,
    folder: Path,
    model: Model,
    new_number: Callable[[], str],
) -> None:
    chosen = random.Random(SEED + 1)
    loads = Loads(engine, settings, folder)
    for _ in range(LOADS):
        files: dict[str, bytes] = {}
        words: dict[str, tuple[str, ...]] = {}
        for _ in range(FILINGS):
            number = new_number()
            words[f"{number}-1"] = tuple(chosen.sample(WORDS, 2))
            files |= filing(number, " ".join(words[f"{number}-1"]))
        begun = now()
        await loads(files)
        ended = now()
        model.documents |= {key: Arrived(w, begun, ended) for key, w in words.items()}
