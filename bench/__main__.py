"""Load, then search, each beside a straightforward index on the same Elasticsearch."""

import argparse
import asyncio
import tempfile
from pathlib import Path

import msgspec

from bench.access import measure_access
from bench.corpus import CORPUS, copies, extract
from bench.deep import measure_deep_pages
from bench.evidence import measure_evidence
from bench.installation import Installation, engine_running, installed
from bench.loading import measure_load, measure_sizes
from bench.searching import measure_searches
from bench.service import running_service
from edgar_search.settings import Settings
from evaluation.relevance import measure_relevance


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    parser.add_argument("--copies", type=int, default=3, help="how often each is loaded")
    parser.add_argument("--rounds", type=int, default=15, help="repetitions of each search")
    parser.add_argument("--load-only", action="store_true", help="measure no searches")
    options = parser.parse_args()
    with engine_running("bench-") as settings, tempfile.TemporaryDirectory() as folder:
        ready = msgspec.structs.replace(settings, archive=True)
        asyncio.run(_measure(ready, options, Path(folder)))


async def _measure(settings: Settings, options: argparse.Namespace, folder: Path) -> None:
    filings = copies(options.corpus, folder / "filings", options.copies)
    own = msgspec.structs.replace(settings, home=folder / "home")
    async with installed(own) as installation:
        texts = extract(filings)
        print(f"{len(texts)} documents, {sum(len(d.text) for d in texts) / 1e6:.1f} M characters")
        await measure_load(installation, filings, texts)
        if options.load_only:
            return
        await measure_access(installation)
        await measure_sizes(installation, texts)
        await measure_relevance(installation)
        await _search(installation, options.rounds)


async def _search(installation: Installation, rounds: int) -> None:
    key = await installation.key()
    with running_service(installation.settings) as service:
        await measure_searches(installation, service, key, rounds)
        await measure_evidence(installation, service, key, rounds)
        await measure_deep_pages(installation, service, key, rounds)
        print(f"service worker: {service.rss() / 1e6:.0f} MB RSS")


main()
