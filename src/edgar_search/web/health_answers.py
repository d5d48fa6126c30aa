"""The reply of the health endpoints."""

from msgspec import Struct


class Health(Struct):
    """`ok`; where that cannot be said the answer is an error."""

    status: str


OK = Health("ok")
