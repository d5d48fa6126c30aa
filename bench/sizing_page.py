"""docs/sizing.md, out of what `python -m bench.sizing` has kept: `python -m bench.sizing_page`."""

import msgspec

from bench import holdings
from bench.corpus import CHECKOUT
from bench.markdown import wrap
from bench.numbers import OF_EDGAR, Numbers
from bench.numbers import RESULTS as NUMBERS
from bench.sizing import (
    CHARACTERS,
    DAY,
    FILINGS,
    GB,
    OF_FILINGS,
    OF_TEXT,
    RESULTS,
    Load,
    Sizing,
)

PAGE = CHECKOUT / "docs" / "sizing.md"
# What Elasticsearch wants free of its disks, and what of the indices should fit into memory.
FREE, IN_MEMORY = 0.15, 0.1
YEARS = 33
# Rows of a quarter as the SEC's data sets of Form 13F have them of late, in whole millions.
HOLDINGS_OF_QUARTER, YEARS_OF_HOLDINGS = 3_000_000, 13
SHARD_BYTES, SHARD_ENTRIES = 50e9, 2.1e9
_END = """
## Not measured

Nobody has made an installation of this size. [growth.md](growth.md) shows how times grow up to 4.9
billion characters, a four hundredth of it, and simulates all of EDGAR on 1, 3 and 12 nodes from
that. The time of rebuilding grows too.
"""


def main() -> None:
    """Write the page."""
    sizing = msgspec.json.decode(RESULTS.read_bytes(), type=Sizing)
    rows = msgspec.json.decode(holdings.RESULTS.read_bytes(), type=holdings.Results)
    PAGE.write_text(page(sizing, rows))


def page(sizing: Sizing, rows: holdings.Results) -> str:
    """Return the whole page."""
    return wrap(_sizes(sizing) + _of_statements() + _holdings(rows) + _limits(sizing) + _END)


def _of_statements() -> str:
    """Return the section on financial statements, of what `bench.numbers` has kept."""
    kept = msgspec.json.decode(NUMBERS.read_bytes(), type=Numbers)
    of_filing = {name: getattr(kept, name) / kept.filings for name in ("rows", "statements")}
    objects = kept.objects / kept.filings
    both = sum(of_filing.values()) * OF_EDGAR / GB
    return f"""
## Financial statements

Filings with statements in XBRL, of which EDGAR has some {OF_EDGAR:,} since 2009, have two more
indices. `python -m bench.numbers` loads {kept.filings} of them with {kept.facts:,} facts. As rows
the facts take {kept.rows / kept.facts:.0f} bytes each and {of_filing["rows"] / 1000:.0f} kB a
filing, the statements {of_filing["statements"] / 1000:.1f} kB a filing: {both:.0f} GB for all
filings, one copy. As one object for each filing, facts would take {objects / 1000:.0f} kB, but a
query over all companies would read every object ([decision 0049](decisions/0049-facts-as-rows.md)).
"""


def _holdings(rows: holdings.Results) -> str:
    """Return the size of holdings of Form 13F, which grow with neither text nor filings."""
    every = HOLDINGS_OF_QUARTER * 4 * YEARS_OF_HOLDINGS
    size, largest = rows.bytes_of_row, rows.largest
    busy = f", while others worked (load {rows.busy:.0f})" if rows.busy > 1 else ""
    return f"""
## Holdings of Form 13F

A report has from a few rows to tens of thousands. `python -m bench.holdings` makes
{rows.rows / 1e6:.1f} million rows: merged, a row takes {size:.0f} bytes. If a quarter has
{HOLDINGS_OF_QUARTER / 1e6:.0f} million rows, those since 2013, when the tables became XML, are
{every / 1e6:.0f} million and take {every * size / GB:.0f} GB. The first {holdings.PAGE} holders of
a security, of up to {largest:,}, took {rows.holders_p50:.0f} ms at the median and
{rows.holders_p90:.0f} ms at the 90th percentile{busy}. Only the rows of one quarter count, so this
grows with the managers that hold a security, not with the years.
"""


