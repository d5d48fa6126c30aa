"""`edgar-ingest entities` and `edgar-ingest tickers`"""

import argparse
import json
import logging

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import DONE, SOME_REFUSED
from ingest.indices.indices import Indices
from ingest.loading.entities import EntityFiles, EntityWriter
from ingest.loading.retry import Retry
from ingest.loading.tickers import load_tickers

_log = logging.getLogger(__name__)


async def run_entities(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load EDGAR's submissions JSON files; print the summary as JSON on the last line."""
    retry = Retry(settings.load_patience)
    await retry(Indices(engine, settings).set_up)
    files = EntityFiles(options.paths)
    entities = EntityWriter(engine, settings.prefix, retry)
    await entities.write(files)
    for refusal in files.refusals:
        _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
    print(json.dumps(files.as_dict()))
    return SOME_REFUSED if files.refusals else DONE


async def run_tickers(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load EDGAR's ticker files; print the summary as JSON on the last line."""
    retry = Retry(settings.load_patience)
    await retry(Indices(engine, settings).set_up)
    entities = EntityWriter(engine, settings.prefix, retry)
    print(json.dumps(await load_tickers(engine, entities, options.paths)))
    return DONE
