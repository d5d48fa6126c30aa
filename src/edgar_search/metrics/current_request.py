"""Facts about the request that is under way, for its log line and for Elasticsearch."""

import hashlib
from contextvars import ContextVar

# The opaque id of requests to Elasticsearch that belong to no request of a client.
NOBODY = "edgar-search"


class CurrentRequest:
    """One request to the service; `results` is the number of results in its answer.

    `hung_seconds` were lost at nodes of Elasticsearch that hang.
    """

    __slots__ = ("account", "engine_seconds", "hung_seconds", "id", "results")

    def __init__(self, request_id: str) -> None:
        self.id = request_id
        self.account: str | None = None
        self.engine_seconds = 0.0
        self.hung_seconds = 0.0
        self.results: int | None = None

    @property
    def hashed_account(self) -> str | None:
        """A hash that distinguishes accounts without naming them."""
        if self.account is None:
            return None
        return hashlib.sha256(self.account.encode()).hexdigest()[:16]


# Tasks that a request starts inherit it.
CURRENT: ContextVar[CurrentRequest | None] = ContextVar("current_request", default=None)


def opaque_id() -> str:
    """Return the id of this request for Elasticsearch's tasks and slow logs."""
    current = CURRENT.get()
    return current.id if current is not None else NOBODY


def note_hang(seconds: float) -> None:
    """Add time that was lost at a node that hangs, which the caller did not cause."""
    current = CURRENT.get()
    if current is not None:
        current.hung_seconds += seconds


def hung_seconds() -> float:
    """Return the time that the request under way has lost at nodes that hang."""
    current = CURRENT.get()
    return current.hung_seconds if current is not None else 0.0
