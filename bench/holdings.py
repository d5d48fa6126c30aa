"""Holders of a security over a made corpus of many 13F rows: bytes of a row, and times.

    python -m bench.holdings [--rows 5000000] [--out FILE]

Rows are written in bulk, without filings. A manager's securities are drawn so that some are held by
nearly all managers and most by few, as on EDGAR. The indices go at the end.
"""

import argparse
import asyncio
import os
import random
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, structs

from bench.installation import Installation, engine_running, engine_version, installed
from edgar_search.engine.index_names import WHOLE, Kind
from edgar_search.ownership.holdings import ORDERS
from edgar_search.ownership.portfolios import HolderSearch
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.stored.ownership import (
    StoredHolding,
    StoredManagerReport,
    UnitBasis,
    Voting,
    row_id,
)
from ingest.indices.indices import Indices
from ingest.reading.operations import operation

RESULTS = Path(__file__).parent / "results" / "holdings.json"
PREFIX = "bench-holdings-"
ROWS, OF_MANAGER, SECURITIES = 5_000_000, 500, 20_000
QUARTERS = ("2024Q1", "2024Q2", "2024Q3", "2024Q4")
# Rows in a request, some 4 MB; and the requests that are measured, each of another security.
_BULK, _AT_ONCE, _ASKED, PAGE = 5_000, 2, 200, 100
KINDS: tuple[Kind, ...] = ("holdings", "manager_reports")
# The greater, the fewer managers hold most securities.
_SKEW = 3
SEED = 13


class Results(Struct):
    """A run: rows, bytes of all indices for each, and times of holders in milliseconds."""

    rows: int
    bytes_of_row: float
    load_rows_a_second: float
    holders_p50: float
    holders_p90: float
    largest: int
    elasticsearch: str
    busy: float


class Made(NamedTuple):
    """A manager's report of a quarter, and the operations that store its rows."""

    report: bytes
    rows: list[bytes]


def cusip_of(number: int) -> str:
    """Return the CUSIP of a security; the lower its number, the more managers hold it."""
    return f"{number:06d}10{number % 10}"


def reports(prefix: str, rows: int) -> Iterator[Made]:
    """Yield reports of managers for four quarters until there are this many rows."""
    drawn, made = random.Random(SEED), 0
    for number in count():
        if made >= rows:
            return
        manager, quarter = divmod(number, len(QUARTERS))
        cover = _cover(manager, quarter)
        held = {int(SECURITIES * drawn.random() ** _SKEW) for _ in range(OF_MANAGER)}
        template = _row_template(prefix, cover)
        lines = []
        for place, security in enumerate(sorted(held)):
            shares, cents = drawn.randrange(1, 2_000_000), drawn.randrange(500, 50_000)
            value = shares * cents // 100
            cusip = cusip_of(security).encode()
            numbers = {b"n": place, b"s": shares, b"v": value, b"c": cusip, b"i": security}
            lines.append(template % {**numbers, b"p": b"%d.%02d" % divmod(cents, 100)})
        made += len(lines)
        report = structs.replace(cover, rows=len(lines))
        key = row_id(cover.document_id, 0)
        yield Made(operation("manager_reports", prefix, WHOLE, key, report, 1), lines)


def _cover(manager: int, quarter: int) -> StoredManagerReport:
    filed = date(2024 + (quarter == 3), (5, 8, 11, 2)[quarter], 14)
    accession = f"{manager:010d}-{filed:%y}-{quarter:06d}"
    return StoredManagerReport(
        document_id=f"{accession}-1",
        accession_number=accession,
        number=0,
        form_type="13F-HR",
        filing_date=filed,
        manager_cik=f"{manager:010d}",
        manager_name=f"Manager {manager} Capital Management LLC",
        quarter=QUARTERS[quarter],
        basis=UnitBasis("dollars", "filing_date", "X0202", Decimal("81.250000"), 300),
        table="xml",
        report_type="holdings",
    )


