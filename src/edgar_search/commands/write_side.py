"""Commands of the write side, run as an operator would run them: the service never imports it."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from edgar_search.errors import EdgarSearchError

# Exit statuses of `edgar-ingest`: everything was loaded, or some files were refused.
_LOADED = (0, 3)


def say(line: str) -> None:
    """Print a line of progress for the user."""
    print(line, file=sys.stderr, flush=True)


def ingest(text: str, action: str, *arguments: str) -> Mapping[str, Any]:
    """Run a command of `edgar-ingest`, print its outcome, and return its summary.

    Raises EdgarSearchError if it fails, or if a load finds no submission.
    """
    say(text)
    command = [sys.executable, "-m", "ingest.cli", action, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in _LOADED:
        raise EdgarSearchError(f"{text} failed")
    summary: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if action == "load" and not summary["seen"]:
        raise EdgarSearchError(f"INPUT: {arguments[-1]}: has no submissions; see docs/ingest.md")
    if action != "tickers":
        say(_outcome(summary))
    return summary


def _outcome(summary: Mapping[str, Any]) -> str:
    """Describe the outcome of a load on one line."""
    counts = {
        "loaded": summary["loaded"],
        "here already": summary["unchanged"] + summary.get("known", 0),
        "refused": summary["refused"],
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing new"
