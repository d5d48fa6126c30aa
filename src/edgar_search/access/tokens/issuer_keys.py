"""Keys of an OpenID Connect issuer, found by discovery and cached."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

import msgspec
from joserfc.jwk import JWKRegistry, Key
from msgspec import UNSET, Raw, Struct, UnsetType

from edgar_search.errors import FetchFailed, SettingsError, Unavailable
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings, issuer
from edgar_search.settings.issuer import may_name

_log = logging.getLogger(__name__)

WELL_KNOWN = "/.well-known/openid-configuration"
MAX_KEYS = 100
# Shorter RSA keys are no longer safe, and much longer ones are slow to verify with.
MIN_RSA_BITS, MAX_RSA_BITS = 2048, 8192
_MEMBERS = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}

KeysById = Mapping[str, tuple[Key, ...]]


class Discovery(Struct, frozen=True):
    """The fields of a discovery document (OpenID Connect Discovery 1.0, section 3) used here."""

    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None = None
    token_endpoint: str | None = None
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None


class _KeyList(Struct, frozen=True):
    keys: list[Raw]


class _PublicKey(Struct, frozen=True):
    """A signature key (RFC 7517, section 4); decoding refuses other kinds of keys."""

    kty: Literal["RSA", "EC", "OKP"]
    kid: str
    use: Literal["sig"] | None = None
    alg: str | None = None
    key_ops: list[str] | None = None
    n: str = ""
    e: str = ""
    crv: str = ""
    x: str = ""
    y: str = ""
    d: Raw | UnsetType = UNSET


def discovery_url(issuer: str) -> str:
    """Return the address of an issuer's discovery document."""
    return issuer.rstrip("/") + WELL_KNOWN


def is_same_issuer(issuer: str, configured: str) -> bool:
    """Return True if an issuer's own name is the configured one, up to a slash at the end."""
    return issuer in (configured.rstrip("/"), configured.rstrip("/") + "/")


def discovery(body: bytes, configured: str) -> Discovery:
    """Parse a discovery document; FetchFailed if it belongs to another issuer."""
    try:
        document = msgspec.json.decode(body, type=Discovery)
    except (msgspec.DecodeError, RecursionError):
        raise FetchFailed("the issuer's discovery document cannot be read") from None
    if not is_same_issuer(document.issuer, configured):
        raise FetchFailed("the issuer's discovery document belongs to another issuer")
    if not may_name(document.issuer, document.jwks_uri):
        raise FetchFailed("the issuer's jwks_uri must be an https:// address of another machine")
    return document


def key_set(body: bytes, algorithms: Collection[str]) -> KeysById:
    """Parse the keys of a JSON web key set that verify these signature algorithms, by `kid`.

    Other keys are left out: encryption keys, symmetric and private keys, keys without `kid`,
    damaged keys. Raises FetchFailed if no key is left.
    """
    try:
        key_list = msgspec.json.decode(body, type=_KeyList).keys
    except (msgspec.DecodeError, RecursionError):
        raise FetchFailed("the issuer's key set cannot be read") from None
    keys: dict[str, tuple[Key, ...]] = {}
    for raw in key_list[:MAX_KEYS]:
        entry = _entry(raw)
        key = _key(entry, algorithms) if entry is not None else None
        if entry is not None and key is not None:
            keys[entry.kid] = (*keys.get(entry.kid, ()), key)
    if not keys:
        raise FetchFailed("the issuer's key set has no key that could check a signature")
    return keys


def _entry(raw: Raw) -> _PublicKey | None:
    try:
        return msgspec.json.decode(raw, type=_PublicKey)
    except (msgspec.DecodeError, RecursionError):
        return None


def _key(entry: _PublicKey, algorithms: Collection[str]) -> Key | None:
    if entry.d is not UNSET:
        _log.warning(
            "the issuer publishes a private key, so anyone could sign tokens; the key is ignored"
        )
        return None
    parameters = entry.alg is None or entry.alg in algorithms
    if not (entry.kid and parameters and "verify" in (entry.key_ops or ["verify"])):
        return None
    if entry.kty == "RSA" and not MIN_RSA_BITS <= _bits(entry.n) <= MAX_RSA_BITS:
        return None
    values = {name: getattr(entry, name) for name in _MEMBERS[entry.kty]}
    if entry.alg is not None:
        values["alg"] = entry.alg
    try:
        return JWKRegistry.import_key({"kty": entry.kty, **values})
    # One damaged key must not spoil the others, and the libraries below raise many kinds of errors.
    except Exception:
        return None


def _bits(base64: str) -> int:
    """Return how many bits a base64 number has, rounded to whole bytes."""
    return len(base64) * 6 // 8 * 8


