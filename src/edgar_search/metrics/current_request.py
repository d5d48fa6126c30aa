"""Facts about the request that is under way, for its log line and for Elasticsearch."""

import hashlib
from contextvars import ContextVar

# What requests to Elasticsearch say that belong to no request of a client.
NOBODY = "edgar-search"


class CurrentRequest:
    """One request to the service; `results` are those that its answer counts.

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
        """Tells accounts apart, and not who they are."""
        if self.account is None:
            return None
        return hashlib.sha256(self.account.encode()).hexdigest()[:16]


# Work that a request begins beside itself is the request's too.
CURRENT: ContextVar[CurrentRequest | None] = ContextVar("current_request", default=None)


def opaque_id() -> str:
    """How Elasticsearch is to name who asked it, in its tasks and slow logs."""
    current = CURRENT.get()
    return current.id if current is not None else NOBODY


def note_hang(seconds: float) -> None:
    """Add time that was lost at a node that hangs, which is not the caller's doing."""
    current = CURRENT.get()
    if current is not None:
        current.hung_seconds += seconds


def hung_seconds() -> float:
    """The time that the request under way has lost so."""
    current = CURRENT.get()
    return current.hung_seconds if current is not None else 0.0
