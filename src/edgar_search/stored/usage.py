"""The index `usage`."""

from msgspec import Struct

# The id of what is no counter: `month` of it is the one in which calls were counted last.
NEWEST_MONTH = "newest month"


class StoredUsage(Struct, frozen=True):
    """The calls of an account's month (`2026-11`, UTC) that workers have leased and not given back.

    While no call is under way, and none was for the lifetime of a lease, these are the calls made.
    """

    account: str
    month: str
    leased: int


def usage_id(account: str, month: str) -> str:
    """The id of the counter of an account's month."""
    return f"{month} {account}"
