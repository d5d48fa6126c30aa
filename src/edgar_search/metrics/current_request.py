"""Facts about the current request, for its log line and for Elasticsearch."""

import hashlib
from contextvars import ContextVar

# The opaque id of requests to Elasticsearch that serve no client's request.
NOBODY = "edgar-search"


class CurrentRequest:
    """A request to the service; `results` is how many results its answer has.

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
        """A hash that tells accounts apart without naming them."""
        if self.account is None:
            return None
        return hashlib.sha256(self.account.encode()).hexdigest()[:16]


# Tasks that a request starts inherit this value.
CURRENT: ContextVar[CurrentRequest | None] = ContextVar("current_request", default=None)


def opaque_id() -> str:
    """Return the request's id for tasks and slow logs of Elasticsearch."""
    current = CURRENT.get()
    return current.id if current is not None else NOBODY


def note_hang(seconds: float) -> None:
    """Record time lost at a node that hangs, which is not the caller's fault."""
    current = CURRENT.get()
    if current is not None:
        current.hung_seconds += seconds


def hung_seconds() -> float:
    """Return the seconds that the current request has lost at nodes that hang."""
    current = CURRENT.get()
    return current.hung_seconds if current is not None else 0.0
