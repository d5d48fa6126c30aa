"""`edgar-search clients env`: the way of programs for EDGAR to this installation."""

import argparse
import shlex
from pathlib import Path

from edgar_search.settings import Settings

# The folder has one module, which Python imports by itself.
HOOK = Path(__file__).parent / "client_hook"


def env(settings: Settings, options: argparse.Namespace) -> int:
    """Print the variables that send programs for EDGAR to an installation."""
    url = options.url.rstrip("/")
    key = options.key or settings.key
    # edgartools reads these two by itself.
    given = {"EDGAR_MIRROR_URL": url, "EDGAR_BASE_URL": url, "EDGAR_DATA_URL": url}
    if key:
        given["EDGAR_MIRROR_KEY"] = key
    for name, value in given.items():
        print(f"export {name}={shlex.quote(value)}")
    print(f"export PYTHONPATH={shlex.quote(str(HOOK))}${{PYTHONPATH:+:$PYTHONPATH}}")
    return 0
