"""Who the client is, and by which scheme it came, where a proxy says so that the settings name."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from edgar_search.settings.networks import Networks, address_of, is_in

_SCHEMES = ("http", "https")


class Forwarded:
    """Believes `X-Forwarded-For` and `X-Forwarded-Proto`, of trusted proxies only."""

    def __init__(self, app: ASGIApp, trusted: Networks) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = address_of(scope["client"][0]) if scope.get("client") else None
        if scope["type"] == "http" and peer is not None and is_in(peer, self._trusted):
            headers = Headers(scope=scope)
            hops = ",".join(headers.getlist("x-forwarded-for")).split(",")
            client = client_of(hops, self._trusted)
            if client is not None:
                scope["client"] = (client, 0)
            scheme = headers.get("x-forwarded-proto", "").strip().lower()
            if scheme in _SCHEMES:
                scope["scheme"] = scheme
        await self._app(scope, receive, send)


def client_of(hops: list[str], trusted: Networks) -> str | None:
    """The right-most hop that is no trusted proxy, where all to its right are.

    The left-most trusted one where only such are known; None where the last hop is no address.
    """
    client = None
    for hop in reversed(hops):
        address = address_of(_without_port(hop.strip()))
        # What is left of a hop that nobody can have seen is made up.
        if address is None:
            break
        client = str(address)
        if not is_in(address, trusted):
            break
    return client


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
