"""Accounts, their keys, sessions, usage and calls, as their indices store them."""

from datetime import datetime

from msgspec import Struct


class StoredAccount(Struct, frozen=True, omit_defaults=True):
    """An account, stored under its id; `plan` is the name of its plan since `plan_since`.

    History from before `history_cleared_at` is hidden. `email` is the verified address that the
    issuer gave last. From `suspended_at` on no one may use the account.
    """

    id: str
    plan: str
    created_at: datetime
    plan_since: datetime
    history_cleared_at: datetime | None = None
    email: str | None = None
    suspended_at: datetime | None = None


class StoredApiKey(Struct, frozen=True, omit_defaults=True):
    """An API key, stored under its SHA-256; `prefix` is its visible beginning.

    `scopes` are the endpoints it may call; None means all. `expires_at` is set by its owner,
    `rotated_until` is the end of its overlap with the key that replaced it; it is refused from the
    earlier of them on. `last_used_at` is exact to a minute.
    """

    id: str
    account: str
    name: str
    prefix: str
    created_at: datetime
    revoked_at: datetime | None = None
    scopes: list[str] | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    rotated_until: datetime | None = None


class StoredSession(Struct, frozen=True, omit_defaults=True):
    """A session of a browser, stored under the SHA-256 of the id that the browser keeps.

    `name` is the name of its user on pages. `used_at` is exact to a minute; at `ends_at` it ends in
    any case. A sign-in under way has no account yet: `pending` is its state, as JSON, until the
    issuer sends the browser back. `issuer_session` is the issuer's id of its own session, and
    `id_token` is the token that the issuer needs to end it, encrypted with the id of this session.
    """

    account: str
    name: str
    created_at: datetime
    used_at: datetime
    ends_at: datetime
    pending: str | None = None
    issuer_session: str | None = None
    id_token: str | None = None


# The id of an entry that is no counter: its `month` is the last in which calls were counted.
NEWEST_MONTH = "newest month"


class StoredUsage(Struct, frozen=True):
    """The calls of an account's month (`2026-11`, UTC) that workers have leased and not returned.

    Once a lease's lifetime has passed without a call, these are the calls made.
    """

    account: str
    month: str
    leased: int


def usage_id(account: str, month: str) -> str:
    """Return the id of an account's counter for a month."""
    return f"{month} {account}"


class StoredCall(Struct, frozen=True, omit_defaults=True):
    """A data call of an account, begun `at`.

    `parameters` are as received, without the key. `result_count` is the total in the answer, None
    for an error. `key_prefix` is the visible beginning of the key, "" for a page.
    """

    id: str
    account: str
    at: datetime
    endpoint: str
    parameters: dict[str, list[str]]
    status: int
    duration_ms: float
    key_prefix: str
    result_count: int | None = None
