"""`edgar-ingest delete`"""

import argparse
import json

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.exit_status import DONE
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Delete submissions; prints one line for each, as JSON."""
    with Owner(settings.absolute_home) as owner:
        deleter = Deleter(engine, settings, owner)
        await deleter.set_up()
        for number in options.accession_numbers:
            print(json.dumps((await deleter.delete(number))._asdict()))
    return DONE
