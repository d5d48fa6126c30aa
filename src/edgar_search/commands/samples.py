"""The made-up filings of `edgar-search run`, and `edgar-search samples load`, `list`, `remove`."""

import argparse
import asyncio
import hashlib
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from edgar_search.commands.engine import with_engine
from edgar_search.commands.write_side import ingest, say
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import FieldsHit
from edgar_search.engine.templates import load_templates
from edgar_search.errors import EdgarSearchError, EngineRefuses
from edgar_search.search.filings import NumberFields
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredTickers

# In a checkout the folder is beside the source, in a wheel it is inside the package.
_FOLDERS = (Path(__file__).parents[1] / "samples", Path(__file__).parents[3] / "samples")
TICKERS = "company_tickers.json"
# A file in the home that names the samples of the last load.
_LOADED_FILE = "samples-loaded"
# The samples' CIKs are all in this range, which EDGAR gives to no company.
_FIRST_CIK, _LAST_CIK = "0009990000", "0009999999"


class Loaded(NamedTuple):
    """The accession numbers of loaded samples, and how many other filings there are."""

    samples: list[str]
    others: int


def folder() -> Path:
    """Return the folder of the samples."""
    return next(candidate for candidate in _FOLDERS if candidate.is_dir())


def accession_numbers() -> list[str]:
    """Return the accession numbers of all samples, from their file names."""
    return sorted(path.name.partition(".")[0] for path in folder().glob("0*"))


async def find_before_load(engine: Engine) -> Loaded:
    """Find loaded samples, even if the installation has no indices yet."""
    try:
        return await find_loaded(engine)
    except EngineRefuses:
        # The load itself reports any other fault.
        return Loaded([], 0)


async def find_loaded(engine: Engine) -> Loaded:
    """Find the loaded samples, and count the other filings."""
    numbers = accession_numbers()
    await engine.refresh("filings")
    body = {
        "query": {"terms": {"accession_number": numbers}},
        "fields": ["accession_number"],
        "_source": False,
        "size": len(numbers),
    }
    response = await engine.search("filings", body, FieldsHit[NumberFields])
    rest = {"query": {"bool": {"must_not": body["query"]}}, "size": 0, "track_total_hits": True}
    others = await engine.search("filings", rest, FieldsHit[NumberFields])
    return Loaded(
        sorted(number for hit in response.hits.hits for number in hit.fields.accession_number),
        others.total,
    )


async def remove_samples(engine: Engine, numbers: Iterable[str]) -> None:
    """Delete samples with their companies and tickers; raises EdgarSearchError on failure."""
    # Only the write side can delete, and the service never imports it.
    command = [sys.executable, "-m", "ingest.cli", "delete", *numbers]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    _, errors = await process.communicate()
    if process.returncode != 0:
        raise EdgarSearchError(f"the samples could not be removed: {errors.decode().strip()}")
    made_up = {"range": {"cik": {"gte": _FIRST_CIK, "lte": _LAST_CIK}}}
    await engine.delete_where("entities", made_up)
    tickers = await engine.get("tickers", "company_tickers", StoredTickers)
    if tickers is not None and tickers.source is not None:
        if all(_FIRST_CIK <= row.cik <= _LAST_CIK for row in tickers.source.rows):
            await engine.delete("tickers", tickers)


def load_samples(settings: Settings, found: Loaded, *options: str) -> None:
    """Load the samples and their tickers, unless there are other filings.

    Does nothing if this home has loaded the same files before, and all are still there. Raises
    EdgarSearchError if a load fails.
    """
    if found.others:
        say(f"{found.others} filings are here, so the samples are not loaded")
        return
    # Loading unchanged files again would delay each start by seconds.
    digest, loaded_before = _digest(), settings.absolute_home / _LOADED_FILE
    if loaded_before.exists() and loaded_before.read_text() == digest:
        if found.samples == accession_numbers():
            say(f"{len(found.samples)} samples are here")
            return
    loaded = ingest("loading the samples", "load", *options, str(folder()))
    # Samples that were removed by hand stay away, and so do their tickers.
    if loaded["loaded"] + loaded["unchanged"]:
        ingest("loading their tickers", "tickers", str(folder() / TICKERS))
    loaded_before.write_text(digest)


def _digest() -> str:
    """Return a hash of everything that a load of the samples writes: index templates and files."""
    hashed = hashlib.sha256(json.dumps(load_templates("")).encode())
    for path in sorted(folder().iterdir()):
        hashed.update(f" {path.name} {path.stat().st_size} ".encode() + path.read_bytes())
    return hashed.hexdigest()


def load(settings: Settings, options: argparse.Namespace) -> int:
    """Load the samples, unless there are other filings; removed ones are not loaded again."""

    async def act(engine: Engine) -> None:
        load_samples(settings, await find_before_load(engine))

    return with_engine(settings, act)


def show(settings: Settings, options: argparse.Namespace) -> int:
    """Print the accession numbers of the loaded samples, one on each line."""

    async def act(engine: Engine) -> None:
        for number in (await find_loaded(engine)).samples:
            print(number)

    return with_engine(settings, act)


def remove(settings: Settings, options: argparse.Namespace) -> int:
    """Remove the samples from the installation, and print how many there were."""

    async def act(engine: Engine) -> None:
        loaded = await find_loaded(engine)
        if loaded.samples:
            await remove_samples(engine, loaded.samples)
        print(f"{len(loaded.samples)} samples removed; {loaded.others} other filings stay")

    return with_engine(settings, act)
