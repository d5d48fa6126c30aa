"""The index `secrets`."""

from datetime import datetime

from msgspec import Struct


class StoredSecret(Struct, frozen=True):
    """What all workers and hosts sign with; it is made once and never changed."""

    value: bytes
    made_at: datetime
