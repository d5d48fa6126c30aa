"""`edgar-ingest tickers`"""

import argparse
import json

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.exit_status import DONE
from ingest.indices.indices import Indices
from ingest.loading.entities import EntityWriter
from ingest.loading.patience import Patience
from ingest.loading.ticker_files import load_tickers


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load EDGAR's ticker files; the summary is the last line, as JSON."""
    patience = Patience(settings.load_patience)
    await patience(Indices(engine, settings).set_up)
    entities = EntityWriter(engine, settings.prefix, patience)
    print(json.dumps(await load_tickers(engine, entities, options.paths)))
    return DONE
