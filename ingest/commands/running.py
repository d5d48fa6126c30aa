"""Running every command of `edgar-ingest`: settings, log, engine and exit status."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from logging.config import dictConfig
from typing import Any

from edgar_search.archive.archive import require_store
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError, error_message
from edgar_search.metrics.log_format import log_config
from edgar_search.metrics.spans import export_spans
from edgar_search.settings import Settings
from ingest.commands.arguments import COULD_NOT_RUN, WRONG_COMMAND_LINE, WrongArguments
from ingest.commands.textfile import Textfile

Command = Callable[[Engine, Settings, argparse.Namespace], Awaitable[int]]

_log = logging.getLogger(__name__)


def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed; return the exit status."""
    # Errors in the settings are logged too, before the settings can configure the log.
    dictConfig(log_config(json_logs=False, text=options.log_text))
    textfile: Textfile | None = None
    try:
        module, _, name = options.run.partition(":")
        command: Any = getattr(import_module(f"ingest.commands.{module}"), name)
        export_spans()
        settings = Settings.from_environ(os.environ)
        dictConfig(log_config(json_logs=settings.logs == "json", text=options.log_text))
        if settings.archive:
            require_store(settings.archive_place)
        if not options.needs_engine:
            return int(command(settings, options))
        # The first word of the command's name in argparse is the program.
        textfile = Textfile(settings, options.command.partition(" ")[2])
        status = asyncio.run(_with_engine(resolve(settings), command, options, textfile))
    except EdgarSearchError as error:
        _log.error("%s", error_message(error))
        status = WRONG_COMMAND_LINE if isinstance(error, WrongArguments) else COULD_NOT_RUN
    except BrokenPipeError:
        # The reader of the output has closed it; otherwise Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = COULD_NOT_RUN
    except KeyboardInterrupt:
        _log.warning("stopped; start it again to continue")
        status = 130
    if textfile is not None:
        textfile.end(status)
    return status


async def _with_engine(
    settings: Settings, command: Command, options: argparse.Namespace, textfile: Textfile
) -> int:
    engine = Engine.from_settings(settings)
    try:
        async with textfile.kept():
            return await command(engine, settings, options)
    finally:
        await engine.close()
