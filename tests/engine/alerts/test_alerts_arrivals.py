"""Arrivals and their times, the view of a trigger, and the end of arrivals and broken triggers."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest

from edgar_search.api.search import search_reply
from edgar_search.engine.engine import Engine
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.language import parse
from edgar_search.search.query.body import document_query
from edgar_search.search.search import search_documents
from edgar_search.settings import Settings
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.user_items import StoredAlertTrigger, StoredUserItem, item_key
from ingest.indices.indices import Indices
from tests.support.alerting import Told, Watcher, alerts, filing, match
from tests.support.loading import Loads

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]


async def test_reload_keeps_the_time_at_which_a_document_was_loaded_first(
    engine: Engine, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    text = 'says "loaded_at":"2020-01-01T00:00:00Z" itself'
    await loads(filing(number, text))
    (first,) = await _loaded_at(engine, number)
    await loads(filing(number, text + " again", "new"))
    again, new = await _loaded_at(engine, number)
    assert first == again < new


async def _loaded_at(engine: Engine, number: str) -> list[datetime]:
    class Times(msgspec.Struct):
        loaded_at: datetime

    class Hit(msgspec.Struct):
        source: Times = msgspec.field(name="_source")

    body = {"query": {"term": {"accession_number": number}}, "sort": ["document_id"], "size": 10}
    return [hit.source.loaded_at for hit in (await engine.search("documents", body, Hit)).hits.hits]


async def test_trigger_sees_what_arrives_after_it_was_made_or_changed(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    numbers = [new_number() for _ in range(6)]
    early = await watcher.watch("marble")
    await loads(filing(numbers[0], "marble"))
    late = await watcher.watch("marble")
    await match(engine, settings)
    await watcher.change(early, enabled=False)
    await loads(filing(numbers[1], "marble"))
    await match(engine, settings)
    await loads(filing(numbers[2], "marble"))
    await watcher.change(early, enabled=True)
    await loads(filing(numbers[3], "marble"))
    await match(engine, settings)
    await loads(filing(numbers[4], "marble tuff"))
    await watcher.change(early, query="tuff")
    await watcher.change(late, name="another name")
    await match(engine, settings)
    await watcher.triggers.remove(watcher.account, late.id)
    await loads(filing(numbers[5], "marble tuff"))
    await match(engine, settings)
    seen = {early.id: (0, 3, 5), late.id: (1, 2, 3, 4)}
    wanted = [Told(key, f"{numbers[n]}-1") for key, places in seen.items() for n in places]
    assert await watcher.told() == sorted(wanted)


async def test_clock_of_a_loader_does_not_matter(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) - timedelta(hours=3)

    number = new_number()
    trigger = await watcher.watch("chert")
    monkeypatch.setattr("ingest.loading.submission_writer.datetime", Slow)
    await loads(filing(number, "chert"))
    await match(engine, settings)
    assert await watcher.told() == [Told(trigger.id, f"{number}-1")]


async def test_trigger_that_cannot_be_read_any_more_is_disabled_and_says_so_once(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    now = datetime.now(UTC)
    content = StoredAlertTrigger("x", now, query="NOT NOT", filters=DocumentFilters())
    item = StoredUserItem(watcher.account, "alert_triggers", "unreadable", now, content, "enabled")
    key = item_key(watcher.account, "alert_triggers", item.id)
    good = await watcher.watch("dolomite")
    await engine.create("user_items", key, item)
    for _ in range(2):
        number = new_number()
        await loads(filing(number, "dolomite"))
        await match(engine, settings)
    messages = [each for each in await watcher.notified() if each.message]
    (message,) = messages
    assert (message.alert_trigger_id, message.document) == ("unreadable", None)
    assert message.message and message.message.startswith("this trigger was disabled, because it")
    assert "query: " in message.message
    states = {
        t.id: t.content.enabled for t in (await watcher.triggers.page(watcher.account, 9, 0)).items
    }
    assert states == {"unreadable": False, good.id: True}
    assert sum(each.document is not None for each in await watcher.notified()) == 2


async def test_query_that_elasticsearch_refuses_disables_its_trigger_alone(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(criteria: Any, ciks: Any) -> Any:
        if "toomuch" in repr(criteria):
            return {"bool": {"must": [{"no_such_clause": {}}]}}
        return document_query(criteria, ciks)

    monkeypatch.setattr("edgar_search.search.reverse_search.document_query", refused)
    good = [await watcher.watch("pumice") for _ in range(5)]
    bad = await watcher.watch("toomuch")
    number = new_number()
    await loads(filing(number, "pumice"))
    await match(engine, settings)
    told = [Told(each.id, f"{number}-1") for each in good]
    found = await watcher.told()
    assert sorted(each for each in found if each.document) == sorted(told)
    assert [each.trigger for each in found if not each.document] == [bad.id]


async def test_document_that_a_load_has_taken_away_is_waited_for(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    trigger = await watcher.watch("obsidian")
    await loads(filing(number, "obsidian"))
    name = f"{settings.prefix}documents"
    body = {"query": {"term": {"accession_number": number}}, "_source": ["document_id"]}
    assert (await engine.search("documents", body, msgspec.Raw)).hits.hits
    line = msgspec.json.encode({"delete": {"_index": f"{name}.all", "_id": f"{number}-1"}})
    await engine.bulk(line + b"\n")
    assert await match(engine, settings) == (0, 1, 0)
    await loads(filing(number, "obsidian again"))
    assert await match(engine, settings) == (1, 0, 1)
    assert await watcher.told() == [Told(trigger.id, f"{number}-1")]


async def test_arrival_of_what_was_deleted_is_not_waited_for(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    await watcher.watch("gabbro")
    await loads(filing(number, "gabbro", "gabbro two"))
    await loads(filing(number, "no more"))
    assert await match(engine, settings) == (2, 0, 0)


async def test_more_arrivals_than_a_batch_and_more_triggers_than_a_request(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("edgar_search.alerts.matcher.BATCH", 3)
    monkeypatch.setattr("edgar_search.alerts.triggers._PAGE", 2)
    monkeypatch.setattr("edgar_search.alerts.matcher._NOTICES", 4)
    triggers = [await watcher.watch("flint" if n % 2 else "onyx") for n in range(5)]
    numbers = [new_number() for _ in range(7)]
    files: dict[str, bytes] = {}
    for place, number in enumerate(numbers):
        files |= filing(number, "flint" if place % 2 else "onyx and flint")
    await loads(files)
    matcher = alerts(engine, settings)
    matcher._most = 2
    assert (await matcher.once()).matched == 7
    wanted = [
        Told(trigger.id, f"{number}-1")
        for place, trigger in enumerate(triggers)
        for at, number in enumerate(numbers)
        if place % 2 or not at % 2
    ]
    assert await watcher.told() == sorted(wanted)


async def test_scores_are_those_of_a_search_over_several_partitions(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    tmp_path: Any,
) -> None:
    yearly = msgspec.structs.replace(settings, prefix=f"{settings.prefix}y-", partition="year")
    own = Engine.from_settings(yearly)
    try:
        await Indices(own, yearly).set_up()
        there = Watcher(own, "someone")
        await there.watch("(agate OR zircon) ruby")
        files: dict[str, bytes] = {}
        for year in (2020, 2021):
            texts = ("agate ruby", "zircon ruby " * (year - 2019))
            files |= filing(new_number(), *texts, filing_date=date(year, 2, 3))
        await Loads(own, yearly, tmp_path)(files)
        await match(own, yearly)
        search = DocumentSearch(DocumentCriteria(parse("(agate OR zircon) ruby")), Window(0, 20))
        context = SearchContext.from_settings(own, msgspec.structs.replace(yearly, close_matches=0))
        page = await search_documents(context, search)
        items = search_reply(page).items
        made = [each.document for each in await there.notified() if each.document]
        scores = {item.document_id: item.score for item in items}
        assert {each.document_id: each.score for each in made} == pytest.approx(scores)
        snippets = {item.document_id: item.snippet for item in items}
        assert {each.document_id: each.snippet for each in made} == snippets
        assert len(items) == 4
    finally:
        await own.close()
