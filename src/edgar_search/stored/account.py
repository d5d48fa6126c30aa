"""The index `accounts`."""

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
