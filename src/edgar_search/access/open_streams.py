"""Open streams: limits on how many an account may have in a worker."""

from collections import Counter

from edgar_search.access.accounts import Plan
from edgar_search.errors import StreamsAtOnce
from edgar_search.metrics.meters import STREAMS
from edgar_search.settings import Settings

# An account may use one in this many of a worker's connections, on any plan.
_PART_OF_CONNECTIONS = 4


class OpenStreams:
    """The open streams of one worker, counted by account."""

    def __init__(self, settings: Settings) -> None:
        self._most = max(1, settings.connections // _PART_OF_CONNECTIONS)
        self._open: Counter[str] = Counter()

    def enter(self, account: str, plan: Plan) -> None:
        """Count a stream; StreamsAtOnce if the account has as many open as it may."""
        bound = self._most if plan.streams is None else min(self._most, plan.streams)
        if self._open[account] >= bound:
            raise StreamsAtOnce(bound)
        self._open[account] += 1
        STREAMS.inc()

    def leave(self, account: str) -> None:
        """Count a stream as closed."""
        STREAMS.dec()
        self._open[account] -= 1
        if not self._open[account]:
            del self._open[account]
