"""Accounts, their keys, sessions, usage and calls, as their indices store them."""

from datetime import datetime

from msgspec import Struct


class StoredAccount(Struct, frozen=True, omit_defaults=True):
    """An account, keyed by its id; `plan` is the name of a plan, in use since `plan_since`.

    What its history held before `history_cleared_at` is not shown any more. `email` is the
    verified address that the issuer gave last. From `suspended_at` on nobody may use the account.
    """

    id: str
    plan: str
    created_at: datetime
    plan_since: datetime
    history_cleared_at: datetime | None = None
    email: str | None = None
    suspended_at: datetime | None = None


class StoredApiKey(Struct, frozen=True, omit_defaults=True):
    """An API key; `prefix` is its visible beginning, the document's id its SHA-256.

    `scopes` are the endpoints that it reaches, None is all of them. `expires_at` is what its maker
    asked for, `rotated_until` the end of its overlap once another key took its place; it is refused
    from the earlier of them on. `last_used_at` is exact to a minute.
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
    """A browser that has signed in, keyed by the SHA-256 of the id that it holds.

    `name` is what its user is called on pages. `used_at` is exact to a minute; from `ends_at` on it
    is over, whatever was done. A sign-in under way has no account yet: `pending` is what it needs
    to know when the issuer sends the browser back, as JSON. `issuer_session` is the issuer's id of
    its own session, and `id_token` is what the issuer asks for to end it, encrypted with the id of
    this one.
    """

    account: str
    name: str
    created_at: datetime
    used_at: datetime
    ends_at: datetime
    pending: str | None = None
    issuer_session: str | None = None
    id_token: str | None = None


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


class StoredCall(Struct, frozen=True, omit_defaults=True):
    """A data call of an account, begun `at`.

    `parameters` are as received, without the key; `result_count` is the total that was answered,
    None for an error; `key_prefix` is the visible beginning of the key, "" of a page that was read.
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
