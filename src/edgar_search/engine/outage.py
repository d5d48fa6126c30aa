"""That Elasticsearch is away, said once when it goes and once when it is back."""

import logging
import time

_log = logging.getLogger(__name__)


class Outage:
    """What one process has seen of Elasticsearch's being away.

    Times are those of `time.monotonic`.
    """

    def __init__(self) -> None:
        self._answered_at = float("-inf")
        self._since: float | None = None
        self._failed = 0

    def no_answer(self, began: float, reason: str) -> None:
        """A request that was sent at `began` had no answer."""
        # One that is too slow while others are answered is no outage.
        if self._since is None and self._answered_at > began:
            return
        if self._since is None:
            self._since, self._failed = began, 0
            _log.warning("Elasticsearch is away: %s", reason)
        self._failed += 1

    def answer(self) -> None:
        """A request was answered."""
        self._answered_at = time.monotonic()
        if self._since is not None:
            seconds = self._answered_at - self._since
            _log.warning(
                "Elasticsearch is back after %.0f s, in which %d requests had no answer",
                seconds,
                self._failed,
            )
            self._since = None
