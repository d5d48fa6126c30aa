"""A process of our own that does one job: a hostile document ends no more than it."""

import asyncio
import os
import sys
from contextlib import suppress

# The variables of a process that needs fonts and Python, and no secrets.
_VARIABLES = ("FONTCONFIG_", "HOME", "LANG", "LC_", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "XDG_")


def variables_of_child() -> dict[str, str]:
    """Return the variables of the environment that a process of ours gets: none with a secret."""
    return {name: text for name, text in os.environ.items() if name.startswith(_VARIABLES)}


async def run_module(module: str, job: bytes) -> tuple[int, bytes]:
    """Run a module as a program with this on its input; return its status, and its output.

    The status of one that was ended by a signal is below 0. The process ends too if this is
    cancelled.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        env=variables_of_child(),
    )
    try:
        output, _ = await process.communicate(job)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    status = process.returncode
    assert status is not None
    return status, output
