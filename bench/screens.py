"""Screens: their times beside searches with and without figures, and the bytes of figures.

`python -m bench.screens` asks the ready-made screens of the pages over a folder of real filings and
over made reports, which have figures, two facts each, and events of their companies.
"""

import argparse
import asyncio
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from urllib.parse import parse_qsl, urlsplit

import httpx
import msgspec

from bench.corpus import CORPUS
from bench.installation import Installation, engine_running, installed
from bench.loading import environment
from bench.markdown import table
from bench.service import running_service
from edgar_search.api.screen import SCREEN
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import WHOLE, Kind
from edgar_search.settings import Settings
from edgar_search.stored.figures import previous_of
from edgar_search.stored.filings import (
    FilingDocument,
    FilingEntity,
    StoredDocument,
    StoredFiling,
    StoredPassage,
    passage_id,
)
from edgar_search.stored.financials import StoredFact
from edgar_search.stored.ownership import StoredInsiderTrade
from edgar_search.web.pages.screens import READY_MADE
from ingest.indices.indices import Indices
from ingest.loading.bulk import BulkWriter
from ingest.loading.retry import Retry
from ingest.reading.figures import quotients_of
from ingest.reading.operations import operation

SEED, REPORTS, EVENTS = 48, 100_000, 1_000
ROUNDS, CLIENTS, AT_ONCE = 15, 16, 4
ROWS, BUSY = "50", 503
# A word of all made reports, and of most real ones.
WORD = "company"
_FIRST_CIK, _COMPANIES = 9_000_000, 20_000
_ITEMS = (
    "revenue net_income total_assets total_liabilities equity goodwill cash current_assets"
    " current_liabilities cash_from_operations".split()
)
# Items that may be below zero.
_NEGATIVE = ("net_income", "cash_from_operations")
_WITH_FACTS = ("revenue", "net_income")
WRITTEN: tuple[Kind, ...] = ("documents", "passages", "facts", "filings", "insider_trades")
Call = tuple[str, Mapping[str, str]]


