"""`edgar-search mcp`: a service's tools over standard input and output, with a key."""

import argparse
import asyncio

from edgar_search.commands.prerequisites import DEFAULT_HOST, DEFAULT_PORT
from edgar_search.errors import SettingsError
from edgar_search.http_client import HttpClient
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.settings.extras import require_package

DEFAULT_URL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"
USER_AGENT = "edgar-search"
TIMEOUT = 60.0


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until standard input ends; SettingsError without a key or without the extra."""
    require_package("mcp", "mcp", "`edgar-search mcp`")
    key = options.key or settings.key
    if not key:
        raise SettingsError(f"a key is needed: --key, or {VARIABLE_PREFIX}KEY")
    from edgar_search.web.mcp.asking import ask_service
    from edgar_search.web.mcp.tools import make_server

    async def serve() -> None:
        async with HttpClient(USER_AGENT, TIMEOUT) as http:
            call_service = ask_service(http, options.url, key)
            await make_server(lambda context: call_service).run_stdio_async()

    asyncio.run(serve())
    return 0
