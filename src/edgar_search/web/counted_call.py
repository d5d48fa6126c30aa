"""What a data call is to those who answer it: whose it is, and what it counts as."""

from typing import Protocol

from edgar_search.access.limits.meter import Standing
from edgar_search.access.limits.plans import Plan
from edgar_search.access.limits.shares import Share


class CountedCall(Protocol):
    """A call under way, of a key or of a page; `standing` is that of its account once it counts.

    `share` is its room among the searches.
    Who answers it says how many results the answer counts.
    """

    share: Share
    standing: Standing | None
    result_count: int | None

    @property
    def account(self) -> str:
        """The account that it counts for."""

    @property
    def plan(self) -> Plan:
        """The plan of the account."""
