"""What arguments of the command line are turned into, or refused with."""

import argparse
from datetime import UTC, datetime

from edgar_search.access.api_keys import MAX_OVERLAP_HOURS


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
