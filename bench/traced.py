"""The project's files that run in one warm search of a query that nobody asked before.

    python -m bench.traced

The service answers in this process, from its socket on, over an installation with the samples,
which is made and removed. Of several new queries the one with the fewest files is shown: the others
may have met work that another request or a clock began.
"""

import argparse
import asyncio
import socket
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeAlias

import aiohttp
from uvicorn import Config

from bench.corpus import CHECKOUT
from bench.installation import engine_running, installed
from bench.loading import load_timed
from edgar_search.app import create_app
from edgar_search.settings import Settings
from edgar_search.web.server import AnnouncedServer, server_options

SOURCE = CHECKOUT / "src" / "edgar_search"
SAMPLES = CHECKOUT / "samples"
_WARM_UP = ("risk", "net income", "revenue OR loss", "interest rate", "tax", "annual report")
_NEW = ("company shares", "year company", "report company", "company officer", "form year")

# Functions that ran, by the file that they are in.
Traced: TypeAlias = dict[str, set[str]]


@contextmanager
def traced() -> Iterator[Traced]:
    """Yield the functions of the project that run in this thread meanwhile."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    found: Traced = defaultdict(set)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        for code in codes:
            path = Path(code.co_filename)
            if path.is_relative_to(SOURCE):
                found[str(path.relative_to(SOURCE))].add(code.co_qualname)


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[str]:
    """Yield the address of the service, which answers in this process."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        options = server_options(json_logs=False) | {"factory": False, "log_config": None}
        started = asyncio.Event()
        server = AnnouncedServer(Config(create_app(settings), **options), started.set)
        running = asyncio.create_task(server.serve([listening]))
        try:
            await started.wait()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


async def trace_searches(settings: Settings) -> Traced:
    """Trace new queries; return the smallest trace."""
    async with installed(settings, baseline=False) as installation:
        await asyncio.to_thread(load_timed, settings, SAMPLES)
        headers = {"X-API-Key": await installation.key()}
        async with served(settings) as url, aiohttp.ClientSession(headers=headers) as client:

            async def search(query: str) -> None:
                async with client.get(f"{url}/v1/search", params={"query": query}) as response:
                    answer = await response.json()
                    assert response.status == 200 and answer["items"], (query, answer)

            for query in _WARM_UP:
                await search(query)
            traces = []
            for query in _NEW:
                with traced() as found:
                    await search(query)
                traces.append(found)
    return min(traces, key=len)


def main() -> None:
    """Print the number of files and functions, and each file with its functions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", action="store_true", help="name the functions of each file")
    options = parser.parse_args()
    with engine_running("bench-traced-") as settings:
        found = asyncio.run(trace_searches(settings))
    for path, functions in sorted(found.items()):
        print(f"{len(functions):4d} {path}")
        if options.functions:
            print("".join(f"       {name}\n" for name in sorted(functions)), end="")
    print(f"{len(found)} files, {sum(map(len, found.values()))} functions")


if __name__ == "__main__":
    main()
