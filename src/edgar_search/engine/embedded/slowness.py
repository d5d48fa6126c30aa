"""Why an engine takes long to start: what the machine and the engine's log say."""

import os
import re
from pathlib import Path

from edgar_search.engine.embedded.places import Places

MEMORY = Path("/proc/meminfo")
_LITTLE_BYTES = 200_000_000
_BUSY = 1.5  # processes that want a core, for each core
_LOG_CHARACTERS = 100
_LOG_END_BYTES = 4096
# A line of Elasticsearch's log without its time, level, logger and node.
_MESSAGE = re.compile(r"^\[[^]]*\]\[[^]]*\]\[[^]]*\] \[[^]]*\] ?(.+)$", re.MULTILINE)


def reason(where: Places) -> str:
    """Return in a few words why the engine of this folder is not ready yet."""
    lines = MEMORY.read_text().splitlines()
    kilobytes = dict(line.split(":") for line in lines)["MemAvailable"].split()[0]
    cause = of_machine(os.getloadavg()[0], os.cpu_count() or 1, int(kilobytes) * 1024)
    with where.log.open("rb") as log:
        log.seek(max(0, where.log.stat().st_size - _LOG_END_BYTES))
        said = last_message(log.read().decode(errors="replace"))
    return f"{cause}; its log says last: {said}" if said else f"{cause}; its log is empty"


def of_machine(load: float, cores: int, free: int) -> str:
    """Return what of the machine slows a start; `free` are bytes of memory."""
    if free < _LITTLE_BYTES:
        return f"memory is short ({free / 1e6:.0f} MB are free)"
    if load > _BUSY * cores:
        return f"the machine is busy (load {load:.1f} on {cores} cores)"
    return f"the machine or its disk is slow (load {load:.1f} on {cores} cores)"


def last_message(log: str) -> str:
    """Return the last line of Elasticsearch's log, cut to a hundred characters; empty if none."""
    messages: list[str] = _MESSAGE.findall(log)
    return messages[-1].strip()[:_LOG_CHARACTERS] if messages else ""
