"""The machine of a run."""

import os
import platform

import psutil

from bench.peers.installing import Opened


def machine(opened: Opened) -> dict[str, str]:
    """Processors, memory and versions, in words."""
    return {
        "processors": str(os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 1e9:.0f} GB",
        "Python": platform.python_version(),
        "Elasticsearch": opened.version,
    }
