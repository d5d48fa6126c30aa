"""What an issuer publishes: its discovery document, and its keys; pure."""

import logging
from collections.abc import Collection, Mapping
from typing import Literal

import msgspec
from joserfc.jwk import JWKRegistry, Key
from msgspec import UNSET, Raw, Struct, UnsetType

from edgar_search.errors import FetchFailed
from edgar_search.settings.issuer import is_secure

_log = logging.getLogger(__name__)

WELL_KNOWN = "/.well-known/openid-configuration"
MAX_KEYS = 100
# A shorter RSA key is no longer safe, a much longer one takes long to check with.
MIN_RSA_BITS, MAX_RSA_BITS = 2048, 8192
_MEMBERS = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}

KeysById = Mapping[str, tuple[Key, ...]]


class Discovery(Struct, frozen=True):
    """The part of a discovery document (OpenID Connect Discovery 1.0, section 3) that is used."""

    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None = None
    token_endpoint: str | None = None
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None


class _KeyList(Struct, frozen=True):
    keys: list[Raw]


class _PublicKey(Struct, frozen=True):
    """A key for signatures (RFC 7517, section 4); decoding refuses the other kinds."""

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
    """Where the discovery document of an issuer is."""
    return issuer.rstrip("/") + WELL_KNOWN


def is_same_issuer(issuer: str, configured: str) -> bool:
    """Whether an issuer's own name for itself is the configured one, a last slash aside."""
    return issuer in (configured.rstrip("/"), configured.rstrip("/") + "/")


def discovery(body: bytes, configured: str) -> Discovery:
    """Read a discovery document; FetchFailed where it is not one of the configured issuer's."""
    try:
        found = msgspec.json.decode(body, type=Discovery)
    except (msgspec.DecodeError, RecursionError):
        raise FetchFailed("the issuer's discovery document is not one") from None
    if not is_same_issuer(found.issuer, configured):
        raise FetchFailed("the issuer's discovery document is another issuer's")
    if not is_secure(found.jwks_uri):
        raise FetchFailed("the issuer's jwks_uri must be an https:// address")
    return found


def key_set(body: bytes, algorithms: Collection[str]) -> KeysById:
    """The keys of a JSON web key set that can check signatures of these algorithms, by `kid`.

    What else it has is left out: keys for encryption, symmetric and private ones, ones without
    `kid`, ones that are damaged. FetchFailed where nothing is left.
    """
    try:
        published = msgspec.json.decode(body, type=_KeyList).keys
    except (msgspec.DecodeError, RecursionError):
        raise FetchFailed("the issuer's key set is not one") from None
    found: dict[str, tuple[Key, ...]] = {}
    for raw in published[:MAX_KEYS]:
        entry = _entry(raw)
        key = _key(entry, algorithms) if entry is not None else None
        if entry is not None and key is not None:
            found[entry.kid] = (*found.get(entry.kid, ()), key)
    if not found:
        raise FetchFailed("the issuer's key set has no key that could check a signature")
    return found


def _entry(raw: Raw) -> _PublicKey | None:
    try:
        return msgspec.json.decode(raw, type=_PublicKey)
    except (msgspec.DecodeError, RecursionError):
        return None


def _key(entry: _PublicKey, algorithms: Collection[str]) -> Key | None:
    if entry.d is not UNSET:
        _log.warning("the issuer publishes a private key, which anybody could sign with; not used")
        return None
    wanted = entry.alg is None or entry.alg in algorithms
    if not (entry.kid and wanted and "verify" in (entry.key_ops or ["verify"])):
        return None
    if entry.kty == "RSA" and not MIN_RSA_BITS <= _bits(entry.n) <= MAX_RSA_BITS:
        return None
    values = {name: getattr(entry, name) for name in _MEMBERS[entry.kty]}
    if entry.alg is not None:
        values["alg"] = entry.alg
    try:
        return JWKRegistry.import_key({"kty": entry.kty, **values})
    # One damaged key must not cost the others, and the libraries below raise all sorts of errors.
    except Exception:
        return None


def _bits(base64: str) -> int:
    """The length of a number in base64, rounded up to whole bytes."""
    return len(base64) * 6 // 8 * 8
