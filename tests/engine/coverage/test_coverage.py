"""GET /v1/coverage over a ledger of made-up submissions."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search.coverage import missing_filings
from edgar_search.search.criteria import CoverageCriteria
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.indices.indices import Indices
from ingest.loading.ledger import Ledger
from ingest.loading.ledger_entries import ListedFiling
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990170", "MARBLE")
NONE = {"p50": None, "p90": None, "p99": None}
START = datetime(2022, 3, 1, tzinfo=UTC)


@pytest.fixture
async def engine(engine: Engine, settings: Settings) -> Engine:
    """The engine with all indices."""
    await Indices(engine, settings).set_up()
    return engine


async def put(engine: Engine, entries: dict[str, LedgerEntry]) -> None:
    for key, entry in entries.items():
        await engine.put("ledger", key, entry)


def entry(status: Any, form: str, day: date, lag: float | None = None) -> LedgerEntry:
    return LedgerEntry(
        status=status,
        source="made up",
        seen_at=START,
        form_type=form,
        filing_date=day,
        listed_at=START if lag is not None else None,
        searchable_at=START + timedelta(seconds=lag) if lag is not None else None,
        listed_lag=lag,
        accepted_lag=lag * 2 if lag is not None else None,
    )


async def test_days_and_forms_have_their_counts_and_lags(
    client: Client, engine: Engine, new_number: Callable[[], str]
) -> None:
    first, second = date(2022, 3, 1), date(2022, 3, 2)
    entries = [entry("loaded", "8-K", first, lag) for lag in (1.0, 2.0, 3.0)]
    entries += [entry("refused", "8-K", first), entry("pending", "8-K", first)]
    entries += [entry("deleted", "10-K", first), entry("listed", "8-K", second)]
    await put(engine, {new_number(): each for each in entries})
    response = await client.http.get("/v1/coverage?from_date=2022-03-01&to_date=2022-03-31")
    assert response.status_code == 200, response.text
    reply = response.json()
    assert (reply["from_date"], reply["to_date"]) == ("2022-03-01", "2022-03-31")
    names = ("filing_date", "form_type", "known", "listed", "searchable", "refused", "deleted")
    assert [[day[name] for name in (*names, "waiting")] for day in reply["days"]] == [
        ["2022-03-01", "10-K", 1, 0, 0, 0, 1, 0],
        ["2022-03-01", "8-K", 5, 3, 3, 1, 0, 1],
        ["2022-03-02", "8-K", 1, 0, 0, 0, 0, 1],
    ]
    ten_k, eight_k, _ = reply["days"]
    assert ten_k["accepted_to_searchable"] == ten_k["listed_to_searchable"] == NONE
    assert eight_k["listed_to_searchable"]["p50"] == 2.0
    assert eight_k["accepted_to_searchable"]["p50"] == 4.0
    assert 2.5 < eight_k["listed_to_searchable"]["p90"] <= 3.0


async def test_form_filter(client: Client, engine: Engine, new_number: Callable[[], str]) -> None:
    day = date(2022, 5, 1)
    await put(engine, {new_number(): entry("listed", form, day) for form in ("3", "4", "4")})
    path = "/v1/coverage?from_date=2022-05-01&to_date=2022-05-01&form_type=4"
    (row,) = (await client.http.get(path)).json()["days"]
    assert (row["form_type"], row["known"]) == ("4", 2)


async def test_loaded_filing_that_was_listed_before_has_both_lags(
    client: Client, engine: Engine, settings: Settings, loads: Loads, new_number: Callable[[], str]
) -> None:
    number, day = new_number(), date(2022, 7, 1)
    filing = MadeUp(
        number, (MARBLE,), (MadeUpDocument("Moss.\n"),), filing_date=day, accepted="20220701120000"
    )
    with Owner(settings.absolute_home) as owner:
        ledger = Ledger(engine, settings.prefix, Retry(5), owner)
        await ledger.mark_listed([ListedFiling(number, "8-K", day, "feed")])
    await loads({"one.txt": txt(filing)})
    await engine.refresh("ledger")
    path = "/v1/coverage?from_date=2022-07-01&to_date=2022-07-01"
    (row,) = (await client.http.get(path)).json()["days"]
    assert (row["listed"], row["searchable"], row["waiting"]) == (1, 1, 0)
    assert 0 <= row["listed_to_searchable"]["p50"] < 60
    since = (datetime.now(UTC) - datetime(2022, 7, 1, 16, tzinfo=UTC)).total_seconds()
    assert abs(row["accepted_to_searchable"]["p50"] - since) < 60


async def test_days_that_are_too_many_are_refused(client: Client) -> None:
    response = await client.http.get("/v1/coverage?from_date=2020-01-01&to_date=2021-12-31")
    assert response.status_code == 400
    assert "may be at most 366 days" in response.json()["error"]


async def test_key_is_needed(client: Client) -> None:
    response = await client.http.get("/v1/coverage", headers={"X-API-Key": "sk_live_x"})
    assert response.status_code == 401


async def test_what_is_missing_is_named(engine: Engine, new_number: Callable[[], str]) -> None:
    day = date(2017, 5, 2)
    entries = {
        "loaded": entry("loaded", "8-K", day, 1.0),
        "deleted": entry("deleted", "8-K", day),
        "refused": entry("refused", "10-Q", day),
        "listed": entry("listed", "8-K", date(2017, 5, 3)),
        "pending": entry("pending", "8-K", day),
        # Loaded, and not seen by searches yet.
        "unseen": entry("loaded", "8-K", date(2017, 5, 1)),
    }
    numbers = {name: new_number() for name in entries}
    await put(engine, {numbers[name]: each for name, each in entries.items()})
    criteria = CoverageCriteria(date(2017, 5, 1), date(2017, 5, 3))
    found = await missing_filings(engine, criteria, 10)
    named = [filing.accession_number for filing in found.filings]
    assert named == [numbers[each] for each in ("listed", "refused", "pending", "unseen")]
    first = await missing_filings(engine, criteria, 1)
    assert (found.total, first.total, len(first.filings)) == (4, 4, 1)
