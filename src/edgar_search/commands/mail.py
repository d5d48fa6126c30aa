"""`edgar-search mail`"""

import argparse

from edgar_search.alerts.mailboxes import Mailboxes
from edgar_search.commands.engine import with_engine
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Block mail from all accounts to an address, or allow it again."""

    async def change(engine: Engine) -> None:
        mailboxes = Mailboxes(engine, settings)
        if options.action == "block":
            await mailboxes.block(options.address)
        else:
            await mailboxes.allow(options.address)

    return with_engine(settings, change)
