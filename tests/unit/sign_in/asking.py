"""Asking whether tokens are valid, with a clock that a test moves."""

from collections.abc import Awaitable, Callable

from edgar_search.access.tokens.bearer import Tokens
from edgar_search.errors import InvalidBearerToken, Unavailable
from tests.support.issuer import DISCOVERY, Issuer, private_key


class Clock:
    """Stands in for the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


async def is_valid(tokens: Tokens, token: str) -> bool:
    try:
        await tokens.verify(token)
    except InvalidBearerToken:
        return False
    return True


async def is_unavailable(tokens: Tokens, token: str) -> bool:
    try:
        await tokens.verify(token)
    except Unavailable:
        return True
    return False


def was_asked(issuer: Issuer) -> Callable[[], Awaitable[bool]]:
    async def asked() -> bool:
        return issuer.asked == [DISCOVERY]

    return asked


def unknown(issuer: Issuer, number: int = 98) -> str:
    """Return a token of a key that the issuer does not publish."""
    return issuer.token(key=private_key(97), header={"kid": f"unknown-{number}"})
