"""`edgar-ingest entities`"""

import argparse
import json
import logging

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.exit_status import DONE, SOME_REFUSED
from ingest.indices.indices import Indices
from ingest.loading.entities import EntityWriter
from ingest.loading.entity_files import EntityFiles
from ingest.loading.patience import Patience

_log = logging.getLogger(__name__)


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load EDGAR's submissions JSON files; the summary is the last line, as JSON."""
    patience = Patience(settings.load_patience)
    await patience(Indices(engine, settings).set_up)
    files = EntityFiles(options.paths)
    entities = EntityWriter(engine, settings.prefix, patience)
    await entities.write(files)
    for refusal in files.refusals:
        _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
    print(json.dumps(files.as_dict()))
    return SOME_REFUSED if files.refusals else DONE
