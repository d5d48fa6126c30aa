"""Financial statements: bytes, times of requests, and one from a file beside edgartools.

    python -m bench.numbers [--corpus FOLDER] [--rounds 40]

It loads the filings with XBRL of the corpus, and whole sets of XBRL in made-up envelopes, into an
installation of its own. Facts are rows; what they would take as one object a filing is measured
beside them. Times are of the service over HTTP, one request after the other, and ratios of one run.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from bench.corpus import CORPUS
from bench.installation import Installation, engine_running, installed
from bench.loading import environment
from bench.service import running_service
from edgar_search.edgar.submission import parse_submission
from edgar_search.settings.extras import is_installed
from ingest.reading.financials import read_financials
from tests.fidelity.financials import WITH_PAGES, edgartools_xbrl, every_filing
from tests.support.xbrl_sets import SETS, set_files, wrap

PREFIX = "bench-numbers-"
# Filings with statements in XBRL that EDGAR has since 2009.
OF_EDGAR = 400_000
RESULTS = Path(__file__).parent / "results" / "numbers.json"
APPLE = "0000320193"
OBJECTS: dict[str, Any] = {
    "settings": {"number_of_replicas": 0, "codec": "best_compression"},
    "mappings": {
        "dynamic": False,
        "properties": {"cik": {"type": "keyword"}, "facts": {"type": "object", "enabled": False}},
    },
}
REQUESTS: dict[str, tuple[str, dict[str, str]]] = {
    "statement": ("/v2/financials/balance-sheet", {"cik": APPLE}),
    "three statements": ("/v1/statements", {"cik": APPLE}),
    "history": ("/v2/financials/history", {"cik": APPLE, "concepts": "Assets,NetIncomeLoss"}),
    "cross-section": ("/v1/facts", {"concept": "us-gaap:Assets", "sort": "largest"}),
    "Excel": ("/v2/financials/export/excel", {"cik": APPLE}),
    "PDF of a 10-Q's report": ("/v2/pdf", {"document_id": "0000320193-25-000057-1"}),
}


class Numbers(Struct):
    """The kept results of a run: bytes of facts as rows, as objects, and of statements."""

    filings: int
    facts: int
    rows: int
    objects: int
    statements: int


async def main() -> None:
    """Load, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS.parent)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    corpus: Path = options.corpus
    with tempfile.TemporaryDirectory() as folder, engine_running(PREFIX) as settings:
        own = msgspec.structs.replace(settings, home=Path(folder) / "home", pages="off")
        async with installed(own, baseline=False) as installation:
            files = Path(folder) / "files"
            files.mkdir()
            for number in WITH_PAGES:
                shutil.copy(corpus / f"filings/{number}.txt.gz", files)
            for name in SETS:
                (files / f"{name}.txt").write_bytes(wrap(corpus / "xbrl", name))
            command = [sys.executable, "-m", "ingest.cli", "load", "--no-alerts", str(files)]
            loaded = await asyncio.to_thread(
                subprocess.run, command, env=environment(own), capture_output=True, check=True
            )
            print(f"{json.loads(loaded.stdout.splitlines()[-1])['loaded']} filings")
            await _print_times(installation, options.rounds)
            await _print_sizes(installation, corpus)
    if is_installed("edgar"):
        _print_ratio(corpus, options.rounds)
    else:
        print("edgartools is not installed: the extra `peers` has it")


async def _print_times(installation: Installation, rounds: int) -> None:
    key = await installation.key()
    with running_service(installation.settings) as service:
        async with httpx.AsyncClient(
            base_url=service.url, headers={"X-API-Key": key}, timeout=60
        ) as http:
            print(f"load of the machine: {os.getloadavg()[0]:.1f}")
            for name, (path, parameters) in REQUESTS.items():
                seconds = []
                for _ in range(rounds if "PDF" not in name else max(rounds // 8, 1)):
                    began = time.perf_counter()
                    reply = await http.get(path, params=parameters)
                    seconds.append(time.perf_counter() - began)
                    assert reply.status_code == 200, reply.text
                print(f"{name}: p50 {statistics.median(seconds) * 1000:.1f} ms")


async def _print_sizes(installation: Installation, corpus: Path) -> None:
    filings = every_filing(corpus)
    facts = sum(len(each.facts) for each in filings)
    objects = f"{PREFIX}objects"
    await installation.engine.create_index(objects, OBJECTS)
    for filing in filings:
        by_concept: dict[str, list[Any]] = defaultdict(list)
        for fact in filing.facts:
            row = (fact.start, fact.end, fact.unit, fact.value, fact.decimals, fact.dimensions)
            by_concept[fact.concept].append(row)
        first = filing.facts[0]
        body = msgspec.to_builtins({"cik": first.cik, "facts": by_concept})
        place = f"/{objects}/_doc/{first.accession_number}"
        await installation.engine.administer("PUT", place, body)
    sizes = {}
    for name, kind in (("rows", "facts"), ("objects", "objects"), ("statements", "financials")):
        sizes[name] = size = await installation.size(f"{PREFIX}{kind}")
        a_filing = size / len(filings)
        print(
            f"{name}: {size / facts:.0f} bytes a fact, {a_filing / 1000:.1f} kB a filing,"
            f" {a_filing * OF_EDGAR / 1e9:.1f} GB for {OF_EDGAR:,} filings"
        )
    kept = Numbers(len(filings), facts, **sizes)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def _print_ratio(corpus: Path, rounds: int) -> None:
    """Print the time of a balance sheet from files, of both readers in turn."""
    name = "aapl_20250329"
    data, files = wrap(corpus / "xbrl", name), set_files(corpus / "xbrl", name)

    def ours() -> object:
        statements = read_financials(parse_submission(data), 10**9).statements
        assert statements is not None
        return statements.statements[0]

    def theirs() -> object:
        return edgartools_xbrl(files).statements.balance_sheet().to_dataframe()

    seconds: dict[Callable[[], object], list[float]] = {ours: [], theirs: []}
    for _ in range(max(rounds // 4, 3)):
        for read, taken in seconds.items():
            began = time.perf_counter()
            read()
            taken.append(time.perf_counter() - began)
    mine, other = (statistics.median(taken) * 1000 for taken in seconds.values())
    print(f"balance sheet of {name} from its files: {mine:.0f} ms, edgartools {other:.0f} ms")
    print(f"ratio {mine / other:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
