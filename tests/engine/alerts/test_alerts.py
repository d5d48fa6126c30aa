"""From arrivals to notifications: what is matched, once, and when a trigger sees what."""

from collections.abc import Callable
from datetime import date
from typing import Any

import msgspec
import pytest

from edgar_search.alerts.matcher import READER
from edgar_search.engine.engine import Engine
from edgar_search.events.readers import LogReader
from edgar_search.settings import Settings
from edgar_search.stored.events import PendingArrival
from edgar_search.stored.installation import LedgerEntry
from edgar_search.stored.user_items import EVENTS, LogPosition
from tests.support.alerting import Told, Watcher, events_of, filing, match
from tests.support.asking import Client, marks_of
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]


async def test_document_that_matches_makes_a_notification_as_a_search_shows_it(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    client: Client,
) -> None:
    number = new_number()
    trigger = await watcher.watch("granite NOT moss")
    await loads(filing(number, "some granite", "granite with moss", "no stone"))
    assert await match(engine, settings) == (3, 0, 1)
    (made,) = await watcher.notified()
    (found,) = (await client.search("granite NOT moss", ids=f"{number}-1"))["items"]
    assert made.alert_trigger_id == trigger.id
    assert msgspec.to_builtins(made.document) == {**found, "score": pytest.approx(found["score"])}
    assert marks_of(found["snippet"]) == ["granite"]
    (item,) = (await watcher.triggers.page(watcher.account, 10, 0)).items
    (event,) = await events_of(engine, number)
    assert item.content.last_matched_at == event.at


async def test_trigger_with_forms_matches_what_a_search_with_them_does(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    client: Client,
) -> None:
    number = new_number()
    await watcher.watch("erode NOT moss")
    trigger = await watcher.watch("erode NOT moss", word_forms="all")
    await loads(filing(number, "some eroding", "erosion", "eroded by mosses"))
    await match(engine, settings)
    (made,) = await watcher.notified()
    search = await client.search("erode NOT moss", ids=f"{number}-1", word_forms="all")
    (found,) = search["items"]
    assert made.alert_trigger_id == trigger.id
    assert msgspec.to_builtins(made.document) == {**found, "score": pytest.approx(found["score"])}
    assert marks_of(found["snippet"]) == ["eroding"]


