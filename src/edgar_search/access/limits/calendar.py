"""The month that calls are counted in: the clock's, unless the clock jumped.

The newest month in which calls were counted is stored beside the counters. The clock moves it on to
the next month at once. Any other change, ahead or back, counts only once the clock has stood by it
for a day: until then calls are counted where they were, so that no jump gives calls again. Decision
0021 has the reasons.
"""

import logging
from datetime import datetime

from edgar_search.access.limits.counters import Counters
from edgar_search.access.limits.months import Month, month_after, month_at, month_named

_log = logging.getLogger(__name__)

# How long a clock must stand by a month that does not follow the last one. Longer than it takes
# somebody to see that a clock is wrong, short beside a month.
TRUST_SECONDS = 86_400.0


class Calendar:
    """The month as one worker counts it."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._known = False
        self._month: Month | None = None
        self._stored: str | None = None
        # The month that the clock jumped to, and since when it says so.
        self._jumped: tuple[str, float] | None = None

    async def read(self) -> None:
        """Learn, once, which month was the last; raises EngineUnavailable."""
        if not self._known:
            stored = await self._counters.newest_month()
            if not self._known:  # Else another call has learnt it meanwhile.
                self._stored, self._known = stored, True
                self._month = month_named(stored) if stored is not None else None

    def month(self, moment: datetime, monotonic: float) -> Month:
        """The month that a call of this moment counts in; the clock's before `read` succeeded."""
        if not self._known:
            return month_at(moment)
        current = self._month
        if current is not None and current.start <= moment < current.end:
            self._jumped = None
            return current
        said = month_at(moment)
        if current is None or said.name == month_after(current.name):
            return self._turn(said)
        if self._jumped is None or self._jumped[0] != said.name:
            _log.error(
                "the clock says %s, and calls were counted in %s last: they go on being counted"
                " there until the clock has said so for a day",
                said.name,
                current.name,
            )
            self._jumped = said.name, monotonic
        if monotonic - self._jumped[1] < TRUST_SECONDS:
            return current
        _log.error("the clock has said %s for a day: calls are counted there from now", said.name)
        return self._turn(said)

    async def keep(self) -> None:
        """Store the month where it is another than the one stored; raises EngineUnavailable."""
        if self._month is not None and self._month.name != self._stored:
            turned, before = self._month.name, self._stored
            self._stored = await self._counters.turn_month(before, turned)

    def _turn(self, said: Month) -> Month:
        self._month, self._jumped = said, None
        return said
