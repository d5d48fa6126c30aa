"""The texts of a header as values; what is none of the kind is None."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

_EASTERN = ZoneInfo("America/New_York")  # EDGAR's clock
_SMALL_NUMBER = re.compile(r"[0-9]{1,9}")
_DATE, _TIME = re.compile(r"[0-9]{8}"), re.compile(r"[0-9]{14}")
_CODE = re.compile(r"[0-9]{0,4}")


def small_number(value: str) -> int | None:
    """Return a number of up to nine digits."""
    return int(value) if _SMALL_NUMBER.fullmatch(value) else None


def as_date(value: str) -> date | None:
    """Return the date of YYYYMMDD."""
    if not _DATE.fullmatch(value):
        return None
    try:
        return date(int(value[:4]), int(value[4:6]), int(value[6:]))
    except ValueError:
        return None


def accepted_at(value: str) -> datetime | None:
    """Return the time of YYYYMMDDhhmmss on EDGAR's clock, in UTC."""
    if not _TIME.fullmatch(value):
        return None
    try:
        # `strptime` takes ten times as long.
        month, day, hour, minute, second = (int(value[at : at + 2]) for at in range(4, 14, 2))
        local = datetime(int(value[:4]), month, day, hour, minute, second, tzinfo=_EASTERN)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def industry(value: str) -> tuple[str | None, str | None]:
    """Return code and description of `NAME [6798]`, `4991`, `[3281` or `[]`."""
    description, _, code = value.rpartition("[")
    code = code.rstrip("] \t")
    if not _CODE.fullmatch(code):
        return None, value
    return code.zfill(4) if code else None, description.strip() or None
