"""Costs of EDGAR's own paths, of bulk files and of sets: `python -m bench.mirror`.

It loads the corpus into an installation of its own, and writes rows beside it in bulk: a company
with 5,000 filings, and companies with 50,000 facts each, a million in all. Searches are compared
with `/v1/search`, asked right after each other; downloads with a server of static files, which has
the same bytes. The table is in docs/clients.md, the run in --out.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from bench.corpus import CORPUS
from bench.installation import Installation, engine_running, engine_version, installed
from bench.loading import Family, environment
from bench.markdown import table
from bench.service import RunningService, await_answer, ending, free_port, running_service
from bench.walks import Memory
from edgar_search.edgar.submission import parse_submission
from edgar_search.engine.index_names import WHOLE, Kind
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import (
    FilingDocument,
    FilingEntity,
    StoredFiling,
    StoredFilingValues,
)
from edgar_search.stored.financials import StoredFact
from edgar_search.stored.ownership import row_id
from ingest.indices.indices import Indices
from ingest.loading.bulk import BulkWriter
from ingest.loading.retry import Retry
from ingest.reading.operations import operation
from ingest.sources.paths import Sources
from ingest.sources.source import read

PREFIX = "bench-mirror-"
RESULTS = Path(__file__).parent / "results" / "mirror.json"
QUERIES = ("revenue", "goodwill impairment", '"material weakness"', '"fair value"', "impair*")
FILINGS, FACTS_OF_COMPANY, COMPANIES, CONCEPTS = 5_000, 50_000, 20, 500
# The company with the filings, and the first of those with facts.
LISTED, FIRST = 7_700_001, 7_800_001
_KINDS: tuple[Kind, ...] = ("filings", "entities", "facts")
# The files of the company's filings: the newest, and those before them.
_PARTS = ("", "-submissions-001", "-submissions-002")
_PIECE = 1 << 20


class Bulk(Struct):
    """A file that is made while it is sent, and what the worker's memory grew by."""

    megabytes: float
    megabytes_a_second: float
    rss_above_idle: float
    uss_above_idle: float


class Results(Struct):
    """A run; times are medians in milliseconds, sizes megabytes, rates megabytes a second."""

    search_ms: float
    efts_ms: float
    efts_ratio: float
    efts_later_ratio: float
    submissions_ms: float
    submissions_mb: float
    facts_ms: float
    facts_mb: float
    submission_mb: float
    submission_rate: float
    submission_static_rate: float
    set_mb: float
    set_rate: float
    set_static_rate: float
    submissions_zip: Bulk
    facts_zip: Bulk
    set_rows: int
    set_peak: float
    set_peak_of_no_rows: float
    set_rows_a_second: float
    elasticsearch: str
    processors: int
    busy: float


def made_filings(prefix: str) -> Iterator[bytes]:
    """Yield the operations that store a company and its filings."""
    cik = f"{LISTED:010d}"
    entity = StoredEntity(cik, "SLATE AND SONS INC", sic="1400")
    yield operation("entities", prefix, WHOLE, cik, entity)
    for number in range(FILINGS):
        accession = f"{LISTED:010d}-{number // 1000 + 10:02d}-{number:06d}"
        day = date(2004, 1, 1) + timedelta(days=number)
        values = [StoredFilingValues("8-K", "1934 Act", "001-00001", f"{number:08d}")]
        filing = StoredFiling(
            accession_number=accession,
            form_type="8-K",
            filing_date=day,
            ciks=[cik],
            sics=["1400"],
            entities=[FilingEntity("FILER", cik, "SLATE AND SONS INC", filing_values=values)],
            documents=[
                FilingDocument(f"{accession}-{place}", kind, "REPORT", 20_000, f"d{place}.htm")
                for place, kind in enumerate(("8-K", "EX-99.1"), start=1)
            ],
            loaded_at=datetime(2026, 1, 1, tzinfo=UTC),
            root_form="8-K",
            size=40_000,
            period=day,
            accepted_at=datetime(day.year, day.month, day.day, 21, 15, tzinfo=UTC),
            items=["2.02", "9.01"],
        )
        yield operation("filings", prefix, WHOLE, accession, filing)