def _row_template(prefix: str, cover: StoredManagerReport) -> bytes:
    """Return the operation of a row, in which numbers and names are still to be filled in."""
    document_id = f"{cover.accession_number}-2"
    marks = {name: Decimal(f"91827364{place}") for place, name in enumerate("nsvp")}
    row = StoredHolding(
        document_id=document_id,
        accession_number=cover.accession_number,
        number=int(marks["n"]),
        form_type=cover.form_type,
        filing_date=cover.filing_date,
        manager_cik=cover.manager_cik,
        manager_name=cover.manager_name,
        quarter=cover.quarter,
        basis=cover.basis,
        issuer="ISSUER NUMBER INC",
        security_class="COM",
        cusip="CUSIP",
        value=marks["v"],
        value_filed=marks["v"],
        value_per_share=marks["p"],
        shares=marks["s"],
        share_type="SH",
        discretion="SOLE",
        voting=Voting(marks["s"], Decimal(0), Decimal(0)),
        start=1_000,
        end=1_480,
    )
    line = operation("holdings", prefix, WHOLE, row_id(document_id, row.number), row, 1)
    for name, mark in marks.items():
        spell = b"%%(%b)d" if name != "p" else b"%%(%b)b"
        line = line.replace(str(mark).encode(), spell % name.encode())
    return line.replace(b'"CUSIP"', b'"%(c)b"').replace(b"ISSUER NUMBER INC", b"ISSUER %(i)d INC")


async def write(installation: Installation, rows: int) -> int:
    """Write the reports and their rows; return the number of rows."""
    engine, prefix = installation.engine, installation.settings.prefix
    written, waiting = 0, []
    sent: list[asyncio.Task[None]] = []
    for made in reports(prefix, rows):
        waiting += [made.report, *made.rows]
        written += len(made.rows)
        if len(waiting) >= _BULK:
            if len(sent) == _AT_ONCE:
                await sent.pop(0)
            sent.append(asyncio.create_task(_send(installation, waiting)))
            waiting = []
    await asyncio.gather(*sent, _send(installation, waiting))
    for kind in KINDS:
        await engine.refresh(kind)
    return written


async def _send(installation: Installation, lines: list[bytes]) -> None:
    failed = await installation.engine.bulk(b"".join(lines))
    assert not failed, failed[0]


async def ask(installation: Installation) -> tuple[list[float], int]:
    """Return milliseconds of each request for holders, and the most holders that one had."""
    drawn, times, largest = random.Random(SEED), [], 0
    for number in range(_ASKED):
        # Half of them are of the securities that most managers hold.
        security = number // 2 if number % 2 else drawn.randrange(SECURITIES)
        search = HolderSearch(
            "holdings",
            (),
            FilingCriteria(),
            ORDERS["largest"],
            Window(0, PAGE),
            keys=("manager_cik", "cusip", "put_call", "share_type"),
            cusips=(cusip_of(security),),
            quarter=QUARTERS[number % len(QUARTERS)],
        )
        began = time.perf_counter()
        step = await search.step(installation.engine, StoredHolding, CursorPosition())
        times.append((time.perf_counter() - began) * 1000)
        largest = max(largest, step.total)
    return sorted(times), largest


async def main() -> None:
    """Write, measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where it is kept")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with engine_running(PREFIX) as settings:
        async with installed(settings, baseline=False) as installation:
            indices = Indices(installation.engine, settings)
            await indices.set_up()
            await indices.ensure_partition(WHOLE)
            began = time.perf_counter()
            rows = await write(installation, options.rows)
            seconds = time.perf_counter() - began
            times, largest = await ask(installation)
            names = [f"{PREFIX}{kind}" for kind in KINDS]
            size = await installation.size(*names)
            results = Results(
                rows,
                round(size / rows, 1),
                round(rows / seconds),
                round(times[len(times) // 2], 1),
                round(times[len(times) * 9 // 10], 1),
                largest,
                await engine_version(installation.engine),
                round(busy, 2),
            )
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    print(msgspec.json.encode(results).decode())


if __name__ == "__main__":
    asyncio.run(main())
