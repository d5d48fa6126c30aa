"""The index `sessions`."""

from datetime import datetime

from msgspec import Struct


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