def _sizes(sizing: Sizing) -> str:
    load, indices = sizing.load, _of_indices(sizing)
    return f"""# Sizing

All of EDGAR is {FILINGS / 1e6:.0f} million filings since 1993, {CHARACTERS / 1e12:.0f} TB
of text. `python -m bench.sizing FOLDER` loads a folder, merges the indices, and multiplies;
`make bench-docs` writes this page from its results (`bench/results/sizing.json`). The figures come
from {load.filings} real filings with {load.characters / 1e6:.0f} million characters of text, on
Elasticsearch {sizing.elasticsearch}; measure with your own filings before you buy anything.

| part | of a unit | all of EDGAR, one copy |
|---|---|---|
{_rows(sizing)}

{_busy(sizing)}With one replica the indices are {2 * indices / 1e12:.1f} TB, and Elasticsearch needs
{FREE:.0%} of its disks free: {2 * indices / (1 - FREE) / 1e12:.1f} TB. A rebuild needs additional
space for the copy of the index.
"""


def _limits(sizing: Sizing) -> str:
    load = sizing.load
    full = SHARD_BYTES / (sizing.sizes["passages"] / load.characters)
    passages = load.passages / load.characters * CHARACTERS
    enough = "not: " if passages / YEARS < SHARD_ENTRIES else ""
    return f"""
## First limits

| limit | when | remedy |
|---|---|---|
| a shard of more than {SHARD_BYTES / GB:.0f} GB is slow to merge and to move | `passages` after \
{full / 1e9:.0f} billion characters, {full / CHARACTERS:.0%} of EDGAR | \
`EDGAR_SEARCH_PARTITION=year` and `EDGAR_SEARCH_SHARDS` |
| entries of a Lucene shard, {SHARD_ENTRIES / 1e9:.1f} billion | {enough}\
{passages / 1e9:.1f} billion passages in all, over {YEARS} years | |
| searches over many shards: each uses all of them | small years: see \
[operations.md](operations.md#indices-prefix-and-partitions) | dates in searches; one shard for \
small years |
| memory for the files of the index | searches wait for the disk if less than a tenth fits | \
{IN_MEMORY * _of_indices(sizing) / GB:.0f} GB over all nodes, beside their heaps; \
`edgar-search doctor` compares |
| EDGAR's ten requests a second | {FILINGS / 1e6:.0f} million filings one by one are \
{FILINGS / 10 / DAY:.0f} days | `edgar-ingest fetch --feed`, and \
[several loading machines](ingest.md#several-loading-machines) |
| the loader | {_days(load.loader, load):.0f} days of one core | workers: a core \
each, on several machines |

If all years were equal, each would have
{of_all(sizing, "passages") / YEARS / GB:.0f} GB of passages and
{of_all(sizing, "documents") / YEARS / GB:.0f} GB of documents. Recent years have
several times as much: two to four shards for the passages of each year since 2015, one or two for
its documents, one for everything before 2001. Three nodes with a heap of 16 GB each can easily
hold all of these.
"""


def of_all(sizing: Sizing, kind: str) -> float:
    """Return bytes of all of EDGAR, without replicas."""
    load = sizing.load
    if kind in OF_FILINGS:
        return sizing.sizes[kind] / load.filings * FILINGS
    return sizing.sizes[kind] / load.characters * CHARACTERS


def _of_indices(sizing: Sizing) -> float:
    return sum(of_all(sizing, kind) for kind in (*OF_TEXT, *OF_FILINGS))


def _rows(sizing: Sizing) -> str:
    load = sizing.load
    rows = []
    for kind, size in sizing.sizes.items():
        if size < load.filings:
            continue  # nothing was stored there, as arrivals of a load without alerts
        name = "the archive" if kind == "archive" else f"`{kind}`"
        unit = (
            f"{size / load.filings:.0f} bytes a filing"
            if kind in OF_FILINGS
            else f"{size / load.characters:.2f} bytes a character"
        )
        rows.append(f"| {name} | {unit} | {of_all(sizing, kind) / GB:,.0f} GB |")
    for name, seconds in (("the loader", load.loader), ("Elasticsearch", load.engine)):
        a_million = seconds / load.characters * 1e6
        rows.append(
            f"| processors of {name} | {a_million:.2f} CPU seconds for a million characters |"
            f" {_days(seconds, load):.0f} days of one core |"
        )
    return "\n".join(rows)


def _days(seconds: float, load: Load) -> float:
    return seconds / load.characters * CHARACTERS / DAY


def _busy(sizing: Sizing) -> str:
    """Return a warning where others worked too."""
    if sizing.busy < sizing.processors / 2:
        return ""
    return (
        f"The machine was busy with other things (load average {sizing.busy:.1f},"
        f" {sizing.processors} processors): others may have asked Elasticsearch meanwhile, so its"
        " processors' time is an upper bound.\n\n"
    )


if __name__ == "__main__":
    main()