# Times are in seconds. Keys older than this are fetched again, in the background.
REFRESH_AGE = 600.0
# Anyone can send tokens with invented key ids: they cost the issuer one request in this time.
COOLDOWN = 30.0
# A logout token is sent only once, so it waits for its own fetch. Anyone can send invented ones:
# all that wait share one fetch, at most one in this time.
LOGOUT_PAUSE = 2.0
# While no keys are cached, attempts are this far apart; answers tell callers to wait as long.
RETRY = 2.0
# The time for discovery and keys together; a request waits this long, and only without a key.
PATIENCE = 5.0
MAX_BODY_BYTES = 262_144


class PublishedKeys(NamedTuple):
    """The name of an issuer, as in its tokens, and its keys with one `kid`."""

    issuer: str
    keys: tuple[Key, ...]


class IssuerKeys:
    """The keys of the issuer in the settings, fetched over the network."""

    def __init__(self, settings: Settings, http: HttpClient) -> None:
        """Raises SettingsError if the settings cannot be used."""
        issuer.check_issuer(settings.oidc_issuer, settings.oidc_audience)
        if settings.oidc_issuer is None or settings.oidc_audience is None:
            raise SettingsError("EDGAR_SEARCH_OIDC_ISSUER is needed here")
        self.algorithms = issuer.algorithms(settings.oidc_algorithms)
        self.audiences = issuer.audiences(settings.oidc_audience)
        self._configured = settings.oidc_issuer
        self._http = http
        self._discovered: Discovery | None = None
        self._keys: KeysById = {}
        self._fetching: asyncio.Task[None] | None = None
        self._fetched_at = self._tried_at = self._unknown_at = float("-inf")

    def is_named(self, issuer: str) -> bool:
        """Return True if a name in a token may be this issuer's."""
        return is_same_issuer(issuer, self._configured)

    async def find_keys(self, kid: str, *, pause: float | None = None) -> PublishedKeys:
        """Return the keys with this `kid`, if any.

        Waits only if no keys are cached: then for one fetch that all callers share. An unknown
        `kid` causes one fetch in `COOLDOWN`. With `pause`, for a token that the issuer itself sent,
        it waits for a fetch that began after the token came, `pause` seconds after the last one.
        Raises Unavailable if no keys were ever fetched and none can be.
        """
        arrived = time.monotonic()
        if self._fetching is None or self._fetching.done():
            self._fetch_if_due(kid)
        if kid not in self._keys and self._fetching is not None:
            await asyncio.shield(self._fetching)
        if kid not in self._keys and pause is not None and self._tried_at < arrived:
            await asyncio.sleep(max(0.0, self._tried_at + pause - time.monotonic()))
            if self._tried_at < arrived:
                self._begin_fetch()
            assert self._fetching is not None
            await asyncio.shield(self._fetching)
        if not self._keys:
            raise Unavailable("the token cannot be checked: its issuer's keys could not be fetched")
        assert self._discovered is not None
        return PublishedKeys(self._discovered.issuer, self._keys.get(kid, ()))

    async def discover(self) -> Discovery:
        """Return the issuer's discovery document, at most `REFRESH_AGE` old if the issuer answers.

        Raises Unavailable if it was never fetched and cannot be.
        """
        now = time.monotonic()
        fetching = self._fetching is not None and not self._fetching.done()
        pausing = self._discovered is not None and now - self._tried_at < COOLDOWN
        if not fetching and not pausing and now - self._fetched_at > REFRESH_AGE:
            self._begin_fetch()
        if self._discovered is None and self._fetching is not None:
            await asyncio.shield(self._fetching)
        if self._discovered is None:
            raise Unavailable(
                "the issuer of the sign-in cannot be reached, or its answer is wrong; try again"
                " later"
            )
        return self._discovered

    async def close(self) -> None:
        """Cancel a fetch that is under way."""
        if self._fetching is not None:
            self._fetching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._fetching

    def _fetch_if_due(self, kid: str) -> None:
        now = time.monotonic()
        if not self._keys:
            due = now - self._tried_at >= RETRY
        elif kid in self._keys:
            due = now - self._fetched_at > REFRESH_AGE and now - self._tried_at >= COOLDOWN
        else:
            due = now - self._unknown_at >= COOLDOWN
            self._unknown_at = now if due else self._unknown_at
        if due:
            self._begin_fetch()

    def _begin_fetch(self) -> None:
        self._tried_at = time.monotonic()
        self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        """Fetch the keys; on failure, keep the old ones."""
        try:
            async with asyncio.timeout(PATIENCE):
                document = await self._get(discovery_url(self._configured))
                discovered = discovery(document, self._configured)
                keys = key_set(await self._get(discovered.jwks_uri), self.algorithms)
        except (FetchFailed, TimeoutError) as error:
            _log.warning("the issuer's keys were not fetched: %s", str(error) or "too slow")
            return
        self._discovered, self._keys = discovered, keys
        self._fetched_at = time.monotonic()

    async def _get(self, url: str) -> bytes:
        reply = await self._http.get(url, {"Accept": "application/json"}, MAX_BODY_BYTES)
        if reply.status != 200:
            raise FetchFailed(f"the issuer answered with status {reply.status}")
        return reply.body
