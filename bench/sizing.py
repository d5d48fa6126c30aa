"""The disks and processors for a filing, and for all of EDGAR: `python -m bench.sizing`.

It loads a folder into an installation of its own, whose indices are merged before they are
measured, and multiplies. Elasticsearch's processor time is right only where nobody else uses it.
What it measured is kept in --out, of which `python -m bench.sizing_page` writes docs/sizing.md.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil
from msgspec import Struct

from bench.corpus import CORPUS
from bench.installation import Installation, engine_cpu, engine_version, installed
from bench.loading import environment
from edgar_search.engine import embedded
from edgar_search.settings import Settings

# All of EDGAR as its indices have it: filings, and characters of text in them.
FILINGS, CHARACTERS = 18_000_000, 2_000_000_000_000
# What grows with text, and what with filings.
RESULTS = Path(__file__).parent / "results" / "sizing.json"
OF_TEXT, OF_FILINGS = ("documents", "passages"), ("filings", "sections", "ledger", "events")
GB = 1e9
DAY = 86_400


class Load(NamedTuple):
    """The cost of one load, in seconds of processors."""

    filings: int
    characters: int
    passages: int
    loader: float
    engine: float


class Sizing(Struct):
    """The kept results of a run: the load, bytes by their owner, and how busy the machine was."""

    load: Load
    sizes: dict[str, int]
    elasticsearch: str
    processors: int
    busy: float


async def main() -> None:
    """Load, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--out", type=Path, default=RESULTS, help="where it is kept")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    settings = embedded.resolve(Settings.from_environ(os.environ))
    with tempfile.TemporaryDirectory() as home:
        own = msgspec.structs.replace(
            settings, prefix="bench-sizing-", home=Path(home), archive=True
        )
        async with installed(own, baseline=False) as installation:
            load = await _load(installation, options.folder)
            kinds = (*OF_TEXT, *OF_FILINGS)
            sizes = {kind: await installation.size(f"{own.prefix}{kind}") for kind in kinds}
            files = (Path(home) / "archive").rglob("*")
            sizes["archive"] = sum(file.stat().st_size for file in files if file.is_file())
            version = await engine_version(installation.engine)
    sizing = Sizing(load, sizes, version, os.cpu_count() or 1, round(busy, 2))
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(sizing), indent=1) + b"\n")
    _print(load, sizes)


async def _load(installation: Installation, folder: Path) -> Load:
    before = await engine_cpu(installation.engine)
    own = psutil.Process().cpu_times()
    command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(folder)]
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment(installation.settings), capture_output=True
    )
    summary = json.loads(done.stdout.splitlines()[-1])
    after = psutil.Process().cpu_times()
    loader = after.children_user + after.children_system
    loader -= own.children_user + own.children_system
    engine = await engine_cpu(installation.engine) - before
    loaded, characters, passages = (summary[n] for n in ("loaded", "characters", "passages"))
    return Load(loaded, characters, passages, loader, engine)


def _print(load: Load, sizes: dict[str, int]) -> None:
    print(f"{load.filings} filings, {load.characters / 1e6:.1f} M characters of text")
    for kind, size in sizes.items():
        of_text = kind not in OF_FILINGS
        units, all_units = (load.characters, CHARACTERS) if of_text else (load.filings, FILINGS)
        unit = "character" if of_text else "filing"
        print(
            f"{kind:10} {size / units:8.2f} bytes a {unit:9} {size / units * all_units / GB:8.0f}"
            " GB for all of EDGAR, without replicas"
        )
    for name, seconds in (("loader", load.loader), ("Elasticsearch", load.engine)):
        days = seconds / load.characters * CHARACTERS / DAY
        print(
            f"{name}: {seconds / load.characters * 1e6:.2f} CPU seconds for a million characters,"
            f" {days:.0f} days of one core for all of EDGAR"
        )


if __name__ == "__main__":
    asyncio.run(main())
