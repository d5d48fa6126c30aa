"""Checks of the settings of an OpenID Connect issuer; pure."""

import ipaddress
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit

from edgar_search.errors import SettingsError

# Whoever can verify a symmetric signature can also forge one, and `none` means unsigned.
ASYMMETRIC = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
_KNOWN = ", ".join(ASYMMETRIC)
_ISSUER, _AUDIENCE = "EDGAR_SEARCH_OIDC_ISSUER", "EDGAR_SEARCH_OIDC_AUDIENCE"
_CLIENT, _SECRET = "EDGAR_SEARCH_OIDC_CLIENT_ID", "EDGAR_SEARCH_OIDC_CLIENT_SECRET"
_CLIENT_AUTH, _CLIENT_KEY = "EDGAR_SEARCH_OIDC_CLIENT_AUTH", "EDGAR_SEARCH_OIDC_CLIENT_KEY"
_WELL_KNOWN = "/.well-known/openid-configuration"
ClientAuthentication: TypeAlias = Literal[
    "client_secret_basic", "client_secret_post", "private_key_jwt", "none"
]
_ALGORITHMS = "EDGAR_SEARCH_OIDC_ALGORITHMS"


def algorithms(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of algorithms; SettingsError for one that is not asymmetric."""
    names = _items(text)
    for name in names:
        if name not in ASYMMETRIC:
            raise SettingsError(
                f"{_ALGORITHMS}: `{name}` is not an asymmetric algorithm; expected {_KNOWN}"
            )
    if not names:
        raise SettingsError(f"{_ALGORITHMS}: must name at least one of {_KNOWN}")
    return names


def audiences(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of audiences; SettingsError if it is empty."""
    names = _items(text)
    if not names:
        raise SettingsError(f"{_AUDIENCE}: must name at least one audience")
    return names


def check_issuer(issuer: str | None, audience: str | None) -> None:
    """Raise SettingsError unless issuer and audience are both unset, or both set and valid."""
    if issuer is None and audience is None:
        return
    if issuer is None:
        raise SettingsError(f"{_ISSUER} is needed if {_AUDIENCE} is set")
    if audience is None:
        raise SettingsError(f"{_AUDIENCE} is needed if {_ISSUER} is set")
    audiences(audience)
    if "," in issuer or " " in issuer.strip():
        raise SettingsError(f"{_ISSUER}: must be one address; one service has one issuer")
    if issuer.rstrip("/").endswith(_WELL_KNOWN):
        name = issuer.rstrip("/").removesuffix(_WELL_KNOWN)
        raise SettingsError(
            f"{_ISSUER}: must be the issuer itself, not the address of its discovery document:"
            f" {name}"
        )
    if not is_secure(issuer) or "?" in issuer or "#" in issuer:
        raise SettingsError(
            f"{_ISSUER}: must be an https:// address without user, query and fragment; "
            "http:// is for loopback addresses only"
        )


def check_client(
    client_id: str | None,
    audience: str | None,
    secret: str | None = None,
    authentication: ClientAuthentication | None = None,
    key: Path | None = None,
) -> None:
    """Raise SettingsError if no one could sign in to the pages through this client."""
    if client_id is None:
        client_settings = {_SECRET: secret, _CLIENT_AUTH: authentication, _CLIENT_KEY: key}
        for name, value in client_settings.items():
            if value is not None:
                raise SettingsError(f"{_CLIENT} is needed if {name} is set")
        return
    if audience is None:
        raise SettingsError(f"{_ISSUER} and {_AUDIENCE} are needed if {_CLIENT} is set")
    if client_id not in audiences(audience):
        raise SettingsError(f"{_CLIENT}: must be one of {_AUDIENCE}")
    if authentication == "private_key_jwt":
        if key is None:
            raise SettingsError(f"{_CLIENT_KEY} is needed if {_CLIENT_AUTH} is private_key_jwt")
        if secret is not None:
            raise SettingsError(f"{_SECRET}: must not be set if {_CLIENT_AUTH} is private_key_jwt")
    elif key is not None:
        raise SettingsError(f"{_CLIENT_AUTH} must be private_key_jwt if {_CLIENT_KEY} is set")
    elif authentication == "none" and secret is not None:
        raise SettingsError(f"{_SECRET}: must not be set if {_CLIENT_AUTH} is none")
    elif authentication not in (None, "none") and secret is None:
        raise SettingsError(f"{_SECRET} is needed if {_CLIENT_AUTH} is {authentication}")


def check_rules(issuer: str | None, users: str, plans: str) -> None:
    """Raise SettingsError for rules about an issuer's users if no issuer is set."""
    for name, rules in (("USERS", users), ("PLANS", plans)):
        if rules and issuer is None:
            raise SettingsError(f"{_ISSUER} is needed if EDGAR_SEARCH_OIDC_{name} is set")


def check_pages(pages: str | None, client_id: str | None, local_issuer: bool) -> None:
    """Raise SettingsError if the pages require a sign-in and no one could sign in."""
    if pages == "signed-in" and client_id is None and not local_issuer:
        raise SettingsError(
            f"EDGAR_SEARCH_PAGES: signed-in needs an issuer at which users sign in; set {_ISSUER},"
            f" {_AUDIENCE} and {_CLIENT}"
        )


def check_scopes(scopes: str) -> None:
    """Raise SettingsError if a sign-in would not request an ID token."""
    if "openid" not in scopes.split():
        raise SettingsError(
            "EDGAR_SEARCH_OIDC_SCOPES: must have openid, such as `openid profile email`"
        )


def check_operators(accounts: Iterable[str]) -> None:
    """Raise SettingsError if an operator is given as a mail address instead of an account."""
    for account in accounts:
        if "@" in account:
            raise SettingsError(
                f"EDGAR_SEARCH_OPERATORS: `{account}` is an e-mail address; expected the id of an"
                " account, which the page Usage and plan shows, such as user-0a1b2c"
            )


def is_secure(url: str) -> bool:
    """Return True if no one on the network can alter this URL's answers, and it names no user."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and "@" not in parts.netloc and _is_protected(parts)
    except ValueError:
        return False


def may_name(issuer: str, url: str) -> bool:
    """Return True if a secure issuer may direct the service to this URL.

    Only an issuer on this machine may name a loopback address: services there trust their
    neighbours.
    """
    if not is_secure(url):
        return False
    hosts = [urlsplit(address).hostname or "" for address in (issuer, url)]
    return is_loopback_name(hosts[0]) or not is_loopback_name(hosts[1])


def is_loopback_name(host: str) -> bool:
    """Return True if a host is `localhost` or a loopback address; names are not looked up."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_protected(parts: SplitResult) -> bool:
    local = parts.scheme == "http" and is_loopback_name(parts.hostname or "")
    # An invalid port raises ValueError.
    return (parts.scheme == "https" or local) and parts.port != 0


def _items(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
