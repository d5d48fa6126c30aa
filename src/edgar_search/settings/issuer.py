"""What the settings of an OpenID Connect issuer may be; pure."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from edgar_search.errors import SettingsError

# Whoever can check a symmetric signature can also make one, and `none` is no signature.
ASYMMETRIC = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
_KNOWN = ", ".join(ASYMMETRIC)
_ISSUER, _AUDIENCE = "EDGAR_SEARCH_OIDC_ISSUER", "EDGAR_SEARCH_OIDC_AUDIENCE"
_CLIENT = "EDGAR_SEARCH_OIDC_CLIENT_ID"
_ALGORITHMS = "EDGAR_SEARCH_OIDC_ALGORITHMS"


def algorithms(text: str) -> tuple[str, ...]:
    """The algorithms of a comma-separated list; SettingsError for any that is not asymmetric."""
    names = _items(text)
    for name in names:
        if name not in ASYMMETRIC:
            raise SettingsError(
                f"{_ALGORITHMS}: {name} is no asymmetric algorithm; known are {_KNOWN}"
            )
    if not names:
        raise SettingsError(f"{_ALGORITHMS}: must name at least one of {_KNOWN}")
    return names


def audiences(text: str) -> tuple[str, ...]:
    """The audiences of a comma-separated list; SettingsError where there is none."""
    names = _items(text)
    if not names:
        raise SettingsError(f"{_AUDIENCE}: must name at least one audience")
    return names


def check_issuer(issuer: str | None, audience: str | None) -> None:
    """SettingsError where issuer and audience are not both there, or the issuer cannot be used."""
    if issuer is None and audience is None:
        return
    if issuer is None:
        raise SettingsError(f"{_ISSUER} is needed where {_AUDIENCE} is set")
    if audience is None:
        raise SettingsError(f"{_AUDIENCE} is needed where {_ISSUER} is set")
    audiences(audience)
    if not is_secure(issuer) or "?" in issuer or "#" in issuer:
        raise SettingsError(
            f"{_ISSUER}: must be an https:// address without user, query and fragment; "
            "http:// is for loopback addresses only"
        )


def check_client(client_id: str | None, audience: str | None) -> None:
    """SettingsError where tokens for the pages' client would not be taken."""
    if client_id is not None and client_id not in audiences(audience or ""):
        raise SettingsError(f"{_CLIENT}: must be one of {_AUDIENCE}")


def is_secure(url: str) -> bool:
    """Whether nobody on the way can change what this URL answers, and it names no user."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and "@" not in parts.netloc and _is_protected(parts)
    except ValueError:
        return False


def is_loopback_name(host: str) -> bool:
    """Whether a host is `localhost` or a loopback address, without asking anybody."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_protected(parts: SplitResult) -> bool:
    local = parts.scheme == "http" and is_loopback_name(parts.hostname or "")
    # A port that is no number raises ValueError.
    return (parts.scheme == "https" or local) and parts.port != 0


def _items(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