async def test_trigger_without_a_query_is_told_of_first_documents(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    trigger = await watcher.watch(cik=["0009990602"])
    await watcher.watch(cik=["0009990699"])
    await loads(filing(number, "first words", "second words", cik="0009990602"))
    await match(engine, settings)
    (made,) = await watcher.notified()
    assert (made.alert_trigger_id, made.document and made.document.document_id) == (
        trigger.id,
        f"{number}-1",
    )
    assert made.document and (made.document.snippet, made.document.score) == ("first words", 1.0)


async def test_trigger_tells_of_reports_by_their_figures(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    low, high, cik = new_number(), new_number(), "0009990609"
    falling = await watcher.watch("basalt", figures=("revenue<previous*0.9",), cik=(cik,))
    large = await watcher.watch(figures=("revenue>=100m", "net_income>0"), cik=(cik,))
    await watcher.watch(figures=("revenue>=100m",), cik=(cik,), currency="EUR")
    for number, facts in ((low, report_facts(2023, 1, 2)), (high, report_facts(2023, 2))):
        await loads(report(number, cik, facts, date(2024, 2, 1), text="basalt"))
    await match(engine, settings)
    told = {
        (made.alert_trigger_id, made.document and made.document.accnum)
        for made in await watcher.notified()
    }
    assert told == {(falling.id, low), (large.id, high)}


async def test_trigger_matches_by_all_filters_of_a_search(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    filters: list[dict[str, Any]] = [
        {"form_family": ("8-K",)},
        {"form_family": ("10-K",)},
        {"company": "corp gypsum"},
        {"company": "no such company"},
        {"state": ("VT",)},
        {"state": ("CA",)},
        {"item": ("5.02",)},
        {"item": ("9.01",)},
        {"period_from": date(2024, 6, 30), "period_to": date(2024, 6, 30)},
        {"period_from": date(2024, 7, 1)},
        {"fiscal_year": ("2024",)},
        {"fiscal_year": ("2023",)},
        {"primary": True},
    ]
    triggers = [await watcher.watch("gypsum", **each) for each in filters]
    exhibits = await watcher.watch(document_type=("EX-99.1",))
    told_nothing = await watcher.watch("gypsum", document_type=("EX-99.2",))
    made = MadeUp(
        number,
        (MadeUpEntity("0009990607", "GYPSUM CORP", address=Address("1 Pit", "Bog", "VT")),),
        (
            MadeUpDocument("Gypsum, first.\n", "8-K/A", "a.txt"),
            MadeUpDocument("Gypsum, second.\n", "EX-99.1", "b.txt"),
        ),
        form_type="8-K/A",
        period=date(2024, 6, 30),
        items=("Departure of Directors or Certain Officers",),
    )
    await loads({"a.txt": txt(made)})
    await match(engine, settings)
    told = await watcher.told()
    for trigger, each in zip(triggers[::2], filters[::2], strict=True):
        both = [Told(trigger.id, f"{number}-{place}") for place in (1, 2)]
        assert [each for each in told if each.trigger == trigger.id] == (
            both[:1] if "primary" in each else both
        ), each
    silent = {each.id for each in (*triggers[1::2], told_nothing)}
    assert not silent & {each.trigger for each in told}
    assert Told(exhibits.id, f"{number}-2") in told


async def test_snippet_marks_a_phrase_that_stands_across_two_passages(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    client: Client,
) -> None:
    number = new_number()
    sentence = "The porphyry quarry lies beyond the amber river. "
    await watcher.watch('"amber river the porphyry"~3')
    await loads(filing(number, sentence * 200))
    await match(engine, settings)
    (made,) = await watcher.notified()
    (found,) = (await client.search('"amber river the porphyry"~3', ids=f"{number}-1"))["items"]
    assert made.document and made.document.snippet == found["snippet"]
    assert marks_of(found["snippet"])


async def test_nothing_is_told_twice(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    trigger = await watcher.watch("basalt")
    await loads(filing(number, "basalt one"))
    await match(engine, settings)
    told = [Told(trigger.id, f"{number}-1")]
    assert await watcher.told() == told
    await loads(filing(number, "basalt one"))
    assert await match(engine, settings) == (0, 0, 0)
    # A changed resubmission: the same document again, and one that is new.
    later = await watcher.watch("basalt")
    await loads(filing(number, "basalt changed", "basalt two"))
    assert await match(engine, settings) == (1, 0, 2)
    new = f"{number}-2"
    assert await watcher.told() == sorted([*told, Told(trigger.id, new), Told(later.id, new)])


async def test_removed_notification_does_not_come_back_when_work_is_repeated(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    await watcher.watch("gneiss")
    await loads(filing(number, "gneiss"))
    await match(engine, settings)
    (made,) = await watcher.notified()
    await watcher.notifications.remove(watcher.account, made.id)
    reader = LogReader(engine, READER)
    state = await reader.read()
    (event,) = await events_of(engine, number)
    again = PendingArrival(f"{number}-1", number, event.at, LogPosition(EVENTS, state.position))
    await reader.write(msgspec.structs.replace(state, pending=[again]))
    before = (await watcher.triggers.page(watcher.account, 10, 0)).items
    assert await match(engine, settings) == (1, 0, 0)
    assert await watcher.told() == []
    assert (await watcher.triggers.page(watcher.account, 10, 0)).items == before


async def test_load_without_alerts_announces_nothing_now_or_later(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    await watcher.watch("schist")
    await loads(filing(number, "schist"), alerts=False)
    await loads(filing(number, "schist changed"))
    assert await match(engine, settings) == (0, 0, 0)
    assert [event.arrived for event in await events_of(engine, number)] == [[]]


async def test_what_an_older_ledger_has_does_not_arrive(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    await loads(filing(number, "slate"), alerts=False)
    entry = await engine.get("ledger", number, LedgerEntry)
    assert entry is not None and entry.source is not None
    await engine.replace("ledger", entry, msgspec.structs.replace(entry.source, announced={}))
    await loads(filing(number, "slate changed", "slate new"))
    (event,) = await events_of(engine, number)
    assert (event.kind, event.arrived) == ("changed", [f"{number}-2"])
