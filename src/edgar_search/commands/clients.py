"""`edgar-search clients env`: directs programs for EDGAR to this installation."""

import argparse
import shlex
from pathlib import Path

from edgar_search.settings import Settings

# The folder's only module is one that Python imports at start.
HOOK = Path(__file__).parent / "client_hook"


def env(settings: Settings, options: argparse.Namespace) -> int:
    """Print the variables with which programs for EDGAR use an installation."""
    url = options.url.rstrip("/")
    key = options.key or settings.key
    # edgartools reads the latter two itself.
    variables = {"EDGAR_MIRROR_URL": url, "EDGAR_BASE_URL": url, "EDGAR_DATA_URL": url}
    if key:
        variables["EDGAR_MIRROR_KEY"] = key
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(value)}")
    print(f"export PYTHONPATH={shlex.quote(str(HOOK))}${{PYTHONPATH:+:$PYTHONPATH}}")
    return 0
