"""An issuer of tokens for development: a key in the home folder, without network or passwords."""

import os
import secrets
import socket
import time
from ipaddress import ip_address
from pathlib import Path

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from edgar_search.access.tokens.issuer_keys import PublishedKeys
from edgar_search.access.tokens.signed_token import MAX_SUBJECT_LENGTH, is_subject
from edgar_search.errors import BadRequest, SettingsError
from edgar_search.settings import Settings

ISSUER = "urn:edgar-search:local"
AUDIENCE = "edgar-search"
DEFAULT_LIFETIME = 3600
MAX_LIFETIME = 31_622_400  # a leap year, in seconds
_ALGORITHM, _CURVE = "ES256", "P-256"
_KEY_FILE = "local-issuer.pem"
_OTHERS = 0o077


class LocalIssuer:
    """An issuer that signs and verifies tokens by one key; who can read it can be any user."""

    algorithms: tuple[str, ...] = (_ALGORITHM,)
    audiences: tuple[str, ...] = (AUDIENCE,)

    def __init__(self, home: Path) -> None:
        self._path = home / _KEY_FILE

    def token(self, subject: str, lifetime: int = DEFAULT_LIFETIME) -> str:
        """Make a token for a subject, valid for `lifetime` seconds, creating the key if necessary.

        Raises BadRequest for an invalid subject or lifetime, and SettingsError if the key cannot be
        used.
        """
        if not is_subject(subject):
            raise BadRequest(f"--sub: must be 1 to {MAX_SUBJECT_LENGTH} printable characters")
        if not 1 <= lifetime <= MAX_LIFETIME:
            raise BadRequest(f"--lifetime: must be 1 to {MAX_LIFETIME} seconds")
        key = self._key() or self._new_key()
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + lifetime}
        header = {"alg": _ALGORITHM, "kid": key.thumbprint()}
        return jwt.encode(header, claims, key, algorithms=[_ALGORITHM])

    def is_named(self, issuer: str) -> bool:
        """Return True if a token that names this issuer may be its own."""
        return issuer == ISSUER

    async def find_keys(self, kid: str, *, pause: float | None = None) -> PublishedKeys:
        """Return the key if it has this `kid`; SettingsError if it cannot be used."""
        # Read each time, so that all processes notice a removed or new key file.
        key = self._key()
        return PublishedKeys(ISSUER, (key,) if key is not None and key.thumbprint() == kid else ())

    def _key(self) -> ECKey | None:
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_mode & _OTHERS:
                    raise SettingsError(f"{self._path}: must be readable by its owner only (0600)")
                return ECKey.import_key(file.read())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, JoseError):
            raise SettingsError(f"{self._path}: cannot be read as a key; remove it") from None

    def _new_key(self) -> ECKey:
        """Create the key and return it, or the key that another process created meanwhile."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_suffix(f".{secrets.token_hex(8)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(ECKey.generate_key(_CURVE).as_pem(private=True))
        try:
            # A link appears whole or not at all, and never replaces an existing file.
            os.link(draft, self._path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        key = self._key()
        assert key is not None, "the key was removed as soon as it was made"
        return key


def refuse_unless_loopback(settings: Settings, host: str) -> None:
    """Raise SettingsError if tokens of the local issuer would be accepted from other machines."""
    if settings.local_issuer and not is_loopback(host):
        raise SettingsError(
            "EDGAR_SEARCH_LOCAL_ISSUER: must be false, or --host a loopback address such as "
            "127.0.0.1; tokens of the local issuer are for development on one machine"
        )


def is_loopback(host: str) -> bool:
    """Return True if a server bound to this host can be reached from this machine only."""
    if not host:
        return False  # Such a server listens on all addresses.
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return all(ip_address(address[4][0]).is_loopback for address in addresses)
