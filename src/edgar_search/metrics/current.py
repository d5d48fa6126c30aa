"""What is known of the request that is under way, for its log line and for Elasticsearch."""

import hashlib
from contextvars import ContextVar

# What requests to Elasticsearch say that belong to no request of a client.
NOBODY = "edgar-search"


class CurrentRequest:
    """One request to the service; `results` are those that its answer counts."""

    __slots__ = ("account", "engine_seconds", "id", "results")

    def __init__(self, request_id: str) -> None:
        self.id = request_id
        self.account: str | None = None
        self.engine_seconds = 0.0
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