def main() -> None:
    """Load, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of real filings")
    parser.add_argument("--reports", type=int, default=REPORTS, help="number of made reports")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with engine_running("bench-screens-") as settings, tempfile.TemporaryDirectory() as home:
        own = msgspec.structs.replace(settings, home=Path(home), archive=False, alerts=False)
        asyncio.run(_real(own, options))
        asyncio.run(_made(own, options))


async def _real(settings: Settings, options: argparse.Namespace) -> None:
    async with installed(settings, baseline=False) as here:
        command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(options.corpus)]
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment(settings), capture_output=True, check=True
        )
        print(f"{json.loads(done.stdout.splitlines()[-1])['loaded']:,} real filings\n")
        await _measure(here, options.rounds)


async def _made(settings: Settings, options: argparse.Namespace) -> None:
    async with installed(settings, baseline=False) as here:
        began = time.monotonic()
        await write_reports(here.engine, settings, options.reports)
        seconds = time.monotonic() - began
        print(f"\n{options.reports:,} made reports, written in {seconds:.0f} s\n")
        await _measure(here, options.rounds)


async def write_reports(engine: Engine, settings: Settings, reports: int) -> None:
    """Write made reports and events into an installation without indices."""
    await Indices(engine, settings).set_up()
    writer = BulkWriter(engine, Retry(settings.load_patience))
    await writer.write_all(_operations(settings.prefix, reports))
    for kind in WRITTEN:
        await engine.refresh(kind)


async def _measure(here: Installation, rounds: int) -> None:
    print(await _bytes(here), "\n", sep="")
    headers = {"X-API-Key": await here.key()}
    with running_service(here.settings) as service:
        limits = httpx.Limits(max_connections=CLIENTS)
        async with httpx.AsyncClient(
            base_url=service.url, headers=headers, timeout=120, limits=limits
        ) as client:
            rows = []
            for ready in READY_MADE:
                kinds = calls(dict(parse_qsl(urlsplit(ready.address).query)))
                found = (await _answer(client, kinds[0]))["total_count"]
                alone = await _alone(client, kinds, rounds)
                together = [await _together(client, each) for each in kinds]
                pairs = zip(alone, together, strict=True)
                cells = [f"{one:.1f} / {many:.0f}" for one, many in pairs]
                rows.append([ready.title, f"{found:,}", *cells])
    heads = ["p50 in ms, one client / sixteen", "rows", "screen", "search", "without figures"]
    print(table(heads, rows), flush=True)


def calls(asked: Mapping[str, str]) -> list[Call]:
    """Return a screen, the search for the same documents, and that without figures and events."""
    search = {name: value for name, value in asked.items() if name != "columns"}
    search = {"query": WORD, **search, "primary": "true"}
    plain = {name: value for name, value in search.items() if name not in ("figures", "with")}
    return [
        (SCREEN.path, {**asked, "limit": ROWS}),
        ("/v1/search", {**search, "limit": ROWS}),
        ("/v1/search", {**plain, "limit": ROWS}),
    ]


async def _answer(client: httpx.AsyncClient, call: Call) -> dict[str, int]:
    reply = await client.get(call[0], params=dict(call[1]))
    while reply.status_code == BUSY:
        # A busy worker says when to ask again; the wait is a part of the time.
        await asyncio.sleep(float(reply.headers["retry-after"]))
        reply = await client.get(call[0], params=dict(call[1]))
    reply.raise_for_status()
    answer: dict[str, int] = reply.json()
    return answer


async def _time(client: httpx.AsyncClient, call: Call) -> float:
    began = time.perf_counter()
    await _answer(client, call)
    return (time.perf_counter() - began) * 1_000


async def _alone(client: httpx.AsyncClient, kinds: Sequence[Call], rounds: int) -> list[float]:
    """Return the median milliseconds of each call, asked in turns after two that warm."""
    times = [[await _time(client, each) for each in kinds] for _ in range(rounds + 2)][2:]
    return [statistics.median(each) for each in zip(*times, strict=True)]


async def _together(client: httpx.AsyncClient, call: Call) -> float:
    """Return the median milliseconds if all clients ask at once."""

    async def ask() -> list[float]:
        return [await _time(client, call) for _ in range(AT_ONCE)]

    times = await asyncio.gather(*(ask() for _ in range(CLIENTS)))
    return statistics.median(time for each in times for time in each)


async def _bytes(here: Installation) -> str:
    """Return the bytes of figures, as Elasticsearch counts them by fields, in a sentence."""
    name = f"{here.settings.prefix}documents.*"
    await here.engine.administer("POST", f"/{name}/_flush?force=true")
    usage = await here.engine.administer("POST", f"/{name}/_disk_usage?run_expensive_tasks=true")
    fields: dict[str, int] = {}
    for index, found in usage.items():
        if index != "_shards":
            for field, each in found["fields"].items():
                fields[field] = fields.get(field, 0) + each["total_in_bytes"]
    own = ("figures.", "quotients.", "currency")
    figures = sum(size for field, size in fields.items() if field.startswith(own))
    count = await here.engine.administer("GET", f"/{name}/_count?q=_exists_:currency")
    reports = int(count["count"])
    whole = sum(fields.values())
    return (
        f"{reports:,} reports with figures, {figures / reports:,.0f} bytes each:"
        f" {figures / 1e6:.1f} MB of {whole / 1e6:.1f} MB of documents"
    )


def _operations(prefix: str, reports: int) -> Iterator[bytes]:
    """Yield the operations of made reports, and of events of one company in twenty."""
    chance = Random(SEED)
    for number in range(reports):
        document = _report(chance, number)
        key = document.document_id
        yield operation("documents", prefix, WHOLE, key, document)
        accession, cik = document.accession_number, document.ciks[0]
        filing = _filing(accession, document.form_type, cik, document.filing_date)
        yield operation("filings", prefix, WHOLE, accession, filing)
        passage = StoredPassage(key, 0, 0, document.text)
        yield operation("passages", prefix, WHOLE, passage_id(key, 0), passage)
        for place, item in enumerate(_WITH_FACTS):
            fact = _fact(document, item, place)
            yield operation("facts", prefix, WHOLE, f"{key}#{place}", fact)
    for number in range(EVENTS):
        cik, day = _cik(number * (_COMPANIES // EVENTS)), _day(chance)
        filing = _filing(f"9999999998-20-{number:06d}", "8-K", cik, day, "4.01")
        yield operation("filings", prefix, WHOLE, filing.accession_number, filing)
        trade = _purchase(number, cik, day)
        yield operation("insider_trades", prefix, WHOLE, f"{trade.document_id}#0", trade)


def _cik(company: int) -> str:
    return f"{_FIRST_CIK + company % _COMPANIES:010d}"


def _day(chance: Random) -> date:
    return date(2015, 1, 1) + timedelta(chance.randrange(3_650))


def _report(chance: Random, number: int) -> StoredDocument:
    accession = f"9999999999-20-{number:06d}"
    size = chance.lognormvariate(19, 2)
    figures: dict[str, float] = {}
    for item in _ITEMS:
        if chance.random() < 0.9:
            amount = round(size * chance.uniform(-0.1 if item in _NEGATIVE else 0.05, 1))
            figures[item] = float(amount)
            figures[previous_of(item)] = float(round(amount * chance.uniform(0.7, 1.3)))
    text = f"{WORD} report{' going concern' * (number % 7 == 0)}"
    text += " material weakness" * (number % 11 == 0)
    cik = _cik(number)
    return StoredDocument(
        document_id=f"{accession}-1",
        accession_number=accession,
        form_type="10-K",
        filing_date=_day(chance),
        ciks=[cik],
        sics=[],
        entities=[f"0000 {cik} BENCH {number % _COMPANIES}"],
        document_type="10-K",
        description="",
        file_name="report.txt",
        size=len(text),
        passages=1,
        text=text,
        loaded_at=datetime.now(UTC),
        root_form="10-K",
        text_sha256=hashlib.sha256(f"{number} {text}".encode()).hexdigest(),
        text_length=len(text),
        first=True,
        figures=figures,
        quotients=quotients_of(figures),
        currency="USD",
    )


def _fact(document: StoredDocument, item: str, number: int) -> StoredFact:
    amount = document.figures.get(item, 0.0)
    return StoredFact(
        document_id=document.document_id,
        number=number,
        accession_number=document.accession_number,
        cik=document.ciks[0],
        ciks=document.ciks,
        sics=[],
        name="BENCH",
        form_type=document.form_type,
        filing_date=document.filing_date,
        taxonomy="standard",
        concept=f"standard:{item}",
        local_name=item,
        words=item,
        label=item,
        unit="USD",
        start=document.filing_date - timedelta(400),
        end=document.filing_date - timedelta(35),
        value=f"{amount:.0f}",
        amount=amount,
    )


def _filing(accession: str, form: str, cik: str, day: date, *items: str) -> StoredFiling:
    return StoredFiling(
        accession_number=accession,
        form_type=form,
        filing_date=day,
        ciks=[cik],
        sics=[],
        entities=[FilingEntity(cik=cik, name="BENCH", role="FILER")],
        documents=[FilingDocument(f"{accession}-1", form, "", 1, "report.txt")],
        loaded_at=datetime.now(UTC),
        root_form=form,
        items=list(items),
    )


def _purchase(number: int, cik: str, day: date) -> StoredInsiderTrade:
    accession = f"9999999997-20-{number:06d}"
    return StoredInsiderTrade(
        document_id=f"{accession}-1",
        accession_number=accession,
        number=0,
        form_type="4",
        filing_date=day + timedelta(2),
        trade=True,
        derivative=False,
        issuer_cik=cik,
        trade_date=day,
        code="P",
    )


if __name__ == "__main__":
    main()
