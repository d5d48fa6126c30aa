"""A child process that does one job, so that a hostile document can end no other work."""

import asyncio
import os
import sys
from contextlib import suppress

# The environment variables that a process with fonts and Python needs; none is a secret.
_VARIABLES = ("FONTCONFIG_", "HOME", "LANG", "LC_", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "XDG_")


def variables_of_child() -> dict[str, str]:
    """Return the environment variables for a child process, without secrets."""
    return {name: text for name, text in os.environ.items() if name.startswith(_VARIABLES)}


async def run_module(module: str, job: bytes) -> tuple[int, bytes]:
    """Run a module as a program with this input; return its exit status and its output.

    The status is negative if a signal ended it. The process is killed if the caller is cancelled.
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
