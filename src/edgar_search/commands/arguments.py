"""What arguments of the command line are turned into, or refused with."""

import argparse
import os
from datetime import UTC, datetime

from edgar_search.access.api_keys import MAX_OVERLAP_HOURS

MAX_PORT = 65_535
# Processes that a core could be shared by with any use; each takes some 80 MB.
WORKERS_OF_A_CORE = 16


def items(text: str) -> list[str]:
    """A comma-separated list; empty items are left out."""
    return [item.strip() for item in text.split(",") if item.strip()]


def moment(text: str) -> datetime:
    """The first moment of a day in UTC, or a time with its zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no date; use YYYY-MM-DD") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def hours(text: str) -> int:
    """How long a key that was rotated may go on, in hours."""
    if not text.isdecimal() or int(text) > MAX_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(f"{text} is no number of hours to {MAX_OVERLAP_HOURS}")
    return int(text)


def port(text: str) -> int:
    """A TCP port; 0 lets the system choose."""
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text} is no port from 0 to {MAX_PORT}")
    return int(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


def workers(text: str) -> int:
    """A number of processes that work side by side, no more than this machine has use for."""
    number, most = positive(text), WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    if number > most:
        raise argparse.ArgumentTypeError(
            f"{text} is more than {most}, {WORKERS_OF_A_CORE} for each core of this machine"
        )
    return number