def made_facts(prefix: str, companies: int) -> Iterator[bytes]:
    """Yield the operations that store the facts of companies, those of a filing in a row."""
    for company in range(companies):
        cik = f"{FIRST + company:010d}"
        for filing in range(FACTS_OF_COMPANY // CONCEPTS):
            # All in one year: its file has all rows.
            day = date(2024, 2, 1) + timedelta(days=3 * filing)
            accession = f"{cik}-{day:%y}-{filing:06d}"
            for number in range(CONCEPTS):
                fact = _fact(cik, accession, day, number)
                key = row_id(fact.document_id, number)
                yield operation("facts", prefix, WHOLE, key, fact)


def _fact(cik: str, accession: str, day: date, number: int) -> StoredFact:
    end, name = day - timedelta(days=31), f"SlateConcept{number}"
    value = 1_000 * number + day.toordinal()
    return StoredFact(
        document_id=f"{accession}-2",
        number=number,
        accession_number=accession,
        cik=cik,
        ciks=[cik],
        sics=["1400"],
        name=f"QUARRY {cik} INC",
        form_type="10-Q",
        filing_date=day,
        taxonomy="us-gaap",
        concept=f"us-gaap:{name}",
        local_name=name,
        words=f"slate concept {number}",
        label=f"Slate of the kind {number}, net of moss",
        unit="USD",
        end=end,
        value=f"{value}000",
        amount=value * 1000.0,
        start=end - timedelta(days=90) if number % 2 else None,
        decimals=-3,
        fiscal_year=day.year,
        fiscal_period="Q1",
        linked=True,
    )


async def write_rows(here: Installation, companies: int) -> None:
    """Write the filings and the facts, searchable when it returns."""
    writer = BulkWriter(here.engine, Retry(here.settings.load_patience))
    await writer.write_all(made_filings(here.settings.prefix))
    await writer.write_all(made_facts(here.settings.prefix, companies))
    for kind in _KINDS:
        await here.engine.refresh(kind)


async def main() -> None:
    """Load, write, measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--companies", type=int, default=COMPANIES, help="with 50,000 facts each")
    parser.add_argument("--rounds", type=int, default=20, help="repetitions of each request")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the run is kept")
    options = parser.parse_args()
    with engine_running(PREFIX) as settings, tempfile.TemporaryDirectory() as temporary:
        folder, busy = Path(temporary), os.getloadavg()[0]
        own = msgspec.structs.replace(
            settings,
            home=folder / "home",
            pages="off",
            mirror="keys",
            sets_folder=folder / "sets",
            alerts=False,
        )
        async with installed(own, baseline=False) as here:
            _command(here, "ingest.cli", "load", "--no-alerts", str(options.corpus))
            await Indices(here.engine, own).ensure_partition(WHOLE)
            await write_rows(here, options.companies)
            found = _of_sets(here, folder / "sets")
            key, version = await here.key(), await engine_version(here.engine)
            with running_service(own) as service:
                found |= _of_service(service, key, options.rounds, folder, options.corpus)
    results = Results(
        **found, elasticsearch=version, processors=os.cpu_count() or 1, busy=round(busy, 2)
    )
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    print(page(results))


def _command(here: Installation, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env=environment(here.settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.wait() == 0, arguments
    return process


def _of_sets(here: Installation, folder: Path) -> dict[str, Any]:
    """Write a set without rows, and that of all facts; return its rows, time and memory."""
    peaks, seconds = [], 0.0
    for name in ("stakes", "facts"):
        command = [sys.executable, "-m", "edgar_search.cli", "sets", "write", str(folder)]
        began = time.perf_counter()
        with subprocess.Popen(
            [*command, "--only", name],
            env=environment(here.settings),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            family = Family(process.pid)
            family.start()
        family.join()
        assert process.returncode == 0, name
        peaks.append(family.peak / 1e6)
        seconds = time.perf_counter() - began
    files = json.loads((folder / "manifest.json").read_bytes())["files"]
    rows = sum(each["rows"] for each in files if each["set"] == "facts")
    return {
        "set_rows": rows,
        "set_peak": round(peaks[1]),
        "set_peak_of_no_rows": round(peaks[0]),
        "set_rows_a_second": round(rows / seconds),
    }


def _of_service(
    service: RunningService, key: str, rounds: int, folder: Path, corpus: Path
) -> dict[str, Any]:
    headers = {"X-API-Key": key, "Accept-Encoding": "identity"}
    with httpx.Client(base_url=service.url, headers=headers, timeout=600) as http:
        found = _searches(http, rounds)
        listed = f"/submissions/CIK{LISTED:010d}"
        for name, paths in (
            ("submissions", [f"{listed}{each}.json" for each in _PARTS]),
            ("facts", [f"/api/xbrl/companyfacts/CIK{FIRST:010d}.json"]),
        ):
            taken = [[_timed(http, each) for each in paths] for _ in range(max(5, rounds // 4))]
            sums = [sum(each for each, _ in files) for files in taken]
            found[f"{name}_ms"] = round(statistics.median(sums), 1)
            found[f"{name}_mb"] = round(sum(size for _, size in taken[0]) / 1e6, 2)
        static = folder / "static"
        static.mkdir()
        files = {
            "submission": _largest(corpus, static),
            "set": _largest_set(folder / "sets", static),
        }
        with _static_server(static) as address:
            for name, path in files.items():
                found |= _downloads(http, address, name, path)
        bulk = "/Archives/edgar/daily-index"
        found["submissions_zip"] = _bulk(http, service, f"{bulk}/bulkdata/submissions.zip")
        found["facts_zip"] = _bulk(http, service, f"{bulk}/xbrl/companyfacts.zip")
    return found


def _searches(http: httpx.Client, rounds: int) -> dict[str, Any]:
    """Ask both searches for the first hundred hits of the same words, right after each other."""
    ours, theirs, first, later = [], [], [], []
    for query in QUERIES:
        for number in range(rounds + 3):
            plain = _timed(http, "/v1/search", query=query, word_forms="exact", limit=100)[0]
            efts = _timed(http, "/LATEST/search-index", q=query)[0]
            skipped = _timed(http, "/LATEST/search-index", q=query, **{"from": 1})[0]
            if number >= 3:
                ours.append(plain)
                theirs.append(efts)
                first.append(efts / plain)
                later.append(skipped / plain)
    return {
        "search_ms": round(statistics.median(ours), 1),
        "efts_ms": round(statistics.median(theirs), 1),
        "efts_ratio": round(statistics.median(first), 2),
        "efts_later_ratio": round(statistics.median(later), 2),
    }


def _timed(http: httpx.Client, path: str, **parameters: Any) -> tuple[float, int]:
    """Return the milliseconds and the bytes of an answer."""
    began = time.perf_counter()
    reply = http.get(path, params=parameters or None)
    taken = (time.perf_counter() - began) * 1000
    assert reply.status_code == 200, reply.text
    return taken, len(reply.content)


def _largest(corpus: Path, static: Path) -> str:
    """Keep the largest submission of the corpus as a static file; return its path at EDGAR."""
    data = max((read(source) for source in Sources([corpus])), key=len)
    header = parse_submission(data).header
    (static / "submission").write_bytes(data)
    cik = int(header.entities[0].cik)
    return f"/Archives/edgar/data/{cik}/{header.accession_number}.txt"


def _largest_set(sets: Path, static: Path) -> str:
    """Keep the largest file of the sets as a static file; return its path."""
    path = max(sets.rglob("*.parquet"), key=lambda each: each.stat().st_size)
    (static / "set").write_bytes(path.read_bytes())
    return f"/v1/sets/{path.relative_to(sets)}"


@contextmanager
def _static_server(folder: Path) -> Iterator[str]:
    """Yield the address of a server that has nothing but files, on the same ASGI server."""
    port = free_port()
    code = (
        "import sys, uvicorn\n"
        "from starlette.staticfiles import StaticFiles\n"
        "uvicorn.run(StaticFiles(directory=sys.argv[1]), port=int(sys.argv[2]), log_level='error')"
    )
    command = [sys.executable, "-c", code, str(folder), str(port)]
    process = subprocess.Popen(command)
    with ending(process):
        address = f"http://127.0.0.1:{port}"
        await_answer(f"{address}/set", process)
        yield address


def _downloads(http: httpx.Client, static: str, name: str, path: str) -> dict[str, Any]:
    """Download a file from both servers in turn; return its size, and megabytes a second."""
    taken: dict[str, list[float]] = {"rate": [], "static_rate": []}
    asked = {"rate": path, "static_rate": f"{static}/{name}"}
    size = 0
    for _ in range(9):
        for kind, url in asked.items():
            began, size = time.perf_counter(), _drain(http, url)
            taken[kind].append(size / 1e6 / (time.perf_counter() - began))
    rates = {f"{name}_{kind}": round(statistics.median(each)) for kind, each in taken.items()}
    return {f"{name}_mb": round(size / 1e6, 1), **rates}


def _drain(http: httpx.Client, url: str) -> int:
    """Read an answer to its end; return its bytes."""
    size = 0
    with http.stream("GET", url) as reply:
        assert reply.status_code == 200
        for piece in reply.iter_raw(_PIECE):
            size += len(piece)
    return size


def _bulk(http: httpx.Client, service: RunningService, path: str) -> Bulk:
    memory = Memory(service.process)
    memory.start()
    began, size = time.perf_counter(), _drain(http, path)
    seconds = time.perf_counter() - began
    memory.stop()
    return Bulk(
        round(size / 1e6, 1),
        round(size / 1e6 / seconds, 2),
        round((memory.rss - memory.idle_rss) / 1e6),
        round((memory.uss - memory.idle_uss) / 1e6),
    )


def page(run: Results) -> str:
    """Return the table of a run, as docs/clients.md has it."""
    rows: list[Sequence[str]] = [
        (
            "first page of `/LATEST/search-index`, with aggregations",
            f"{run.efts_ms:.0f} ms, {run.efts_ratio:.2f}x of `/v1/search` with as many hits",
        ),
        ("the same from the second hit on, without aggregations", f"{run.efts_later_ratio:.2f}x"),
        (
            f"submissions JSON of {FILINGS:,} filings, all three files",
            f"{run.submissions_ms:.0f} ms, {run.submissions_mb:.1f} MB",
        ),
        (
            f"companyfacts of {FACTS_OF_COMPANY:,} facts",
            f"{run.facts_ms:.0f} ms, {run.facts_mb:.1f} MB",
        ),
        (
            f"download of a submission of {run.submission_mb:.0f} MB",
            f"{run.submission_rate:.0f} MB/s, static files {run.submission_static_rate:.0f} MB/s",
        ),
        (
            f"download of a set's file of {run.set_mb:.0f} MB",
            f"{run.set_rate:.0f} MB/s, static files {run.set_static_rate:.0f} MB/s",
        ),
        ("memory of `submissions.zip`", _memory(run.submissions_zip)),
        ("memory of `companyfacts.zip`", _memory(run.facts_zip)),
        (
            f"memory of `sets write` with {run.set_rows:,} rows",
            f"{run.set_peak:.0f} MB at its highest, {run.set_peak_of_no_rows:.0f} MB without rows;"
            f" {run.set_rows_a_second:,.0f} rows/s",
        ),
        (
            "before it: load of the machine, processors",
            f"{run.busy:.1f}, {run.processors}",
        ),
    ]
    return table(("what", "measured"), rows)


def _memory(bulk: Bulk) -> str:
    return (
        f"{bulk.uss_above_idle:.0f} MB above idle, for {bulk.megabytes:.1f} MB at"
        f" {bulk.megabytes_a_second:.2f} MB/s"
    )


if __name__ == "__main__":
    asyncio.run(main())
