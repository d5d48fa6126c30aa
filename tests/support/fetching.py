"""Fetches from an imitation of EDGAR, in this process and as the command does."""

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

from edgar_search.edgar.submission import parse_submission
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import Fetcher, FetchSummary
from ingest.fetching.index_files import IndexCache
from ingest.fetching.listing import Listing
from ingest.loading.session import LoadSession
from ingest.sources.paths import FilingFilter, Sources
from ingest.sources.source import read

CONTACT = "edgar-search tests mail@example.org"
TODAY = date(2021, 6, 30)


async def fetch(engine: Engine, settings: Settings, wanted: FilingFilter) -> FetchSummary:
    """Fetch what is wanted and load it, with short waits."""
    async with http_client(settings) as http:
        edgar = Edgar(settings, http, back_off=(0.01, 0.01))
        index = IndexCache(edgar, settings.absolute_home)
        with LoadSession(engine, settings, 1) as session:
            fetcher = Fetcher(edgar, session, settings.absolute_home)
            return await fetcher.run(Listing(index.read, wanted, TODAY))


class Command:
    """`edgar-ingest` in a process of its own."""

    def __init__(self, settings: Settings, *arguments: str) -> None:
        environment = {
            "EDGAR_SEARCH_ES_URL": str(settings.es_url),
            "EDGAR_SEARCH_PREFIX": settings.prefix,
            "EDGAR_SEARCH_HOME": str(settings.home),
            "EDGAR_SEARCH_EDGAR_URL": settings.edgar_url,
            "EDGAR_SEARCH_CONTACT": CONTACT,
            "EDGAR_SEARCH_EDGAR_RATE": str(settings.edgar_rate),
            "EDGAR_SEARCH_ARCHIVE_URL": settings.archive_url or "",
            "EDGAR_SEARCH_FOLLOW_INTERVAL": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ingest.cli", *arguments],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self) -> tuple[int, dict[str, Any]]:
        """Return the exit status and the summary, when it is done."""
        output, errors = self.process.communicate(timeout=240)
        last = output.strip().rpartition("\n")[2]
        assert last, errors
        return self.process.returncode, json.loads(last)

    def kill(self) -> None:
        """End it as a crash of the machine would."""
        self.process.kill()
        self.process.communicate()


def real_submissions(corpus: Path, month: str) -> dict[str, bytes]:
    """Return the corpus' submissions filed in a month (2020-03), by accession number."""
    found = {}
    names = (corpus / "filings" / "manifest.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in names]
    paths = [
        corpus / "filings" / row["file"]
        for row in rows
        if row["filing_date"].startswith(month) and row["variant"] == "txt"
    ]
    for source in Sources(sorted(paths)):
        data = read(source)
        found[parse_submission(data).header.accession_number] = data
    return found
